"""Which tasks may be learned from at all, before anything is tried or chosen. Two rules look at the task alone::

    uncontaminated   it is no item of an evaluation: not by its id, its words, or nearly its words
    distinct         no earlier task asks nearly the same and has the same answer

An item of an evaluation in the training set makes every later number worthless, so that what is refused is named: which
item, which of the evaluation, and why. What is compared with: the environment's own splits to evaluate on, and files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bootstrap.likeness import Known, known
from react import environments
from react.environments import Environment
from react.environments.wikipedia.sources import records
from react.mistakes import Mistake
from react.trajectory import Task
from react.wording import words

_ASKED = ("question", "claim", "instruction", "goal", "problem", "prompt", "text")
_CALLED = ("id", "_id", "qid", "task_id")


@dataclass(frozen=True)
class Item:
    """Something to be evaluated on; `where` is the split or file that it is in."""

    where: str
    id: str
    question: str


@dataclass(frozen=True)
class Refusal:
    """A task that is not learned from: the rule that it breaks, and how, in words."""

    id: str
    reason: str
    detail: str


class HeldOut:
    """The items of evaluations, to look tasks up in. What words are rare, `tasks` say too.

    `by_id`: tasks share their words, and ids alone tell them apart.
    """

    def __init__(self, items: Sequence[Item], tasks: Iterable[Task] = (), by_id: bool = False) -> None:
        self.items = items
        self._ids = {item.id: item for item in reversed(items) if item.id}
        asking = [] if by_id else [item for item in items if item.question.strip()]
        self._asking = asking
        self._known = known([item.question for item in asking] + [task.question for task in tasks])
        for item in asking:
            self._known.add(item.question)

    @property
    def places(self) -> dict[str, int]:
        """Where the items are from, and how many of them."""
        return dict(Counter(item.where for item in self.items))

    def refusal(self, task: Task) -> Refusal | None:
        """Why a task must not be trained on, if it must not."""
        if item := self._ids.get(task.id):
            return Refusal(task.id, "uncontaminated", f"has the id of an item of {item.where}: {item.question!r}")
        if not task.question.strip() or not (match := self._known.find(task.question)):
            return None
        item = self._asking[match.number]
        said = f"{task.question!r} {match.how} {item.id or 'an item'} of {item.where}"
        return Refusal(task.id, "uncontaminated", said if match.how.startswith("has") else f"{said}: {item.question!r}")


def held_out(environment: Environment, split: str, files: Iterable[str]) -> HeldOut:
    """What the environment has to evaluate on, but `split`, from which is collected, and the items of `files`.

    ValueError names a bad file.
    """
    items = [
        Item(f"{environment.name} {name}", task.id, task.question)
        for name in environment.held_out
        if name != split
        for task in environment.tasks(name)
    ]
    for path in files:
        items += _of_file(Path(path))
    return HeldOut(items, environment.tasks(split), environments.says(environment.name, "BY_ID", False))


@dataclass(frozen=True)
class Screened:
    """The tasks that may be learned from, and why the others may not; `order` are the ids of all, as they came.

    `compared` is with how many items of which evaluations; None where that rule was not asked for.
    """

    tasks: list[Task]
    order: list[str]
    refused: dict[str, Refusal]
    compared: dict[str, int] | None


def screen(tasks: Sequence[Task], rules: Iterable[str], evaluated: HeldOut) -> Screened:
    """Parts the tasks by those of `rules` that look at the task alone."""
    refused: dict[str, Refusal] = {}
    if "uncontaminated" in rules:
        refused |= {task.id: refusal for task in tasks if (refusal := evaluated.refusal(task))}
    if "distinct" in rules:
        refused |= {refusal.id: refusal for refusal in twins([task for task in tasks if task.id not in refused])}
    left = [task for task in tasks if task.id not in refused]
    compared = evaluated.places if "uncontaminated" in rules else None
    return Screened(left, [task.id for task in tasks], refused, compared)


def twins(tasks: Sequence[Task]) -> list[Refusal]:
    """The tasks that ask nearly what an earlier one asks, with the same answer. Without answers, nobody can tell."""
    asking = [task for task in tasks if task.answer.strip()]
    seen: dict[str, Known] = {}
    weights = known(task.question for task in asking)
    found: list[Refusal] = []
    firsts: dict[str, list[Task]] = {}
    for task in asking:
        answer = " ".join(words(task.answer))
        here = seen.setdefault(answer, Known(weights.weights, weights.rarest))
        first = firsts.setdefault(answer, [])
        if match := here.find(task.question, within=False):
            other = first[match.number]
            found.append(Refusal(task.id, "distinct", f"{task.question!r} {match.how} {other.id}: {other.question!r}"))
        else:
            here.add(task.question)
            first.append(task)
    return found


def _of_file(path: Path) -> list[Item]:
    """The items of JSON or JSON lines: tasks of a data set, or records of a run."""
    if path.is_dir():
        raise Mistake(f"{path} is a folder; held_out names files of items, of JSON or JSON lines")
    items = []
    for place, record in records(path):
        told = record["task"] if isinstance(record.get("task"), Mapping) else record
        id, question = _first(told, _CALLED), _first(told, _ASKED)
        if not question and "task" not in record:
            raise Mistake(f"{place}: no question to hold out; an item has one of: {', '.join(_ASKED)}")
        items.append(Item(path.name, id, question))
    if not items:
        raise Mistake(f"{path}: no items to hold out")
    return items


def _first(record: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((str(record[name]) for name in names if isinstance(record.get(name), str | int)), "")
