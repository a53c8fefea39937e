"""A failed task, tried again with its answer as a hint; the hint is then removed, and proven gone.

STaR's rationalization (Zelikman et al. 2022, arXiv 2203.14465, section 3.3), for agents. What comes back is a record of
the task as it was, marked `hinted` in its provenance. The student will have no hint, so that a trajectory which could
not have been written without one would teach it to guess: `leak` says what shows that, and `select` keeps none such.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bootstrap.telling import Text, cites, names, states
from react.grounds import LABELS, brought, is_verdict, supported
from react.hints import hinted
from react.methods import Sampling, Solves
from react.rollout import attempt
from react.trajectory import Task, Trajectory
from react.wording import fold, holds, words

_CONCLUSION = re.compile(r"\banswer (?:is|must be|should be) (.*)", re.IGNORECASE)
_LEAST_REASON = 2  # words beside the answer
_LEAST_BEGINNING = 3  # letters
_NOT = frozenset({"not", "cannot", "never", "neither", "nor", "hardly", "t"})  # "isn't" is isn, t
# What stands before one of these denies nothing after it.
_TURNS = frozenset({"but", "so", "and", "is", "was", "therefore", "hence", "because"})


def rationalize(solver: Solves, task: Task, sampling: Sampling) -> Trajectory:
    """One try at `task` with its answer told. `solver` is one whose exemplars are hinted too."""
    tried = attempt(solver, hinted(task), sampling)
    return replace(tried, task=task, provenance={**tried.provenance, "hinted": True})


def leak(trajectory: Trajectory) -> str:
    """What shows that a solved trajectory needs its hint, or cannot be shown not to; empty where nothing does.

    * a thought or an action speaks of a hint, or of an answer that is given, and has the words from nowhere else;
    * the answer is stated before an observation holds it (`telling.states`: in any spelling, by a name in it, by its
      initials), or a part of it is searched for; a list of similar titles shows nothing of a page;
    * where the question holds it, or it is a verdict such as `yes`: the pages that the data set names as support were
      not all opened, or none are named;
    * the last thought does not come to it. Without actions, the reasoning does not.

    It proves that, of what the student would learn to write, nothing states the answer before it could be read. It
    cannot see a paraphrase ("the city of light"), a translation, or a search that is aimed better than chance.
    """
    answer = trajectory.task.answer
    if _cited(trajectory, answer):
        return "speaks of a hint"
    if not any(step.observation for step in trajectory.steps):
        return "" if _reasoned(trajectory, answer) else "answer without reasoning"
    if is_verdict(answer) or holds(trajectory.task.question, answer):
        if not trajectory.task.extra.get("supporting") or supported(trajectory):
            return "not supported"
    elif _ahead(trajectory, answer):
        return "answer ahead of its observation"
    return "" if _concluded(trajectory, answer) else "answer is not what the last thought comes to"


def _cited(trajectory: Trajectory, answer: str) -> bool:
    known = Text(trajectory.task.question)
    for step in trajectory.steps:
        if cites(f"{step.thought}\n{step.action}", answer, known):
            return True
        known = known.and_(brought(step))
    return False


def _ahead(trajectory: Trajectory, answer: str) -> bool:
    known = Text(trajectory.task.question)
    for step in trajectory.steps:
        if known.holds(answer):
            return False
        if states(step.thought, answer, known) or states(step.action, answer, known, any_case=True):
            return True
        sought = step.action.partition("[")[2]
        if _parts(sought, answer) and not known.holds(sought):
            return True
        known = known.and_(brought(step))
    return False


def _parts(sought: str, answer: str) -> bool:
    """Whether it is made of parts of the answer, as it is spelled or with its numbers read: "ten" begins Tenerife."""
    spellings = re.findall(r"\w+", fold(sought)), words(sought)
    return any(found and all(_part(word, answer) for word in found) for found in spellings)


def _part(word: str, answer: str) -> bool:
    """Whether `word` is one of the answer, or the beginning of a name in it."""
    begun = len(word) >= _LEAST_BEGINNING and any(name.startswith(word) for name in names(answer))
    return begun or word in words(answer)


def _reasoned(trajectory: Trajectory, answer: str) -> bool:
    """Whether a sentence holds the answer and a reason, beside the words that announce it."""
    thought = " ".join(step.thought for step in trajectory.steps)
    reasons = [_CONCLUSION.sub("", sentence) for sentence in re.split(r"(?<=[.!?])\s", thought)]
    least = _LEAST_REASON + (0 if is_verdict(answer) else len(words(answer)))
    long = [reason for reason in reasons if sum(len(word) > 1 or not word.isascii() for word in words(reason)) >= least]
    return any(is_verdict(answer) or holds(reason, answer) for reason in long)


def _concluded(trajectory: Trajectory, answer: str) -> bool:
    thought = trajectory.steps[-1].thought
    if not thought:
        return not any(step.thought for step in trajectory.steps)  # Act has none
    if said := _CONCLUSION.search(thought):
        return holds(said[1], answer) and not _denied(said[1], answer)
    if is_verdict(answer):
        return " ".join(words(answer)) in LABELS or holds(thought, answer)
    return holds(thought, answer) and not _denied(thought, answer)


def _denied(text: str, answer: str) -> bool:
    """Whether the last that `text` says of `answer` is that it is not the one."""
    before, _, after = f" {' '.join(words(text))} ".rpartition(f" {' '.join(words(answer))} ")
    close = before.split()[-3:]
    turn = max((at + 1 for at, word in enumerate(close) if word in _TURNS), default=0)
    end = after.split()[:5]
    return bool(_NOT & set(close[turn:])) or bool(
        _NOT & set(end[:2]) and {"answer", "it", "right", "correct", "possible"} & set(end)
    )
