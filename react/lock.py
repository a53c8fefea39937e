"""One process at a time: a lock that dies with its holder, so that no stale one has to be cleared away."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path


def hold(path: Path, wait: bool = False, called: Path | None = None) -> int:
    """Locks `path` for this process; the lock dies with it, however it dies. The lock file beside it is left to its
    holder: that of a run folder stays.

    BlockingIOError names the process that has it, and what is locked as it is `called`, unless it is waited for; any
    other OSError says why nobody could lock it: FileExistsError, that the lock file is something else, which is left as
    it is. The result is what `os.close` takes to let go.
    """
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        holder = os.read(lock, 20).decode(errors="replace").strip() or "unknown"
        os.close(lock)
        if isinstance(error, BlockingIOError):
            raise BlockingIOError(
                f"{called or path} is in use by another run (process {holder}): one at a time may write it"
            ) from None
        raise OSError(f"{path}.lock cannot be locked: {error}") from None
    if not stat.S_ISREG(os.fstat(lock).st_mode) or os.pread(lock, 40, 0).strip(b"0123456789\n"):
        os.close(lock)
        raise FileExistsError(f"{path}.lock is there, and no lock; remove or rename it")
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    return lock
