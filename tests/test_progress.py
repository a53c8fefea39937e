"""What a run says of itself where nobody watches a terminal."""

from __future__ import annotations

import pytest

from react import progress
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
    assert capsys.readouterr().err.splitlines() == ["run: 0 of 100", *["run: 70 of 100, 30.0/min, 1 min 0 s left"] * 2]
