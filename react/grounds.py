"""What an answer rests on, as far as a record shows it: what was observed, and what was done for nothing.

What breaks a rule is told in words, empty where nothing does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from react.notation import finish_argument
from react.trajectory import Step, Trajectory
from react.wording import holds, words

# Answers that are said of what was observed and stand nowhere in it: they can be right without a reason. Thoughts put
# FEVER's labels in words of their own.
LABELS = frozenset({"supports", "refutes", "not enough info"})
VERDICTS = LABELS | {"yes", "no"}


def is_verdict(answer: str) -> bool:
    """Whether an answer is one of a closed set, such as yes and no."""
    return " ".join(words(answer)) in VERDICTS


def observed(trajectory: Trajectory) -> str:
    """All that was observed of pages. That there is no page, and what others are called, is nothing of one."""
    return "\n".join(map(brought, trajectory.steps))


def brought(step: Step) -> str:
    """What a step observed of a page."""
    return "" if step.observation.startswith("Could not find ") else step.observation


def grounded(trajectory: Trajectory) -> str:
    """The answer stands in an observation, or (a verdict, no answer at all) something was observed."""
    answer = finish_argument(trajectory.steps[-1].action) if trajectory.steps else ""
    said = observed(trajectory)
    if not trajectory.task.answer or is_verdict(answer):
        return "" if said.strip() else "nothing was observed"
    return "" if answer.strip() and holds(said, answer) else f"no observation holds {answer!r}"


def supported(trajectory: Trajectory) -> str:
    """The pages that the data set names as support were opened: a lucky two-way answer did not read both."""
    needed, opened = trajectory.task.extra.get("supporting") or (), trajectory.provenance.get("pages") or ()
    if not all(isinstance(pages, list | tuple) for pages in (needed, opened)):
        return "its pages are no lists"
    return next((f"{page!r} was not opened" for page in needed if page not in opened), "")


def repeats(steps: Sequence[Step]) -> list[int]:
    """The places (from 0) of the steps that did what an earlier one did, to the same effect, whatever was thought.

    Of a thought alone: that were thought before.
    """
    seen, found = set(), []
    for place, step in enumerate(steps):
        turn = replace(step, thought="" if step.action else step.thought)
        if turn in seen:
            found.append(place)
        seen.add(turn)
    return found
