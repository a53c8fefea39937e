"""Rolls the teacher out over tasks in a seeded order until enough of them are solved.

A task is tried greedily, then by samples, then with its answer as a hint, until one try is worth keeping.

What is kept does not depend on speed. Tasks are taken in order; a task is settled when one of its attempts is worth
keeping or all are spent; and the run is over when enough of the tasks *before the first unsettled one* are solved.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bootstrap.rationalize import rationalize
from bootstrap.select import reason_against
from react.journal import Journal
from react.methods import Sampling, Solves
from react.progress import Progress
from react.rollout import Patience, attempt, roll_out
from react.trajectory import Task, Trajectory


@dataclass(frozen=True)
class Plan:
    """How hard a task is tried: `attempts` times, then `hints` times with a hint; of both the first is greedy.

    `rules` say what is worth keeping.
    """

    target: int
    attempts: int
    hints: int
    temperature: float
    sampling: Sampling
    rules: tuple[str, ...]

    def tries(self, task: Task) -> int:
        """How often `task` may be tried. One without an answer cannot be hinted."""
        return self.attempts + (self.hints if task.answer.strip() else 0)

    def nth(self, attempt: int) -> Sampling:
        """How attempt number `attempt` (from 0) is sampled."""
        greedy = attempt in (0, self.attempts)
        return replace(self.sampling, attempt=attempt, temperature=0.0 if greedy else self.temperature)


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


@dataclass(frozen=True)
class State:
    """How far a task is: attempts spent (infrastructure failures cost none), and whether one is worth keeping."""

    spent: int = 0
    solved: bool = False

    def after(self, trajectory: Trajectory, rules: Sequence[str]) -> State:
        """The state with one more attempt."""
        if trajectory.end == "failed":
            return self
        return State(self.spent + 1, self.solved or not reason_against(trajectory, rules))


@dataclass(frozen=True)
class Outcome:
    """A task that was worked on. `failed` holds the error where the infrastructure broke before it was settled."""

    index: int
    state: State
    failed: str = ""


def seeded_order(tasks: Sequence[Task], seed: int) -> list[Task]:
    """The tasks, shuffled by `seed` alone."""
    order = list(tasks)
    random.Random(seed).shuffle(order)
    return order


def states(journal: Journal, rules: Sequence[str]) -> dict[str, State]:
    """How far each task was when the run last stopped."""
    found: dict[str, State] = {}
    for trajectory in journal.read():
        found[trajectory.task.id] = found.get(trajectory.task.id, State()).after(trajectory, rules)
    return found


def collect(
    tasks: Sequence[Task],
    teacher: Teacher,
    plan: Plan,
    journal: Journal,
    concurrency: int,
    progress: Progress,
) -> int:
    """Appends attempts to `journal` until `plan.target` tasks are solved or all tasks are spent; returns the solved.

    Continues from what the journal holds. Raises Outage when only failures come back.
    """
    before = states(journal, plan.rules)
    known = [before.get(task.id, State()) for task in tasks]
    frontier = Frontier()
    patience = Patience(max(10, concurrency))
    tried = sum(state.spent for state in known)
    todo = []
    for index, (task, state) in enumerate(zip(tasks, known, strict=True)):
        if state.solved or state.spent >= plan.tries(task):
            frontier.settle(Outcome(index, state))
        else:
            todo.append((index, task, state))

    def work() -> Iterator[tuple[int, Task, State]]:
        for item in todo:
            if frontier.solved >= plan.target:
                return
            yield item

    def settle(item: tuple[int, Task, State]) -> Outcome:
        index, task, state = item
        while not state.solved and state.spent < plan.tries(task):
            trajectory = teacher.attempt(task, state.spent, plan)
            journal.append(trajectory)
            if trajectory.end == "failed":
                return Outcome(index, state, trajectory.error)
            state = state.after(trajectory, plan.rules)
        return Outcome(index, state)

    def told() -> str:
        failed = f", {frontier.failed:,} failed" if frontier.failed else ""
        return f"kept {min(frontier.found, plan.target):,} of {plan.target:,}, {tried:,} attempts{failed}"

    progress.begin(frontier.seen, told(), frontier.found)
    for outcome in roll_out(work(), settle, concurrency):
        patience.bear(outcome.failed)
        frontier.settle(outcome)
        tried += outcome.state.spent - known[outcome.index].spent
        progress.advance(frontier.seen, told(), frontier.found)
    return min(frontier.solved, plan.target)


class Frontier:
    """Counts the solved among the tasks before the first that is not settled yet, whatever order they come in.

    `found` are all the solved, `seen` all the settled; `failed` are those that the infrastructure kept from it.
    """

    def __init__(self) -> None:
        self.solved = 0
        self.found = 0
        self.seen = 0
        self.failed = 0
        self._next = 0
        self._waiting: dict[int, bool] = {}

    def settle(self, outcome: Outcome) -> None:
        self.failed += bool(outcome.failed)
        self.seen += not outcome.failed
        self.found += outcome.state.solved
        self._waiting[outcome.index] = outcome.state.solved
        while self._next in self._waiting:
            self.solved += self._waiting.pop(self._next)
            self._next += 1
