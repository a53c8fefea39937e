"""Long builds of a SQLite file that go on where they were stopped: in stages, each a generator of steps.

What was done up to a step is saved with the step, in one transaction, every few seconds: kill -9 costs these seconds.
A table `progress` holds at which stage and step the build is, and is gone when it is done.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from react import cache
from react.lock import hold
from react.mistakes import naming
from react.progress import Progress

_SAVED_SECONDS = 5.0
_SHOWN_SECONDS = 2.0
_STALE_SECONDS = 24 * 3600.0

TABLES = """
    CREATE TABLE progress (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
"""


class Step(NamedTuple):
    """Where a stage is to go on, as JSON has it, and how far it is."""

    at: Any
    done: int
    total: int
    note: str = ""


Stage = tuple[str, Callable[[Any], Iterator[Step]]]


def begin(database: sqlite3.Connection, settings: str, tables: str, signed: str) -> None:
    """Makes an empty database that a build of what is `signed` can go on with."""
    database.executescript(f"{settings}; BEGIN; {TABLES} {tables}")
    save(database, signature=signed, stage=0, at="null")
    database.execute("COMMIT")


def run(database: sqlite3.Connection, title: str, stages: Sequence[Stage]) -> None:
    """Goes through all stages that are not done. Each is given where it is to go on, None at its beginning."""
    first, at = (state(database)[name] for name in ("stage", "at"))
    work = _Work(database)
    for number, (name, stage) in enumerate(stages[first:], first):
        with _Shown(f"{title}: {name}", resumed=json.loads(at) is not None) as shown:
            for step in stage(json.loads(at)):
                work.save_when_due(at=json.dumps(step.at))
                shown.show(step)
        at = "null"
        save(database, stage=number + 1, at=at)
        work.save_when_due()
    database.execute("DROP TABLE progress")
    database.execute("COMMIT")


def state(database: sqlite3.Connection) -> dict[str, Any]:
    """How far the build is, and the signature of what it is of."""
    return dict(database.execute("SELECT name, value FROM progress"))


def save(database: sqlite3.Connection, **values: object) -> None:
    database.executemany("INSERT OR REPLACE INTO progress VALUES (?, ?)", values.items())


class _Work:
    """The transaction under way. What is in it is lost if the process ends now."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._saved = time.monotonic()
        database.execute("BEGIN")

    def save_when_due(self, **values: object) -> None:
        if time.monotonic() - self._saved > _SAVED_SECONDS:
            save(self._database, **values)
            self._database.execute("COMMIT")
            self._database.execute("BEGIN")
            self._saved = time.monotonic()


class _Shown:
    """How far a stage is, shown once it has taken long, with the rate since it began or was `resumed`."""

    def __init__(self, title: str, resumed: bool) -> None:
        self._title = title
        self._first: int | None = None if resumed else 0
        self._began = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.__exit__(kind, error, at)

    def show(self, step: Step) -> None:
        self._first = step.done if self._first is None else self._first
        if self._bar is None:
            if time.monotonic() - self._began < _SHOWN_SECONDS:
                return
            self._bar = Progress(self._title, step.total, since=self._began).__enter__()
            self._bar.begin(self._first)
        self._bar.advance(step.done, step.note)


@contextmanager
def alone(target: Path) -> Iterator[None]:
    """No other process builds this target meanwhile; one that does is waited for. ValueError: it cannot be written."""
    path = Path(f"{target}.lock")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock = _waited_for(target)
        while not _is_at(path, lock):  # its holder has removed it
            os.close(lock)
            lock = _waited_for(target)
    except OSError as error:
        advice = "; set STARACT_CACHE to a folder" if target.is_relative_to(cache.folder()) else ""
        raise ValueError(f"{target}: cannot be written ({error.strerror or error}){advice}") from None
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(lock)


def _is_at(path: Path, lock: int) -> bool:
    try:
        return os.fstat(lock).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False


def _waited_for(target: Path) -> int:
    try:
        return hold(target)
    except BlockingIOError as error:
        print(f"{error}; waiting for it", file=sys.stderr)
        return hold(target, wait=True)


def sweep(folder: Path, within: str, remove: Callable[[Path], object]) -> None:
    """Removes what builds left behind in `folder` that nobody went on with for a day.

    `within` a build that is a folder is the file that is written as it goes on; empty where the build is a file itself.
    """
    for partial in folder.glob("*.partial"):
        if time.time() - _touched(partial, within) > _STALE_SECONDS:
            target = partial.with_suffix("")
            try:
                lock = hold(target)
            except OSError:
                continue
            remove(partial)
            Path(f"{target}.lock").unlink(missing_ok=True)
            os.close(lock)


def _touched(partial: Path, within: str) -> float:
    """When a build last went on. Now, where it has just ended: others build and sweep at the same time."""
    for path in (partial / within, partial):
        with suppress(OSError):
            return path.stat().st_mtime
    return time.time()


def synced(path: Path) -> None:
    """The file is on the disk: what says that it is done may follow."""
    with naming(path), path.open("rb") as file:
        os.fsync(file.fileno())
