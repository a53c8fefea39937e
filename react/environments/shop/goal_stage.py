"""The stage of a build that makes the goals, their order, the facts and the fingerprint (stages.py)."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from react.environments import _build
from react.environments._build import Step
from react.environments.shop import indexing, rows
from react.environments.shop.building import Drawn, Known, Wanted, number_of
from react.environments.shop.goals import human, numbered, ready, synthetic
from react.environments.shop.products import Malformed
from react.environments.shop.sources import READY, Data, entries, goal_record, split_sizes
from react.environments.shop.store import FORMAT, ORDER
from react.environments.wikipedia.reading import Position

_UNSOLD = "SELECT count(*) FROM known WHERE instruction AND asin NOT IN (SELECT asin FROM products)"
# Another value whenever the same rows would be searched or judged otherwise: it goes into the fingerprint.
_ANSWERS = "staract-shop-1 staract-bm25-1"
_PART = 500


def run(database: sqlite3.Connection, wanted: Wanted, at: Any, folder: Path) -> Iterator[Step]:
    """ValueError: there are none. `at`: how many products have theirs, and what was drawn for them."""
    after, saved = at or (0, json.loads(_build.state(database)["drawn"]))
    drawn = Drawn.again(saved, wanted.seed)
    splits: Mapping[str, int] = {}
    if wanted.kind == "synthetic":
        yield from _synthetic(database, drawn, after)
    else:
        database.execute("DELETE FROM goals")
        if wanted.kind == READY:
            splits = _ready(database, wanted.data, drawn)
        else:
            _human(database, wanted.data, drawn)
    count = number_of(database, "goals")
    if not count:
        raise ValueError(f"{wanted.data.names}: no {wanted.kind} instruction for any of the products ({drawn.told})")
    order = [*range(count)] if wanted.kind == READY else numbered(count)
    indexing.write(folder / ORDER, np.array(order), "<u4")
    facts = _facts(database, wanted, splits or _split_sizes(wanted.data, count), drawn.told)
    database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", facts.items())


def _facts(database: sqlite3.Connection, wanted: Wanted, splits: Mapping[str, int], skipped: str) -> Mapping[str, str]:
    """What a catalogue says of itself."""
    facts = {"source": wanted.data.names, "kind": wanted.kind, "skipped": skipped, "format": FORMAT}
    facts |= {"seed": str(wanted.seed), "most": str(wanted.most)}
    facts |= {"splits": json.dumps(splits)} if splits else {}
    facts |= {table: str(number_of(database, table)) for table in ("products", "goals")}
    return facts | {"fingerprint": _fingerprint(database), "sources": str(_build.state(database).get("signature"))}


def _human(database: sqlite3.Connection, data: Data, drawn: Drawn) -> None:
    written: dict[str, Any] = {}
    for asin, value, _ in entries(data.written) if data.written else ():
        if isinstance(value, list):
            written[asin] = value
        else:
            drawn.skipped["malformed instruction"] += 1
    for goal in human(rows.products_of(database, written), written, drawn.draw, drawn.skipped):
        rows.add_goal(database, goal, weighed=True)


def _ready(database: sqlite3.Connection, data: Data, drawn: Drawn) -> Mapping[str, int]:
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


def _synthetic(database: sqlite3.Connection, drawn: Drawn, after: int) -> Iterator[Step]:
    known, total = Known(database), number_of(database, "products")
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


def _fingerprint(database: sqlite3.Connection) -> str:
    """A hash of what is in the catalogue, in its order, and of how it is searched."""
    total = hashlib.sha256(_ANSWERS.encode())
    for columns in ("asin, category, query, record FROM products", "asin, record FROM goals"):
        for row in database.execute(f"SELECT {columns} ORDER BY id"):
            total.update("\0".join(row).encode() + b"\n")
    return total.hexdigest()
