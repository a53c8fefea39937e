"""Arguments -> panel, model and environment -> trajectories.jsonl and summary.json."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from eval.summary import Session, origin, summarize, told, write
from react import environments, exemplars, models, trajectory
from react.completions import Recorded
from react.config import LOADING, RUNNING, Mistake, enter, mistakes, parse, setting
from react.environments import Environment
from react.exemplars import Exemplars
from react.journal import Journal
from react.methods import METHODS, Sampling, Solver, find, prompts
from react.models import Model, ModelConfig
from react.progress import Progress
from react.rollout import attempt, roll_out
from react.trajectory import Task, Trajectory


class Outage(Exception):
    """Nothing but infrastructure failures in a row: going on would only repeat them."""


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


def main(args: list[str] | None = None) -> None:
    """The command."""
    with mistakes(*LOADING):
        job, model_config = parse((EvalConfig, ModelConfig), __doc__ or "", args)
        environment = environments.load(job.environment, job.environment_options)
        shots = exemplars.load(Path(job.exemplars) if job.exemplars else exemplars.of(job.environment))
        panel = panel_of(environment, shots, job)
        model = models.load(model_config)
    try:
        with mistakes(*LOADING):
            prints = fingerprints(model, environment, shots, panel)
            enter(job.folder, job, model_config, derived={f"{key}_fingerprint": print for key, print in prints.items()})
            recorded = Recorded(model, job.folder / "completions.sqlite")
            solver = solver_of(job, environment, shots, recorded)
            journal = Journal(job.folder / "trajectories.jsonl")
        with mistakes(*RUNNING, Outage):
            session = evaluate(solver, panel, job, journal, recorded)
            kept = settled(journal, panel)
            trajectory.write(journal.path, kept)
            about = {"trained_on": origin(model_config), "fingerprints": prints}
            summary = write(job.folder, summarize(job, kept, panel, session, about))
        print(told(job, summary))
    finally:
        model.close()


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


def fingerprints(model: Model, environment: Environment, shots: Exemplars, panel: Sequence[Task]) -> dict[str, str]:
    """What a result depends on beside the settings."""
    return {
        "model": model.fingerprint,
        "environment": environment.fingerprint,
        "exemplars": shots.fingerprint,
        "panel": trajectory.fingerprint(panel),
    }


def solver_of(job: EvalConfig, environment: Environment, shots: Exemplars, model: Model) -> Solver:
    """The method, bound to who acts and where. ValueError: there are not as many exemplars as `shots`."""
    method = find(job.method)
    shots.choose(job.shots)
    return Solver(method, environment, model, prompts(method, environment, shots, job.shots, job.exemplars_by))


def evaluate(solver: Solver, panel: Sequence[Task], job: EvalConfig, journal: Journal, model: Recorded) -> Session:
    """Appends a trajectory to `journal` for each task of the panel that has none or a failed one, then closes both.

    Raises Outage when only failures come back.
    """
    sampling = Sampling(job.temperature, max_tokens=job.max_tokens, seed=job.seed)
    began = monotonic()
    try:
        score = Score([tried for tried in settled(journal, panel) if tried.end != "failed"])
        todo = [task for task in panel if task.id not in score.done]
        with Progress(job.name, len(panel), len(score.done)) as progress:
            for tried in roll_out(todo, _attempt_and_append(solver, sampling, journal), job.concurrency):
                score.add(tried, patience=max(10, job.concurrency))
                progress.advance(len(score.done), score.told())
        return Session(round(monotonic() - began, 2), len(todo), score.tokens, model.calls, model.answered)
    finally:
        journal.close()
        model.close()


def _attempt_and_append(solver: Solver, sampling: Sampling, journal: Journal) -> Callable[[Task], Trajectory]:
    def work(task: Task) -> Trajectory:
        tried = attempt(solver, task, sampling)
        journal.append(tried)
        return tried

    return work


class Score:
    """The running count, over what was finished before and what comes in now."""

    def __init__(self, before: Sequence[Trajectory]) -> None:
        self.done = {tried.task.id for tried in before}
        self.tokens = 0
        self._solved = sum(tried.solved for tried in before)
        self._failed = 0
        self._in_a_row = 0

    def add(self, tried: Trajectory, patience: int) -> None:
        """Counts one more; Outage after `patience` failures in a row."""
        if tried.end != "failed":
            self.done.add(tried.task.id)
            self.tokens += int(tried.provenance.get("completion_tokens", 0))
            self._solved += tried.solved
            self._in_a_row = 0
            return
        self._failed += 1
        self._in_a_row += 1
        if self._in_a_row >= patience:
            raise Outage(f"{self._in_a_row} episodes in a row failed, the last with {tried.error}")

    def told(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        return f"EM {self._solved / max(len(self.done), 1):.3f}{failed}"


def settled(journal: Journal, panel: Sequence[Task]) -> list[Trajectory]:
    """One trajectory a task, in the panel's order: the last that did not fail, or the last failure."""
    last: dict[str, Trajectory] = {}
    for tried in journal.read():
        if tried.end != "failed" or last.get(tried.task.id, tried).end == "failed":
            last[tried.task.id] = tried
    return [last[task.id] for task in panel if task.id in last]
