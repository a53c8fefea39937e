"""What a live wiki answered, kept: one SQLite file, from which the same questions are answered again without it.

One row of table ``answers``::

    parameters  {"action": "query", "titles": "Vaal River", ...}: what was asked, sorted; the politeness is left out
    answer      the JSON as it came, packed with zlib
    digest      sha256 of that JSON
    retrieved   "2026-11-30T15:24:05+00:00": when

An answer is committed before it is used, so that a run that is killed loses none. The file belongs to one process while
that asks the wiki; any number may read it, each as it was when it opened it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import weakref
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from react.environments.wikipedia.api import TRIES, Api, WikiError
from react.lock import hold

Read = TypeVar("Read")

FORMAT = "staract-wikipedia-recording-1"
_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE answers (id INTEGER PRIMARY KEY, parameters TEXT UNIQUE NOT NULL, answer BLOB NOT NULL, "
    "digest BLOB NOT NULL, retrieved TEXT NOT NULL)",
)
_ROWS = "SELECT parameters, digest FROM answers WHERE id <= ? ORDER BY parameters"
_INSERT = "INSERT INTO answers (parameters, answer, digest, retrieved) VALUES (?, ?, ?, ?)"


class Recording:
    """The answers of one wiki. With an `api`, what is not there is asked and kept; without, it is a WikiError.

    ValueError: `path` is no recording, one of another wiki, or, without an `api`, empty. OSError: it cannot be read or
    written, or another process asks the wiki for it. `identity` says whose answers these are: with an `api` the
    endpoint, for what that has not answered yet nobody can know; without, a hash of every answer, so that equal ones
    give equal observations.
    """

    def __init__(self, path: Path, api: Api | None = None) -> None:
        self._path, self._api = path, api
        self._lock = threading.Lock()
        self._pending: dict[str, Future[bytes]] = {}
        lock = None if api is None else _hold(path)
        # A recording that nobody has any more lets go of its file too.
        self._let_go = weakref.finalize(self, lambda: None if lock is None else os.close(lock))
        try:
            self._database = _open(path, None if api is None else api.endpoint)
            self._last = self._rows("SELECT max(id) FROM answers")[0][0] or 0
            self.endpoint = str(self._rows("SELECT value FROM meta WHERE name = 'endpoint'")[0][0])
            if api is None and not self._last:
                raise ValueError(f"{path}: this recording is empty: {self.endpoint} has answered nothing yet")
            self.identity = self.endpoint if api is not None else self._content()
        except BaseException:
            self._let_go()
            raise

    def ask(self, parameters: Mapping[str, str], read: Callable[[Any], Read], tries: int = TRIES) -> Read:
        """What `read` makes of the answer to `parameters`. An answer that it cannot read is no answer, nor kept.

        Raises WikiError where there is none, and OSError where it cannot be kept.
        """
        key = json.dumps(dict(sorted(parameters.items())), ensure_ascii=False)
        with self._lock:
            pending = self._pending.get(key)
            content = None if pending else self._recorded(key)
            if pending is None and content is None:
                mine = self._pending[key] = Future()
        if pending is not None:
            content = pending.result()
        elif content is None:
            content = self._fetch(key, mine, lambda api: api.ask(parameters, read, tries))
        try:
            return read(json.loads(content))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OSError(f"{self._path}: holds an answer that is none ({error!r}) at {key}") from None

    def _fetch(self, key: str, mine: Future[bytes], fetch: Callable[[Api], bytes]) -> bytes:
        """Asks the wiki, for all threads that want this answer now."""
        try:
            if self._api is None:
                raise WikiError(f"{self._path}: not in this recording of {self.endpoint}: {key}")
            content = fetch(self._api)
            row = (key, zlib.compress(content), hashlib.sha256(content).digest(), _now())
            with self._lock:
                self._rows(_INSERT, row)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(content)
            return content
        finally:
            with self._lock:
                del self._pending[key]

    def _recorded(self, key: str) -> bytes | None:
        last = self._last if self._api is None else 2**62
        rows = self._rows("SELECT answer, digest FROM answers WHERE parameters = ? AND id <= ?", (key, last))
        return self._unpacked(key, *rows[0]) if rows else None

    def _unpacked(self, key: str, answer: bytes, digest: bytes) -> bytes:
        try:
            content = zlib.decompress(answer)
        except zlib.error:
            content = b""
        if hashlib.sha256(content).digest() != digest:
            raise OSError(f"{self._path}: this recording is damaged at {key}")
        return content

    def _content(self) -> str:
        digest = hashlib.sha256(f"{FORMAT}\n{self.endpoint}\n".encode())
        for parameters, one in self._rows(_ROWS, (self._last,)):
            digest.update(parameters.encode() + one)
        return digest.hexdigest()

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise OSError(f"{self._path}: the recording cannot be used: {error}") from None

    def asked(self, parameter: str) -> list[str]:
        """The values of `parameter` in all that was asked, in the order of their letters."""
        with self._lock:
            rows = self._rows("SELECT parameters FROM answers WHERE id <= ? ORDER BY parameters", (self._last,))
        values = (json.loads(parameters).get(parameter) for (parameters,) in rows)
        return sorted({value for value in values if value is not None})

    def close(self) -> None:
        """Lets another process have the file. What is recorded lies in it already, and nowhere else."""
        with self._lock:
            self._database.close()
            self._let_go()
        if self._api is not None:
            self._api.close()


def is_recording(path: Path) -> bool:
    """Whether the SQLite file at `path` says that it is a recording, of this version or another."""
    try:
        with closing(_connected(path, "rw")) as database:
            rows = database.execute("SELECT value FROM meta WHERE name = 'format'").fetchall()
    except (sqlite3.Error, UnicodeDecodeError):
        return False
    return bool(rows) and str(rows[0][0]).startswith(FORMAT.rpartition("-")[0])


def _open(path: Path, endpoint: str | None) -> sqlite3.Connection:
    """The recording at `path`; made where it is not there and an `endpoint` is given, checked where it is."""
    try:
        # "rw" reads a file that cannot be written, and plays back the journal that a killed run left in one that can.
        database = _connected(path, "rw" if endpoint is None else "rwc")
        try:
            if endpoint is not None and not database.execute("SELECT 1 FROM sqlite_master").fetchone():
                _make(database, endpoint)
            facts = dict(database.execute("SELECT name, value FROM meta").fetchall())
            _check(path, facts, endpoint)
            _check_whole(path, database)
        except BaseException:
            database.close()
            raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not a recording of a wiki: {error}") from None
    return database


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=10)


def _make(database: sqlite3.Connection, endpoint: str) -> None:
    database.execute("BEGIN")
    for table in _TABLES:
        database.execute(table)
    database.executemany("INSERT INTO meta VALUES (?, ?)", [("format", FORMAT), ("endpoint", endpoint)])
    database.execute("COMMIT")


def _check(path: Path, facts: Mapping[str, str], endpoint: str | None) -> None:
    if facts.get("format") != FORMAT:
        raise ValueError(f"{path}: of format {facts.get('format')!r}, but a recording has {FORMAT!r}")
    if endpoint is not None and facts.get("endpoint") != endpoint:
        raise ValueError(f"{path} records {facts.get('endpoint')}, not {endpoint}: choose another `recording`")


def _check_whole(path: Path, database: sqlite3.Connection) -> None:
    """ValueError for a damaged file. The digests say that an answer is whole, not that it is this question's."""
    (verdict,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise ValueError(f"{path}: a damaged recording: {verdict}")


def _hold(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"{path}: cannot be written ({error.strerror}); choose another `recording`") from None
    return hold(path)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
