"""Many episodes at once. A failure becomes a record, in one place, and is never taken for a wrong answer."""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TypeVar

from react.completions import Stopped
from react.methods import Sampling, Solves
from react.mistakes import Mistake, plain
from react.trajectory import Task, Trajectory

Work = TypeVar("Work")
Result = TypeVar("Result")

# What says that the run itself cannot go on: its own files cannot be written, the user has to put something right, or
# it is ending.
_FATAL = (sqlite3.Error, OSError, Mistake, Stopped)


class Outage(Exception):
    """Nothing but infrastructure failures in a row: going on would only walk through the tasks in vain."""


class Patience:
    """Bears less than `limit` failures in a row, and no more than `share` of the last `window` episodes.

    One episode or two say little of a share: it is looked at once `window` have ended.
    """

    def __init__(self, limit: int, share: float = 1.0, window: int = 100) -> None:
        self._limit, self._share = limit, share
        self._in_a_row = 0
        self._last: deque[bool] = deque(maxlen=window)

    def bear(self, error: str) -> None:
        """Takes the error of an episode, empty where it did not fail. Outage says what is too much."""
        self._in_a_row = self._in_a_row + 1 if error else 0
        self._last.append(bool(error))
        failed, many = sum(self._last), len(self._last)
        error = plain(error)
        if self._in_a_row >= self._limit:
            raise Outage(f"{self._in_a_row} episodes in a row failed, the last with {error}")
        if error and many == self._last.maxlen and failed > self._share * many:
            raise Outage(f"{failed} of the last {many} episodes failed, the last with {error}")


def attempt(solver: Solves, task: Task, sampling: Sampling) -> Trajectory:
    """One try at `task`. What breaks it is recorded as `end="failed"` with type and message.

    Raises only where going on would lose records (OSError and sqlite3.Error of the run folder) or be in vain (Mistake,
    Stopped).
    """
    try:
        return solver.solve(task, sampling)
    except _FATAL:
        raise
    except Exception as error:
        return Trajectory(
            task=task,
            method=solver.method.name,
            model=solver.model.name,
            end="failed",
            error=f"{type(error).__name__}: {error}",
            provenance={**solver.provenance, "attempt": sampling.attempt},
        )


def roll_out(
    work: Iterable[Work | None],
    do: Callable[[Work], Result],
    concurrency: int,
    look: Callable[[], bool] = lambda: False,
    every: float = 1.0,
) -> Iterator[Result]:
    """`do(item)` for every item, up to `concurrency` at once, results as they come.

    `work` is drawn lazily, an item when there is room: it may end when a result says so. None is no item: there is
    nothing to begin before the next result, and where none is under way it is the end. `look` is called once in `every`
    seconds, whether results come or not, and ends it where it says so. An exception of `do` is raised here, once, and
    nothing new is started after it. Leaving early (Ctrl-C) waits for nobody: the threads are daemons, and what they had
    not appended is done again next time.
    """
    results: SimpleQueue[tuple[Result | None, BaseException | None]] = SimpleQueue()
    todo: SimpleQueue[Work | None] = SimpleQueue()

    def serve() -> None:
        while (item := todo.get()) is not None:
            try:
                results.put((do(item), None))
            except BaseException as error:
                results.put((None, error))

    items = iter(work)
    running = threads = 0
    due = monotonic() + every
    try:
        while True:
            if monotonic() >= due:
                if look():
                    return
                due = monotonic() + every
            while running < concurrency:
                item = next(items, None)
                if item is None:
                    break
                todo.put(item)
                running += 1
                if threads < running:
                    threading.Thread(target=serve, name=f"episode-{threads}", daemon=True).start()
                    threads += 1
            if not running:
                return
            try:
                result, error = results.get(timeout=max(0.0, due - monotonic()))
            except Empty:
                continue
            running -= 1
            if error is not None:
                raise error
            yield result  # type: ignore[misc]
    finally:
        for _ in range(threads):
            todo.put(None)
