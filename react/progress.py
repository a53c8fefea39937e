"""How far a long run is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

_EVERY_SECONDS = 30.0


class Progress:
    """Counts towards `total` with rate and time left. `advance` takes words to show behind the numbers.

    A total of 0 is not known.
    """

    def __init__(self, title: str, total: int) -> None:
        self._title, self._total, self._done, self._first = title, total, 0, 0
        self._began = self._said = time.monotonic()
        self._note = ""
        self._bar = _bar(title, total) if sys.stderr.isatty() else None

    def __enter__(self) -> Progress:
        if not self._bar:
            print(f"{self._title}: 0{self._of()}", file=sys.stderr)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()
        elif self._done > self._first:
            self._say()

    def begin(self, done: int) -> None:
        """So many were done before: they count, but not towards the rate."""
        self._first = self._done = done
        if self._bar:
            self._bar.reset(self._bar.task_ids[0], completed=done)

    def advance(self, done: int, note: str = "") -> None:
        """`done` of the total are done by now."""
        self._done, self._note = done, note
        if self._bar:
            self._bar.update(self._bar.task_ids[0], completed=done, note=note)
        elif time.monotonic() - self._said > _EVERY_SECONDS:
            self._say()

    def _say(self) -> None:
        self._said = time.monotonic()
        rate = (self._done - self._first) / max(self._said - self._began, 1e-9)
        left = f", {_span((self._total - self._done) / rate)} left" if rate and self._done < self._total else ""
        each = f"{rate:,.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"
        note = f"; {self._note}" if self._note else ""
        print(f"{self._title}: {self._done:,}{self._of()}, {each}{left}{note}", file=sys.stderr)

    def _of(self) -> str:
        return f" of {self._total:,}" if self._total else ""


def _span(seconds: float) -> str:
    """A time in two units, as long as it is: `2 h 5 min`, `12 min 30 s`, `8 s`."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _bar(title: str, total: int):  # type: ignore[no-untyped-def]  # rich is imported only where it is shown
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, TimeRemainingColumn(), TextColumn("{task.fields[note]}"), console=Console(stderr=True))
    bar.add_task(title, total=total or None, note="")
    bar.start()
    return bar
