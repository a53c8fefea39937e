"""An append-only file of trajectories that survives kill -9, power loss and a full disk.

Each line reaches the system in one write before `append` returns, and the disk every second. A line that a kill tore
in two is cut off when the file is opened again: its episode is done again, from the record of its calls.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from react import trajectory
from react.mistakes import naming
from react.trajectory import Trajectory

_SYNC_SECONDS = 1.0


class Journal:
    """The attempts of a run. Safe to append to from many threads; one process at a time."""

    def __init__(self, path: Path) -> None:
        """Opens `path`, or makes it. OSError if it cannot be written."""
        self.path = path
        self._lock = threading.Lock()
        self._synced = time.monotonic()
        _cut_torn_line(path)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._size = os.fstat(self._file).st_size

    def append(self, record: Trajectory) -> None:
        """Adds one line, whole or not at all. OSError (a full disk) leaves the file as it was."""
        self.append_line((trajectory.to_json(record) + "\n").encode())

    def append_line(self, line: bytes) -> None:
        """As `append`, of a line that another journal has."""
        with self._lock:
            self._write(line)
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()

    def _write(self, line: bytes) -> None:
        written = 0
        with naming(self.path):
            try:
                while written < len(line):
                    written += os.write(self._file, line[written:])
            except OSError:
                os.ftruncate(self._file, self._size)
                raise
        self._size += written

    def read(self) -> Iterator[Trajectory]:
        """What was appended so far, in order. RecordError names a line that is no trajectory."""
        return trajectory.read(self.path)

    def close(self) -> None:
        """Syncs what is left. May be called twice."""
        with self._lock:
            if self._file >= 0:
                os.fsync(self._file)
                os.close(self._file)
                self._file = -1


def _cut_torn_line(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        at, tail = size, b""
        while at > 0 and b"\n" not in tail:
            step = min(1 << 16, at)
            at -= step
            file.seek(at)
            tail = file.read(step) + tail
        file.truncate(at + tail.rfind(b"\n") + 1)
