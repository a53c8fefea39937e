"""Titles like an entity that has no page: misspelt, cut short, with a word too many, or only described.

Names are found by the letters they share with the entity, then ordered by how much of both is shared. Where that gives
nothing near, the words of the entity are sought in titles and first sentences.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterable

from react.environments.wikipedia.titles import key, without_qualifier

_CANDIDATES = 40
_LONGEST = 200
# From here a name is near enough to stand before pages that merely speak of the entity.
_NEAR = 0.5
# A word in more pages than this says nothing alone, and takes milliseconds to rank.
_TELLING = 1000

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
    for name, title in _by_letters(database, sought):
        scores[title] = max(scores.get(title, 0.0), _likeness(sought, name))
    ordered = sorted(scores, key=lambda title: (-scores[title], title))
    near = [title for title in ordered if scores[title] >= _NEAR][:count]
    if len(near) < count:
        near += _by_words(database, sought, count)
    return list(dict.fromkeys([*near, *ordered]))[:count]


def _by_letters(database: sqlite3.Connection, sought: str) -> list[tuple[str, ...]]:
    grams = {f" {sought} "[i : i + 3] for i in range(len(sought))}
    return _match(database, _BY_LETTERS, " OR ".join(_rarest(database, "letters", grams, 6)), _CANDIDATES)


def _by_words(database: sqlite3.Connection, sought: str, count: int) -> list[str]:
    words = set(re.findall(r"\w+", sought))
    found = _match(database, _BY_WORDS, " AND ".join(_rarest(database, "words", words, 6)), count)
    if len(found) < count:
        telling = _rarest(database, "words", words, 2, most=_TELLING)
        found += _match(database, _BY_WORDS, " OR ".join(telling), count)
    return [title for (title,) in found]


def _match(database: sqlite3.Connection, query: str, expression: str, limit: int) -> list[tuple[str, ...]]:
    return database.execute(query, (expression, limit)).fetchall() if expression else []


def _rarest(
    database: sqlite3.Connection, kind: str, terms: Iterable[str], count: int, most: int = sys.maxsize
) -> list[str]:
    """The `count` rarest of these terms that there are, quoted for FTS5. The rare ones tell most and cost least."""
    wanted = sorted(terms)
    marks = ", ".join("?" * len(wanted))
    query = f"SELECT term FROM terms WHERE kind = ? AND term IN ({marks}) AND names <= ? ORDER BY names, term LIMIT ?"
    quoted = (term.replace('"', '""') for (term,) in database.execute(query, (kind, *wanted, most, count)))
    return [f'"{term}"' for term in quoted]


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
