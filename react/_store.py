"""The SQLite file of a record of calls: made, checked, locked, written a call at a time. See `react.completions`."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from react.lock import hold
from react.models import Completion, Request
from react.trajectory import RecordError

_APPLICATION = 0x5374417B  # marks an SQLite file as ours, in its header
_VERSION = 1
_SCHEMA = f"""
PRAGMA page_size = 4096;
BEGIN;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE calls (key BLOB PRIMARY KEY, session TEXT, context TEXT, parameters TEXT, completions TEXT, seconds REAL);
CREATE TABLE refused (key BLOB PRIMARY KEY, message TEXT NOT NULL);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
COMMIT;
"""
_TOTALS = """
SELECT (SELECT count(*) FROM calls), (SELECT total(seconds) FROM calls),
       ifnull(sum(json_extract(value, '$.prompt_tokens')), 0),
       ifnull(sum(json_extract(value, '$.completion_tokens')), 0)
FROM calls, json_each(completions)
"""
_PAGE = 4096
_AWAY = "; put a copy of it back, or move it away: then its calls are asked again"
# 32 MB of log between two syncs: a checkpoint every ten thousand calls costs each of them a few microseconds.
_DURABLE = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=8000;"


class Store:
    """The file. Not thread-safe: its owner has the lock. Every error names the file."""

    def __init__(self, path: Path, *, live: bool = True) -> None:
        self._path = path
        self._broken: OSError | None = None
        self._holding = hold(path) if live else None
        try:
            self._database = _open(path) if live else _open_for_reading(path)
        except BaseException as error:
            self._release()
            if isinstance(error, sqlite3.Error):
                raise _named(path, error) from None
            raise

    def belong(self, name: str, fingerprint: str) -> None:
        """Writes down whose calls these are; ValueError if they are another model's."""
        try:
            if not self._database.execute("SELECT 1 FROM meta").fetchone():
                rows = [("name", name), ("fingerprint", fingerprint)]
                with self._database:
                    self._database.execute("BEGIN")
                    self._database.executemany("INSERT INTO meta VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise _named(self._path, error) from None
        self.check(name, fingerprint)

    def check(self, name: str, fingerprint: str) -> None:
        """ValueError unless these are calls of that model."""
        recorded, of = self.model()
        if of != fingerprint:
            raise ValueError(
                f"{self._path} records calls of {recorded!r} ({of}), not of {name!r} ({fingerprint}): "
                "a run has one model; choose another run folder"
            )

    def model(self) -> tuple[str, str]:
        """Name and fingerprint of the model whose calls these are."""
        meta = dict(self._rows("SELECT name, value FROM meta", ()))
        if not {"name", "fingerprint"} <= set(meta):
            raise RecordError(f"{self._path}: does not say which model it records")
        return meta["name"], meta["fingerprint"]

    def get(self, key: bytes) -> list[Completion]:
        """What is recorded under `key`; empty if nothing is."""
        rows = self._rows("SELECT completions FROM calls WHERE key = ?", (key,))
        return [Completion(**said) for said in json.loads(rows[0][0])] if rows else []

    def refusal(self, key: bytes) -> str | None:
        rows = self._rows("SELECT message FROM refused WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None

    def put(self, key: bytes, request: Request, parameters: str, completions: list[Completion], seconds: float) -> None:
        context = _storable(request.prompt[request.shared :])
        answer = json.dumps([vars(completion) for completion in completions])
        row = (key, _storable(request.session), context, parameters, answer, seconds)
        self._write("INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?)", row)

    def refuse(self, key: bytes, message: str) -> None:
        """No answer, and asked again when the run goes on; only a replay, which has no model to ask, reads it."""
        self._write("INSERT OR REPLACE INTO refused VALUES (?, ?)", (key, _storable(message)))

    def take_in(self, path: Path) -> None:
        """Adds the calls of another record of the same model, which nobody writes, that are not in this one."""
        try:
            self._database.execute("ATTACH ? AS other", (str(path),))
            self._database.execute("BEGIN")
            self._database.execute("INSERT OR IGNORE INTO calls SELECT * FROM other.calls")
            self._database.execute("INSERT OR IGNORE INTO refused SELECT * FROM other.refused")
            self._database.execute("COMMIT")
            self._database.execute("DETACH other")
        except sqlite3.Error as error:
            raise _named(path, error) from None

    def totals(self) -> dict[str, float]:
        """What all recorded calls took together."""
        names = ("calls", "seconds", "prompt_tokens", "completion_tokens")
        (row,) = self._rows(_TOTALS, ())
        return dict(zip(names, row, strict=True))

    def seconds(self) -> dict[str, float]:
        """What the calls of each session took by the clock, summed; without sessions of which a call was copied."""
        query = "SELECT session, total(seconds) FROM calls GROUP BY session HAVING min(seconds) > 0"
        return dict(self._rows(query, ()))

    def _rows(self, query: str, values: tuple[object, ...]) -> list[Any]:
        if self._broken:
            raise self._broken.with_traceback(None)
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._fail(error) from None

    def _write(self, statement: str, row: tuple[object, ...]) -> None:
        try:
            self._database.execute(statement, row)
        except sqlite3.Error as error:
            raise self._fail(error) from None

    def _fail(self, error: sqlite3.Error) -> OSError:
        """Once a record is open, whatever breaks it stops the run: no later call may go unrecorded."""
        self._broken = OSError(f"{self._path}: the record of calls cannot be used: {error}")
        return self._broken

    def close(self) -> None:
        # Out of WAL mode the record is one plain file, readable from a read-only medium. If this fails (a full disk),
        # the log stays beside the file, and the next to open it finds everything.
        with suppress(sqlite3.Error):
            if self._holding is not None:
                self._database.execute("PRAGMA journal_mode=DELETE")
        self._database.close()
        self._broken = self._broken or OSError(f"{self._path}: the record of calls is closed")
        self._release()

    def _release(self) -> None:
        if self._holding is not None:
            os.close(self._holding)
            self._holding = None


def _open(path: Path) -> sqlite3.Connection:
    """The record at `path`, made if it is not there, and checked in full if it is."""
    if not path.exists():
        _make(path)
    torn = path.with_name(f"{path.name}-journal").exists()  # a kill while it was closed: only who may write mends that
    if not torn:
        _open_for_reading(path).close()  # a damaged one is left as it is: who may write throws its log away
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=1)
    try:
        # One process only: no shared memory and no locking at each call. First of all, before the log is touched.
        database.execute("PRAGMA locking_mode=EXCLUSIVE")
        if torn:
            _check(database, path)
        database.executescript(_DURABLE)
    except BaseException:
        database.close()
        raise
    return database


def _make(path: Path) -> None:
    """An empty record, there at once and whole: one that is found cut short was more before."""
    partial = path.with_name(f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    database = sqlite3.connect(partial, isolation_level=None)
    try:
        database.executescript(_SCHEMA)
    finally:
        database.close()
    os.replace(partial, path)


def _refuse_cut(path: Path) -> None:
    """SQLite takes what is shorter than a page for a new file, and throws its log away."""
    if (size := path.stat().st_size) < _PAGE:
        raise RecordError(f"{path}: a damaged record of calls: it has {size} bytes{_AWAY}")


def _open_for_reading(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no record of calls")
    _refuse_cut(path)
    uri = f"{path.absolute().as_uri()}?mode=ro"
    database = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=1)
    try:
        _check(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _check(database: sqlite3.Connection, path: Path) -> None:
    application = database.execute("PRAGMA application_id").fetchone()[0]
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if application != _APPLICATION:
        raise RecordError(f"{path}: an SQLite file, but not a record of calls")
    if version != _VERSION:
        raise RecordError(f"{path}: a record of calls of version {version}; this program reads version {_VERSION}")
    if (verdict := database.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise RecordError(f"{path}: a damaged record of calls: {verdict}{_AWAY}")


def _named(path: Path, error: sqlite3.Error) -> Exception:
    """The error as the caller knows it: damage is a ValueError, a disk that is full or will not write an OSError."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return RecordError(f"{path}: not a record of calls, or a damaged one: {error}{_AWAY}")
    return OSError(f"{path}: the record of calls cannot be used: {error}")


def _storable(text: str) -> str:
    """`text` without half characters, which JSON from a server may hold and SQLite refuses. Only people read it."""
    return text.encode("utf-8", "backslashreplace").decode()
