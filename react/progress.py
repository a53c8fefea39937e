"""How far a long run is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

_EVERY_SECONDS = 30.0
_WIDE = 120  # columns: in less there is no room for a bar beside what it stands for


class Progress:
    """Counts towards `total` with rate and time left. `advance` takes words to show behind the numbers.

    A total of 0 is not known. Work that ends earlier once `goal` are `reached` of something else has the time left of
    whichever comes first. What is not `shown` is silent: another process shows it. `since` is when the work began, by
    `time.monotonic`, where that was earlier.
    """

    def __init__(self, title: str, total: int, goal: int = 0, shown: bool = True, since: float | None = None) -> None:
        self._title, self._total, self._goal = title, total, goal
        self._done = self._first = self._reached = self._first_reached = 0
        self._said = time.monotonic()
        self._began = self._said if since is None else since
        self._note = ""
        self._last: tuple[int, str] | None = None
        self._shown = shown
        self._bar = _bar(title, total) if shown and sys.stderr.isatty() else None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()
        elif self._shown and self._done > self._first and (self._done, self._note) != self._last:
            self._say()

    def begin(self, done: int = 0, note: str = "", reached: int = 0, total: int | None = None) -> None:
        """So many were done before: they count, but not towards the rate. `total` replaces what was thought so far."""
        self._total = self._total if total is None else total
        self._first, self._first_reached = done, reached
        self._done, self._reached, self._note = done, reached, note
        if self._bar:
            self._bar.reset(self._bar.task_ids[0])
            self._draw(self._bar)
        elif self._shown:
            before = " so far" if done else ""
            print(f"{self._title}: {self._count()}{before}{self._behind()}", file=sys.stderr)

    def advance(self, done: int, note: str = "", reached: int = 0, total: int | None = None) -> None:
        """`done` of the total are done by now; `total` replaces what was thought so far."""
        self._total = self._total if total is None else total
        self._done, self._reached, self._note = done, reached, note
        if self._bar:
            self._draw(self._bar)
        elif self._shown and time.monotonic() - self._said > _EVERY_SECONDS:
            self._say()

    def _draw(self, bar: Any) -> None:
        bounds = ((self._done, self._total), (self._reached, self._goal))
        share = max((done / all for done, all in bounds if all), default=0.0)
        shown = {"count": self._count(), "left": self._left().removeprefix(", "), "note": self._note}
        bar.update(bar.task_ids[0], completed=share, **shown)

    def _say(self) -> None:
        self._said = time.monotonic()
        self._last = (self._done, self._note)
        rate = (self._done - self._first) / max(self._said - self._began, 1e-9)
        each = f"{rate:,.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"
        print(f"{self._title}: {self._count()}, {each}{self._left()}{self._behind()}", file=sys.stderr)

    def _left(self) -> str:
        """The time until the first of both bounds, as long as nothing is known to change; empty at its end."""
        bounds = ((self._total, self._done, self._first), (self._goal, self._reached, self._first_reached))
        if any(all and done >= all for all, done, _ in bounds):
            return ""
        passed = time.monotonic() - self._began
        times = [(all - done) * passed / (done - first) for all, done, first in bounds if all and done > first]
        return f", {_span(min(times))} left" if times else ""

    def _count(self) -> str:
        return f"{self._done:,}" + (f" of {self._total:,}" if self._total else "")

    def _behind(self) -> str:
        return f"; {self._note}" if self._note else ""


def _span(seconds: float) -> str:
    """A time in two units, as long as it is: `2 h 5 min`, `12 min 30 s`, `8 s`."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _bar(title: str, total: int):  # type: ignore[no-untyped-def]  # rich is imported only where it is shown
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    console = Console(stderr=True)
    wide = (BarColumn(), TimeElapsedColumn()) if console.width >= _WIDE else ()
    words = (TextColumn(f"{{task.fields[{field}]}}") for field in ("count", "left"))
    note = TextColumn("{task.fields[note]}", table_column=Column(no_wrap=False, overflow="fold"))
    bar = Progress(TextColumn("{task.description}"), *wide, *words, note, console=console)
    bar.add_task(title, total=1.0 if total else None, count="", left="", note="")
    bar.start()
    return bar
