"""An inverted index of n-grams: which names share the most letters with a text.

The table `letters` has, for each n neighbouring letters of any name, the ids of the names that hold them, as 32-bit
numbers in their order. FTS5 can index trigrams, but takes a microsecond for each match that it ranks, and has to rank
hundred thousands; here a match takes ten nanoseconds. Three letters where names are few, and four where they are many:
of a million names each list is then so short that most of those of a text can be counted, and a misspelt name still
shares enough of them.
"""

from __future__ import annotations

import functools
import itertools
import json
import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.uint32]
Sizes = NDArray[np.uint8]

TABLES = """
    CREATE TABLE letters (gram INTEGER PRIMARY KEY, names BLOB);
    CREATE TABLE sizes (run INTEGER PRIMARY KEY, sizes BLOB);
    CREATE TABLE runs (gram INTEGER, run INTEGER, names BLOB, PRIMARY KEY (gram, run)) WITHOUT ROWID;
"""
# So many names are counted for one text: half a millisecond.
_COUNTED = 50_000
# An n-gram of more names is never read, and so not kept.
_KEPT = _COUNTED
# From so many names on, four letters.
_MANY = 50_000
# No more of a name is told apart by its letters.
_LONGEST = 200

_RAREST_FIRST = """
    SELECT names FROM (
        SELECT gram, sum(size) OVER (ORDER BY size, gram) AS total FROM (
            SELECT gram, length(names) / 4 AS size FROM letters WHERE gram IN (SELECT value FROM json_each(?))
        )
    ) JOIN letters USING (gram) WHERE total <= ?
"""


def _length(total: int) -> int:
    """How many letters are taken together where there are so many names."""
    return 3 if total < _MANY else 4


def add(database: sqlite3.Connection, run: int, names: Sequence[tuple[int, str]], total: int) -> None:
    """Indexes some of `total` names (id, text). Their ids follow one another; later ids are in later runs."""
    grams, ids = _postings(names, _length(total))
    borders = np.flatnonzero(np.diff(grams, prepend=-1, append=-1))
    rows = ((int(grams[a]), run, ids[a:b].tobytes()) for a, b in itertools.pairwise(borders))
    database.executemany("INSERT INTO runs VALUES (?, ?, ?)", rows)
    sizes = np.minimum(np.bincount(ids - np.uint32(names[0][0]), minlength=len(names)), 255).astype(np.uint8)
    database.execute("INSERT INTO sizes VALUES (?, ?)", (run, sizes.tobytes()))


def merge(database: sqlite3.Connection) -> None:
    """Makes the index of all runs."""
    rows = database.execute("SELECT gram, names FROM runs ORDER BY gram, run")
    lists = ((gram, b"".join(names for _, names in run)) for gram, run in itertools.groupby(rows, lambda row: row[0]))
    kept = (row for row in lists if len(row[1]) <= 4 * _KEPT)
    database.executemany("INSERT INTO letters VALUES (?, ?)", kept)
    database.execute("DROP TABLE runs")


def _postings(names: Sequence[tuple[int, str]], length: int) -> tuple[NDArray[np.int64], Ids]:
    """All n-grams of all names with the name's id, by n-gram and id, each once."""
    texts = [_padded(text) + "\0" for _, text in names]
    grams, whole = _codes("".join(texts), length)
    owners = np.repeat([id for id, _ in names], [len(text) for text in texts]).astype(np.uint32)
    grams, ids = grams[whole], owners[: len(whole)][whole]
    order = np.argsort(grams, kind="stable")
    grams, ids = grams[order], ids[order]
    fresh = np.ones(len(grams), bool)
    fresh[1:] = (grams[1:] != grams[:-1]) | (ids[1:] != ids[:-1])
    return grams[fresh], ids[fresh]


def _padded(text: str) -> str:
    return f"  {text[:_LONGEST]} "


def _codes(text: str, length: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Each n neighbouring letters as one number, and whether no border (NUL) is among them.

    15 bits a letter: letters that are 32,768 apart in Unicode are taken for one.
    """
    points = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.int64)
    shifts = [points[at : max(len(points) - length + 1 + at, 0)] for at in range(length)]
    whole = np.logical_and.reduce([shift != 0 for shift in shifts])
    codes = functools.reduce(lambda code, shift: (code << 15) | (shift & 0x7FFF), shifts)
    return codes, whole


def sizes(database: sqlite3.Connection) -> Sizes:
    """Of how many n-grams each name consists, by its id (from 1); 255 are 255 or more."""
    rows = database.execute("SELECT sizes FROM sizes ORDER BY run")
    return np.frombuffer(b"\0" + b"".join(sizes for (sizes,) in rows), np.uint8)


def likest(database: sqlite3.Connection, sizes: Sizes, text: str, count: int) -> list[int]:
    """The ids of up to `count` names that share the most n-grams with `text`. `sizes` are those of this database.

    What is shared is weighed against both, and against the text alone: a name around the text is like it too.
    """
    grams = np.unique(_codes(_padded(text), _length(len(sizes) - 1))[0]).tolist()
    rows = database.execute(_RAREST_FIRST, (json.dumps(grams), _COUNTED)).fetchall()
    if not rows:
        return []
    ids, shared = _most_shared([np.frombuffer(names, "<u4") for (names,) in rows], len(sizes), 20 * count)
    scores = shared * (2.0 / (len(grams) + sizes[ids].astype(np.float64)) + 1.0 / len(grams))
    # Equal scores are cut by id, never by chance.
    best = np.argsort(-scores, kind="stable")[:count]
    found: list[int] = ids[best].tolist()
    return found


def _most_shared(lists: Sequence[Ids], total: int, enough: int) -> tuple[NDArray[np.intp], Sizes]:
    """The ids that stand in the most of the lists, about `enough` or a few more, and in how many of them each does."""
    counts = np.zeros(total, np.uint8)
    every = np.concatenate(lists).astype(np.intp)  # once, for all that are indices below
    ends = itertools.accumulate(map(len, lists))
    for ids in np.split(every, list(ends)[:-1]):
        counts[ids] += 1
    times = counts[every]
    at_least = np.bincount(times)[::-1].cumsum()[::-1]
    least = max(int(np.count_nonzero(at_least >= enough)) - 1, 1)
    found = np.unique(every[times >= least])
    return found, counts[found]
