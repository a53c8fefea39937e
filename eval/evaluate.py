"""Arguments -> panel, model and environment -> trajectories.jsonl and summary.json."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from eval.job import EvalConfig, panel_of
from eval.origin import origin
from eval.summary import Session, Sources, summarize, told, write
from react import environments, models, trajectory
from react.completions import Recorded
from react.config import parse
from react.environments import Environment
from react.journal import Journal
from react.methods import Sampling, Solves
from react.mistakes import LOADING, RUNNING, mistakes
from react.models import Model, ModelConfig, ModelError
from react.models.scripted import refuse_others
from react.progress import Progress
from react.rollout import Outage, Patience, attempt, roll_out
from react.run_folder import enter
from react.scene import Scene, Staged
from react.trajectory import Task, Trajectory


@dataclass(frozen=True)
class Asked:
    """One run with everything opened but its model: its settings, the scene, and the panel."""

    job: EvalConfig
    scene: Scene
    config: ModelConfig
    staged: Staged
    panel: Sequence[Task]

    @classmethod
    def of(cls, job: EvalConfig, scene: Scene, config: ModelConfig, environment: Environment | None = None) -> Asked:
        """Opens what the settings name. ValueError says what is wrong with them."""
        staged = scene.staged(environment)
        return cls(job, scene, config, staged, panel_of(staged, job))


@dataclass(frozen=True)
class Files:
    """The files of a run, which is this process's alone, and the fingerprints that it is bound to."""

    prints: dict[str, str]
    recorded: Recorded
    journal: Journal


def main(args: list[str] | None = None) -> None:
    """The command."""
    with mistakes(*LOADING, ModelError):
        asked = Asked.of(*parse((EvalConfig, Scene, ModelConfig), __doc__ or "", args))
        model = models.load(asked.config)
        refuse_others(model, asked.panel)
    with ExitStack() as held:
        held.callback(model.close)
        with mistakes(*LOADING):
            files = entered(asked, model, held)
        with mistakes(*RUNNING, Outage):
            summary, session = played(asked, files, asked.job.name)
            print(f"{told(summary, session)}\n  written: {asked.job.folder}")
            if summary["n_failed"]:
                raise Outage(f"{summary['n_failed']} of {len(asked.panel)} episodes failed, and are in no score")


def entered(asked: Asked, model: Model, held: ExitStack) -> Files:
    """Makes the run's folder, or enters it again, until `held` is closed. ValueError: it has other settings."""
    job = asked.job
    prints = asked.staged.fingerprints(model, asked.panel)
    held.callback(os.close, enter(job.folder, job, asked.scene, asked.config, derived=prints))
    reuse = [Path(folder) / "completions.sqlite" for folder in job.reuse]
    recorded = Recorded(model, job.folder / "completions.sqlite", reuse)
    return Files(prints, recorded, Journal(job.folder / "trajectories.jsonl"))


def played(asked: Asked, files: Files, title: str) -> tuple[dict[str, Any], Session]:
    """Plays what is left of the panel, and writes the trajectories in its order and the summary. Closes the model."""
    job, scene, panel = asked.job, asked.scene, asked.panel
    sampling = Sampling(job.temperature, max_tokens=scene.max_tokens, seed=scene.seed)
    solver = asked.staged.solver(files.recorded, files.prints, cap=job.cap, calls=asked.config.calls)
    with Progress(title, len(panel)) as progress:
        session = evaluate(solver, sampling, panel, files.journal, files.recorded, scene, progress)
    kept = settled(files.journal, panel)
    trajectory.write(files.journal.path, kept)
    sources = Sources(asked.config.backend, asked.staged.environment.data(job.split), origin(asked.config))
    return write(job.folder, summarize(job, scene, kept, panel, session, sources, files.prints)), session


def evaluate(
    solver: Solves,
    sampling: Sampling,
    panel: Sequence[Task],
    journal: Journal,
    model: Recorded,
    scene: Scene,
    progress: Progress,
) -> Session:
    """Appends a trajectory to `journal` for each task of the panel that has none or a failed one, then closes both.

    Raises Outage when only failures come back.
    """
    began = monotonic()
    try:
        score = Score(scene.environment, [tried for tried in settled(journal, panel) if tried.end != "failed"])
        patience = Patience(max(10, scene.concurrency))
        todo = [task for task in panel if task.id not in score.done]
        progress.begin(len(score.done))
        for tried in roll_out(todo, _attempt_and_append(solver, sampling, journal), scene.concurrency):
            patience.bear(tried.error)
            score.add(tried)
            progress.advance(len(score.done), score.told())
        return Session(round(monotonic() - began, 2), len(todo), score.tokens, model.calls, model.answered)
    finally:
        journal.close()
        model.close()


def _attempt_and_append(solver: Solves, sampling: Sampling, journal: Journal) -> Callable[[Task], Trajectory]:
    def work(task: Task) -> Trajectory:
        tried = attempt(solver, task, sampling)
        journal.append(tried)
        return tried

    return work


class Score:
    """The running count, over what was finished before and what comes in now, in the words of the summary."""

    def __init__(self, environment: str, before: Sequence[Trajectory]) -> None:
        self._metric = environments.says(environment, "METRIC", "EM")
        self._scored = environments.says(environment, "SCORED", False)
        self.done = {tried.task.id for tried in before}
        self.tokens = 0
        self._solved = sum(tried.solved for tried in before)
        self._rewards = sum(tried.reward for tried in before)
        self._failed = 0

    def add(self, tried: Trajectory) -> None:
        """Counts one more."""
        if tried.end == "failed":
            self._failed += 1
            return
        self.done.add(tried.task.id)
        self.tokens += int(tried.provenance.get("completion_tokens", 0))
        self._solved += tried.solved
        self._rewards += tried.reward

    def told(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        n = max(len(self.done), 1)
        score = f"score {100 * self._rewards / n:.1f}, " if self._scored else ""
        return f"{score}{self._metric} {self._solved / n:.3f}{failed}"


def settled(journal: Journal, panel: Sequence[Task]) -> list[Trajectory]:
    """One trajectory a task, in the panel's order: the last that did not fail, or the last failure."""
    last: dict[str, Trajectory] = {}
    for tried in journal.read():
        if tried.end != "failed" or last.get(tried.task.id, tried).end == "failed":
            last[tried.task.id] = tried
    return [last[task.id] for task in panel if task.id in last]
