"""The settings of a collection, beside those of the scene and of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bootstrap.collect import Plan
from bootstrap.rules import DEFAULT, NAMES, OBSERVING, spelled_out
from bootstrap.schedule import ORDERS, Schedule, shares_of, strata_of
from react.config import setting
from react.methods import Method, Sampling
from react.mistakes import Mistake, at_least, choose
from react.run_folder import folder_name
from react.scene import Scene
from react.trajectory import Task


@dataclass(frozen=True)
class BootstrapConfig:
    """What is collected, and how hard it is tried."""

    PACE: ClassVar = frozenset({"failures_in_a_row", "failed_share", "rank_timeout"})
    BY_FLAG: ClassVar = {"split": "what is collected is there to be trained on"}

    name: str = setting("demo", "the run's folder is <output>/<name>")
    output: str = setting("runs/bootstrap", "where run folders lie")
    split: str = setting("train", "which tasks; another than train takes the flag")
    target: int = setting(3000, "stop when so many tasks have a trajectory worth keeping")
    tasks_of: str = setting("", "a trajectories file: only the tasks in it are tried")
    limit: int = setting(0, "use only the first so many tasks of the seeded order; 0: all")
    attempts: int = setting(4, "tries of a task: the first greedy, the others sampled")
    hints: int = setting(0, "further tries with the answer as a hint: the first greedy, the others sampled")
    temperature: list[float] = setting([0.7], "of the sampled tries, one each; the last for all further ones")
    order: str = setting("passes", "passes: every task once before any twice; tasks: each to its end first")
    quota_by: str = setting("", "equal shares of the target by kind, or a key of the tasks' extra (type, level, label)")
    quota: dict[str, Any] = setting({}, 'shares that are not equal, as JSON: {"bridge": 200, "comparison": 100}')
    failures_in_a_row: int = setting(0, "stop at so many; 0: as many as run at once, at least 10")
    failed_share: float = setting(0.5, "stop when more than this share of the last 100 attempts failed")
    rank_timeout: float = setting(120.0, "seconds without a sign of another rank after which it is taken for lost")
    rules: list[str] = setting(list(DEFAULT), f"what is kept: {', '.join(NAMES)}")
    held_out: list[str] = setting([], "files of evaluation items beside the environment's own; none of them is kept")

    def __post_init__(self) -> None:
        at_least(1, self, "target", "attempts")
        at_least(0, self, "limit", "hints", "failures_in_a_row")
        choose("order", self.order, ORDERS)
        if not self.temperature or min(self.temperature) < 0:
            raise ValueError(f"temperature is {self.temperature}; it must be numbers of at least 0")
        if self.rank_timeout < 5:
            raise ValueError(f"rank_timeout is {self.rank_timeout}; it must be at least 5 seconds")
        if not 0 < self.failed_share <= 1:
            raise ValueError(f"failed_share is {self.failed_share}; it must be more than 0 and at most 1")
        if wrong := [name for name, share in self.quota.items() if type(share) is not int or share < 0]:
            raise ValueError(f"quota has {self.quota[wrong[0]]!r} for {wrong[0]!r}; it must be a whole number")
        folder_name(self.name)
        spelled_out(self.rules)

    @property
    def folder(self) -> Path:
        return Path(self.output) / self.name

    @property
    def strata(self) -> str:
        """By what tasks are told apart for a quota; empty where there is none."""
        return self.quota_by or ("kind" if self.quota else "")

    def plan(self, scene: Scene) -> Plan:
        """How hard each task is tried."""
        sampling = Sampling(max_tokens=scene.max_tokens, seed=scene.seed)
        return Plan(self.attempts, self.hints, tuple(self.temperature), sampling, tuple(self.rules))

    def schedule(self, tasks: Sequence[Task], plan: Plan) -> Schedule:
        """In which order `tasks` are tried, and how many are wanted of which. Mistake: there are no such strata."""
        strata = strata_of(tasks, self.strata)
        shares = shares_of(strata, self.target, self.quota)
        tries = [plan.tries(task) if stratum in shares else 0 for task, stratum in zip(tasks, strata, strict=True)]
        return Schedule(self.order, tries, strata, shares)


def sensible(job: BootstrapConfig, method: Method, tasks: list[Task]) -> None:
    """Mistake where the settings let nothing be kept, whatever the teacher does."""
    if job.hints and not (method.thoughts or method.actions):
        raise Mistake(f"hints is {job.hints}, but {method.title} would only copy a hint; take another method, or 0")
    if job.hints and not any(task.answer.strip() for task in tasks):
        raise Mistake(f"hints is {job.hints}, but these tasks have no answers that could be hints")
    if "supported" in job.rules and not any(task.extra.get("supporting") for task in tasks):
        raise Mistake(
            "rule 'supported' wants the pages that a task needs, and none of these tasks names any; leave it out"
        )
    observing = [rule for rule in job.rules if rule in OBSERVING]
    if observing and not method.actions:
        other = " ".join(rule for rule in job.rules if rule not in observing)
        raise Mistake(f"rule {observing[0]!r} wants observations, and {method.title} has none; take --rules {other}")
