"""A catalogue on disk: products are read when they are asked for, and the index is mapped into memory.

    catalogue.sqlite   products, goals, the numbers of terms, what is known of the build
    order.bin          which row of the goals each of them is
    index/             index.py
    SHA256SUMS         seal.py

Any number of threads and processes read it at once; what they read lies in memory once.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import overload

from react.environments.shop import MOST_RESULTS, Goal, Product, rows
from react.environments.shop.analyzer import terms
from react.environments.shop.index import TYPES, Index, mapped
from react.environments.shop.seal import CatalogueError, Sealed
from react.environments.wikipedia.turns import Turns

FORMAT = "staract-shop-2"
DATABASE, ORDER, INDEX = "catalogue.sqlite", "order.bin", "index"

_FILES = (DATABASE, ORDER, *(f"{INDEX}/{name}" for name in ("facts.json", *(f"{name}.bin" for name in TYPES))))
_NUMBERS = "SELECT term, id FROM terms WHERE term IN (SELECT value FROM json_each(?))"


class Store:
    """A `Catalogue` that never changes: CatalogueError if the folder holds none or a damaged one, and on every answer
    once one of its files was changed, replaced or removed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._sealed = Sealed(self.folder, _FILES)
        self._database = Database(self.folder, self._sealed)
        self.facts = self._database.facts()
        self.fingerprint = self.facts["fingerprint"]
        self.goals = Goals(self._database, self.folder / ORDER, self._sealed)
        self._index = Index(self.folder / INDEX)
        self._sealed.check(*_FILES)
        self._product = lru_cache(1024)(self._read)
        self._search = lru_cache(128)(self._found)

    def product(self, asin: str) -> Product | None:
        return self._product(asin)

    def search(self, keywords: Sequence[str]) -> list[str]:
        """Up to 50 asins, the best first."""
        return list(self._search(tuple(keywords)))

    def _read(self, asin: str) -> Product | None:
        if not rows.storable(asin):
            return None
        with self._database.reading() as database:
            return rows.product(database, asin)

    def _found(self, keywords: tuple[str, ...]) -> tuple[str, ...]:
        first, rest = (*keywords[:1], "")[0], keywords[1:]
        if first == "<r>":
            return self._asins(self._random(keywords))
        if first == "<c>":
            return self._where("category", rest[0].strip() if rest else "")
        if first == "<q>":
            return self._where("query", " ".join(rest).strip())
        return () if first == "<a>" else self._ranked(" ".join(keywords))

    def _ranked(self, words: str) -> tuple[str, ...]:
        asked = Counter(terms(words))
        with self._database.reading() as database:
            numbers = dict(database.execute(_NUMBERS, (json.dumps([*asked]),)))
        found = self._index.search({number: asked[term] for term, number in numbers.items()}, MOST_RESULTS)
        self._sealed.check(*_FILES)
        return self._asins([document + 1 for document in found])

    def _asins(self, numbers: Sequence[int]) -> tuple[str, ...]:
        with self._database.reading() as database:
            one = "SELECT asin FROM products WHERE id = ?"
            return tuple(str(database.execute(one, (number,)).fetchone()[0]) for number in numbers)

    def _where(self, column: str, value: str) -> tuple[str, ...]:
        if not rows.storable(value):
            return ()
        with self._database.reading() as database:
            found = database.execute(f"SELECT asin FROM products WHERE {column} = ? ORDER BY id", (value,)).fetchall()
        return tuple(asin for (asin,) in found)

    def _random(self, keywords: tuple[str, ...]) -> list[int]:
        total = int(self.facts["products"])
        seed = hashlib.sha256("\0".join((self.fingerprint, *keywords)).encode(errors="surrogatepass")).digest()
        return Random(seed).sample(range(1, total + 1), min(MOST_RESULTS, total))


class Database:
    """The SQLite file, a connection for each thread. Threads take turns (wikipedia/turns.py says why).

    What is read counts only if the files are still those that were `sealed`: a thread that comes later opens the path
    once more, and what is behind it may have been replaced.
    """

    def __init__(self, folder: Path, sealed: Sealed) -> None:
        self.path = folder / DATABASE
        self._sealed = sealed
        self._local = threading.local()
        self._turns = Turns()

    def facts(self) -> dict[str, str]:
        with self.reading() as database:
            facts = dict(database.execute("SELECT name, value FROM meta"))
        if facts.get("format") != FORMAT:
            told = f"a catalogue of format {facts.get('format')!r}, but this reads {FORMAT!r}"
            raise CatalogueError(f"{self.path}: {told}; build it again")
        return facts

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """This thread's own connection, and its turn.

        What goes wrong with it is a CatalogueError, with the file: sqlite3.Error would be one of the run's own files.
        """
        try:
            with self._turns:
                yield self._own()
        except (sqlite3.Error, ValueError, TypeError, LookupError) as error:
            self._sealed.check(DATABASE)
            raise CatalogueError(f"{self.path}: cannot be read: {error}") from error
        self._sealed.check(DATABASE)

    def _own(self) -> sqlite3.Connection:
        """SQLite forbids a connection to be carried into a forked process."""
        if getattr(self._local, "process", None) != os.getpid():
            self._local.connection = sqlite3.connect(f"{self.path.as_uri()}?mode=ro&immutable=1", uri=True)
            self._local.connection.execute("PRAGMA cache_size = -500")
            self._local.process = os.getpid()
        connection: sqlite3.Connection = self._local.connection
        return connection


class Goals(Sequence[Goal]):
    """The goals of a catalogue, each read when it is asked for."""

    def __init__(self, database: Database, order: Path, sealed: Sealed) -> None:
        self._database = database
        self._sealed = sealed
        self._order = mapped(order, "<u4")
        with database.reading() as connection:
            self._shares = dict(connection.execute("SELECT attribute, goals FROM shares"))

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, at: int) -> Goal: ...

    @overload
    def __getitem__(self, at: slice) -> list[Goal]: ...

    def __getitem__(self, at: int | slice) -> Goal | list[Goal]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        number = int(self._order[at]) + 1
        self._sealed.check(ORDER)
        with self._database.reading() as database:
            return rows.goal(database, number, self._shares)
