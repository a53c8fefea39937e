"""The stages of building a snapshot. Each leaves the database in a state from which the build can go on.

    read      pages and redirects, as they come
    names     one text for each title; titles and redirects with their keys, in the order of their letters; fingerprint
    letters   the index of trigrams (letters.py)
    words     the index of words of titles and first sentences (FTS5)

What was done is saved every few seconds (_build.py): kill -9 costs these seconds, and in `names`, which is one
statement, that statement.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from react.environments import _build
from react.environments._build import Step
from react.environments.wikipedia import Page, letters
from react.environments.wikipedia.reading import Position
from react.environments.wikipedia.snapshot import FORMAT
from react.environments.wikipedia.titles import key

Start = tuple[int, Position]


class Batch(NamedTuple):
    """Pages, where in the sources to go on after them, and how many bytes of the sources have been read."""

    pages: Iterable[Page]
    after: Start
    done: int


Batches = Callable[[Start], Iterator[Batch]]


_RUN = 250_000  # names in one run of the index of letters: 150 MB of memory
_PART = 10_000
_MB = 1 << 20

_SETTINGS = """
    PRAGMA cache_size = -200000;
    PRAGMA temp_store = FILE;
    PRAGMA synchronous = NORMAL;
"""
_TABLES = f"""
    CREATE TABLE pages (id INTEGER PRIMARY KEY, title TEXT, disambiguation INTEGER, text TEXT);
    CREATE TABLE redirects (name TEXT, target TEXT);
    CREATE TABLE names (id INTEGER PRIMARY KEY, key TEXT, name TEXT, redirect INTEGER, page INTEGER);
    CREATE VIRTUAL TABLE words USING fts5(lead, content='', tokenize='unicode61 remove_diacritics 2');
    CREATE TABLE terms (term TEXT PRIMARY KEY, pages INTEGER) WITHOUT ROWID;
    INSERT INTO words (words, rank) VALUES ('hashsize', 67108864);
    {letters.TABLES}
"""
# Of two texts under one title the longer is kept.
_ONE_TEXT = (
    "CREATE INDEX pages_by_title ON pages (title)",
    "CREATE TEMP TABLE doubled AS SELECT title FROM pages GROUP BY title HAVING count(*) > 1",
    """
    INSERT INTO meta SELECT 'differing_texts', count(*) FROM (
        SELECT title FROM doubled JOIN pages USING (title) GROUP BY title HAVING count(DISTINCT text) > 1
    )
    """,
    """
    DELETE FROM pages WHERE id IN (
        SELECT id FROM (
            SELECT id, row_number() OVER (
                PARTITION BY title ORDER BY length(text) DESC, text DESC, disambiguation DESC
            ) AS place FROM doubled JOIN pages USING (title)
        ) WHERE place > 1
    )
    """,
    "DROP TABLE temp.doubled",
)
# Ids follow the names, so that nothing depends on the order of the sources.
_NAMES = """
    INSERT INTO names (key, name, redirect, page)
    SELECT key(name), name, redirect, page FROM (
        SELECT title AS name, 0 AS redirect, id AS page, title FROM pages
        UNION ALL
        SELECT DISTINCT name, 1, pages.id, title FROM redirects JOIN pages ON title = target WHERE name != target
    ) ORDER BY name, redirect, title
"""
_WORDS = (
    "INSERT INTO words (rowid, lead) SELECT id, key(title || ' ' || lead(text)) FROM pages WHERE id > ? AND id <= ?"
)
_TERMS = (
    "INSERT INTO words (words) VALUES ('optimize')",
    "CREATE VIRTUAL TABLE temp.words_terms USING fts5vocab(main, words, row)",
    "INSERT INTO terms SELECT term, doc FROM temp.words_terms",
    "DROP TABLE temp.words_terms",
)


def begin(database: sqlite3.Connection, signed: str) -> None:
    """Makes an empty database that a build can go on with."""
    _build.begin(database, _SETTINGS, _TABLES, signed)


def signature(database: sqlite3.Connection) -> object:
    """Of the sources whose build this is, also where nothing is left of it but to publish it."""
    if _is_done(database):
        return dict(database.execute("SELECT name, value FROM meta")).get("sources")
    return _build.state(database).get("signature")


def _is_done(database: sqlite3.Connection) -> bool:
    return not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'progress'").fetchone()


def is_own(database: sqlite3.Connection) -> bool:
    """Whether it is a build, of any sources and at any stage, or still empty."""
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    return not tables or {"meta", "pages", "names", "terms", "words"} <= tables


def run(database: sqlite3.Connection, batches: Batches, size: int) -> None:
    """Goes through all stages that are not done. `size`: of the sources, in bytes, or 0. ValueError: no pages."""
    if _is_done(database):
        return
    database.executescript(_SETTINGS)
    database.create_function("key", 1, key, deterministic=True)
    database.create_function("lead", 1, lambda text: text.partition("\n")[0], deterministic=True)
    stages: tuple[_build.Stage, ...] = (
        ("reading pages" + " (MB of the sources)" * bool(size), lambda at: _read(database, at, batches, size)),
        ("sorting names", lambda at: _names(database)),
        ("indexing letters of names", lambda at: _letters(database, at)),
        ("indexing words of pages", lambda at: _words(database, at)),
    )
    _build.run(database, "Wikipedia", stages)


def _read(database: sqlite3.Connection, at: Any, batches: Batches, size: int) -> Iterator[Step]:
    """Appends: nothing is looked up, so that the millionth page takes no longer than the first."""
    source, stream, record, count = at or (0, 0, 0, 0)
    began, before = time.monotonic(), count
    for batch in batches((source, Position(stream, record))):
        for page in batch.pages:
            count += _insert(database, page)
        rate = (count - before) / max(time.monotonic() - began, 1e-9)
        number, position = batch.after
        done, total = (batch.done // _MB, -(-size // _MB)) if size else (count, 0)
        yield Step((number, *position, count), done, total, f"{count:,} pages, {rate:,.0f}/s")
    if not count:
        raise ValueError("the sources hold no pages")


def _insert(database: sqlite3.Connection, page: Page) -> bool:
    """Appends a page, if it has text, and its redirects. Whether it had."""
    if page.redirects:
        database.executemany("INSERT INTO redirects VALUES (?, ?)", ((name, page.title) for name in page.redirects))
    if page.paragraphs:
        text = "\n\n".join("\n".join(paragraph) for paragraph in page.paragraphs)
        row = (page.title, page.disambiguation, text)
        database.execute("INSERT INTO pages (title, disambiguation, text) VALUES (?, ?, ?)", row)
    return bool(page.paragraphs)


def _names(database: sqlite3.Connection) -> Iterator[Step]:
    for statement in (*_ONE_TEXT, _NAMES, "CREATE INDEX names_by_key ON names (key)", "DROP INDEX pages_by_title"):
        database.execute(statement)
    facts = {"format": FORMAT, "fingerprint": _fingerprint(database), "sources": str(signature(database))}
    facts |= {table: str(_count(database, table)) for table in ("pages", "names")}
    database.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())
    database.execute("DROP TABLE redirects")
    yield from ()


def _letters(database: sqlite3.Connection, at: Any) -> Iterator[Step]:
    total = _count(database, "names")
    for first in range(at or 0, total, _RUN):
        rows = database.execute("SELECT id, key FROM names WHERE id > ? AND id <= ?", (first, first + _RUN)).fetchall()
        letters.add(database, first, rows, total)
        yield Step(first + _RUN, first + len(rows), total)
    letters.merge(database)


def _words(database: sqlite3.Connection, at: Any) -> Iterator[Step]:
    (total,) = database.execute("SELECT max(id) FROM pages").fetchone()
    for first in range(at or 0, total, _PART):
        database.execute(_WORDS, (first, first + _PART))
        yield Step(first + _PART, min(first + _PART, total), total)
    for statement in _TERMS:
        database.execute(statement)


def _count(database: sqlite3.Connection, table: str) -> int:
    (count,) = database.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)


def _fingerprint(database: sqlite3.Connection) -> str:
    """A hash of the content alone: not of the order of the sources, nor of how the file was written.

    The hashes of all pages and redirects, which are sets, are added up (AdHash), so that nothing has to be sorted.
    """
    total = int.from_bytes(hashlib.sha256(FORMAT.encode()).digest())
    for table in ("title, disambiguation, text FROM pages", "DISTINCT name, target FROM redirects"):
        for row in database.execute(f"SELECT {table}"):
            total += int.from_bytes(hashlib.sha256("\0".join(map(str, row)).encode()).digest())
    return f"{total % (1 << 256):064x}"
