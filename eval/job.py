"""What an evaluation asks, of whom, and of how many: its settings, and the panel of tasks that follows from them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from react.config import Mistake, setting
from react.environments import Environment
from react.exemplars import Exemplars
from react.methods import METHODS, find
from react.trajectory import Task


@dataclass(frozen=True)
class EvalConfig:
    """What is asked, of whom, and how."""

    PACE: ClassVar = frozenset({"concurrency"})

    name: str = setting("demo", "the run's folder is <output>/<name>, and its label in the report")
    output: str = setting("runs/eval", "where run folders lie")
    environment: str = setting("hotpotqa", "a name in react/environments")
    environment_options: dict[str, Any] = setting({}, "options of the environment, as JSON")
    split: str = setting("dev", "which tasks")
    limit: int = setting(0, "the panel: the first so many tasks of the split, shuffled by panel_seed; 0: all")
    panel_seed: int = setting(233, "of that shuffle; runs are compared over one panel")
    method: str = setting("react", ", ".join(METHODS))
    shots: int = setting(6, "exemplars in the prompt; 0 for a finetuned model")
    exemplars: str = setting("", "file of exemplars; empty: the environment's own")
    exemplars_by: str = setting("", "key of a task's extra: exemplars of the task's kind come first")
    temperature: float = setting(0.0, "0: greedy")
    max_tokens: int = setting(100, "of one completion")
    seed: int = setting(0, "of samples, where the temperature is above 0")
    concurrency: int = setting(48, "episodes at once")

    def __post_init__(self) -> None:
        for name in ("concurrency", "max_tokens"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("limit", "shots", "temperature"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must not be negative")
        if Path(self.name).name != self.name or self.name in ("", ".."):
            raise ValueError(f"name is {self.name!r}; it must be the name of one folder")
        find(self.method)

    @property
    def folder(self) -> Path:
        return Path(self.output) / self.name


def panel_of(environment: Environment, shots: Exemplars, job: EvalConfig) -> list[Task]:
    """The tasks of the run. Never those of the exemplars, with or without shots: every run has the same panel."""
    shown = {example.task.question for example in shots.examples}
    tasks = [task for task in environment.tasks(job.split) if task.question not in shown]
    random.Random(job.panel_seed).shuffle(tasks)
    panel = tasks[: job.limit or None]
    if len(panel) < max(job.limit, 1):
        raise Mistake(f"limit is {job.limit}; the split {job.split!r} of {job.environment} has {len(tasks)} tasks")
    if job.exemplars_by and not any(job.exemplars_by in task.extra for task in panel):
        there = sorted({key for task in panel for key in task.extra})
        raise Mistake(f"exemplars_by is {job.exemplars_by!r}; the tasks have {', '.join(there) or 'nothing'}")
    return panel
