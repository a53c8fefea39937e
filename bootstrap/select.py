"""Attempts -> the trajectories that are worth learning from. Pure: it can be done again over stored attempts.

Every rule is a name and a test; the first rule that a trajectory breaks is the reason why it is left out::

    correct     the environment gave the full reward
    clean       no action was invalid, none was done twice to the same effect, no thought holds another turn's header
    complete    every turn was whole: nothing asked twice, cut by max_tokens, or read as other words than were written,
                and none was written before a part of the history alone
    grounded    the answer stands in an observation, or (yes, no, a label, no answer at all) something was observed
    supported   the pages that the data set names as support were opened: a lucky two-way answer did not read both

A hinted trajectory that breaks none of them must also stand without its hint: see `rationalize.leak`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from bootstrap.rationalize import holds, is_verdict, leak, observed
from react.notation import finish_argument
from react.trajectory import Trajectory

Test = Callable[[Trajectory], bool]


def correct(trajectory: Trajectory) -> bool:
    return trajectory.solved


# With its number anywhere, without one where a line or a sentence begins: "the action: ..." are words.
_HEADER = re.compile(
    r"\b(?:thought|action|observation) ?\d+[*_` ]*[:\uff1a]"
    r"|(?:^|[.!?…]\s)[\s*_`#>]*(?:thought|action|observation)[*_` ]*[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)


def clean(trajectory: Trajectory) -> bool:
    turns = [replace(step, thought="" if step.action else step.thought) for step in trajectory.steps]
    whole = not any(_HEADER.search(step.thought) for step in trajectory.steps)
    return whole and not trajectory.provenance.get("invalid_actions") and len(set(turns)) == len(turns)


def complete(trajectory: Trajectory) -> bool:
    counts = ("bad_calls", "cut_calls", "repaired_calls", "shortened_calls")
    return not any(trajectory.provenance.get(count) for count in counts)


def grounded(trajectory: Trajectory) -> bool:
    answer = finish_argument(trajectory.steps[-1].action) if trajectory.steps else ""
    said = observed(trajectory)
    if not trajectory.task.answer or is_verdict(answer):
        return bool(said.strip())
    return bool(answer.strip()) and holds(said, answer)


def supported(trajectory: Trajectory) -> bool:
    needed, opened = trajectory.task.extra.get("supporting") or (), trajectory.provenance.get("pages") or ()
    return all(isinstance(pages, list | tuple) for pages in (needed, opened)) and all(page in opened for page in needed)


RULES: dict[str, Test] = {
    "correct": correct,
    "clean": clean,
    "complete": complete,
    "grounded": grounded,
    "supported": supported,
}


# Why what is worth keeping is not kept.
SPARE = ("another attempt is kept", "beyond the target")


@dataclass(frozen=True)
class LeftOut:
    """An attempt that is not trained on: the task's id, its number, and the rule that it broke first, or of `SPARE`."""

    id: str
    attempt: int
    reason: str


@dataclass(frozen=True)
class Selection:
    """What was kept, one trajectory a task, and every other attempt, in the same order of tasks."""

    kept: tuple[Trajectory, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def removed(self) -> dict[str, int]:
        """How many attempts each rule turned away, or what a hint left in them."""
        return dict(Counter(one.reason for one in self.left_out if one.reason not in SPARE))

    @property
    def spare(self) -> int:
        """How many are worth keeping too."""
        return sum(one.reason in SPARE for one in self.left_out)


def reason_against(trajectory: Trajectory, rules: Sequence[str]) -> str:
    """The first of `rules` that the trajectory breaks, or what its hint left in it; empty if it is worth keeping."""
    if broken := next((rule for rule in rules if not RULES[rule](trajectory)), ""):
        return broken
    found = leak(trajectory) if trajectory.provenance.get("hinted") else ""
    return f"hinted: {found}" if found else ""


def select(attempts: Iterable[Trajectory], order: Sequence[str], rules: Sequence[str], target: int) -> Selection:
    """The kept trajectories of the first `target` tasks of `order` (task ids) that have one, in that order.

    Of a task's attempts the earliest that breaks no rule is kept. Neither the order of `attempts` nor attempts at tasks
    further on change the result, so that it does not depend on how many episodes ran at once.
    """
    best: dict[str, Trajectory] = {}
    reasons: dict[str, list[tuple[int, str]]] = {id: [] for id in order}
    for trajectory in attempts:
        if trajectory.end == "failed":
            continue  # says nothing about the model: neither kept nor turned away
        id, number, reason = trajectory.task.id, _attempt(trajectory), reason_against(trajectory, rules)
        reasons.setdefault(id, []).append((number, reason))
        if not reason and (id not in best or number < _attempt(best[id])):
            best[id] = trajectory
    kept = {id: best[id] for id in [id for id in order if id in best][:target]}
    left_out = [
        LeftOut(id, number, reason or SPARE[id not in kept])
        for id, tried in reasons.items()
        for number, reason in sorted(tried)
        if reason or id not in kept or number != _attempt(kept[id])
    ]
    return Selection(tuple(kept.values()), tuple(left_out))


def _attempt(trajectory: Trajectory) -> int:
    return int(trajectory.provenance.get("attempt", 0))
