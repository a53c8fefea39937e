"""A failed task, tried again with its answer as a hint; the hint is then removed, and proven gone.

STaR's rationalization (Zelikman et al. 2022, arXiv 2203.14465, section 3.3), for agents. What comes back is a record of
the task as it was, marked `hinted` in its provenance. The student will have no hint, so that a trajectory which could
not have been written without one would teach it to guess: `leak` says what shows that, and `select` keeps none such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from react.hints import hinted
from react.methods import Sampling, Solves
from react.notation import finish_argument
from react.rollout import attempt
from react.trajectory import Task, Trajectory

# Answers that are said of what was observed and stand nowhere in it: they can be right without a reason. Thoughts put
# FEVER's labels in words of their own.
LABELS = frozenset({"supports", "refutes", "not enough info"})
VERDICTS = LABELS | {"yes", "no"}

_CITED = re.compile(
    r"\bhint(s|ed)?\b|\b(given|provided|stated) answer\b"
    r"|\banswer (is|was|has been) (already )?(given|provided|stated|known)\b",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(r"\banswer (?:is|must be|should be) (.*)", re.IGNORECASE)


def rationalize(solver: Solves, task: Task, sampling: Sampling) -> Trajectory:
    """One try at `task` with its answer told. `solver` is one whose exemplars are hinted too."""
    tried = attempt(solver, hinted(task), sampling)
    return replace(tried, task=task, provenance={**tried.provenance, "hinted": True})


def leak(trajectory: Trajectory) -> str:
    """What shows that a solved trajectory needs its hint, or cannot be shown not to; empty where nothing does.

    * a thought or an action speaks of a hint, or of an answer that is given;
    * the answer is stated before an observation holds it;
    * where the question holds it, or it is a verdict such as `yes`: the pages that the data set names as support were
      not all opened, or none are named;
    * the last thought does not come to the answer that is handed in. Without actions, its reasoning does not.
    """
    if any(_CITED.search(f"{step.thought}\n{step.action}") for step in trajectory.steps):
        return "speaks of a hint"
    answer = finish_argument(trajectory.steps[-1].action) if trajectory.steps else ""
    if not any(step.observation for step in trajectory.steps):
        return "" if _reasoned(trajectory, answer) else "answer without reasoning"
    if answer.casefold() in VERDICTS or _holds(trajectory.task.question, answer):
        if not _supported(trajectory):
            return "not supported"
    elif any(_holds(said, answer) and not _holds(known, answer) for said, known in _said(trajectory)):
        return "answer ahead of its observation"
    return "" if _concluded(trajectory, answer) else "answer is not what the last thought comes to"


def _said(trajectory: Trajectory) -> Iterator[tuple[str, str]]:
    """What each turn says, and all that was observed before it."""
    known = ""
    for step in trajectory.steps:
        yield f"{step.thought}\n{step.action}", known
        known += f"\n{step.observation}"


def _holds(text: str, answer: str) -> bool:
    """Whether `text` states `answer`: in any letter case, as whole words."""
    return re.search(rf"(?<!\w){re.escape(answer.casefold())}(?!\w)", text.casefold()) is not None


def _supported(trajectory: Trajectory) -> bool:
    needed = set(trajectory.task.extra.get("supporting", ()))
    return bool(needed) and needed <= set(trajectory.provenance.get("pages", ()))


def _reasoned(trajectory: Trajectory, answer: str) -> bool:
    """Whether there is reasoning that holds the answer, beside the sentence that announces it."""
    thought = " ".join(step.thought for step in trajectory.steps)
    reasons = [part for part in re.split(r"(?<=[.!?])\s", thought) if not _CONCLUSION.search(part)]
    verdict = answer.casefold() in VERDICTS
    return any(verdict or _holds(part, answer) for part in reasons if part.strip())


def _concluded(trajectory: Trajectory, answer: str) -> bool:
    thought = trajectory.steps[-1].thought
    if not thought:
        return not any(step.thought for step in trajectory.steps)  # Act has none
    if said := _CONCLUSION.search(thought):
        return _holds(said[1], answer)
    return answer.casefold() in LABELS or _holds(thought, answer)
