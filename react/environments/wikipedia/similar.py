"""Titles like an entity that has no page: misspelt, cut short, with a word too many, or only described.

Names are found by the letters they share with the entity, then ordered by how much of both is shared. Where that gives
nothing near, the words of the entity are sought in titles and first sentences.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from itertools import accumulate

from react.environments.wikipedia.titles import key, without_qualifier

_CANDIDATES = 40
_LONGEST = 200
# From here a name is near enough to stand before pages that merely speak of the entity; below, too far to be shown.
_NEAR = 0.5
_FAR = 0.3
# So many matches are ranked in about a millisecond; common terms tell little, and cost more. In a large snapshot every
# term is common: there it is a share of the names.
_RANKED = 1500
_RANKED_SHARE = 40

_BY_START = """
    SELECT names.key, pages.title FROM names JOIN pages ON pages.id = page
    WHERE names.key >= ? AND names.key < ? ORDER BY names.key, names.id LIMIT ?
"""
_BY_LETTERS = """
    SELECT names.key, pages.title FROM letters JOIN names ON names.id = letters.rowid JOIN pages ON pages.id = page
    WHERE letters MATCH ? ORDER BY letters.rank, names.id LIMIT ?
"""
_BY_WORDS = """
    SELECT pages.title FROM words JOIN names ON names.id = words.rowid JOIN pages ON pages.id = page
    WHERE words MATCH ? ORDER BY words.rank, names.id LIMIT ?
"""


def similar(database: sqlite3.Connection, entity: str, count: int) -> list[str]:
    """Up to `count` titles, the likest first; equally like ones in the order of their letters."""
    sought = key(entity)[:_LONGEST]
    scores: dict[str, float] = {}
    for name, title in [*_by_start(database, sought), *_by_letters(database, sought)]:
        scores[title] = max(scores.get(title, 0.0), _likeness(sought, name))
    ordered = sorted((title for title in scores if scores[title] > _FAR), key=lambda title: (-scores[title], title))
    near = [title for title in ordered if scores[title] >= _NEAR][:count]
    if len(near) < count:
        near += _by_words(database, sought, count)
    return list(dict.fromkeys([*near, *ordered]))[:count]


def _by_start(database: sqlite3.Connection, sought: str) -> list[tuple[str, ...]]:
    return database.execute(_BY_START, (sought, f"{sought}\U0010ffff", _CANDIDATES)).fetchall() if sought else []


def _by_letters(database: sqlite3.Connection, sought: str) -> list[tuple[str, ...]]:
    grams = {f" {sought} "[i : i + 3] for i in range(len(sought))}
    return _match(database, _BY_LETTERS, " OR ".join(_rarest(database, "letters", grams, 8)), _CANDIDATES)


def _by_words(database: sqlite3.Connection, sought: str, count: int) -> list[str]:
    rarest = _rarest(database, "words", set(re.findall(r"\w+", sought)), 6)
    found = _match(database, _BY_WORDS, " AND ".join(rarest), count)
    if len(found) < count:
        found += _match(database, _BY_WORDS, " OR ".join(rarest[:2]), count)
    return [title for (title,) in found]


def _match(database: sqlite3.Connection, query: str, expression: str, limit: int) -> list[tuple[str, ...]]:
    return database.execute(query, (expression, limit)).fetchall() if expression else []


def _rarest(database: sqlite3.Connection, kind: str, terms: Iterable[str], count: int) -> list[str]:
    """Up to `count` of these terms, the rarest first, quoted for FTS5; fewer where they match too much to rank."""
    wanted = sorted(terms)
    marks = ", ".join("?" * len(wanted))
    query = f"SELECT term, names FROM terms WHERE kind = ? AND term IN ({marks}) ORDER BY names, term LIMIT ?"
    rows = database.execute(query, (kind, *wanted, count)).fetchall()
    (last,) = database.execute("SELECT max(id) FROM names").fetchone()
    totals = accumulate(names for _, names in rows)
    most = max(_RANKED, last // _RANKED_SHARE)
    few = (term for (term, _), total in zip(rows, totals, strict=True) if total <= most)
    return ['"' + term.replace('"', '""') + '"' for term in few]


def _likeness(sought: str, name: str) -> float:
    """From 0 to 1. A qualifier such as ` (film)` counts little; a name that holds every word sought is near."""
    whole = _shared(sought, name)
    bases = without_qualifier(sought), without_qualifier(name)
    best = max(whole, 0.95 * _shared(*bases) + 0.05 * whole if bases != (sought, name) else 0.0)
    return max(best, _NEAR + whole / 10) if set(sought.split()) <= set(name.split()) else best


def _shared(one: str, other: str) -> float:
    """Dice's coefficient of the pairs of neighbouring letters."""
    pairs, others = _pairs(one), _pairs(other)
    return 2 * len(pairs & others) / (len(pairs) + len(others))


def _pairs(text: str) -> set[str]:
    padded = f" {text} "
    return {padded[i : i + 2] for i in range(len(padded) - 1)}
