"""A frozen Wikipedia: one SQLite file, opened read-only by any number of threads and processes."""

from __future__ import annotations

import itertools
import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from react.environments.wikipedia import Page, letters
from react.environments.wikipedia.similar import similar
from react.environments.wikipedia.titles import clean, key, unquoted, without_qualifier
from react.environments.wikipedia.turns import Turns

FORMAT = "staract-wikipedia-5"
# Wikipedia's own limit is 255 bytes. What is longer is no title, and is not kept in memory either.
_LONGEST_TITLE = 300
_LINES = 50
_SHOWN = 5  # ReAct@6bdb3a1 wikienv.py

# Without the text: thousands of redirects may have one key, and a page a megabyte.
_BY_KEY = "SELECT name, redirect, title, page FROM names JOIN pages ON pages.id = page WHERE names.key = ?"
_PAGE = "SELECT title, disambiguation, text FROM pages WHERE id = ?"


class Snapshot:
    """A `Wikipedia` that never changes. Opening a file that is no snapshot, or another version's, is a ValueError."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._local = threading.local()
        self._inode = 0
        self._turns, self._turns_of_similar = Turns(), Turns()
        self.facts = self._check()
        self.fingerprint = self.facts["fingerprint"]
        self._find = lru_cache(1024)(self._find_in_file)
        self._similar = lru_cache(1024)(self._similar_in_file)
        self._sizes = letters.sizes(self._database())

    def find(self, entity: str) -> Page | None:
        """The page of that title; else of a redirect; else of either in another letter case, accent, dash or quote."""
        return self._find(entity) if len(entity) <= _LONGEST_TITLE else None

    def similar(self, entity: str) -> list[str]:
        """Up to five titles, in an order that depends on nothing but the snapshot and the entity."""
        return list(self._similar(entity[:_LONGEST_TITLE]))

    def _find_in_file(self, entity: str) -> Page | None:
        name = clean(entity)
        for spelling in dict.fromkeys((name, *unquoted(name))):
            with self._turns:
                found = self._row(spelling, key(spelling))
            if found:
                title, disambiguation, text = found
                return Page(title, _paragraphs(text), disambiguation=bool(disambiguation))
        return None

    def _row(self, spelling: str, sought: str) -> tuple[str, int, str] | None:
        """The page whose name is nearest to `spelling`, of those with the key that is sought."""
        database = self._database()
        rows = database.execute(_BY_KEY, (sought,)).fetchall()
        # A title of accents alone has no letters: its key, which is empty, says nothing.
        rows = [row for row in rows if sought or row[0] == spelling]
        if not rows:
            return None
        *_, page = min(rows, key=lambda row: _distance(spelling, *row[:3]))
        found: tuple[str, int, str] = database.execute(_PAGE, (page,)).fetchone()
        return found

    def _similar_in_file(self, entity: str) -> tuple[str, ...]:
        page, database = self._find(entity), self._database()
        if page is None:
            return self._likest(database, clean(entity), _SHOWN)
        titles = dict.fromkeys(itertools.islice(self._named(page), _SHOWN))
        if len(titles) < _SHOWN:
            like = self._likest(database, without_qualifier(page.title), _SHOWN + 1)
            titles.update(dict.fromkeys(title for title in like if title != page.title))
        return tuple(titles)[:_SHOWN]

    def _likest(self, database: sqlite3.Connection, entity: str, count: int) -> tuple[str, ...]:
        # One at a time: two that share the interpreter take longer than one after the other.
        with self._turns_of_similar:
            return tuple(similar(database, self._sizes, entity, count))

    def _named(self, page: Page) -> Iterator[str]:
        """The pages that a disambiguation page may refer to, in its order."""
        seen = {page.title}
        for sentence in page.sentences[:_LINES] if page.disambiguation else ():
            other = self._find_in_file(_subject(sentence))
            if other is not None and other.title not in seen:
                seen.add(other.title)
                yield other.title

    def _database(self) -> sqlite3.Connection:
        """This thread's own connection. SQLite forbids one to be carried into a forked process."""
        if getattr(self._local, "process", None) != os.getpid():
            self._local.database = self._connected()
            self._local.process = os.getpid()
        database: sqlite3.Connection = self._local.database
        return database

    def _connected(self) -> sqlite3.Connection:
        """OSError where the file is gone, or is not the one that other threads have open: two would be mixed."""
        try:
            database = sqlite3.connect(f"{self.path.as_uri()}?mode=ro&immutable=1", uri=True)
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: {error}") from None
        inode = self.path.stat().st_ino
        self._inode = self._inode or inode
        if inode != self._inode:
            database.close()
            raise OSError(f"{self.path}: was replaced by another file while it was in use")
        database.execute("PRAGMA cache_size = -500")  # half a MB, so that many threads stay small
        return database

    def _check(self) -> dict[str, str]:
        try:
            facts = dict(self._database().execute("SELECT name, value FROM meta"))
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{self.path}: not a Wikipedia snapshot: {error}") from None
        if facts.get("format") != FORMAT:
            raise ValueError(f"{self.path}: a snapshot of format {facts.get('format')!r}, but this reads {FORMAT!r}")
        return facts


def _paragraphs(text: str) -> tuple[tuple[str, ...], ...]:
    """The text of a page as `build` writes it: a line for each sentence, an empty one between two paragraphs."""
    return tuple(tuple(paragraph.split("\n")) for paragraph in text.split("\n\n"))


def _distance(sought: str, name: str, redirect: int, title: str) -> tuple[bool, int, bool, str, str]:
    return name != sought, redirect, name.casefold() != sought.casefold(), title, name


def _subject(line: str) -> str:
    """What a line of a disambiguation page is about: `Mercury (planet)` in `Mercury (planet), nearest to the Sun`."""
    return re.split(r",| [-\u2013\u2014] |: ", line, maxsplit=1)[0]
