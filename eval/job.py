"""What an evaluation asks, and of how many: its settings, and the panel of tasks that follows from them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from react.config import Mistake, at_least, folder_name, setting
from react.scene import Staged
from react.trajectory import Task


@dataclass(frozen=True)
class EvalConfig:
    """Which tasks are asked, and where the results go."""

    name: str = setting("demo", "the run's folder is <output>/<name>, and its label in the report")
    output: str = setting("runs/eval", "where run folders lie")
    split: str = setting("dev", "which tasks")
    limit: int = setting(0, "the panel: the first so many tasks of the split, shuffled by panel_seed; 0: all")
    panel_seed: int = setting(233, "of that shuffle; runs are compared over one panel")
    temperature: float = setting(0.0, "0: greedy")

    def __post_init__(self) -> None:
        at_least(0, self, "limit", "temperature")
        folder_name(self.name)

    @property
    def folder(self) -> Path:
        return Path(self.output) / self.name


def panel_of(staged: Staged, job: EvalConfig) -> list[Task]:
    """The tasks of the run: a seeded shuffle, so that a smaller panel is the beginning of a larger one."""
    tasks = staged.tasks(job.split)
    random.Random(job.panel_seed).shuffle(tasks)
    panel = tasks[: job.limit or None]
    if len(panel) < max(job.limit, 1):
        raise Mistake(
            f"limit is {job.limit}; the split {job.split!r} of {staged.scene.environment} has {len(tasks)} tasks"
        )
    return panel
