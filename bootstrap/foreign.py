"""What others wrote -> a record as it would have been written here: a task, steps in the environment's own words.

Nobody here has judged it. Its `reward` is what its source says, else what the user assumes, else 0, and `judged_by` of
its provenance says which: `source`, `assumption` or `nobody`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from bootstrap.sources import Found, Unreadable, hands_in
from react import chat, environments
from react.notation import finish_argument, one_line, text
from react.trajectory import Step, Task, Trajectory

_ROOM = re.compile(r"(?s)(?P<room>.*?)\s*\bYour task is to: *(?P<task>[^\n]*)(?P<more>.*)")
_PAGE = re.compile(r"(?s).*?Instruction:\s*(?:\[SEP\]\s*)?(?P<task>.+?)\s*(?:\[SEP\]\s*Search\b|\[Search\])")


def record(found: Found, environment: str, assumed: float | None = None) -> Trajectory:
    """The record of what was found. Unreadable where its opening is none of this environment."""
    steps, repaired = _steps(found.steps, environment)
    ended = hands_in(found.steps[-1].action)
    reward = found.reward if found.reward is not None else assumed
    by = "source" if found.reward is not None else "nobody" if assumed is None else "assumption"
    handed = finish_argument(steps[-1].action) if ended and environment != "webshop" else ""
    return Trajectory(
        task=_task(environment, found),
        method="react" if any(step.thought for step in steps) else "act",
        model=found.model,
        steps=steps,
        answer=handed,
        reward=reward or 0.0,
        end="finished" if reward or ended else "out_of_steps",
        provenance={"environment": environment, "judged_by": by, "repaired_calls": repaired},
    )


def _steps(given: Sequence[Step], environment: str) -> tuple[tuple[Step, ...], int]:
    """The steps with their actions in the one form that is written here, and how many had another.

    Where a thought is a turn of its own, it becomes one.
    """
    notation = environments.says(environment, "notation")
    heard = chat.heard(notation(thoughts=True, actions=True))
    acting = notation(thoughts=False, actions=True)
    steps: list[Step] = []
    repaired = 0
    for step in given:
        action = acting.read(f" {step.action}", 1).action
        repaired += one_line(step.action) != action
        if heard and step.thought:
            steps.append(Step(step.thought, "", heard))
        steps.append(Step("" if heard else step.thought, action, step.observation))
    return tuple(steps), repaired


def _task(environment: str, found: Found) -> Task:
    """The task that an opening shows. One that its source gives no name is called by what it asks."""
    question, extra = _ASKED.get(environment, _question)(environment, found.opening)
    asked = "\n".join((question, *extra.values())).encode("utf-8", "surrogatepass")
    return Task(found.id or f"imported-{hashlib.sha256(asked).hexdigest()[:16]}", question, found.answer, extra)


def _question(environment: str, opening: str) -> tuple[str, dict[str, str]]:
    notation = environments.says(environment, "notation")(thoughts=True, actions=True)
    label = text(notation.spans(Task("", "", ""), [])).strip()
    return opening.removeprefix(label).strip(), {}


def _household(environment: str, opening: str) -> tuple[str, dict[str, str]]:
    if not (parts := _ROOM.fullmatch(opening)):
        raise Unreadable("no task", f"there is no `Your task is to:` in {opening[:80]!r}")
    return parts["task"].strip(), {"room": one_line(f"{parts['room']} {parts['more']}")}


def _shop(environment: str, opening: str) -> tuple[str, dict[str, str]]:
    if not (page := _PAGE.match(opening)):
        raise Unreadable("no task", f"there is no `Instruction:` in {opening[:80]!r}")
    return page["task"], {"page": opening}


_ASKED = {"alfworld": _household, "webshop": _shop}


def by_question(tasks: Sequence[Task]) -> dict[str, list[Task]]:
    """The tasks by what is asked, but for white space and letter case."""
    found: dict[str, list[Task]] = {}
    for task in tasks:
        found.setdefault(_asked(task), []).append(task)
    return found


def _asked(task: Task) -> str:
    return one_line(task.question).casefold()


def matching(task: Task, tasks: Mapping[str, Sequence[Task]]) -> Task | None:
    """The only task of ours that is asked the same, in the same room where there is one. What was shown first stays."""
    room = str(task.extra.get("room", ""))
    there = [one for one in tasks.get(_asked(task), ()) if room.startswith(one_line(str(one.extra.get("room", ""))))]
    there = [one for one in there if one.id == task.id] or there
    if len(there) != 1:
        return None
    return Task(there[0].id, there[0].question, there[0].answer, {**there[0].extra, **task.extra})
