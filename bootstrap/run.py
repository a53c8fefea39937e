"""Arguments -> teacher and environment -> attempts -> the kept trajectories and a summary."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

from bootstrap import reasons
from bootstrap.collect import Plan, Teacher, collect, seeded_order
from bootstrap.rules import DEFAULT, NAMES, OBSERVING, spelled_out
from bootstrap.screen import HeldOut, Screened, held_out, screen
from bootstrap.select import Selection, Wanted, select
from react import environments, models, trajectory
from react.completions import Recorded
from react.config import (
    LOADING,
    RUNNING,
    Mistake,
    at_least,
    enter,
    folder_name,
    mistakes,
    parse,
    setting,
)
from react.journal import Journal
from react.methods import Method, Sampling, trainable
from react.models import ModelConfig, ModelError
from react.models.scripted import refuse_others
from react.progress import Progress
from react.rollout import Outage
from react.scene import Scene, Staged
from react.trajectory import Task


@dataclass(frozen=True)
class BootstrapConfig:
    """What is collected, and how hard it is tried."""

    BY_FLAG: ClassVar = {"split": "what is collected is there to be trained on"}

    name: str = setting("demo", "the run's folder is <output>/<name>")
    output: str = setting("runs/bootstrap", "where run folders lie")
    split: str = setting("train", "which tasks; another than train takes the flag")
    target: int = setting(3000, "stop when so many tasks have a trajectory worth keeping")
    tasks_of: str = setting("", "a trajectories file: only the tasks in it are tried")
    limit: int = setting(0, "use only the first so many tasks of the seeded order; 0: all")
    attempts: int = setting(4, "tries of a task: the first greedy, the others sampled")
    hints: int = setting(0, "further tries with the answer as a hint: the first greedy, the others sampled")
    temperature: float = setting(0.7, "of the sampled tries")
    rules: list[str] = setting(list(DEFAULT), f"what is kept: {', '.join(NAMES)}")
    held_out: list[str] = setting([], "files of evaluation items beside the environment's own; none of them is kept")

    def __post_init__(self) -> None:
        at_least(1, self, "target", "attempts")
        at_least(0, self, "limit", "temperature", "hints")
        folder_name(self.name)
        spelled_out(self.rules)

    @property
    def folder(self) -> Path:
        return Path(self.output) / self.name


def main(args: list[str] | None = None) -> None:
    """The command."""
    with mistakes(*LOADING, ModelError):
        job, scene, model_config = parse((BootstrapConfig, Scene, ModelConfig), __doc__ or "", args)
        method = trainable(scene.method)
        staged = scene.staged()
        tasks = pool(staged, job)
        sensible(job, method, tasks)
        staged.prompts(method, job.hints > 0)  # exemplars may have no answers to hint at
        model = models.load(model_config)
        refuse_others(model, tasks)
    with ExitStack() as held:
        held.callback(model.close)
        with mistakes(*LOADING):
            prints = staged.fingerprints(model, tasks)
            screened = learnable(staged, job, tasks)
            held.callback(os.close, enter(job.folder, job, scene, model_config, derived=prints))
            recorded = Recorded(model, job.folder / "completions.sqlite")
            journal = Journal(job.folder / "attempts.jsonl")
        with mistakes(*RUNNING, Outage):
            teacher = Teacher(staged.solver(recorded, prints), staged.solver(recorded, prints, hints=job.hints > 0))
            bootstrap(job, teacher, scene, screened, recorded, journal)


def sensible(job: BootstrapConfig, method: Method, tasks: list[Task]) -> None:
    """Mistake where the settings let nothing be kept, whatever the teacher does."""
    if job.hints and not (method.thoughts or method.actions):
        raise Mistake(f"hints is {job.hints}, but {method.title} would only copy a hint; take another method, or 0")
    if job.hints and not any(task.answer.strip() for task in tasks):
        raise Mistake(f"hints is {job.hints}, but these tasks have no answers that could be hints")
    observing = [rule for rule in job.rules if rule in OBSERVING]
    if observing and not method.actions:
        other = " ".join(rule for rule in job.rules if rule not in observing)
        raise Mistake(f"rule {observing[0]!r} wants observations, and {method.title} has none; take --rules {other}")


def pool(staged: Staged, job: BootstrapConfig) -> list[Task]:
    """The tasks of the run in their seeded order."""
    tasks = staged.tasks(job.split)
    if job.tasks_of:
        named = {record.task.id for record in trajectory.read(Path(job.tasks_of))}
        tasks = [task for task in tasks if task.id in named]
        if (missing := len(named) - len(tasks)) and tasks:
            print(f"{missing} of {len(named)} tasks of {job.tasks_of} are not in {job.split!r}", file=sys.stderr)
    if not tasks:
        raise Mistake(f"no tasks to try in the split {job.split!r}" + (f" and {job.tasks_of}" if job.tasks_of else ""))
    return seeded_order(tasks, staged.scene.seed)[: job.limit or None]


def learnable(staged: Staged, job: BootstrapConfig, tasks: list[Task]) -> Screened:
    """The tasks that may be learned from, for none is to be paid for otherwise. Mistake where none may."""
    checked = "uncontaminated" in job.rules
    evaluated = held_out(staged.environment, job.split, job.held_out) if checked else HeldOut([])
    screened = screen(tasks, job.rules, evaluated)
    if not screened.tasks:
        first = next(iter(screened.refused.values()))
        raise Mistake(f"every task is refused by a rule; the first, {first.id}, by {first.reason}: {first.detail}")
    return screened


def bootstrap(
    job: BootstrapConfig, teacher: Teacher, scene: Scene, screened: Screened, model: Recorded, journal: Journal
) -> None:
    """Collects, selects, and writes both results."""
    sampling = Sampling(max_tokens=scene.max_tokens, seed=scene.seed)
    plan = Plan(job.target, job.attempts, job.hints, job.temperature, sampling, tuple(job.rules))
    began = monotonic()
    try:
        with Progress(f"{job.name}: tasks tried", len(screened.tasks), job.target) as progress:
            collect(screened.tasks, teacher, plan, journal, scene.concurrency, progress)
    finally:
        journal.close()
        model.close()
    selection = select(journal.read, job.rules, Wanted(screened.order, job.target, refused=screened.refused))
    trajectory.write(job.folder / "trajectories.jsonl", selection.kept)
    reasons.write(job.folder / "left_out.jsonl", selection.left_out)
    summary = summarize(job, selection, journal, model) | {"seconds_now": round(monotonic() - began, 1)}
    if environments.says(scene.environment, "SCORED"):
        summary["score"] = score(journal)
    (job.folder / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    for line in reasons.warned(selection.left_out):
        print(f"warning: {line}", file=sys.stderr)
    print(told(job, summary))
    if summary["n_failed"] and not summary["complete"]:
        raise Outage(f"{job.name} is not complete, and attempts failed; the same command tries them again")


COUNTS = ("calls", "bad_calls", "repaired_calls", "prompt_tokens", "completion_tokens")


def summarize(job: BootstrapConfig, selection: Selection, journal: Journal, model: Recorded) -> dict[str, Any]:
    """Counts of the whole run, whatever number of starts it took; what the infrastructure failed is counted apart."""
    ends: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    errors = set()
    totals: Counter[str] = Counter()
    tasks = set()
    hinted = 0
    for tried in journal.read():
        if tried.end == "failed":
            failures[tried.error.partition(":")[0]] += 1
            errors.add(tried.error)
            continue
        ends[tried.end] += 1
        tasks.add(tried.task.id)
        hinted += bool(tried.provenance.get("hinted"))
        totals.update({key: int(tried.provenance.get(key, 0)) for key in COUNTS})
    kept, attempts = len(selection.kept), sum(ends.values())
    return {
        "name": job.name,
        "model": model.name,
        "kept": kept,
        "kept_hinted": sum(bool(row.provenance.get("hinted")) for row in selection.kept),
        "target": job.target,
        "complete": kept >= job.target,
        "tasks_tried": len(tasks),
        "attempts": attempts,
        "attempts_hinted": hinted,
        "yield": (kept + selection.spare) / max(attempts, 1),
        **reasons.summarized(selection),
        "ends": dict(ends),
        "kinds": dict(Counter(row.task.kind for row in selection.kept)),
        "n_failed": sum(failures.values()),
        "failures": dict(failures),
        "failure_examples": sorted(errors)[:3],
        **totals,
        "calls_made_now": model.calls,
        "calls_from_record_now": model.answered,
    }


def score(journal: Journal) -> float:
    """100 times the mean reward of all attempts, where rewards come in parts (WebShop)."""
    rewards = [tried.reward for tried in journal.read() if tried.end != "failed"]
    return round(100 * sum(rewards) / max(len(rewards), 1), 2)


def told(job: BootstrapConfig, summary: dict[str, Any]) -> str:
    """The summary as a person reads it."""
    short = "" if summary["complete"] else f" (of {summary['target']}: no more tasks to try)"
    scored = f", score {summary['score']:.1f}" if "score" in summary else ""
    hinted = ""
    if summary["attempts_hinted"]:
        hinted = f" ({summary['kept_hinted']} by a hint, in {summary['attempts_hinted']} hinted attempts)"
    lines = [
        f"{summary['kept']} kept{short}{hinted}, from {summary['attempts']} attempts at {summary['tasks_tried']} tasks"
        f" (yield {summary['yield']:.1%}{scored}).",
        f"Kinds kept: {_counts(summary['kinds'])}.",
        *reasons.told(summary),
        *(_failed(summary) if summary["n_failed"] else []),
        f"Written: {job.folder / 'trajectories.jsonl'}; each attempt that is not in it, and why: left_out.jsonl",
    ]
    return "\n".join(lines)


def _counts(of: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name or 'of no kind'}" for name, count in of.items()) or "none"


def _failed(summary: dict[str, Any]) -> list[str]:
    said = f"Infrastructure failures: {_counts(summary['failures'])}, such as {summary['failure_examples'][0]}"
    return [said, "The same command tries them again."]
