"""Products and goals as rows of a SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from react.environments.shop import Goal, Product
from react.environments.shop.goals import weight

# Rows are numbered from 1 without a gap, in the order of the data. Goals are in the order in which they were made.
TABLES = """
    CREATE TABLE products (id INTEGER PRIMARY KEY, asin TEXT, category TEXT, query TEXT, record TEXT);
    CREATE TABLE goals (id INTEGER PRIMARY KEY, asin TEXT, record TEXT);
    CREATE TABLE shares (attribute TEXT PRIMARY KEY, goals INTEGER) WITHOUT ROWID;
"""
INDEXES = (
    "CREATE UNIQUE INDEX IF NOT EXISTS products_by_asin ON products (asin)",
    "CREATE INDEX IF NOT EXISTS products_by_category ON products (category)",
    "CREATE INDEX IF NOT EXISTS products_by_query ON products (query)",
)
_COLUMNS = "asin, category, query, record"


def add_product(database: sqlite3.Connection, made: Product) -> None:
    fields = (made.title, made.description, made.bullets, made.prices, made.tag, made.price)
    record = _json([*fields, made.options, made.attributes, made.product_category])
    row = (made.asin, made.category, made.query, record)
    database.execute(f"INSERT INTO products ({_COLUMNS}) VALUES (?, ?, ?, ?)", row)


def product(database: sqlite3.Connection, asin: str) -> Product | None:
    row = database.execute(f"SELECT {_COLUMNS} FROM products WHERE asin = ?", (asin,)).fetchone()
    return _product(*row) if row else None


def in_order(database: sqlite3.Connection, after: int, count: int) -> Iterator[Product]:
    """So many products after the first ones."""
    rows = f"SELECT {_COLUMNS} FROM products WHERE id > ? ORDER BY id LIMIT ?"
    return (_product(*row) for row in database.execute(rows, (after, count)))


def products_of(database: sqlite3.Connection, asins: Iterable[str]) -> Iterator[Product]:
    """The products of these asins, in the order of the data."""
    one = "SELECT id FROM products WHERE asin = ?"
    found = [row for asin in asins if storable(asin) and (row := database.execute(one, (asin,)).fetchone())]
    for (number,) in sorted(found):
        yield from in_order(database, number - 1, 1)


def storable(text: str) -> bool:
    """Whether it has no half of a surrogate pair, which SQLite does not take."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _product(asin: str, category: str, query: str, record: str) -> Product:
    title, description, bullets, prices, tag, price, options, attributes, product_category = json.loads(record)
    return Product(
        asin=asin,
        title=title,
        description=description,
        bullets=tuple(bullets),
        prices=tuple(prices),
        tag=tag,
        price=price,
        options=tuple((name, tuple(values)) for name, values in options),
        attributes=tuple(attributes),
        category=category,
        query=query,
        product_category=product_category,
    )


def add_goal(database: sqlite3.Connection, goal: Goal, weighed: bool) -> None:
    """Keeps a goal; with its weight, if that does not follow from all goals together."""
    record = (goal.instruction, goal.attributes, goal.options, goal.price_upper, goal.weight if weighed else None)
    database.execute("INSERT INTO goals (asin, record) VALUES (?, ?)", (goal.asin, _json(record)))


def attributes_of_goals(database: sqlite3.Connection) -> Iterator[list[str]]:
    """Of each goal."""
    return (json.loads(record)[1] for (record,) in database.execute("SELECT record FROM goals"))


def goal(database: sqlite3.Connection, number: int, shares: Mapping[str, int]) -> Goal:
    """`shares`: of how many goals each attribute is. ValueError if there is no such goal."""
    row = database.execute("SELECT asin, record FROM goals WHERE id = ?", (number,)).fetchone()
    made = product(database, row[0]) if row else None
    if made is None:
        raise ValueError(f"it has no goal {number}, or not its product")
    instruction, attributes, options, upper, weighs = json.loads(row[1])
    return Goal(
        asin=made.asin,
        instruction=instruction,
        attributes=tuple(attributes),
        options=tuple(tuple(one) if isinstance(one, list) else one for one in options),
        price_upper=upper,
        weight=weight(attributes, shares) if weighs is None else weighs,
        category=made.category,
        query=made.query,
        title=made.title,
        product_category=made.product_category,
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
