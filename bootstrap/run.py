"""Arguments -> teacher and environment -> attempts -> the kept trajectories and a summary."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from bootstrap.budget import Account, Budget, Metered, recorded_in
from bootstrap.collect import Teacher, Work, collect, replayed, seeded_order
from bootstrap.company import Company
from bootstrap.job import BootstrapConfig, sensible
from bootstrap.merge import ATTEMPTS, CALLS, homes, merge
from bootstrap.outcome import conclude
from bootstrap.own import Own
from bootstrap.screen import HeldOut, Screened, held_out, screen
from react import environments, models, trajectory
from react.completions import Recorded
from react.config import parse
from react.journal import Journal
from react.methods import trainable
from react.mistakes import LOADING, RUNNING, Mistake, mistakes
from react.models import Model, ModelConfig, ModelError
from react.models.scripted import refuse_others
from react.progress import Progress
from react.ranks import placed
from react.rollout import Outage, Patience
from react.run_folder import agree, enter
from react.scene import Scene, Staged
from react.signals import endable
from react.trajectory import Task

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
        rank, world = placed()
    began = monotonic()
    with endable(), ExitStack() as held:
        with mistakes(*LOADING, ModelError, Outage):
            homes(job.folder)
            company = held.enter_context(Company(job.folder, rank, world, job.rank_timeout))
            model = models.load(model_config)
            held.callback(model.close)
            refuse_others(model, tasks)
            prints = staged.fingerprints(model, tasks)
            screened = learnable(staged, job, tasks)
            schedule = job.schedule(screened.tasks, job.plan(scene))
            settings = (job.folder, job, budget, scene, model_config)
            if rank == 0:
                held.callback(os.close, enter(*settings, derived=prints))
                merge(job.folder, model, company, 2 * job.rank_timeout)
                company.open()
            else:
                company.join()
                agree(*settings, derived=prints)
            share = Share.opened(job, model, budget, company)
        with mistakes(*RUNNING, Outage):
            hints = job.hints > 0
            first, hinted = (
                staged.solver(share.recorded, prints, hints=told, calls=model_config.calls) for told in (False, hints)
            )
            teacher = Teacher(first, hinted)
            own = Own.of(tasks, method.name, model.name, scene.environment, prints)
            work = Work(screened.tasks, schedule, job.plan(scene), teacher, scene.concurrency, own)
            outage = share.collect(job, work)
            if rank == 0:
                if world > 1:  # alone it wrote the run's own files
                    merge(job.folder, model, company, 2 * job.rank_timeout)
                spent = recorded_in(job.folder / CALLS)
                account = Account(budget, share.meter.before, spent, round(monotonic() - began, 1))
                conclude(job, environments.says(scene.environment, "SCORED"), screened, work, account, outage)


@dataclass(frozen=True)
class Share:
    """What this process has of the run: all of it, or a rank's share."""

    company: Company
    meter: Metered
    recorded: Recorded
    journal: Journal

    @staticmethod
    def opened(job: BootstrapConfig, model: Model, budget: Budget, company: Company) -> Share:
        """Opens its files, once the run's own are there."""
        whole, own = job.folder / CALLS, company.home / CALLS
        meter = Metered(model, budget, recorded_in(whole))
        company.home.mkdir(parents=True, exist_ok=True)
        recorded = Recorded(meter, own, [whole] if own != whole else [])
        return Share(company, meter, recorded, Journal(company.home / ATTEMPTS))

    def collect(self, job: BootstrapConfig, work: Work) -> Outage | None:
        """Collects this share, and closes its files. What ends it alone too early is returned: what there is stays."""
        patience = Patience(job.failures_in_a_row or max(10, work.concurrency), job.failed_share)
        ledger = replayed(work, job.folder / ATTEMPTS, self.company.mine)
        try:
            with Progress(f"{job.name}: attempts", ledger.left, job.target, self.company.rank == 0) as progress:
                collect(work, ledger, self.journal, patience, self.meter, self.company, progress)
        except Outage as outage:
            if self.company.world > 1:
                raise
            return outage
        except KeyboardInterrupt:
            print("\nWaiting for the calls under way; Ctrl-C again does not wait.", file=sys.stderr)
            print(f"There are {ledger.tried:,} attempts so far, {ledger.told()}.", file=sys.stderr)
            raise
        finally:
            self.recorded.stop(LAST_CALLS)
            self.journal.close()
            self.recorded.close()
        self.company.done(self.meter.spent)
        return None


def pool(staged: Staged, job: BootstrapConfig) -> list[Task]:
    """The tasks of the run in their seeded order."""
    tasks = staged.tasks(job.split)
    if job.tasks_of:
        tasks = _named(tasks, staged, job)
    if not tasks:
        raise Mistake(f"no tasks to try in the split {job.split!r}" + (f" and {job.tasks_of}" if job.tasks_of else ""))
    return seeded_order(tasks, staged.scene.seed)[: job.limit or None]


def _named(tasks: list[Task], staged: Staged, job: BootstrapConfig) -> list[Task]:
    """Those of `tasks` that are in the file of `tasks_of`; what else it has is said. Mistake where none is."""
    records = {record.task.id: record for record in trajectory.read(Path(job.tasks_of))}
    found = [task for task in tasks if task.id in records]
    missing = records.keys() - {task.id for task in found}
    exemplars = missing & {task.id for task in staged.environment.tasks(job.split)} if missing else set()
    reasons = {f"not in {job.split!r}": missing - exemplars, "exemplars of prompts, and not tried": exemplars}
    told = [
        f"{len(ids):,} of {len(records):,} tasks of {job.tasks_of} are {reason}"
        for reason, ids in reasons.items()
        if ids
    ]
    if exemplars and not found:
        raise Mistake(f"no tasks to try: {'; '.join(told)}; name other tasks, or other exemplars")
    if missing and not found:
        imported = any("imported" in record.provenance for record in records.values())
        raise Mistake(
            f"no tasks to try: none of the {len(records):,} tasks of {job.tasks_of} is in the split {job.split!r} of "
            f"{staged.scene.environment}, such as {min(records)!r}; it is of another environment, or of other data"
            + (", or was imported without its --match SPLIT" if imported else "")
        )
    for line in told:
        print(line, file=sys.stderr)
    return found


def learnable(staged: Staged, job: BootstrapConfig, tasks: list[Task]) -> Screened:
    """The tasks that may be learned from, for none is to be paid for otherwise. Mistake where none may."""
    checked = "uncontaminated" in job.rules
    if job.held_out and not checked:
        raise Mistake(
            f"held_out names {job.held_out[0]}, but only the rule 'uncontaminated' compares with such files, and it is "
            f"not among the rules: {' '.join(job.rules)}; add it, or leave held_out out"
        )
    evaluated = held_out(staged.environment, job.split, job.held_out) if checked else HeldOut([])
    screened = screen(tasks, job.rules, evaluated)
    if not screened.tasks:
        first = next(iter(screened.refused.values()))
        raise Mistake(f"every task is refused by a rule; the first, {first.id}, by {first.reason}: {first.detail}")
    return screened
