"""Which of many questions a question is, whatever was changed in it. The cost of a look is that of its rarest words.

Three ways to be one, the first that holds is told::

    has the same words as   letter for letter, after folding: `wording.words` without spaces
    is nearly               weighted Jaccard similarity of their words is at least .85
    holds the words of      all words of a short one in a row; of a longer one a run of 13 and .95 of the whole, or runs
                            that weigh as much as half of 13 words that no other question has
    stands in               all its words stand in the other in a row

The weight of a word is the logarithm of how rare it is among the questions, so that questions of one form about other
things are other questions: "Which river runs through Lyon?" is hardly like "Which river runs through Bonn?".
A run of 13 words is what GPT-3's authors looked for (Brown et al. 2020, arXiv 2005.14165, appendix C). By itself it
does not do for questions made after templates, which share as long runs of common words. Pairs that can be alike are
found by the heaviest words of a question, without comparing all with all (prefix filtering: Bayardo et al. 2007).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from react.wording import shingles, words

ALIKE = 0.85
RUN = 13
_WHOLE = 0.95
# Fewer words in a row are no question.
_SHORTEST = 5

SAME, LIKE, HOLDS, WITHIN = "has the same words as", "is nearly", "holds the words of", "stands in"


@dataclass(frozen=True)
class Bag:
    """A question as words with their weights. `number` is its place among those that are known."""

    number: int
    words: tuple[str, ...]
    counts: Mapping[str, int]
    weight: float


@dataclass(frozen=True)
class Match:
    """The known question of that number, and in which way a question is it: "is nearly"."""

    number: int
    how: str


@dataclass
class Known:
    """Questions to compare with. `weights` may be of more questions than are known: what is rare among them all."""

    weights: Mapping[str, float]
    rarest: float
    _bags: list[Bag] = field(default_factory=list)
    _same: dict[str, int] = field(default_factory=dict)
    _with: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _runs: dict[tuple[str, ...], list[int]] = field(default_factory=dict)
    _sizes: set[int] = field(default_factory=set)

    def add(self, question: str) -> None:
        """Makes a question known, under the next number."""
        bag = self._bag(question)
        self._bags.append(bag)
        self._same.setdefault(_letters(bag.words, question), bag.number)
        for word in bag.counts:
            self._with[word].append(bag.number)
        if len(bag.words) >= _SHORTEST:
            self._sizes.add(min(RUN, len(bag.words)))
            for run in shingles(bag.words, RUN):
                self._runs.setdefault(run, []).append(bag.number)

    def find(self, question: str, within: bool = True) -> Match | None:
        """The known question that this one is, if there is one; `within`: also where one stands in the other."""
        bag = self._bag(question)
        same = self._same.get(_letters(bag.words, question))
        if same is not None:
            return Match(same, SAME)
        if like := [other for other in self._alike(bag) if self._likeness(bag, self._bags[other]) >= ALIKE]:
            return Match(min(like), LIKE)
        if held := self._held(bag) if within else []:
            return Match(min(held), HOLDS)
        around = self._around(bag) if within else None
        return None if around is None else Match(around, WITHIN)

    def _bag(self, question: str) -> Bag:
        found = words(question)
        counts = Counter(found)
        weight = math.fsum(self._weight(word) * count for word, count in counts.items())
        return Bag(len(self._bags), tuple(found), counts, weight)

    def _weight(self, word: str) -> float:
        return self.weights.get(word, self.rarest)

    def _alike(self, bag: Bag) -> set[int]:
        """All that can be alike: they have one of the words without which too little is left to be."""
        found: set[int] = set()
        left = bag.weight
        for word in sorted(bag.counts, key=lambda word: (-self._weight(word), word)):
            if left < ALIKE * bag.weight:
                break
            found.update(self._with.get(word, ()))
            left -= self._weight(word) * bag.counts[word]
        return found

    def _held(self, bag: Bag) -> list[int]:
        """All whose words stand in the question, or enough of them in a row."""
        common: defaultdict[int, set[int]] = defaultdict(set)  # the places in the question that runs cover
        for size in self._sizes:
            for start, run in enumerate(shingles(bag.words, size)):
                for other in self._runs.get(run, ()):
                    common[other].update(range(start, start + size))
        enough = RUN / 2 * self.rarest
        return [
            other
            for other, places in common.items()
            if math.fsum(self._weight(bag.words[place]) for place in places) >= enough
            or self._shared(bag, self._bags[other]) >= _WHOLE * self._bags[other].weight
        ]

    def _around(self, bag: Bag) -> int | None:
        """The first in which the question stands whole; it has the rarest of its words."""
        if len(bag.words) < _SHORTEST:
            return None
        rarest = max(bag.counts, key=lambda word: (self._weight(word), word))
        whole = f" {' '.join(bag.words)} "
        return next((n for n in self._with.get(rarest, ()) if whole in f" {' '.join(self._bags[n].words)} "), None)

    def _shared(self, one: Bag, other: Bag) -> float:
        less, more = sorted((one, other), key=lambda bag: len(bag.counts))
        return math.fsum(
            self._weight(word) * min(count, more.counts[word])
            for word, count in less.counts.items()
            if word in more.counts
        )

    def _likeness(self, one: Bag, other: Bag) -> float:
        """Weighted Jaccard similarity, from 0 to 1."""
        if not ALIKE * one.weight <= other.weight <= one.weight / ALIKE:
            return 0.0  # whatever they share
        shared = self._shared(one, other)
        return shared / ((one.weight + other.weight - shared) or 1.0)


def known(questions: Iterable[str]) -> Known:
    """Empty, with weights by how many of `questions` have a word."""
    seen: Counter[str] = Counter()
    total = 0
    for question in questions:
        seen.update(set(words(question)))
        total += 1
    weights = {word: math.log1p(total / count) for word, count in seen.items()}
    return Known(weights, math.log1p(total))


def _letters(found: tuple[str, ...], question: str) -> str:
    return "".join(found) or " ".join(question.split())
