"""Which questions and claims are asked: the mix, and what train and dev may not share."""

from __future__ import annotations

from collections.abc import Iterator

from data.world.asking import Question, chained, described, lookups
from data.world.choosing import balanced, by_side, pick, shuffled
from data.world.claims import Claim, claims, sorted_claims
from data.world.model import World
from data.world.pairs import compared, judged, shared

# Questions of each kind in dev, and in train seven times as many.
_DEV = {"bridge": 240, "chain": 90, "lookup": 55, "title": 35, "compare": 90, "yesno": 90}
_TIMES = 7
_OPENED = 3
_CLAIMS = {"train": 75, "dev": 14}


def question_sets(world: World, seed: int) -> dict[str, list[Question]]:
    """Train and dev. They share no question, no bridge, no compared thing, and no page that a question opens with."""
    along = {
        "bridge": by_side(chained(world, 2, seed)),
        "chain": by_side(chained(world, 3, seed)),
        "lookup": by_side(lookups(world, seed)),
        "title": by_side(described(world, seed)),
    }
    pairs = {
        dev: [*compared(world, dev, seed), *judged(world, dev, seed), *shared(world, dev, seed)]
        for dev in (True, False)
    }
    dev = _chosen({kind: sides[True] for kind, sides in along.items()}, pairs[True], 1, seed)
    opened = {question.hops[0].page for question in dev}
    fresh = {kind: [q for q in sides[False] if q.hops[0].page not in opened] for kind, sides in along.items()}
    return {"train": _chosen(fresh, pairs[False], _TIMES, seed), "dev": dev}


def _chosen(along: dict[str, list[Question]], pairs: list[Question], times: int, seed: int) -> list[Question]:
    taken: set[str] = set()
    chosen: list[Question] = []
    for kind, questions in along.items():
        chosen += _settled(shuffled(questions, seed), _DEV[kind] * times, taken)
    for kind in ("compare", "yesno"):
        chosen += _turns([q for q in pairs if q.kind == kind], _DEV[kind] * times, taken)
    return shuffled(chosen, seed)


def _settled(questions: list[Question], count: int, taken: set[str]) -> list[Question]:
    """`count` questions in which no answer is frequent, neither among all for its fact nor among those picked."""
    rest = balanced(questions)
    for _ in range(4):
        picked = pick(list(rest), count, _OPENED, set(taken))
        kept = balanced(picked)
        if len(kept) == len(picked):
            break
        dropped = {q.text for q in picked} - {q.text for q in kept}
        rest = [q for q in rest if q.text not in dropped]
    taken |= {q.text for q in kept}
    return kept


def _turns(questions: list[Question], count: int, taken: set[str]) -> list[Question]:
    """`count` questions from families in turn; what a wording needs to be even stands in the order they come in."""
    queues: dict[str, list[Question]] = {}
    for question in questions:
        queues.setdefault(question.family, []).append(question)
    chosen: list[Question] = []
    waiting = {family: iter(queue) for family, queue in sorted(queues.items())}
    while waiting and len(chosen) < count:
        for family, queue in list(waiting.items()):
            batch = _batch(queue, taken)
            chosen += batch
            if not batch:
                del waiting[family]
    return chosen[:count]


def _batch(queue: Iterator[Question], taken: set[str]) -> list[Question]:
    """The next two questions that are new."""
    batch: list[Question] = []
    for question in queue:
        if question.text not in taken:
            taken.add(question.text)
            batch.append(question)
            if len(batch) == 2:
                return batch
    return batch


def claim_sets(world: World, seed: int) -> dict[str, list[Claim]]:
    """Train and dev claims, about different things."""
    sides = {split: claims(world, split == "dev", seed, most) for split, most in _CLAIMS.items()}
    return {split: sorted_claims(made, seed, split == "dev") for split, made in sides.items()}
