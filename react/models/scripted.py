"""Replays a file of trajectories: what the trajectory of a question wrote at a step is what this model answers there.

A real back end without a model: tests, dry runs, an expert's demonstrations through the ordinary bootstrap command::

    python -m bootstrap --backend scripted --model expert.jsonl.gz ...

It finds its place by what the prompt asks last (`Question: ...`, hinted or not) and by the cue that it ends with
(`Thought 3:`), never by observations: a script that was written without them plays too. Where its script has ended it
writes nothing, which is read as no action. With several trajectories of one question, `request.attempt` and
`request.sample` name the one (in a trajectory's provenance; 0 where it says nothing); any other gets the last.

A task that the file does not have is no failure of the infrastructure: Mistake names both, and `refuse_others` does
before anything runs where there is none of them.

At a console and in a shop all cues are alike, and many are asked the same: there the task's id finds the script, and
the turns are counted. A thought of the script is said whatever the method.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from react.console import Console
from react.hints import unhinted
from react.mistakes import Mistake
from react.models import Completion, Model, ModelConfig, ModelError, Request
from react.models._text import before
from react.notation import Answered, Notation, Numbered, one_line
from react.storefront import Storefront
from react.trajectory import Step, Task, Trajectory, read

# Those whose cues are alike, by what a prompt ends with.
_UNNUMBERED: dict[str, Notation] = {f"\n{notation.cue(1)}": notation for notation in (Console(), Storefront())}
# By their first cue. The one that acts with thoughts comes first: its text has the cues of the one without.
_NOTATIONS = (Numbered("", True), Numbered("", False), Answered("", True), Answered("", False))


class Scripted:
    """The trajectories of a file, as a model. Thread-safe; holds each script as a line of JSON, a few as answers."""

    def __init__(self, path: Path) -> None:
        models: set[str] = set()
        self._path = path
        self._scripts: dict[str, dict[tuple[int, int] | None, str]] = {}
        self._tasks: dict[str, dict[tuple[int, int] | None, str]] = {}
        for trajectory in read(path):
            models.add(trajectory.model)
            script, place = _script(trajectory), _place(trajectory)
            for attempts in (
                self._scripts.setdefault(one_line(trajectory.task.question), {}),
                self._tasks.setdefault(trajectory.task.id, {}),
            ):
                attempts[None] = attempts[place] = script
        if not self._scripts:
            raise ValueError(f"{path}: holds no trajectory to replay")
        self.fingerprint = _fingerprint(path)
        agreed = models.pop() if len(models) == 1 else ""
        self.name = agreed or f"scripted:{path.name.partition('.jsonl')[0]}"
        self._answers = lru_cache(maxsize=4096)(_answers)
        self._said = lru_cache(maxsize=4096)(_said)

    def complete(self, request: Request) -> list[Completion]:
        cue = next((cue for cue in _UNNUMBERED if request.prompt.endswith(cue)), "")
        scripts = self._tasks.get(request.task) if cue else None
        answer = self._to_task(scripts, request, cue) if scripts else self._to_question(request)
        return [Completion(before(answer, request.stop))] * request.n

    def _to_task(self, attempts: Mapping[tuple[int, int] | None, str], request: Request, cue: str) -> str:
        turns = self._said(_of(attempts, request), cue)
        turn = request.prompt.count(cue, max(request.shared - 1, 0))
        return turns[turn - 1] if turn <= len(turns) else ""

    def _to_question(self, request: Request) -> str:
        question, context = self._asked(request)
        script = _of(self._scripts[question], request)
        cue = request.prompt[request.prompt.rfind("\n") + 1 :]
        return self._answers(script, _notation(context, question)).get(cue, "")

    def _asked(self, request: Request) -> tuple[str, str]:
        """The last question of the prompt that there is a script for, and the text from it on."""
        for start in _lines(request):
            end = request.prompt.find("\n", start)
            label, _, question = request.prompt[start : end if end >= 0 else None].partition(": ")
            question = question if question in self._scripts else unhinted(question)
            if question in self._scripts and label.isalpha():
                return question, request.prompt[start:]
        raise self._unknown(request.task, one_line(request.prompt[request.shared :].rpartition("\n")[0]))

    def _unknown(self, id: str, question: str) -> Mistake:
        named = f"task {id!r}: " if id else "this: "
        return Mistake(
            f"{self._path} has no trajectory for {named}{question[:200]!r}; as `model` give the file of that "
            "environment and split, or try only the tasks that it has (in a collection: --tasks_of)"
        )

    def refuse_others(self, tasks: Sequence[Task]) -> None:
        """Mistake where there is a trajectory for none of `tasks`."""
        if not any(one_line(task.question) in self._scripts or task.id in self._tasks for task in tasks):
            raise self._unknown(tasks[0].id, one_line(tasks[0].question))

    def close(self) -> None:
        """Nothing to let go of."""


def load(config: ModelConfig) -> Scripted:
    """The trajectories file that `config.model` names (`.gz` too). ValueError names file, line and what is wrong."""
    if config.calls:
        raise Mistake("api is 'tools', and a script is written as text: leave it out; what it does can be exported so")
    return Scripted(Path(config.model))


def fingerprint(config: ModelConfig) -> str:
    """That of the file."""
    return _fingerprint(Path(config.model))


def _fingerprint(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def refuse_others(model: Model, tasks: Sequence[Task]) -> None:
    """Mistake where `model` is a script, and one of other tasks than these."""
    if isinstance(model, Scripted):
        model.refuse_others(tasks)


def _lines(request: Request) -> Iterator[int]:
    """Where a question may begin after the shared exemplars: there, then at any line, the last first."""
    if request.shared:
        yield request.shared
    end = len(request.prompt)
    while (end := request.prompt.rfind("\n", request.shared, end)) >= 0:
        yield end + 1
    yield request.shared


def _place(trajectory: Trajectory) -> tuple[int, int]:
    """The attempt and the sample that a trajectory is."""
    return trajectory.provenance.get("attempt", 0), trajectory.provenance.get("sample", 0)


def _of(attempts: Mapping[tuple[int, int] | None, str], request: Request) -> str:
    return attempts.get((request.attempt, request.sample)) or attempts[None]


def _script(trajectory: Trajectory) -> str:
    """What the model wrote in a trajectory: [[thought, action], ...] as JSON."""
    return json.dumps([[step.thought, step.action] for step in trajectory.steps])


def _notation(context: str, question: str) -> Numbered | Answered:
    for notation in _NOTATIONS:
        if f"\n{notation.cue(1)}" in context:
            return notation
    raise ModelError(f"the prompt for {question[:200]!r} ends in no known notation: {context[-100:]!r}")


def _said(script: str, cue: str) -> list[str]:
    """What follows each cue, where all are alike."""
    return _turns([Step(thought, action) for thought, action in json.loads(script)], _UNNUMBERED[cue])


def _answers(script: str, notation: Numbered | Answered) -> dict[str, str]:
    """What follows each cue that the prompt may end with."""
    steps = [Step(thought, action) for thought, action in json.loads(script)]
    if isinstance(notation, Answered):
        steps = steps[-1:]
    answers = {}
    for i, written in enumerate(_turns(steps, notation), 1):
        if action_cue := notation.action_cue(i):
            answers[action_cue.strip()] = written.partition(action_cue)[2]
        answers[notation.cue(i)] = written
    return answers


def _turns(steps: list[Step], notation: Notation) -> list[str]:
    """What the model writes in each turn: the text of its thought and action, up to its stop."""
    turns: list[str] = []
    for span in notation.spans(Task("", "", ""), steps):
        if span.kind == "cue":
            turns.append("")
        elif span.kind in ("thought", "action"):
            turns[-1] += span.text
    return turns
