"""Which of many questions are kept: no answer too frequent, every family in turn, no page too often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from data.world.asking import Question
from data.world.model import dice

_LARGEST_SHARE = 0.10


def balanced(questions: Iterable[Question], share: float = _LARGEST_SHARE) -> list[Question]:
    """These questions without those that make one answer frequent, for one fact or for one wording of it."""
    kept = list(questions)
    for group in (_fact, _wording):
        kept = _evened(kept, group, share)
    return kept


def _fact(question: Question) -> str:
    return question.family.rpartition(">")[2]


def _wording(question: Question) -> str:
    return question.phrasing.rpartition(">")[2]


def _evened(questions: list[Question], group: Callable[[Question], str], share: float) -> list[Question]:
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[group(question)].append(question)
    kept = []
    for same in groups.values():
        counts = Counter(q.answer for q in same)
        most = len(same)
        while most > 1 and most > share * sum(min(n, most) for n in counts.values()):
            most -= 1
        used: Counter[str] = Counter()
        for question in same:
            used[question.answer] += 1
            if used[question.answer] <= most:
                kept.append(question)
    return kept


def pick(questions: list[Question], count: int, per_page: int, taken: set[str]) -> list[Question]:
    """`count` of these, a family at a time in turn; a page opens at most `per_page`, and no text comes twice."""
    by_family: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_family[question.family].append(question)
    opened: Counter[str] = Counter()
    chosen: list[Question] = []
    queues = [by_family[f] for f in sorted(by_family)]
    while len(chosen) < count and any(queues):
        for queue in queues:
            while queue:
                question = queue.pop()
                keys = [hop.page for hop in question.hops]
                if (
                    question.text not in taken
                    and opened[keys[0]] < per_page
                    and opened["bridge " + keys[-1]] < 3 * per_page
                ):
                    taken.add(question.text)
                    opened.update([keys[0], "bridge " + keys[-1]])
                    chosen.append(question)
                    break
    return chosen[:count]


def shuffled(questions: Iterable[Question], seed: int) -> list[Question]:
    listed = sorted(questions, key=lambda q: (q.family, q.text))
    dice(seed, "order").shuffle(listed)
    return listed


def by_side(questions: Iterable[Question]) -> Mapping[bool, list[Question]]:
    """Dev and train apart."""
    sides: dict[bool, list[Question]] = {True: [], False: []}
    for question in questions:
        sides[question.dev].append(question)
    return sides
