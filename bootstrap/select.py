"""python -m bootstrap.select --run runs/bootstrap/a --rules correct steps:5 --out runs/bootstrap/short: selects again.

Attempts -> the trajectories that are worth learning from, and why each other one is not among them. It needs no model,
and can be done over stored attempts as often as wanted: the rules are in `rules` and `screen`, the command in `again`.

The attempts are read twice: what is not kept is forgotten but for its number and the reason.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bootstrap.rules import broken
from bootstrap.screen import Refusal
from react.trajectory import Trajectory, to_json
from react.wording import shingles, words

# Reads the attempts, the same ones each time.
Attempts = Callable[[], Iterable[Trajectory]]

# Why what is worth keeping is not kept.
SPARE = ("another attempt is kept", "beyond the target", "not solved by all")
# Two attempts at one task are one where so much of what the model wrote is the same: by pairs of words, Jaccard.
_SIMILAR = 0.7
_RUN = 2


@dataclass(frozen=True, slots=True)  # of most attempts there is one
class LeftOut:
    """An attempt that is not trained on: the task's id, its number, the rule that it broke first, or one of `SPARE`.

    `detail` says how, for a person. A task that is refused and was not tried has no attempt.
    """

    id: str
    attempt: int | None
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Selection:
    """What was kept, and every other attempt, both in the order of tasks and then of attempts."""

    kept: tuple[Trajectory, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def removed(self) -> dict[str, int]:
        """How many attempts each rule turned away, or what a hint left in them."""
        return dict(Counter(one.reason for one in self.left_out if one.reason not in SPARE))

    @property
    def spares(self) -> dict[str, int]:
        """How many are worth keeping too, and why they are not kept."""
        return dict(Counter(one.reason for one in self.left_out if one.reason in SPARE))

    @property
    def spare(self) -> int:
        """How many are worth keeping too."""
        return sum(self.spares.values())

    def examples(self, each: int = 3) -> dict[str, list[LeftOut]]:
        """The first few that each rule turned away."""
        found: dict[str, list[LeftOut]] = {}
        for one in self.left_out:
            if one.reason not in SPARE and len(there := found.setdefault(one.reason, [])) < each:
                there.append(one)
        return found


# Of the tasks (ids) that have something to keep, and the number of its attempt: those of which it is kept.
Earliest = Callable[[Mapping[str, int]], Collection[str]]


@dataclass(frozen=True)
class Wanted:
    """What is to be kept of attempts at the tasks of `order` (ids): up to `per_task` of each that `earliest` picks, and
    nothing of what is `refused`.
    """

    order: Sequence[str]
    earliest: Earliest
    per_task: int = 1
    refused: Mapping[str, Refusal] = field(default_factory=dict)

    def chosen(self, first: Mapping[str, int]) -> list[str]:
        """Of which tasks something is kept, in order. `first` has the number of the first attempt that may be."""
        kept = set(self.earliest(first))
        return [id for id in first if id in kept]


@dataclass(frozen=True, order=True, slots=True)
class _Candidate:
    """An attempt that breaks no rule. `digest` tells apart what has one number."""

    number: int
    digest: bytes
    runs: frozenset[int] = field(compare=False)


@dataclass(slots=True)
class _Sorted:
    """The attempts at one task: those that may be kept, in order, and the others."""

    worth: list[_Candidate] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def reason_against(trajectory: Trajectory, rules: Sequence[str]) -> str:
    """The first of `rules` that the trajectory breaks, or what its hint left in it; empty if it is worth keeping."""
    return broken(trajectory, rules)[0]


def select(attempts: Attempts, rules: Sequence[str], wanted: Wanted) -> Selection:
    """The kept trajectories, and what is left out.

    Of a task's attempts the earliest are kept; with the rule `distinct`, of those that differ. Neither the order of
    `attempts` nor attempts at tasks further on change the result: it does not depend on how many episodes ran at once.
    """
    return paired([(attempts, rules)], wanted)[0]


def paired(several: Sequence[tuple[Attempts, Sequence[str]]], wanted: Wanted) -> list[Selection]:
    """As `select` for each of several methods, over the tasks alone of which every one has something to keep.

    All have the same tasks in the same order, and as many trajectories of each.
    """
    judged = [_judge(attempts, rules, wanted) for attempts, rules in several]
    solved = {id for id in judged[0] if all(id in one and one[id].worth for one in judged)}
    first = {id: max(one[id].worth[0].number for one in judged) for id in wanted.order if id in solved}
    counts = {id: min(len(one[id].worth) for one in judged) for id in wanted.chosen(first)}
    results = []
    for (attempts, _), one in zip(several, judged, strict=True):
        keys = [(id, each) for id, count in counts.items() for each in one[id].worth[:count]]
        ids = dict.fromkeys([*wanted.order, *one])  # of tasks that are not wanted at all last
        why = {id: "beyond the target" if id in solved else "not solved by all" for id in ids}
        left_out = [left for id in ids if id in one for left in _left_out(id, one[id], counts.get(id), why[id])]
        results.append(Selection(_found(attempts, keys), tuple(left_out)))
    return results


def number_of(trajectory: Trajectory) -> int:
    """Which try at its task a trajectory is, from 0."""
    return int(trajectory.provenance.get("attempt", 0))


def _judge(attempts: Attempts, rules: Sequence[str], wanted: Wanted) -> dict[str, _Sorted]:
    tasks: defaultdict[str, _Sorted] = defaultdict(_Sorted)
    same = {id: id for id in wanted.order}  # each attempt's line has its id as a text of its own
    for tried in attempts():
        if tried.end == "failed":
            continue  # says nothing about the model: neither kept nor turned away
        id, number = same.setdefault(tried.task.id, tried.task.id), number_of(tried)
        here, refusal = tasks[id], wanted.refused.get(id)
        reason, detail = (refusal.reason, refusal.detail) if refusal else broken(tried, rules)
        if reason:
            here.left_out.append(LeftOut(id, number, reason, detail))
        else:
            here.worth.append(_Candidate(number, _digest(tried), _runs(tried) if wanted.per_task > 1 else frozenset()))
    for id, refusal in wanted.refused.items():
        if id not in tasks:
            tasks[id].left_out.append(LeftOut(id, None, refusal.reason, refusal.detail))
    for id, here in tasks.items():
        _thin(id, here, wanted.per_task, "distinct" in rules)
    return tasks


def _thin(id: str, here: _Sorted, most: int, distinct: bool) -> None:
    """Leaves the earliest of a task's attempts that may be kept; those that are like one of them are not counted."""
    chosen: list[_Candidate] = []
    for one in sorted(here.worth):
        like = next((other for other in chosen if one == other or (distinct and _similar(one.runs, other.runs))), None)
        if len(chosen) < most and not like:
            chosen.append(one)
        elif len(chosen) < most and like and one != like:
            here.left_out.append(LeftOut(id, one.number, "distinct", f"much as attempt {like.number}"))
        else:
            here.left_out.append(LeftOut(id, one.number, SPARE[0]))
    here.worth = chosen


def _similar(one: frozenset[int], other: frozenset[int]) -> bool:
    return bool(one) and len(one & other) >= _SIMILAR * len(one | other)


def _left_out(id: str, here: _Sorted, count: int | None, otherwise: str) -> list[LeftOut]:
    """All but the first `count` of what may be kept; of a task of which nothing is kept, `otherwise` says why."""
    if count is None:
        told = [replace(one, reason=otherwise) if one.reason == SPARE[0] else one for one in here.left_out]
        told += [LeftOut(id, one.number, otherwise) for one in here.worth]
    else:
        told = here.left_out + [LeftOut(id, one.number, SPARE[0]) for one in here.worth[count:]]
    return sorted(told, key=lambda one: (one.attempt or 0, one.reason, one.detail))


def _found(attempts: Attempts, keys: Sequence[tuple[str, _Candidate]]) -> tuple[Trajectory, ...]:
    """The trajectories that are meant, in the order of `keys`."""
    numbers = {(id, one.number) for id, one in keys}
    found: dict[tuple[str, int, bytes], Trajectory] = {}
    for tried in attempts() if keys else ():
        id, number = tried.task.id, number_of(tried)
        if tried.end != "failed" and (id, number) in numbers:
            found[id, number, _digest(tried)] = tried
    return tuple(found[id, one.number, one.digest] for id, one in keys)


def _digest(tried: Trajectory) -> bytes:
    return hashlib.blake2b(to_json(tried).encode(), digest_size=16).digest()


def _runs(tried: Trajectory) -> frozenset[int]:
    text = " ".join(f"{step.thought} {step.action}" for step in tried.steps)
    return frozenset(map(hash, shingles(words(text), _RUN)))


if __name__ == "__main__":
    from bootstrap.again import main

    main()
