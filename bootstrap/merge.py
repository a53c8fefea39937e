"""What ranks left in `ranks/<rank>/` -> the run's own attempts and record of calls, in which nothing stands twice.

It is done when all ranks are done, and first of all when a run is entered again: a launch with another number of ranks
finds one run. Killed at any moment it is simply done again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep

from bootstrap.company import Company
from react._store import Store
from react.journal import Journal
from react.lock import hold
from react.mistakes import Mistake
from react.models import Model

ATTEMPTS, CALLS = "attempts.jsonl", "completions.sqlite"
_AGAIN = 0.2  # seconds between two tries for a lock


def merge(folder: Path, model: Model, company: Company, patience: float) -> None:
    """Merges what there is; afterwards the run has both files, and each is one plain file.

    What a rank of a launch before still writes is waited for, `patience` seconds at most: OSError names its process.
    """
    Journal(folder / ATTEMPTS).close()
    whole = Store(folder / CALLS)
    try:
        whole.belong(model.name, model.fingerprint)
        shares = homes(folder)
        there = set(map(digest, _lines(folder / ATTEMPTS))) if shares else set()
        for home in shares:
            with ExitStack() as held:
                if not company.has(home):
                    held.callback(os.close, _held(home, patience))
                _merge_calls(whole, home / CALLS)
                there |= _merge_attempts(folder / ATTEMPTS, home / ATTEMPTS, there)
                shutil.rmtree(home)
    finally:
        whole.close()


def homes(folder: Path) -> list[Path]:
    """Where ranks of the run have something. Mistake names a link, through which other things would be written."""
    ranks = folder / "ranks"
    for path in (ranks, *sorted(ranks.glob("*"))):
        if path.is_symlink():
            raise Mistake(f"{path} is a link to {os.readlink(path)}; ranks have folders of their own: remove it")
    return sorted(path for path in ranks.glob("*") if path.is_dir())


def _held(home: Path, patience: float) -> int:
    """The lock of a rank's folder. A rank of a launch that failed takes a moment to notice."""
    until = monotonic() + patience
    while True:
        try:
            return hold(home)
        except BlockingIOError:
            if monotonic() > until:
                raise
            sleep(_AGAIN)


def _merge_calls(whole: Store, path: Path) -> None:
    if path.exists():
        Store(path).close()  # what a kill left in its log is in it now
        whole.take_in(path)


def _merge_attempts(whole: Path, path: Path, there: set[bytes]) -> set[bytes]:
    """Adds the lines that are not `there` yet; their digests.

    Killed between this and the removal, a merge finds all of them again.
    """
    journals = Journal(whole), Journal(path)
    added = set()
    for line in _lines(path):
        if (known := digest(line)) not in there:
            journals[0].append_line(line)
            added.add(known)
    for journal in journals:
        journal.close()
    return added


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file


def digest(line: bytes) -> bytes:
    """By which a line is known again."""
    return hashlib.blake2b(line, digest_size=16).digest()
