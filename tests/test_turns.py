"""Turns are taken in the order of asking, and one that is given up is not waited for."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import pytest

from react.environments.wikipedia.turns import Turns


def waiting(turns: Turns, count: int) -> None:
    deadline = time.monotonic() + 10
    while len(turns._waiting) != count:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def started(target: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread


def test_who_comes_first_is_served_first_and_alone() -> None:
    turns, inside, seen = Turns(), set[int](), []

    def take(number: int) -> None:
        with turns:
            inside.add(number)
            time.sleep(0.001)
            seen.append(set(inside))
            inside.remove(number)

    threads = []
    with turns:
        for number in range(12):
            threads.append(started(lambda number=number: take(number)))
            waiting(turns, number + 1)
    for thread in threads:
        thread.join(10)
    assert seen == [{number} for number in range(12)]
    with turns:
        assert not turns._waiting


def test_an_error_inside_passes_the_turn_on() -> None:
    turns = Turns()
    with pytest.raises(KeyError), turns:
        raise KeyError
    with turns:
        pass


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("given", [False, True], ids=["while waiting", "just when the turn came"])
def test_a_turn_given_up_is_passed_on(given: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    turns, lock = Turns(), threading.Lock

    class Cut:
        """A lock whose second acquisition, the wait, is interrupted."""

        def __init__(self) -> None:
            self._lock, self._calls = lock(), 0

        def acquire(self) -> None:
            self._calls += 1
            if self._calls == 2:
                if given:
                    turns.__exit__()
                raise Interrupted
            self._lock.acquire()

        def release(self) -> None:
            self._lock.release()

    with monkeypatch.context() as patch:
        turns.__enter__()
        patch.setattr("react.environments.wikipedia.turns.threading.Lock", Cut)
        with pytest.raises(Interrupted):
            turns.__enter__()
    if not given:
        turns.__exit__()
    taken = []
    started(lambda: (turns.__enter__(), taken.append(True))).join(10)
    assert taken == [True]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_a_forked_process_does_not_wait_for_a_thread_that_it_does_not_have() -> None:
    turns = Turns()
    with turns:
        child = os.fork()
        if not child:
            with turns:
                os._exit(0)
        deadline = time.monotonic() + 10
        while not (ended := os.waitpid(child, os.WNOHANG))[0]:
            if time.monotonic() > deadline:
                os.kill(child, 9)
                pytest.fail("the child waits for ever")
            time.sleep(0.005)
    assert ended[1] == 0
