"""Arguments -> teacher and environment -> attempts -> the kept trajectories and a summary."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bootstrap.collect import Outage, Plan, collect, seeded_order
from bootstrap.select import RULES, Selection, select
from react import environments, exemplars, methods, models, trajectory
from react.completions import Recorded
from react.config import LOADING, RUNNING, Mistake, choose, enter, mistakes, parse, setting
from react.environments import Environment
from react.exemplars import Exemplars
from react.journal import Journal
from react.methods import METHODS, Sampling, Solver, prompts
from react.models import Model, ModelConfig
from react.progress import Progress
from react.trajectory import Task


@dataclass(frozen=True)
class BootstrapConfig:
    """What is collected, and how hard it is tried."""

    PACE: ClassVar = frozenset({"concurrency"})

    name: str = setting("demo", "the run's folder is <output>/<name>")
    output: str = setting("runs/bootstrap", "where run folders lie")
    environment: str = setting("hotpotqa", "a name in react/environments")
    environment_options: dict[str, Any] = setting({}, "options of the environment, as JSON")
    split: str = setting("train", "which tasks")
    method: str = setting("react", f"{', '.join(METHODS)}")
    target: int = setting(3000, "stop when so many tasks have a trajectory worth keeping")
    tasks_of: str = setting("", "a trajectories file: only the tasks in it are tried")
    limit: int = setting(0, "use only the first so many tasks of the seeded order; 0: all")
    attempts: int = setting(4, "tries of a task: the first greedy, the others sampled")
    temperature: float = setting(0.7, "of the sampled tries")
    max_tokens: int = setting(100, "of one completion")
    shots: int = setting(6, "exemplars in the prompt")
    exemplars: str = setting("", "file of exemplars; empty: the environment's own")
    exemplars_by: str = setting("", "key of a task's extra: exemplars of the task's kind come first")
    rules: list[str] = setting(["correct", "grounded", "clean"], f"what is kept: {', '.join(RULES)}")
    seed: int = setting(0, "of the order of tasks and of all samples")
    concurrency: int = setting(48, "episodes at once")

    def __post_init__(self) -> None:
        for name in ("target", "attempts", "concurrency", "max_tokens"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("limit", "shots", "temperature"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must not be negative")
        methods.find(self.method)
        for rule in self.rules:
            choose("rule", rule, list(RULES))

    @property
    def folder(self) -> Path:
        return Path(self.output) / self.name


def main(args: list[str] | None = None) -> None:
    """The command."""
    with mistakes(*LOADING):
        job, model_config = parse((BootstrapConfig, ModelConfig), __doc__ or "", args)
        environment = environments.load(job.environment, job.environment_options)
        shots = exemplars.load(Path(job.exemplars) if job.exemplars else exemplars.of(job.environment))
        shots.choose(job.shots)
        tasks = pool(environment, shots, job)
        model = models.load(model_config)
    try:
        with mistakes(*LOADING):
            enter(job.folder, job, model_config, derived=fingerprints(model, environment, shots, tasks))
            recorded = Recorded(model, job.folder / "completions.sqlite")
            journal = Journal(job.folder / "attempts.jsonl")
        with mistakes(*RUNNING, Outage):
            bootstrap(job, environment, shots, tasks, recorded, journal)
    finally:
        model.close()


def pool(environment: Environment, shots: Exemplars, job: BootstrapConfig) -> list[Task]:
    """The tasks of the run in their seeded order. A question that is an exemplar is never collected."""
    shown = {example.task.question for example in shots.examples}
    named = {record.task.id for record in trajectory.read(Path(job.tasks_of))} if job.tasks_of else None
    tasks = [
        task
        for task in environment.tasks(job.split)
        if task.question not in shown and (named is None or task.id in named)
    ]
    if not tasks:
        raise Mistake(
            f"{job.environment}: the split {job.split!r} has no tasks{' that are in ' + job.tasks_of if named else ''}"
        )
    return seeded_order(tasks, job.seed)[: job.limit or None]


def fingerprints(model: Model, environment: Environment, shots: Exemplars, tasks: list[Task]) -> dict[str, str]:
    """What a result depends on beside the settings."""
    return {
        "model_fingerprint": model.fingerprint,
        "environment_fingerprint": environment.fingerprint,
        "exemplars_fingerprint": shots.fingerprint,
        "tasks_fingerprint": trajectory.fingerprint(tasks),
    }


def bootstrap(
    job: BootstrapConfig,
    environment: Environment,
    shots: Exemplars,
    tasks: list[Task],
    model: Recorded,
    journal: Journal,
) -> None:
    """Collects, selects, and writes both results."""
    method = methods.find(job.method)
    solver = Solver(method, environment, model, prompts(method, environment, shots, job.shots, job.exemplars_by))
    sampling = Sampling(max_tokens=job.max_tokens, seed=job.seed)
    plan = Plan(job.target, job.attempts, job.temperature, sampling, tuple(job.rules))
    try:
        with Progress(f"{job.name}: solved", min(job.target, len(tasks))) as progress:
            collect(tasks, solver, plan, journal, job.concurrency, progress)
    finally:
        journal.close()
        model.close()
    selection = select(journal.read(), [task.id for task in tasks], job.rules, job.target)
    trajectory.write(job.folder / "trajectories.jsonl", selection.kept)
    summary = summarize(job, selection, journal, model)
    (job.folder / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    print(told(job, summary))


COUNTS = ("calls", "bad_calls", "prompt_tokens", "completion_tokens")


def summarize(job: BootstrapConfig, selection: Selection, journal: Journal, model: Recorded) -> dict[str, Any]:
    """Counts of the whole run, whatever number of starts it took."""
    ends: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    tasks = set()
    for tried in journal.read():
        ends[tried.end] += 1
        tasks.add(tried.task.id)
        errors.update([tried.error] if tried.error else [])
        totals.update({key: int(tried.provenance.get(key, 0)) for key in COUNTS})
    kept = len(selection.kept)
    return {
        "kept": kept,
        "target": job.target,
        "complete": kept >= job.target,
        "tasks_tried": len(tasks),
        "attempts": sum(ends.values()),
        "yield": kept / max(len(tasks), 1),
        "ends": dict(ends),
        "left_out": selection.removed,
        "kinds": dict(Counter(kind(row.task) for row in selection.kept)),
        "failures": dict(errors.most_common(10)),
        **totals,
        "calls_made_now": model.calls,
        "calls_from_record_now": model.answered,
        "model_seconds_now": round(model.seconds, 1),
    }


def kind(task: Task) -> str:
    """What the data set calls the kind of the question."""
    return str(task.extra.get("kind") or task.extra.get("type") or "")


def told(job: BootstrapConfig, summary: dict[str, Any]) -> str:
    """The summary as a person reads it."""
    short = "" if summary["complete"] else f" (of {summary['target']}: no more tasks to try)"
    failed = summary["ends"].get("failed", 0)
    failures = f"Infrastructure failures: {failed} {summary['failures']}; the same command tries them again."
    lines = [
        f"{summary['kept']} trajectories kept{short}, from {summary['attempts']} attempts at "
        f"{summary['tasks_tried']} tasks (yield {summary['yield']:.1%}).",
        f"Left out, by first reason: {summary['left_out'] or 'none'}. Kinds kept: {summary['kinds']}.",
        *([failures] if failed else []),
        f"Written: {job.folder / 'trajectories.jsonl'}",
    ]
    return "\n".join(lines)
