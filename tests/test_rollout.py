"""Many at once: everything is done once, an error surfaces once, and the work may end early."""

import threading
import time
from itertools import pairwise

import pytest

from react.rollout import Outage, Patience, roll_out


@pytest.mark.parametrize("concurrency", [1, 3, 50])
def test_every_item_is_done_once(concurrency):
    assert sorted(roll_out(range(40), lambda n: n * n, concurrency)) == [n * n for n in range(40)]


def test_as_many_run_at_once_as_was_asked():
    barrier = threading.Barrier(5, timeout=10)
    assert len(list(roll_out(range(10), lambda n: barrier.wait(), 5))) == 10


def test_work_is_drawn_only_when_there_is_room():
    drawn = []

    def work():
        for n in range(100):
            drawn.append(n)
            yield n

    results = roll_out(work(), lambda n: n, 4)
    next(results)
    assert len(drawn) == 4
    results.close()
    assert len(drawn) == 4


@pytest.mark.parametrize("seconds", [0.001, 0.2])
def test_it_is_looked_while_results_come_and_while_none_do(seconds):
    looks = []

    def look():
        looks.append(time.monotonic())
        return len(looks) == 3

    made = list(roll_out(range(2000), lambda n: time.sleep(seconds), 2, look, every=0.05))
    assert len(looks) == 3 and len(made) < 2000
    assert all(later - one >= 0.05 for one, later in pairwise(looks))


def test_an_error_is_raised_once_and_nothing_new_is_started():
    def do(n):
        if n == 3:
            raise OSError("full")
        return n

    seen = []
    with pytest.raises(OSError, match="full"):
        for result in roll_out(range(1000), do, 2):
            seen.append(result)
    assert len(seen) < 10


def test_work_may_be_endless_and_end_by_a_result():
    found = []

    def work():
        n = 0
        while len(found) < 10:
            yield n
            n += 1

    for result in roll_out(work(), lambda n: n, 3):
        found.append(result)
    assert 10 <= len(found) < 20


def test_none_is_nothing_to_begin_before_the_next_result():
    ready, made = [0], []

    def work():
        while True:
            yield ready.pop() if ready else None

    for n in roll_out(work(), lambda n: n, 8):
        made.append(n)
        if n < 5:
            ready.append(n + 1)
    assert made == [0, 1, 2, 3, 4, 5]


def bears(errors, **limits):
    patience = Patience(**limits)
    for n, error in enumerate(errors):
        try:
            patience.bear(error)
        except Outage as outage:
            return n, str(outage)
    return None


def test_patience_ends_with_failures_in_a_row_or_with_too_large_a_share():
    assert bears(["x"] * 5, limit=3) == (2, "3 episodes in a row failed, the last with x")
    assert bears(["x", "x", ""] * 50, limit=3) is None
    assert bears(["x", "x", ""] * 50, limit=3, share=0.5, window=20) == (
        19,
        "14 of the last 20 episodes failed, the last with x",
    )
    assert bears(["x", ""] * 50, limit=3, share=0.5, window=20) is None
