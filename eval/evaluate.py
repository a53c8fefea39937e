"""Arguments -> panel, model and environment -> trajectories.jsonl and summary.json."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

from eval.job import EvalConfig, panel_of
from eval.summary import Session, Sources, origin, summarize, told, write
from react import environments, models, trajectory
from react.completions import Recorded
from react.config import parse
from react.journal import Journal
from react.methods import Sampling, Solves
from react.mistakes import LOADING, RUNNING, mistakes
from react.models import ModelConfig, ModelError
from react.models.scripted import refuse_others
from react.progress import Progress
from react.rollout import Outage, Patience, attempt, roll_out
from react.run_folder import enter
from react.scene import Scene
from react.trajectory import Task, Trajectory


def main(args: list[str] | None = None) -> None:
    """The command."""
    with mistakes(*LOADING, ModelError):
        job, scene, model_config = parse((EvalConfig, Scene, ModelConfig), __doc__ or "", args)
        staged = scene.staged()
        panel = panel_of(staged, job)
        model = models.load(model_config)
        refuse_others(model, panel)
    with ExitStack() as held:
        held.callback(model.close)
        with mistakes(*LOADING):
            prints = staged.fingerprints(model, panel)
            held.callback(os.close, enter(job.folder, job, scene, model_config, derived=prints))
            reuse = [Path(folder) / "completions.sqlite" for folder in job.reuse]
            recorded = Recorded(model, job.folder / "completions.sqlite", reuse)
            journal = Journal(job.folder / "trajectories.jsonl")
        with mistakes(*RUNNING, Outage):
            sampling = Sampling(job.temperature, max_tokens=scene.max_tokens, seed=scene.seed)
            solver = staged.solver(recorded, prints)
            with Progress(job.name, len(panel)) as progress:
                session = evaluate(solver, sampling, panel, journal, recorded, scene, progress)
            kept = settled(journal, panel)
            trajectory.write(journal.path, kept)
            sources = Sources(model_config.backend, staged.environment.data(job.split), origin(model_config))
            summary = write(job.folder, summarize(job, scene, kept, panel, session, sources, prints))
            print(f"{told(summary, session)}\n  written: {job.folder}")
            if summary["n_failed"]:
                raise Outage(f"{summary['n_failed']} of {len(panel)} episodes failed, and are in no score")


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
