"""Titles like an entity that has no page: misspelt, cut short, with a word too many, or only described.

Names are found by the letters that they share with the entity, or begin with, then ordered by how much of both is
shared. Where that gives nothing near, the words of the entity are sought in titles and first sentences.

Each step is one query that gives one row, so that SQLite works on while other threads have the interpreter.
"""

from __future__ import annotations

import json
import re
import sqlite3
from itertools import accumulate
from operator import add
from typing import Any

from react.environments.wikipedia.letters import Sizes, likest
from react.environments.wikipedia.titles import key, without_qualifier

_CANDIDATES = 30
_BEGINNING = 10
_LONGEST = 200
# From here a name is near enough to stand before pages that merely speak of the entity; below, too far to be shown.
_NEAR = 0.5
_FAR = 0.3
_AROUND = 0.8
# So many pages are ranked in half a millisecond. A word of more pages only narrows down what rarer ones find, and one
# of every twentieth page not even that.
_RANKED = 500
_RARE = 2000
_COMMON = 20

_NAMES = """
    SELECT json_group_array(json_array(key, title)) FROM (
        SELECT names.key, pages.title FROM names JOIN pages ON pages.id = page
        WHERE names.id IN (SELECT value FROM json_each(?1)) OR names.id IN (
            SELECT id FROM names WHERE key >= ?2 AND key < ?2 || char(1114111) ORDER BY key, id LIMIT ?3
        )
    )
"""
_WORDS = "SELECT json_group_array(json_array(term, pages)) FROM terms WHERE term IN (SELECT value FROM json_each(?))"
_BY_WORDS = """
    SELECT json_group_array(title) FROM (
        SELECT pages.title FROM words JOIN pages ON pages.id = words.rowid
        WHERE words MATCH ? ORDER BY words.rank, pages.title LIMIT ?
    )
"""


def similar(database: sqlite3.Connection, sizes: Sizes, entity: str, count: int) -> list[str]:
    """Up to `count` titles, the likest first; equally like ones in the order of their letters."""
    sought = key(entity)[:_LONGEST]
    scores: dict[str, float] = {}
    likeness = _Likeness(sought)
    for name, title in _names(database, sizes, sought):
        scores[title] = max(scores.get(title, 0.0), likeness(name))
    ordered = sorted((title for title in scores if scores[title] > _FAR), key=lambda title: (-scores[title], title))
    near = [title for title in ordered if scores[title] >= _NEAR][:count]
    if len(near) < count:
        near += _by_words(database, sizes, sought, count)
    return list(dict.fromkeys([*near, *ordered]))[:count]


def _names(database: sqlite3.Connection, sizes: Sizes, sought: str) -> list[list[str]]:
    """Names, as keys, with the titles of their pages."""
    if not sought:
        return []
    base = without_qualifier(sought)
    ids = likest(database, sizes, base, _CANDIDATES)
    return _row(database, _NAMES, json.dumps(ids), base, _BEGINNING)


def _by_words(database: sqlite3.Connection, sizes: Sizes, sought: str, count: int) -> list[str]:
    """Pages that hold all the words; where these are few, also such with the rarest."""
    known = _row(database, _WORDS, json.dumps(sorted(set(re.findall(r"\w+", sought)))))
    rarest = sorted((pages, word) for word, pages in known if pages <= max(_RARE, len(sizes) // _COMMON))[:6]
    if not rarest or rarest[0][0] > (_RARE if len(rarest) > 1 else _RANKED):
        return []
    found = _match(database, " AND ".join(_quoted(word) for _, word in rarest), count)
    ranked = accumulate(pages for pages, _ in rarest[:2])
    rare = [_quoted(word) for (_, word), total in zip(rarest, ranked, strict=False) if total <= _RANKED]
    if len(found) < count and len(rarest) > 1:
        found += _match(database, " OR ".join(rare), count)
    return found


def _match(database: sqlite3.Connection, expression: str, limit: int) -> list[str]:
    return _row(database, _BY_WORDS, expression, limit) if expression else []


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _row(database: sqlite3.Connection, query: str, *values: object) -> list[Any]:
    (row,) = database.execute(query, values).fetchone()
    found: list[Any] = json.loads(row)
    return found


class _Likeness:
    """How like names are to what is sought, from 0 to 1.

    What counts is how many pairs of neighbouring letters are shared (Dice's coefficient). A qualifier such as ` (film)`
    counts little, and a name that begins with what is sought, or holds every word of it, is very like it.
    """

    def __init__(self, sought: str) -> None:
        self._sought = sought
        self._pairs = _pairs(sought)
        self._base = without_qualifier(sought)
        self._base_pairs = _pairs(self._base)
        self._words = set(sought.split())

    def __call__(self, name: str) -> float:
        pairs, base = _pairs(name), without_qualifier(name)
        whole = _shared(self._pairs, pairs)
        best = whole
        if base != name or self._base != self._sought:
            base_pairs = pairs if base == name else _pairs(base)
            best = max(whole, 0.95 * _shared(self._base_pairs, base_pairs) + 0.05 * whole)
        around = name.startswith(self._sought) or self._words.issubset(name.split())
        return max(best, _AROUND + whole / 10) if around else best


def _shared(pairs: set[str], others: set[str]) -> float:
    return 2 * len(pairs & others) / (len(pairs) + len(others))


def _pairs(text: str) -> set[str]:
    padded = f" {text} "
    return set(map(add, padded, padded[1:]))
