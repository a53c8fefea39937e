"""Rolls the teacher out over tasks in a seeded order until enough of them are solved.

A task is tried greedily, then by samples at rising temperature, then with its answer as a hint, until one try is worth
keeping. In which order the tries of all tasks are made, and why what is kept does not depend on speed: `schedule`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bootstrap.budget import Metered
from bootstrap.rationalize import rationalize
from bootstrap.schedule import Ledger, Schedule, Slot
from bootstrap.select import number_of, reason_against
from react.completions import Stopped
from react.journal import Journal
from react.methods import Sampling, Solves
from react.progress import Progress
from react.rollout import Patience, attempt, roll_out
from react.trajectory import Task, Trajectory


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


def replayed(schedule: Schedule, tasks: Sequence[Task], rules: Sequence[str], journal: Journal) -> Ledger:
    """What has come of the tries in `journal`."""
    ledger = Ledger(schedule)
    places = {task.id: index for index, task in enumerate(tasks)}
    for tried in journal.read():
        if tried.end != "failed" and tried.task.id in places:
            ledger.settle((places[tried.task.id], number_of(tried)), not reason_against(tried, rules))
    return ledger


def collect(
    tasks: Sequence[Task],
    teacher: Teacher,
    plan: Plan,
    ledger: Ledger,
    journal: Journal,
    concurrency: int,
    patience: Patience,
    meter: Metered,
    progress: Progress,
) -> None:
    """Appends attempts to `journal` until nothing that could still come would be kept, or the budget is used up.

    Goes on from what `ledger` knows. Raises Outage when more fail than `patience` bears.
    """

    def work() -> Iterator[Slot | None]:
        while True:
            yield None if meter.used_up else ledger.next()

    def make(slot: Slot) -> Made:
        try:
            tried = teacher.attempt(tasks[slot[0]], slot[1], plan)
        except Stopped:
            return Made(slot)
        journal.append(tried)
        failed = tried.end == "failed"
        return Made(slot, tried.error, settled=not failed, solved=not failed and not reason_against(tried, plan.rules))

    def told() -> str:
        return f"{ledger.told()}, {meter.told()}"

    progress.begin(ledger.tried, told(), ledger.kept, ledger.tried + ledger.left)
    for made in roll_out(work(), make, concurrency):
        if made.settled:
            ledger.settle(made.slot, made.solved)
        elif made.error:
            ledger.fail(made.slot)
        patience.bear(made.error)
        progress.advance(ledger.tried, told(), ledger.kept, ledger.tried + ledger.left)
        if ledger.over:
            return


@dataclass(frozen=True)
class Made:
    """What came of a try: it came to its end, or broke with an error, or was stopped between two calls."""

    slot: Slot
    error: str = ""
    settled: bool = False
    solved: bool = False
