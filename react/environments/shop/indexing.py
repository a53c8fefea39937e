"""Products -> the arrays that index.py searches: in runs that are spilled to disk, then merged.

A run is the postings of the next 50,000 products in the order of their terms; a build that was stopped goes on with the
run that was under way. Numbers of terms follow their first appearance, so that nothing depends on the runs.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from react.environments._build import Step, synced
from react.environments.shop import Product
from react.environments.shop.analyzer import terms
from react.environments.shop.index import TYPES, encoded
from react.environments.shop.rows import in_order
from react.mistakes import naming

TABLES = "CREATE TABLE terms (term TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;"

_TYPES_OF_RUNS = {"terms": "<u4", "documents": TYPES["documents"], "counts": TYPES["counts"], "lengths": "<u4"}
_RUN = 50_000  # products: 4 million postings, 200 MB of memory
_MOST = np.iinfo(np.uint16).max  # a term that is in a product more often counts so often


def text(product: Product) -> str:
    """What of a product is searched: WebShop@64fa2a5 search_engine/convert_product_file_format.py."""
    options = ", and ".join(f"{name}: {', '.join(values)}" for name, values in product.options)
    return " ".join((product.title, product.description, "".join(product.bullets[:1]), options)).lower()


def runs(database: sqlite3.Connection, at: Any, folder: Path, total: int) -> Iterator[Step]:
    """Writes the postings of all products, run by run, into the folder. `at`: how many are done."""
    folder.mkdir(exist_ok=True)
    numbers: defaultdict[str, int] = defaultdict(int, database.execute("SELECT term, id FROM terms"))
    numbers.default_factory = numbers.__len__
    for first in range(at or 0, total, _RUN):
        known = len(numbers)
        yield from _run(database, folder, first, min(_RUN, total - first), numbers, total)
        fresh = sorted(list(numbers.items())[known:])
        database.executemany("INSERT INTO terms VALUES (?, ?)", fresh)
        yield Step(first + _RUN, min(first + _RUN, total), total, f"{len(numbers):,} terms")


def _run(
    database: sqlite3.Connection, folder: Path, first: int, count: int, numbers: defaultdict[str, int], total: int
) -> Iterator[Step]:
    """The postings of `count` products after the first `first`."""
    found: list[NDArray[np.uint32]] = []
    counts: list[NDArray[np.uint16]] = []
    lengths, sizes = np.zeros(count, np.uint32), np.zeros(count, np.uint32)
    for place, product in enumerate(in_order(database, first, count)):
        words = Counter(terms(text(product)))
        lengths[place], sizes[place] = words.total(), len(words)
        found.append(np.fromiter(map(numbers.__getitem__, words), np.uint32, len(words)))
        counts.append(np.fromiter(map(min, words.values(), repeat(_MOST)), np.uint16, len(words)))
        if place % 1000 == 999:
            yield Step(first, first + place, total, f"{len(numbers):,} terms")
    by_product = np.concatenate(found) if found else np.zeros(0, np.uint32)
    order = np.argsort(by_product, kind="stable")
    documents = np.repeat(np.arange(first, first + count, dtype=np.uint32), sizes)
    _write_run(folder, first, "terms", by_product[order])
    _write_run(folder, first, "documents", documents[order])
    _write_run(folder, first, "counts", np.concatenate(counts)[order] if counts else documents[:0])
    _write_run(folder, first, "lengths", lengths)


def merge(folder: Path, asins: Sequence[str]) -> Iterator[Step]:
    """Makes the arrays of all runs, and removes these. `asins`: of the products, in their order."""
    facts = folder / "facts.json"  # written last
    if not facts.exists():
        yield from _merged(folder, asins, facts)
    for path in list(folder.glob("run-*.bin")):
        _remove(path)


def _merged(folder: Path, asins: Sequence[str], facts: Path) -> Iterator[Step]:
    firsts = [*range(0, len(asins), _RUN)]
    lengths = np.concatenate([_read(folder, first, "lengths") for first in firsts])
    sizes = _sizes(folder, firsts)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    postings = int(starts[-1])
    merged = {name: _created(folder, name, postings) for name in ("documents", "counts")}
    ends = starts[:-1].copy()
    for number, first in enumerate(firsts):
        numbers = _read(folder, first, "terms")
        of_run = np.bincount(numbers, minlength=len(ends))
        places = np.arange(len(numbers)) - (np.cumsum(of_run) - of_run)[numbers] + ends[numbers]
        for name, array in merged.items():
            array[places] = _read(folder, first, name)
        ends += of_run
        yield Step(None, number + 1, len(firsts), f"{postings:,} postings")
    merged.clear()  # which writes what is not yet in the files
    ranks = np.empty(len(asins), np.int64)
    ranks[np.argsort(np.array(asins, dtype=object), kind="stable")] = np.arange(len(asins))
    for name, array in (("starts", starts), ("lengths", encoded(lengths.astype(np.int64))), ("ranks", ranks)):
        write(folder / f"{name}.bin", array, TYPES[name])
    known = {"terms": len(sizes), "postings": postings, "documents": len(asins)}
    known |= {"with_terms": int(np.count_nonzero(lengths)), "tokens": int(lengths.sum(dtype=np.int64))}
    partial = facts.with_suffix(".partial")
    with naming(partial):
        partial.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")
    partial.replace(facts)


def _sizes(folder: Path, firsts: Sequence[int]) -> NDArray[np.int64]:
    """In how many products each term is."""
    total = np.zeros(0, np.int64)
    for first in firsts:
        of_run = np.bincount(_read(folder, first, "terms"))
        total = np.pad(total, (0, max(len(of_run) - len(total), 0)))
        total[: len(of_run)] += of_run
    return total


def _created(folder: Path, name: str, size: int) -> NDArray[Any]:
    """An array in a file, of which only what is written lies in memory."""
    path = folder / f"{name}.bin"
    with naming(path), path.open("wb") as file:
        _reserve(file, size * np.dtype(TYPES[name]).itemsize)
    return np.memmap(path, TYPES[name], "r+", shape=(size,)) if size else np.zeros(0, TYPES[name])


def _reserve(file: IO[bytes], size: int) -> None:
    """Has room on the disk for so many bytes. Into a file with holes a map writes until the disk is full, and a signal
    ends the process."""
    if hasattr(os, "posix_fallocate"):
        if size:
            os.posix_fallocate(file.fileno(), 0, size)
        return
    for at in range(0, size, 1 << 20):
        file.write(bytes(min(1 << 20, size - at)))


def _read(folder: Path, first: int, name: str) -> NDArray[Any]:
    return np.fromfile(folder / f"run-{first:010}.{name}.bin", _TYPES_OF_RUNS[name])


def _write_run(folder: Path, first: int, name: str, array: NDArray[Any]) -> None:
    write(folder / f"run-{first:010}.{name}.bin", array, _TYPES_OF_RUNS[name])


def write(path: Path, array: NDArray[Any], kind: str) -> None:
    """The numbers as a file. OSError says what is wrong and where: numpy's own would say how many were written."""
    with naming(path), path.open("wb") as file:
        file.write(np.ascontiguousarray(array, kind).data)
    synced(path)


def _remove(path: Path) -> None:
    path.unlink()
