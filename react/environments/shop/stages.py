"""The stages of building a catalogue, each of which goes on where it was stopped (_build.py).

    known       what items_ins_v2 says of each product, kept until the goals are made
    products    as they come, with their prices
    goals       the instructions, with their bounds, and their order; the fingerprint
    index       the postings, run by run (indexing.py)
    merging     the index of all runs

Prices and bounds are drawn from one generator, whose state is saved with each step: a build that was stopped draws what
it would have drawn.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from react.environments import _build
from react.environments._build import Step, synced
from react.environments.shop import indexing, rows
from react.environments.shop.goals import human, numbered, ready, synthetic
from react.environments.shop.products import Malformed, products
from react.environments.shop.sources import READY, Data, entries, goal_record, official, split_sizes
from react.environments.shop.store import FORMAT, INDEX, ORDER
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
_UNSOLD = "SELECT count(*) FROM known WHERE instruction AND asin NOT IN (SELECT asin FROM products)"
# Another value whenever the same rows would be searched or judged otherwise: it goes into the fingerprint.
_ANSWERS = "staract-shop-1 staract-bm25-1"
_PART = 500
_MB = 1 << 20


@dataclass(frozen=True)
class Wanted:
    """What a catalogue is to be. `kind`: of its goals. `most`: so many records at the head of the products, 0: all."""

    data: Data
    kind: str
    seed: int = 0
    most: int = 0

    def signature(self) -> str:
        return repr((self.data.signatures(), self.kind, self.seed, self.most))


@dataclass
class _Drawn:
    """What goes from one part of a build to the next: the state of the generator, and what was skipped so far."""

    draw: Random
    skipped: Counter[str] = field(default_factory=Counter)

    def saved(self) -> list[Any]:
        return [self.draw.getstate(), dict(self.skipped)]

    @property
    def told(self) -> str:
        """What was skipped, in words."""
        return ", ".join(f"{count:,} {reason}" for reason, count in sorted(self.skipped.items()) if count)

    @classmethod
    def again(cls, saved: Any, seed: int) -> _Drawn:
        made = cls(Random(seed))
        if saved:
            (version, numbers, gauss), skipped = saved
            made.draw.setstate((version, tuple(numbers), gauss))
            made.skipped.update(skipped)
        return made


def begin(database: sqlite3.Connection, signed: str) -> None:
    _build.begin(database, _SETTINGS, _TABLES, signed)


def run(database: sqlite3.Connection, wanted: Wanted, folder: Path) -> None:
    """Goes through all stages that are not done. ValueError: the data hold no products, or no goals."""
    database.executescript(_SETTINGS)
    arrays = folder / INDEX
    stages: tuple[_build.Stage, ...] = (
        ("reading attributes (MB)", lambda at: _known(database, wanted.data)),
        ("reading products (MB)", lambda at: _products(database, wanted, at)),
        ("making goals", lambda at: _goals(database, wanted, at, folder)),
        ("indexing products", lambda at: indexing.runs(database, at, arrays, _count(database, "products"))),
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


class _Known(Mapping[str, Any]):
    """What is known of each asin, read when it is asked for."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __getitem__(self, asin: str) -> Any:
        try:
            row = self._database.execute("SELECT record FROM known WHERE asin = ?", (asin,)).fetchone()
        except UnicodeEncodeError:
            row = None
        if row is None:
            raise KeyError(asin)
        return json.loads(row[0])

    def only(self, asin: str) -> dict[str, Any]:
        """What is known of one."""
        return {asin: self[asin]} if asin in self else {}

    def __iter__(self) -> Iterator[str]:
        return (asin for (asin,) in self._database.execute("SELECT asin FROM known"))

    def __len__(self) -> int:
        return _count(self._database, "known")


def _products(database: sqlite3.Connection, wanted: Wanted, at: Any) -> Iterator[Step]:
    stream, record, count, lost, saved = at or (0, 0, 0, [], None)
    drawn = _Drawn.again(saved, wanted.seed)
    seen = {asin for (asin,) in database.execute("SELECT asin FROM products")} | set(lost)
    reads = _Reads(database, wanted, Position(stream, record), count, seen, lost)
    made = _count(database, "products")
    for product in products(reads.records(), _Known(database), drawn.draw, drawn.skipped, seen):
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


def _goals(database: sqlite3.Connection, wanted: Wanted, at: Any, folder: Path) -> Iterator[Step]:
    after, saved = at or (0, json.loads(_build.state(database)["drawn"]))
    drawn = _Drawn.again(saved, wanted.seed)
    splits: Mapping[str, int] = {}
    if wanted.kind == "synthetic":
        yield from _synthetic(database, drawn, after)
    else:
        database.execute("DELETE FROM goals")
        splits = _ready(database, wanted.data, drawn) if wanted.kind == READY else _human(database, wanted.data, drawn)
    count = _count(database, "goals")
    if not count:
        raise ValueError(f"{wanted.data.names}: no {wanted.kind} instruction for any of the products ({drawn.told})")
    order = [*range(count)] if wanted.kind == READY else numbered(count)
    indexing.write(folder / ORDER, np.array(order), "<u4")
    splits = splits or _split_sizes(wanted.data, count)
    facts = {
        "source": wanted.data.names,
        "kind": wanted.kind,
        "seed": str(wanted.seed),
        "most": str(wanted.most),
        "skipped": drawn.told,
    }
    facts |= {"splits": json.dumps(splits)} if splits else {}
    facts |= {table: str(_count(database, table)) for table in ("products", "goals")}
    facts |= {"format": FORMAT, "fingerprint": _fingerprint(database), "sources": str(signature(database))}
    database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", facts.items())


def _human(database: sqlite3.Connection, data: Data, drawn: _Drawn) -> Mapping[str, int]:
    written: dict[str, Any] = {}
    for asin, value, _ in entries(data.written) if data.written else ():
        if isinstance(value, list):
            written[asin] = value
        else:
            drawn.skipped["malformed instruction"] += 1
    for goal in human(rows.products_of(database, written), written, drawn.draw, drawn.skipped):
        rows.add_goal(database, goal, weighed=True)
    return {}


def _ready(database: sqlite3.Connection, data: Data, drawn: _Drawn) -> Mapping[str, int]:
    """Goals that need no bound any more; how many there are of each split."""
    sizes: Counter[str] = Counter()
    for split, source in data.ready:
        for read in source.read(Position()):
            record = goal_record(read)
            found = rows.product(database, asin) if isinstance(asin := record.get("asin"), str) else None
            try:
                if found:
                    rows.add_goal(database, ready(found, record), weighed=True)
                    sizes[split] += 1
                else:
                    drawn.skipped["instruction without a product"] += 1
            except Malformed:
                drawn.skipped["malformed instruction"] += 1
    return sizes


def _synthetic(database: sqlite3.Connection, drawn: _Drawn, after: int) -> Iterator[Step]:
    known, total = _Known(database), _count(database, "products")
    for first in range(after, total, _PART):
        for product in rows.in_order(database, first, _PART):
            for goal in synthetic([product], known.only(product.asin), drawn.draw, drawn.skipped):
                rows.add_goal(database, goal, weighed=False)
        yield Step((first + _PART, drawn.saved()), min(first + _PART, total), total)
    (unsold,) = database.execute(_UNSOLD).fetchone()
    drawn.skipped["instruction without a product"] += unsold
    counts = Counter(attribute for attributes in rows.attributes_of_goals(database) for attribute in attributes)
    database.executemany("INSERT OR REPLACE INTO shares VALUES (?, ?)", counts.items())


def _split_sizes(data: Data, count: int) -> Mapping[str, int]:
    """Those that the data name. ValueError if there are fewer goals."""
    sizes = split_sizes(data.splits) if data.splits else {}
    if sum(sizes.values()) > count:
        raise ValueError(f"{data.splits}: {sum(sizes.values())} goals in its splits, but there are {count}")
    return sizes


def _merged(database: sqlite3.Connection, arrays: Path) -> Iterator[Step]:
    asins = [asin for (asin,) in database.execute("SELECT asin FROM products ORDER BY id")]
    yield from indexing.merge(arrays, asins)
    for path in arrays.iterdir():
        synced(path)
    database.execute("DROP TABLE known")


def _fingerprint(database: sqlite3.Connection) -> str:
    """A hash of what is in the catalogue, in its order, and of how it is searched."""
    total = hashlib.sha256(_ANSWERS.encode())
    for columns in ("asin, category, query, record FROM products", "asin, record FROM goals"):
        for row in database.execute(f"SELECT {columns} ORDER BY id"):
            total.update("\0".join(row).encode() + b"\n")
    return total.hexdigest()


def signature(database: sqlite3.Connection) -> object:
    """Of the data whose build this is."""
    return _build.state(database).get("signature")


def _count(database: sqlite3.Connection, table: str) -> int:
    (count,) = database.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)
