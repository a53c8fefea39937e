"""The stages of building a catalogue, each of which goes on where it was stopped (_build.py).

    known       what items_ins_v2 says of each product, kept until the goals are made
    products    as they come, with their prices
    goals       the instructions, with their bounds, and their order; the fingerprint (goal_stage.py)
    index       the postings, run by run (indexing.py)
    merging     the index of all runs

Prices and bounds are drawn from one generator, whose state is saved with each step: a build that was stopped draws what
it would have drawn.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react.environments import _build
from react.environments._build import Step, synced
from react.environments.shop import goal_stage, indexing, rows
from react.environments.shop.building import Drawn, Known, Wanted, number_of
from react.environments.shop.products import products
from react.environments.shop.sources import Data, entries, official
from react.environments.shop.store import INDEX
from react.environments.wikipedia.reading import Position

_SETTINGS = """
    PRAGMA cache_size = -200000;
    PRAGMA temp_store = FILE;
    PRAGMA synchronous = NORMAL;
"""
_TABLES = f"""
    CREATE TABLE known (asin TEXT PRIMARY KEY, instruction INTEGER, record TEXT) WITHOUT ROWID;
    {rows.TABLES} {indexing.TABLES}
"""
_PART = 500
_MB = 1 << 20


def begin(database: sqlite3.Connection, signed: str) -> None:
    _build.begin(database, _SETTINGS, _TABLES, signed)


def run(database: sqlite3.Connection, wanted: Wanted, folder: Path) -> None:
    """Goes through all stages that are not done. ValueError: the data hold no products, or no goals."""
    database.executescript(_SETTINGS)
    arrays = folder / INDEX
    stages: tuple[_build.Stage, ...] = (
        ("reading attributes (MB)", lambda at: _known(database, wanted.data)),
        ("reading products (MB)", lambda at: _products(database, wanted, at)),
        ("making goals", lambda at: goal_stage.run(database, wanted, at, folder)),
        ("indexing products", lambda at: indexing.runs(database, at, arrays, number_of(database, "products"))),
        ("merging the index", lambda at: _merged(database, arrays)),
    )
    _build.run(database, "WebShop", stages)


def _known(database: sqlite3.Connection, data: Data) -> Iterator[Step]:
    size = data.known.stat().st_size if data.known else 0
    for number, (asin, record, done) in enumerate(entries(data.known) if data.known else (), 1):
        _keep(database, asin, record)
        if number % _PART == 0:
            yield Step(None, done // _MB, -(-size // _MB), f"{number:,} asins")


def _keep(database: sqlite3.Connection, asin: str, record: Any) -> None:
    instruction = isinstance(record, dict) and "instruction" in record
    row = (asin, instruction, json.dumps(record))
    with suppress(UnicodeEncodeError):  # half a surrogate pair: no product has such a name
        database.execute("INSERT OR REPLACE INTO known VALUES (?, ?, ?)", row)


def _products(database: sqlite3.Connection, wanted: Wanted, at: Any) -> Iterator[Step]:
    stream, record, count, lost, saved = at or (0, 0, 0, [], None)
    drawn = Drawn.again(saved, wanted.seed)
    seen = {asin for (asin,) in database.execute("SELECT asin FROM products")} | set(lost)
    reads = _Reads(database, wanted, Position(stream, record), count, seen, lost)
    made = number_of(database, "products")
    for product in products(reads.records(), Known(database), drawn.draw, drawn.skipped, seen):
        rows.add_product(database, product)
        reads.made = product.asin
        made += 1
        if made % _PART == 0:
            at = (*reads.after, reads.count, reads.lost, drawn.saved())
            yield Step(at, reads.done // _MB, -(-wanted.data.items.size // _MB), f"{made:,} products")
    if not made:
        raise ValueError(f"{wanted.data.items.name}: holds no products ({drawn.told or 'it is empty'})")
    for statement in rows.INDEXES:
        database.execute(statement)
    _build.save(database, drawn=json.dumps(drawn.saved()))


@dataclass
class _Reads:
    """The records of products, and how far they have been read.

    `made` is the last asin that became a product, `lost` are those that became none: nor does a later record of theirs.
    """

    database: sqlite3.Connection
    wanted: Wanted
    after: Position
    count: int
    seen: set[str]
    lost: list[str]
    made: str = ""
    done: int = 0

    def records(self) -> Iterator[Mapping[str, Any]]:
        for read in self.wanted.data.items.read(self.after):
            if self.wanted.most and self.count >= self.wanted.most:
                return
            record, known = official(read)
            asin = record.get("asin")
            if known is not None and isinstance(asin, str):
                _keep(self.database, asin, known)
            self.after, self.done, self.count = read.after, read.done, self.count + 1
            fresh = isinstance(asin, str) and asin not in self.seen
            yield record
            if fresh and asin in self.seen and asin != self.made:
                self.lost.append(str(asin))


def _merged(database: sqlite3.Connection, arrays: Path) -> Iterator[Step]:
    asins = [asin for (asin,) in database.execute("SELECT asin FROM products ORDER BY id")]
    yield from indexing.merge(arrays, asins)
    for path in arrays.iterdir():
        synced(path)
    database.execute("DROP TABLE known")
