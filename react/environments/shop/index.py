"""BM25 as Lucene computes it, over arrays in files that all threads and processes map into memory.

    starts.bin      where the postings of each term begin
    documents.bin   for each posting the document, ascending within a term
    counts.bin      how often the term is in it
    lengths.bin     the length of each document, as Lucene keeps it: in one byte
    ranks.bin       the place of each document among those of equal score
    facts.json      how many there are, and the sums that BM25 needs

The files hold numbers alone, and that they are those that were written is not told here (seal.py).

pyserini's ranking, hit for hit: k1 0.9, b 0.4, Lucene's lossy lengths, a score of single precision for each term, and
the identifier where scores are equal. No library has it: bm25s, given the same terms, ranks 21 of 322 reference queries
alike, as it keeps exact lengths; tantivy has other k1 and b; pyserini itself needs Java.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

K1, B = np.float32(0.9), np.float32(0.4)  # Anserini's
TYPES = {"starts": "<u8", "documents": "<u4", "counts": "<u2", "lengths": "|u1", "ranks": "<u4"}

# Scores that are equal in single precision differ by less than this.
_ROUNDED = 1 - 2.0**-22


class _Term(NamedTuple):
    """Where its postings are, and the most that it can add to a score."""

    first: int
    last: int
    weight: np.float32


class Index:
    """An index that was built (indexing.py)."""

    def __init__(self, folder: Path) -> None:
        self.facts: dict[str, int] = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
        self._arrays = {name: mapped(folder / f"{name}.bin", kind) for name, kind in TYPES.items()}
        self._norms = _norms(self.facts["tokens"], self.facts["with_terms"])

    def search(self, terms: Mapping[int, int], count: int) -> list[int]:
        """Up to `count` documents with any of the terms (number -> how often it is asked for), the best first."""
        found = sorted(filter(None, map(self._term, terms, terms.values())), key=lambda term: term.last - term.first)
        scores = np.zeros(self.facts["documents"])
        for term in found:
            self._add(term, scores)
        documents = np.flatnonzero(scores >= self._least(scores, found, count))
        single = scores[documents].astype(np.float32)
        order = np.lexsort((self._arrays["ranks"][documents], -single))
        return [int(document) for document in documents[order[:count]]]

    def _term(self, number: int, boost: int) -> _Term | None:
        first, last = map(int, self._arrays["starts"][number : number + 2])
        total, having = self.facts["with_terms"], last - first
        idf = np.float32(np.log(1 + (total - having + 0.5) / (having + 0.5)))
        return _Term(first, last, np.float32(boost) * idf) if having else None

    def _add(self, term: _Term, scores: NDArray[np.float64]) -> None:
        """What the term adds to the score of each document. Lucene 9 BM25Similarity.BM25Scorer.score"""
        documents = self._arrays["documents"][term.first : term.last]
        norms = self._norms[self._arrays["lengths"][documents]]
        counts = self._arrays["counts"][term.first : term.last].astype(np.float32)
        scores[documents] += term.weight - term.weight / (np.float32(1) + counts * norms)

    def _least(self, scores: NDArray[np.float64], terms: list[_Term], count: int) -> float:
        """A score that the best documents have, so that only few have to be sorted: as many of one term have it."""
        for term in terms:
            if term.last - term.first >= count:
                of_term = scores[self._arrays["documents"][term.first : term.last]]
                return float(np.partition(of_term, -count)[-count]) * _ROUNDED
        return np.finfo(np.float64).tiny


def mapped(path: Path, kind: str) -> NDArray[Any]:
    """The numbers in a file, which is read as they are used."""
    return np.asarray(np.memmap(path, kind, "r")) if path.stat().st_size else np.zeros(0, kind)


def _norms(tokens: int, documents: int) -> NDArray[np.float32]:
    """For each byte that a length may be, 1 / (k1 * (1 - b + b * length / average)), in single precision."""
    lengths = decoded(np.arange(256)).astype(np.float32)
    average = np.float32(tokens / max(documents, 1)) or np.float32(1)
    norms: NDArray[np.float32] = np.float32(1) / (K1 * ((np.float32(1) - B) + B * lengths / average))
    return norms


def encoded(lengths: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Lengths in one byte, smaller than they are where they are above 39 (Lucene's SmallFloat.intToByte4)."""
    return (np.searchsorted(decoded(np.arange(256)), lengths, side="right") - 1).astype(np.uint8)


def decoded(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Below 24 the length itself; above it four leading binary digits and how many follow them."""
    codes = np.asarray(codes, np.int64)
    above = np.maximum(codes - 24, 0)
    shift = (above >> 3) - 1
    value = np.where(shift < 0, above, ((above & 7) | 8) << np.maximum(shift, 0))
    length: NDArray[np.int64] = np.where(codes < 24, codes, 24 + value)
    return length
