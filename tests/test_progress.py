"""What a run says of itself where nobody watches a terminal."""

from __future__ import annotations

import io
import re

import pytest

from react import progress
from react.environments import _build
from react.progress import Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def said(clock: list[float], capsys: pytest.CaptureFixture[str], total: int, done: int, seconds: float) -> str:
    with Progress("run", total) as bar:
        clock[0] += seconds
        bar.advance(done, "3 solved")
        return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("total", "done", "seconds", "line"),
    [
        (4000, 1000, 100.0, "run: 1,000 of 4,000, 10.0/s, 5 min 0 s left; 3 solved"),
        (400, 10, 600.0, "run: 10 of 400, 1.0/min, 6 h 30 min left; 3 solved"),
        (100, 90, 90.0, "run: 90 of 100, 1.0/s, 10 s left; 3 solved"),
        (60, 60, 60.0, "run: 60 of 60, 1.0/s; 3 solved"),
        (60, 70, 60.0, "run: 70 of 60, 1.2/s; 3 solved"),
        (0, 500, 100.0, "run: 500, 5.0/s; 3 solved"),
    ],
)
def test_a_line_says_how_far_how_fast_and_how_long(
    clock: list[float], capsys: pytest.CaptureFixture[str], total: int, done: int, seconds: float, line: str
) -> None:
    assert said(clock, capsys, total, done, seconds) == line


def test_what_was_done_before_is_no_part_of_the_rate(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("run", 100) as bar:
        bar.begin(40)
        clock[0] += 60
        bar.advance(70)
    assert capsys.readouterr().err.splitlines() == ["run: 40 of 100 so far", "run: 70 of 100, 30.0/min, 1 min 0 s left"]


@pytest.mark.parametrize("last", [70, 100])
def test_no_line_is_said_twice(clock: list[float], capsys: pytest.CaptureFixture[str], last: int) -> None:
    with Progress("run", 100) as bar:
        bar.begin()
        for done in (30, last):
            clock[0] += 31
            bar.advance(done)
    said = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in said] == ["run: 0 of 100", "run: 30 of 100", f"run: {last} of 100"]


@pytest.mark.parametrize(
    ("done", "reached", "left"),
    [
        (10, 0, ", 9 min 0 s left"),  # nothing kept yet: until the tasks run out
        (10, 1, ", 9 min 0 s left"),  # so few that the tasks run out first
        (10, 5, ", 3 min 0 s left"),  # 15 more, at 5 a minute
        (40, 20, ""),  # enough
        (100, 3, ""),  # no task left
    ],
)
def test_the_time_left_is_that_of_whichever_bound_comes_first(
    clock: list[float], capsys: pytest.CaptureFixture[str], done: int, reached: int, left: str
) -> None:
    with Progress("run", 100, 20) as bar:
        bar.begin()
        clock[0] += 60
        bar.advance(done, "so", reached)
    assert capsys.readouterr().err.splitlines()[-1] == f"run: {done} of 100, {_rate(done)}{left}; so"


def _rate(done: int) -> str:
    return f"{done / 60:.1f}/s" if done >= 60 else f"{done:.1f}/min"


@pytest.mark.parametrize(("total", "goal"), [(100, 20), (100, 0), (0, 0)])
def test_a_terminal_has_a_bar(monkeypatch: pytest.MonkeyPatch, total: int, goal: int) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with Progress("run", total, goal) as bar:
        bar.begin(5)
        bar.advance(10, "kept 5", 5)
    shown = screen.getvalue()
    assert "kept 5" in shown and ("10 of 100" if total else "10") in shown


@pytest.mark.parametrize("width", [60, 80, 119, 200])
def test_a_narrow_terminal_has_every_count(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    note = "kept 1,204 of 3,000 (yield 29%), 3 failed, 29,813 calls, 41.2M tokens, $7.02"
    with Progress("demo: attempts", 4000, 3000) as progress:
        progress.begin()
        progress.advance(1500, note, reached=1204)
    said = " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue()).split())
    assert "…" not in said and "demo: attempts" in said and "1,500 of 4,000" in said
    assert all(part in said for part in note.replace(",", " ").split())


def test_work_that_began_before_it_was_shown_has_the_rate_of_all_of_it(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for resumed, rate in ((False, 1000), (True, 999)):
        with _build._Shown("indexing", resumed) as shown:
            for done in (1, 999, 1000):
                clock[0] += 4 if done == 999 else 0
                shown.show(_build.Step(None, done, 1000))
        first, last = capsys.readouterr().err.splitlines()
        assert first == ("indexing: 1 of 1,000 so far" if resumed else "indexing: 0 of 1,000")
        assert last == f"indexing: 1,000 of 1,000, {rate / 4:,.1f}/s"
