"""Busy, slow and dying endpoints: what is asked of each follows what it gives, whatever the number of threads."""

from __future__ import annotations

import heapq
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count

import pytest

from react.models import ModelConfig, ModelError, Request, _endpoints, _pace
from react.models._core import Core
from react.models._pace import Pace
from react.models.server import Server
from tests import fault_server as faults
from tests.fault_server import FaultServer, good, status

# A server in simulated time: no thread, no waiting, the same figures each time.


@dataclass
class Bucket:
    """Permits `rate` calls a second, and `burst` of them at once."""

    rate: float
    burst: float
    left: float = 0.0
    at: float = 0.0

    def permits(self, now: float, under_way: int) -> float | None:
        """None, or the seconds that a refusal asks to wait (0.0: it does not say)."""
        self.left, self.at = min(self.burst, self.left + (now - self.at) * self.rate), now
        if self.left < 1:
            return 0.0
        self.left -= 1
        return None


@dataclass
class Window:
    """Permits so many calls in each window of so many seconds, and says when the next begins, if it `tells`."""

    calls: int
    seconds: float
    tells: bool
    begun: float = -math.inf
    used: int = 0

    def permits(self, now: float, under_way: int) -> float | None:
        if now >= self.begun + self.seconds:
            self.begun, self.used = now, 0
        self.used += 1
        if self.used <= self.calls:
            return None
        return self.begun + self.seconds - now if self.tells else 0.0


@dataclass
class Slots:
    """Permits so many calls at once."""

    most: int

    def permits(self, now: float, under_way: int) -> float | None:
        return None if under_way < self.most else 0.0


@dataclass
class Simulated:
    """A server that `callers` want to ask without end; a call takes `seconds`, a refusal a hundredth of one."""

    server: Bucket | Window | Slots
    callers: int
    seconds: float
    pace: Pace = field(default_factory=Pace)
    now: float = 0.0
    answered: int = 0
    refused: int = 0
    _under_way: int = 0
    _woken: float = 0.0
    _events: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self._waiting = self.callers

    def run(self, until: float) -> None:
        self._take()
        while self._events and self._events[0][0] < until:
            self.now, _, event = heapq.heappop(self._events)
            event()
            self._take()

    def _at(self, when: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (when, next(self._numbers), event))

    def _take(self) -> None:
        pace = self.pace
        if pace.closed_until > max(self.now, self._woken):
            self._woken = pace.closed_until
            self._at(pace.closed_until, lambda: None)
        while self._waiting and pace.closed_until <= self.now and pace.room >= 1:
            self._waiting -= 1
            self._at(pace.begin(self.now), partial(self._begin, self.now))

    def _begin(self, taken: float) -> None:
        started = self.now
        if started > taken and self.pace.refused_at >= taken:
            self._end()
        elif (wait := self.server.permits(started, self._under_way)) is None:
            self._under_way += 1
            self._at(started + self.seconds, lambda: self._answer(started))
        else:
            self._at(started + 0.01, lambda: self._refuse(started, wait))

    def _answer(self, started: float) -> None:
        self._under_way -= 1
        self.answered += 1
        self.pace.answered(started, self.now)
        self._end()

    def _refuse(self, started: float, wait: float) -> None:
        self.refused += 1
        self.pace.refused(started, self.now, wait)
        self._end()

    def _end(self) -> None:
        self.pace.in_flight -= 1
        self._waiting += 1


LIMITED = {
    # name: the server, callers, seconds a call, calls a second that it permits, share of them that must be had
    "50 a second": (Bucket(50, 50), 1000, 0.5, 50, 0.95),
    "50 a second, few at once": (Bucket(50, 5), 1000, 0.5, 50, 0.85),
    "5 a second, one at once, quick": (Bucket(5, 1), 200, 0.05, 5, 0.85),
    "60 a second, slow": (Bucket(60, 60), 1000, 5.0, 60, 0.8),
    "600 a minute, it says when": (Window(600, 60, True), 1000, 2.0, 10, 0.95),
    "600 a minute, it does not say": (Window(600, 60, False), 1000, 2.0, 10, 0.95),
    "32 at once": (Slots(32), 1000, 0.5, 64, 0.8),
    "256 at once, slow": (Slots(256), 1000, 8.0, 32, 0.8),
}


@pytest.mark.parametrize("name", LIMITED)
def test_what_a_busy_server_permits_is_nearly_all_had_and_little_more_is_asked(name: str) -> None:
    server, callers, seconds, permitted, share = LIMITED[name]
    run = Simulated(server, callers, seconds)
    run.run(300.0)
    answered, refused = run.answered, run.refused
    had = f"{answered / 300 / permitted:.1%} of what is permitted, {refused / (answered + refused):.1%} refused"
    print(f"{name:32} {had}")
    assert share * permitted * 300 < answered < 1.1 * permitted * 300 + callers
    assert refused < 0.1 * answered + 2 * callers  # at first all ask


def test_a_server_that_refuses_nobody_is_asked_by_all() -> None:
    run = Simulated(Slots(10**6), 1000, 0.5)
    run.run(10.0)
    assert run.pace.most == math.inf and run.answered >= 19_000 and run.refused == 0


def test_room_that_comes_back_is_found_again() -> None:
    run = Simulated(Slots(8), 500, 1.0)
    run.run(60.0)
    run.server = Slots(10**6)
    before = run.answered
    run.run(120.0)
    assert run.pace.most > 400 and run.answered - before > 10_000


# Real servers, real threads.


def _model(*servers: FaultServer, **settings) -> Server:
    given = {"base_url": [server.url for server in servers], "timeout": 5.0, "retries": 3} | settings
    return Server(ModelConfig(backend="server", model="m", **given), "")


def _ask_for(model: Server, seconds: float, threads: int) -> list[float]:
    """When each call of `threads` threads was answered, in sessions of three; an error of one is raised."""
    until, answered, broken = time.monotonic() + seconds, [], []

    def work(thread: int) -> None:
        number = 0
        try:
            while time.monotonic() < until:
                model.complete(Request("p", session=f"{thread}.{number // 3}"))
                answered.append(time.monotonic())
                number += 1
        except BaseException as error:
            broken.append(error)

    working = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
    for thread in working:
        thread.start()
    for thread in working:
        thread.join()
    if broken:
        raise broken[0]
    return answered


def test_a_call_is_not_lost_where_hundreds_want_what_few_get() -> None:
    """A hundred threads, twelve places, and three further tries of a call: to be refused is no failure of the call."""
    places = threading.Semaphore(12)

    def crowded(handler, asked) -> None:
        if places.acquire(blocking=False):
            try:
                time.sleep(0.05)
                good(handler, asked)
            finally:
                places.release()
        else:
            status(429)(handler, asked)

    with FaultServer(then=crowded) as server:
        model = _model(server)
        got: list[str] = []
        threads = [
            threading.Thread(target=lambda i=i: got.append(model.complete(Request("p", seed=i))[0].text))
            for i in range(100)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(got) == sorted(f" {i}" for i in range(100))
        assert len(server.asked) < 250


def test_one_that_only_refuses_is_given_up_by_all_who_wait_together(monkeypatch) -> None:
    monkeypatch.setattr(_endpoints, "_PATIENCE", 0.4)
    monkeypatch.setattr(_pace, "_PAUSE", 0.02)
    said: list[str] = []

    def ask() -> None:
        try:
            model.complete(Request("p"))
        except ModelError as error:
            said.append(str(error))

    with FaultServer(then=status(429)) as server:
        model = _model(server)
        threads = [threading.Thread(target=ask) for _ in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        begun = f"{server.url}: 429: words of 429; nobody was answered for "
        assert len(said) == 30 and all(one.startswith(begun) for one in said)


def test_nobody_asks_before_the_time_that_a_server_gave() -> None:
    times: list[float] = []

    def noted(handler, asked) -> None:
        times.append(time.monotonic())
        good(handler, asked)

    with FaultServer(status(429, headers={"Retry-After": "0.5"}), then=noted) as server:
        model = _model(server)
        refused = threading.Thread(target=lambda: model.complete(Request("p")))
        refused.start()
        while not server.asked or model._endpoints.all[0].pace.in_flight:
            time.sleep(0.005)
        began = time.monotonic()
        _ask_for(model, 0.6, 20)
        refused.join()
    assert min(times) - began > 0.4


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system binds no threads to cores")
def test_threads_that_ask_share_a_core_and_the_main_thread_has_all() -> None:
    before, cores = os.sched_getaffinity(0), []

    def ask() -> None:
        model.complete(Request("p"))
        cores.append(os.sched_getaffinity(0))

    with FaultServer() as server:
        model = _model(server)
        model.complete(Request("p"))
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(cores) == 4 and all(one == cores[0] and len(one) == 1 for one in cores)
    assert cores[0] <= before == os.sched_getaffinity(0)


def test_ranks_of_a_launch_have_a_core_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 3, 8}, raising=False)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "4")
    cores = []
    for rank in range(4):
        monkeypatch.setenv("LOCAL_RANK", str(rank))
        cores.append(Core()._core)
    assert set.union(*cores[:3]) == {1, 3, 8} and cores[3] == cores[0] and all(len(one) == 1 for one in cores)


def test_the_slower_of_two_gets_so_much_less() -> None:
    with FaultServer(then=faults.slow(0.02)) as quick, FaultServer(then=faults.slow(0.2)) as slow:
        _ask_for(_model(quick, slow), 1.5, 16)
        assert 0.04 < len(slow.asked) / (len(quick.asked) + len(slow.asked)) < 0.25


def test_one_of_two_dies_and_comes_back() -> None:
    with FaultServer(then=faults.slow(0.01)) as stays:
        goes = FaultServer(then=faults.slow(0.01))
        port, model = goes.server_address[1], _model(stays, goes)
        threading.Timer(0.3, goes.stop).start()
        assert len(_ask_for(model, 0.6, 8)) > 20
        with FaultServer(then=faults.slow(0.01), port=port) as back:
            _ask_for(model, 2.0, 8)
            assert len(back.asked) > 0.2 * len(stays.asked[-500:]) > 0


def test_one_that_hangs_is_asked_by_one_call_at_a_time() -> None:
    with FaultServer(then=faults.slow(0.01)) as fine, FaultServer(then=faults.slow(30)) as hangs:
        model = _model(fine, hangs)
        model._timeout = 0.3
        _ask_for(model, 0.4, 8)
        before = len(hangs.asked)
        answered = _ask_for(model, 1.5, 8)
        assert len(hangs.asked) - before <= 2 and len(answered) > 50
