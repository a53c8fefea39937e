"""What actions brought in other tasks, for `react.noise`: of a file of trajectories, or by looking around."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from react import trajectory
from react.environments import Environment
from react.mistakes import Mistake
from react.trajectory import Task

_ITEMS, _LOOKS = 32, 8  # tasks that are looked around in, and outputs of each
_TOOL = re.compile(r"\W*([a-z]*)", re.IGNORECASE)

Glance = Callable[[Task, Sequence[str]], str]


@dataclass(frozen=True)
class Output:
    """What an action brought in a task. `tool` is the word that the action begins with."""

    task: str
    question: str
    tool: str
    text: str


def tool(action: str) -> str:
    """The word that an action begins with, in small letters: `search`, `click`, `go`, `think`."""
    found = _TOOL.match(action)
    return found[1].lower() if found else ""


def recorded(environment: Environment, path: Path) -> list[Output]:
    """The outputs of a file of trajectories, thoughts left out. RecordError and Mistake name the file."""
    found = []
    for tried in trajectory.read(path):
        if (own := tried.provenance.get("environment", environment.name)) != environment.name:
            raise Mistake(f"noise_from: {path} holds trajectories of {own!r}, not of {environment.name!r}")
        for number, step in enumerate(tried.steps, 1):
            if step.observation and step.action and number not in tried.provenance.get("noisy_steps", ()):
                found.append(Output(tried.task.id, tried.task.question, tool(step.action), step.observation))
    return found


def seen(environment: Environment, glance: Glance | None) -> list[Output]:
    """What is seen by who looks around, as `glance` does, in some of the tasks to be trained on.

    Mistake: there is no `glance`, or cannot be looked at.
    """
    if glance is None:
        raise Mistake(f"noise_kind 'other': {environment.name} has no outputs of its own to take; give noise_from")
    try:
        tasks = environment.tasks("train")
    except ValueError:
        tasks = environment.tasks(environment.held_out[0])
    chosen = random.Random(0).sample(range(len(tasks)), min(_ITEMS, len(tasks)))
    return [output for index in chosen for output in _looked(environment, tasks[index], glance)]


def _looked(environment: Environment, task: Task, glance: Glance) -> Iterator[Output]:
    told: list[str] = []
    try:
        episode = environment.start(task)
        while len(told) < _LOOKS and (action := glance(task, told)):
            observation = episode.act(action)
            if observation.done or not observation.valid:
                return
            told.append(observation.text)
            yield Output(task.id, task.question, tool(action), observation.text)
    except ValueError:
        return  # a task that cannot be started is no task of this run
    except Exception as error:  # a wiki or a shop that does not answer: each has an error of its own
        said = f"{type(error).__name__}: {error}"
        raise Mistake(f"noise_kind 'other': {environment.name} cannot be looked at ({said}); give noise_from") from None
