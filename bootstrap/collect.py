"""Rolls the teacher out over tasks in a seeded order until enough of them are solved.

A task is tried greedily, then by samples, then with its answer as a hint, until one try is worth keeping. In which
order the tries of all tasks are made, and why what is kept does not depend on speed: `schedule`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from time import monotonic

from bootstrap.budget import Metered
from bootstrap.company import Company
from bootstrap.own import Own
from bootstrap.rationalize import rationalize
from bootstrap.schedule import Ledger, Schedule, Slot
from bootstrap.select import number_of, reason_against
from react.completions import Stopped
from react.journal import Journal
from react.methods import Sampling, Solves
from react.progress import Progress
from react.rollout import Patience, attempt, roll_out
from react.trajectory import Task, Trajectory

_LOOK = 1.0  # seconds between two looks at what other ranks did
_SHOW = 0.1  # seconds between two words on how far it is: they cost as much as a call


@dataclass(frozen=True)
class Plan:
    """How hard a task is tried: `attempts` times, then `hints` times with a hint; of both the first is greedy.

    The samples after it take one of `temperatures` each, the last one again for all further ones. `rules` say what is
    worth keeping.
    """

    attempts: int
    hints: int
    temperatures: tuple[float, ...]
    sampling: Sampling
    rules: tuple[str, ...]

    def tries(self, task: Task) -> int:
        """How often `task` may be tried. One without an answer cannot be hinted."""
        return self.attempts + (self.hints if task.answer.strip() else 0)

    def nth(self, attempt: int) -> Sampling:
        """How attempt number `attempt` (from 0) is sampled."""
        sample = attempt - (self.attempts if attempt >= self.attempts else 0)
        heat = self.temperatures[min(sample, len(self.temperatures)) - 1] if sample else 0.0
        return replace(self.sampling, attempt=attempt, temperature=heat)


@dataclass(frozen=True)
class Teacher:
    """Who tries: the solver, and the one whose exemplars are hinted, as the task is."""

    plain: Solves
    hinted: Solves

    def attempt(self, task: Task, number: int, plan: Plan) -> Trajectory:
        """Attempt `number` (from 0) at `task`, as `plan` wants it."""
        if number < plan.attempts:
            return attempt(self.plain, task, plan.nth(number))
        return rationalize(self.hinted, task, plan.nth(number))


def seeded_order(tasks: Sequence[Task], seed: int) -> list[Task]:
    """The tasks, shuffled by `seed` alone."""
    order = list(tasks)
    random.Random(seed).shuffle(order)
    return order


@dataclass(frozen=True)
class Work:
    """Whom to try, in which order, how hard, by whom, and how many at once; by `own` its records are known."""

    tasks: Sequence[Task]
    schedule: Schedule
    plan: Plan
    teacher: Teacher
    concurrency: int
    own: Own

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each task stands, by its id."""
        return {task.id: index for index, task in enumerate(self.tasks)}

    def settle(self, ledger: Ledger, tries: Iterable[Trajectory]) -> None:
        """Settles in `ledger` what has come of `tries`; failed ones, and tasks that are refused by now, say nothing."""
        for tried in tries:
            if tried.end != "failed" and (index := self.places.get(tried.task.id)) is not None:
                ledger.settle((index, number_of(tried)), not reason_against(tried, self.plan.rules))


def replayed(work: Work, journal: Path, mine: Callable[[int], bool] = lambda index: True) -> Ledger:
    """What has come of the tries in a journal. RecordError names a line that is none, or none of this run."""
    ledger = Ledger(work.schedule, mine)
    work.settle(ledger, work.own.read(journal))
    return ledger


def collect(
    work: Work,
    ledger: Ledger,
    journal: Journal,
    patience: Patience,
    meter: Metered,
    company: Company,
    progress: Progress,
) -> None:
    """Appends attempts to `journal` until nothing that could still come would be kept, or the budget is used up.

    Goes on from what `ledger` knows. Rank 0 then waits for the others. Raises Outage when more fail than `patience`
    bears, or another rank is lost.
    """
    shown = monotonic()

    def slots() -> Iterator[Slot | None]:
        while True:
            yield None if meter.used_up else ledger.next()

    def told() -> str:
        return f"{ledger.told()}, {meter.budget.told(meter.total)}"

    def show() -> None:
        nonlocal shown
        shown = monotonic()
        progress.advance(ledger.tried, told(), ledger.kept, ledger.tried + ledger.left)

    def look() -> bool:
        company.listen()
        meter.elsewhere = company.spend(meter.spent)
        work.settle(ledger, company.news())
        show()
        return ledger.over

    progress.begin(ledger.tried, told(), ledger.kept, ledger.tried + ledger.left)
    for made in roll_out(slots(), partial(make, work, journal), work.concurrency, look, _LOOK):
        if made.settled:
            ledger.settle(made.slot, made.solved)
        elif made.error:
            ledger.fail(made.slot)
        patience.bear(made.error)
        if monotonic() - shown > _SHOW:
            show()
        if ledger.over:
            break
    show()
    if company.rank == 0:
        company.wait(look)


@dataclass(frozen=True)
class Made:
    """What came of a try: it came to its end, or broke with an error, or was stopped between two calls."""

    slot: Slot
    error: str = ""
    settled: bool = False
    solved: bool = False


def make(work: Work, journal: Journal, slot: Slot) -> Made:
    """Makes a try, and appends it to `journal` unless it was stopped."""
    try:
        tried = work.teacher.attempt(work.tasks[slot[0]], slot[1], work.plan)
    except Stopped:
        return Made(slot)
    journal.append(tried)
    if tried.end == "failed":
        return Made(slot, tried.error)
    return Made(slot, settled=True, solved=not reason_against(tried, work.plan.rules))
