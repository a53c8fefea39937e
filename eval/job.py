"""What an evaluation asks, and of how many: its settings, and the panel of tasks that follows from them.

| panel  | which tasks of the split |
|--------|--------------------------|
| sample | the first `limit` of a shuffle by `panel_seed`; all of them where `limit` is 0
| all    | all, in the order of the split
| paper  | those that the paper's numbers are made of, in its order: 500, of ALFWorld 134
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from react import environments
from react.cap import Cap
from react.config import setting
from react.mistakes import Mistake, at_least, choose
from react.run_folder import folder_name
from react.scene import Staged
from react.trajectory import Task

PANELS = ("sample", "all", "paper")
_CAPS = ("episode_steps", "episode_tokens", "episode_usd")


@dataclass(frozen=True)
class EvalConfig:
    """Which tasks are asked, and where the results go."""

    PACE: ClassVar = frozenset({"reuse"})

    name: str = setting("demo", "the run's folder is <output>/<name>, and its label in the report")
    output: str = setting("runs/eval", "where run folders lie")
    split: str = setting("dev", "which tasks")
    panel: str = setting(
        "sample", "sample: `limit` tasks; all: the whole split in its order; paper: the paper's, in its order"
    )
    limit: int = setting(0, "of a sample: the first so many tasks of the split, shuffled by panel_seed; 0: all")
    panel_seed: int = setting(233, "of that shuffle; runs are compared over one panel")
    temperature: float = setting(0.0, "0: greedy")
    episode_steps: int = setting(
        0, "cap of an episode: its answer after so many steps counts; 0: no cap (docs/budgets.md)"
    )
    episode_tokens: int = setting(0, "cap of an episode in tokens, of prompts and completions together; 0: no cap")
    episode_usd: float = setting(0.0, "cap of an episode in US dollars at price_in and price_out; 0: no cap")
    price_in: float = setting(0.0, "US dollars for a million prompt tokens (cached ones too)")
    price_out: float = setting(0.0, "US dollars for a million tokens that the model writes")
    reuse: list[str] = setting([], "folders of other runs: calls that they recorded are not made again")

    def __post_init__(self) -> None:
        at_least(0, self, "limit", "temperature", *_CAPS, "price_in", "price_out")
        if self.episode_usd and not (self.price_in or self.price_out):
            raise ValueError(f"episode_usd is {self.episode_usd}, and nothing has a price: set price_in and price_out")
        folder_name(self.name)
        if choose("panel", self.panel, PANELS) != "sample" and self.limit:
            raise Mistake(
                f"limit is {self.limit}, but the panel {self.panel!r} is whole; for a part of it: --panel sample"
            )

    @property
    def folder(self) -> Path:
        return Path(self.output) / self.name

    @property
    def cap(self) -> Cap:
        return Cap(self.episode_steps, self.episode_tokens, self.episode_usd, self.price_in, self.price_out)


def panel_of(staged: Staged, job: EvalConfig) -> list[Task]:
    """The tasks of the run. A smaller sample is the beginning of a larger one."""
    tasks = staged.tasks(job.split)
    if job.panel == "paper":
        return _paper(staged, job, tasks)
    if job.panel == "sample":
        random.Random(job.panel_seed).shuffle(tasks)
    panel = tasks[: job.limit or None]
    if len(panel) < max(job.limit, 1):
        raise Mistake(
            f"limit is {job.limit}; the split {job.split!r} of {staged.scene.environment} has {len(tasks)} tasks"
        )
    return panel


def _paper(staged: Staged, job: EvalConfig, tasks: Sequence[Task]) -> list[Task]:
    """Its indices are those of the split as it is, exemplars and all: none of them may be among the drawn."""
    indices = environments.says(staged.scene.environment, "paper_panel")
    if indices is None:
        raise Mistake(f"{staged.scene.environment} has no panel 'paper'; there are: sample, all")
    whole = staged.environment.tasks(job.split)
    try:
        panel = [whole[index] for index in indices(staged.environment, job.split)]
    except ValueError as error:
        raise Mistake(f"panel is 'paper'; the split {job.split!r} of {staged.scene.environment}: {error}") from None
    asked = {task.id for task in tasks}
    if shown := [task.id for task in panel if task.id not in asked]:
        raise Mistake(f"{len(shown)} tasks of the panel 'paper' are exemplars, such as {shown[0]!r}; take those away")
    return panel
