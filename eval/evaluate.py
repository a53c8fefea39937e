"""Arguments -> panel, model and environment -> trajectories.jsonl and summary.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

from eval.job import EvalConfig, panel_of
from eval.summary import Session, origin, summarize, told, write
from react import environments, exemplars, models, trajectory
from react.completions import Recorded
from react.config import LOADING, RUNNING, enter, mistakes, parse
from react.environments import Environment
from react.exemplars import Exemplars
from react.journal import Journal
from react.methods import Sampling, Solver, find, prompts
from react.models import Model, ModelConfig
from react.progress import Progress
from react.rollout import attempt, roll_out
from react.trajectory import Task, Trajectory


class Outage(Exception):
    """Nothing but infrastructure failures in a row: going on would only repeat them."""


def main(args: list[str] | None = None) -> None:
    """The command."""
    with mistakes(*LOADING):
        job, model_config = parse((EvalConfig, ModelConfig), __doc__ or "", args)
        environment = environments.load(job.environment, job.environment_options)
        shots = exemplars.load(Path(job.exemplars) if job.exemplars else exemplars.of(job.environment))
        shots.choose(job.shots)  # too few exemplars: said before a model is loaded
        panel = panel_of(environment, shots, job)
        model = models.load(model_config)
    try:
        with mistakes(*LOADING):
            prints = fingerprints(model, environment, shots, panel)
            enter(job.folder, job, model_config, derived=prints)
            recorded = Recorded(model, job.folder / "completions.sqlite")
            solver = solver_of(job, environment, shots, recorded, prints)
            journal = Journal(job.folder / "trajectories.jsonl")
        with mistakes(*RUNNING, Outage):
            session = evaluate(solver, panel, job, journal, recorded)
            kept = settled(journal, panel)
            trajectory.write(journal.path, kept)
            summary = write(job.folder, summarize(job, kept, panel, session, origin(model_config), prints))
        print(told(job, summary))
    finally:
        model.close()


def fingerprints(model: Model, environment: Environment, shots: Exemplars, panel: Sequence[Task]) -> dict[str, str]:
    """What a result depends on beside the settings."""
    return {
        "model_fingerprint": model.fingerprint,
        "environment_fingerprint": environment.fingerprint,
        "exemplars_fingerprint": shots.fingerprint,
        "panel_fingerprint": trajectory.fingerprint(panel),
    }


def solver_of(
    job: EvalConfig, environment: Environment, shots: Exemplars, model: Model, prints: dict[str, str]
) -> Solver:
    """The method, bound to who acts, where, and after which exemplars; every record carries the fingerprints."""
    method = find(job.method)
    prompt = prompts(method, environment, shots, job.shots, job.exemplars_by)
    return Solver(method, environment, model, prompt, prints)


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
