"""The record that every stage hands to the next: what was asked, what was tried, what came of it.

One line of a ``trajectories.jsonl``, shortened::

    {"task": {"id": "q17", "question": "...", "answer": "Lima", "extra": {"type": "bridge"}},
     "method": "react", "model": "smollm2",
     "steps": [{"thought": "I need to ...", "action": "Search[Cusco]", "observation": "Cusco is ..."},
               {"thought": "So the answer ...", "action": "Finish[Lima]", "observation": ""}],
     "answer": "Lima", "reward": 1.0, "end": "finished", "error": "", "provenance": {"attempt": 0, ...}}

The verdict is a field and never text in a transcript: a student must not learn to announce its own success.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast, get_args

from react.cache import made_by

End = Literal["finished", "out_of_steps", "out_of_context", "out_of_budget", "failed"]
ENDS: tuple[str, ...] = get_args(End)
_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=vars)
# What a record counts in its provenance; where several tries make one, their sum.
COUNTS = (
    "calls",
    "bad_calls",
    "invalid_actions",
    "cut_calls",
    "repaired_calls",
    "shortened_calls",
    "prompt_tokens",
    "completion_tokens",
)
_NUMBERS = ("attempt", "sample", *COUNTS)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_MOST = sys.float_info.max  # JSON has whole numbers beyond it


class RecordError(ValueError):
    """A file of records that cannot be read; the message names the file, the line and what is wrong there."""


@dataclass(frozen=True)
class Task:
    """One item of a data set. `extra` is read only by the environment that the task belongs to."""

    id: str
    question: str
    answer: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """What the data set calls the kind of the task, or the label of a claim: results are counted by it."""
        return str(next((self.extra[key] for key in ("kind", "type", "label") if self.extra.get(key)), ""))


@dataclass(frozen=True)
class Step:
    """One turn. An empty part was not there: Act has no thoughts, a last step has no observation."""

    thought: str = ""
    action: str = ""
    observation: str = ""


@dataclass(frozen=True)
class Trajectory:
    """A task, tried once.

    `end` says why it stopped: the environment was `finished`, its limit ran `out_of_steps`, the prompt no longer fitted
    the model (`out_of_context`), the episode came to its cap (`out_of_budget`, with the best partial answer: see
    `react.cap`), or the infrastructure `failed`. A failed trajectory says nothing about the model: it is never counted
    as a wrong answer. `provenance` holds what is needed to make it again (seed, attempt, fingerprints) and what it took
    (calls, tokens); nothing in it depends on the clock.
    """

    task: Task
    method: str
    model: str
    steps: tuple[Step, ...] = ()
    answer: str = ""
    reward: float = 0.0
    end: End = "finished"
    error: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def solved(self) -> bool:
        """Whether the environment gave the full reward: to an episode that finished, or to an answer at its cap."""
        return self.reward >= 1.0 and (self.end == "finished" or self.partial)

    @property
    def partial(self) -> bool:
        """Whether its cap ended it with an answer: its last step hands that in."""
        return self.end == "out_of_budget" and bool(self.answer)


def to_json(trajectory: Trajectory) -> str:
    """One line of JSON, the same bytes for equal trajectories."""
    return _JSON.encode(vars(trajectory))


def from_json(line: str) -> Trajectory:
    """The trajectory that `to_json` wrote. ValueError says which field is missing, unknown or of the wrong kind."""
    record = _mapping(json.loads(line), "a trajectory")
    try:
        task = Task(**_mapping(record.pop("task", None), "`task`"))
        steps = tuple(Step(**_mapping(step, "a step")) for step in record.pop("steps", ()))
        trajectory = Trajectory(task=task, steps=steps, **record)
    except TypeError as error:
        raise ValueError(str(error).replace("__init__()", "record")) from None
    _check(trajectory)
    if _SURROGATE.search(line):
        want_unicode(trajectory)
    return trajectory


def want_unicode(trajectory: Trajectory) -> None:
    """ValueError for half a letter (a lone surrogate): JSON can say it, and no file can hold it."""
    text = to_json(trajectory)
    if half := next((letter for letter in text if "\ud800" <= letter <= "\udfff"), ""):
        raise ValueError(f"it holds {half!r}, half a letter, which no text can")


def _mapping(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be a JSON object, not {type(value).__name__}")
    return dict(value)


def _check(trajectory: Trajectory) -> None:
    """JSON carries no types, and a record from elsewhere may hold anything: say so here, not deep inside a stage."""
    task, reward = trajectory.task, trajectory.reward
    if trajectory.end not in ENDS:
        raise ValueError(f"`end` is {trajectory.end!r}; it must be one of {', '.join(ENDS)}")
    if isinstance(reward, bool) or not isinstance(reward, int | float) or not -_MOST <= reward <= _MOST:
        raise ValueError(f"`reward` is {reward!r}; it must be a number")
    if not isinstance(trajectory.provenance, dict) or not isinstance(task.extra, dict):
        raise ValueError("`provenance` and the task's `extra` must be JSON objects")
    texts = [task.id, task.question, task.answer]
    texts += [trajectory.method, trajectory.model, trajectory.answer, trajectory.error]
    texts += [part for step in trajectory.steps for part in (step.thought, step.action, step.observation)]
    if wrong := [text for text in texts if not isinstance(text, str)]:
        raise ValueError(f"{wrong[0]!r} stands where a text must be")
    for name in _NUMBERS:
        if type(count := trajectory.provenance.get(name, 0)) is not int or count < 0:
            raise ValueError(f"`{name}` of `provenance` is {count!r}; it must be a whole number of at least 0")
    for name, pages in (("pages", trajectory.provenance.get("pages")), ("supporting", task.extra.get("supporting"))):
        if pages and not (isinstance(pages, list) and all(isinstance(page, str) for page in pages)):
            raise ValueError(f"`{name}` is {pages!r}; it must be a list of titles")


def fingerprint(tasks: Iterable[Task]) -> str:
    """Changes with any id, question or answer of the tasks, and with their order."""
    rows = json.dumps([[task.id, task.question, task.answer] for task in tasks], ensure_ascii=False)
    return hashlib.sha256(rows.encode()).hexdigest()[:16]


def open_text(path: Path) -> Any:
    """A text file for reading, gzipped or not, by its name."""
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")


def _packed(path: Path, file: BinaryIO) -> AbstractContextManager[BinaryIO]:
    """What is written into `file`, which will be called `path`."""
    packed = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if path.suffix == ".gz" else nullcontext(file)
    return cast("AbstractContextManager[BinaryIO]", packed)


def read(path: Path) -> Iterator[Trajectory]:
    """The trajectories of a JSONL file (`.gz` too), in its order. RecordError names the file and the line."""
    try:
        with open_text(path) as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield from_json(line)
                except (ValueError, RecursionError) as error:
                    raise RecordError(f"{path}:{number}: not a trajectory: {error}") from None
    except FileNotFoundError:
        raise RecordError(f"{path}: cannot be read: no such file{made_by(path)}") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read: {error}") from None


def write(path: Path, trajectories: Iterable[Trajectory]) -> int:
    """Writes a JSONL file in one piece (a reader sees the old file or the new one); returns the number of lines.

    Gzipped, without a time, where its name ends in `.gz`.
    """
    partial = path.with_name(path.name + ".partial")
    count = 0
    with partial.open("wb") as file, _packed(path, file) as lines:
        for trajectory in trajectories:
            lines.write(f"{to_json(trajectory)}\n".encode())
            count += 1
    partial.replace(path)
    return count
