"""Arguments -> teacher and environment -> attempts -> the kept trajectories and a summary."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

from bootstrap import reasons
from bootstrap.budget import Budget, Metered, before
from bootstrap.collect import Teacher, collect, replayed, seeded_order
from bootstrap.job import BootstrapConfig, sensible
from bootstrap.schedule import by_id
from bootstrap.screen import HeldOut, Screened, held_out, screen
from bootstrap.select import Wanted, select
from bootstrap.summary import score, summarize, told
from react import environments, models, trajectory
from react.completions import Recorded
from react.config import LOADING, RUNNING, Mistake, enter, mistakes, parse
from react.journal import Journal
from react.methods import trainable
from react.models import ModelConfig, ModelError
from react.models.scripted import refuse_others
from react.progress import Progress
from react.rollout import Outage, Patience
from react.scene import Scene, Staged
from react.trajectory import Task

SPENT = 3  # the exit status of a run that its budget ended
LAST_CALLS = 10.0  # seconds that the end of a run waits for the calls under way: they are paid for, and recorded


def main(args: list[str] | None = None) -> None:
    """The command."""
    with mistakes(*LOADING, ModelError):
        job, budget, scene, model_config = parse((BootstrapConfig, Budget, Scene, ModelConfig), __doc__ or "", args)
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
            held.callback(os.close, enter(job.folder, job, budget, scene, model_config, derived=prints))
            meter = Metered(model, budget)
            recorded = Recorded(meter, job.folder / "completions.sqlite")
            meter.spent = before(recorded)
            journal = Journal(job.folder / "attempts.jsonl")
        with mistakes(*RUNNING, Outage):
            teacher = Teacher(staged.solver(recorded, prints), staged.solver(recorded, prints, hints=job.hints > 0))
            bootstrap(job, teacher, scene, screened, meter, recorded, journal)


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
    job: BootstrapConfig,
    teacher: Teacher,
    scene: Scene,
    screened: Screened,
    meter: Metered,
    model: Recorded,
    journal: Journal,
) -> None:
    """Collects, selects, and writes both results, also where an outage (raised then) or the budget ends it."""
    plan, tasks = job.plan(scene), screened.tasks
    began = monotonic()
    outage = None
    try:
        ledger = replayed(job.schedule(tasks, plan), tasks, plan.rules, journal)
        patience = Patience(job.failures_in_a_row or max(10, scene.concurrency), job.failed_share)
        with Progress(f"{job.name}: attempts", ledger.left, job.target) as progress:
            collect(tasks, teacher, plan, ledger, journal, scene.concurrency, patience, meter, progress)
    except Outage as error:
        outage = error
    finally:
        model.stop(LAST_CALLS)
        journal.close()
        model.close()
    earliest = by_id(ledger.schedule, tasks)
    selection = select(journal.read, job.rules, Wanted(screened.order, job.target, 1, screened.refused, earliest))
    trajectory.write(job.folder / "trajectories.jsonl", selection.kept)
    reasons.write(job.folder / "left_out.jsonl", selection.left_out)
    summary = summarize(job, selection, journal, model, ledger, meter) | {"seconds_now": round(monotonic() - began, 1)}
    if environments.says(scene.environment, "SCORED"):
        summary["score"] = score(journal)
    (job.folder / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    for line in reasons.warned(selection.left_out):
        print(f"warning: {line}", file=sys.stderr)
    print(told(job, summary))
    if outage:
        raise Outage(f"{outage}. Put it right; the same command then tries them again, and goes on")
    if meter.used_up and not ledger.over:
        print(f"Stopped: {meter.used_up} is spent ({meter.told()}). The same command with more of it goes on.")
        raise SystemExit(SPENT)
    if ledger.failing and not summary["complete"]:
        raise Outage(f"{job.name} is not complete, and attempts failed; the same command tries them again")
