"""A collection takes no more than it may, over all its starts, and goes on when it may take more."""

import json
import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootstrap.budget import Budget, Metered, Spending
from bootstrap.run import main
from react import trajectory
from react.completions import Recorded, Stopped
from react.mistakes import Mistake
from react.models import Completion, Request
from react.models.scripted import Scripted
from tests.towns import command, make_world
from tests.toys import Said


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


def ends(words):
    """The exit status of the command."""
    try:
        main(words[3:])
    except SystemExit as ended:
        return ended.code
    return 0


@pytest.mark.parametrize("concurrency", ["1", "6"])
def test_calls_are_bounded_over_all_starts_and_more_of_them_come_to_the_same(world, tmp_path, capsys, concurrency):
    flags = ["--target", "20", "--concurrency", concurrency]
    main(command(world, tmp_path / "free", *flags)[3:])
    capsys.readouterr()
    for calls in (7, 7, 30):
        assert ends(command(world, tmp_path, *flags, "--budget_calls", str(calls))) == 3
        summary = json.loads((tmp_path / "r" / "summary.json").read_text())
        assert summary["spent"]["calls"] == calls and summary["budget_used_up"] == f"budget_calls {calls}"
        told = capsys.readouterr().out
        assert (
            f"Stopped: budget_calls {calls} is spent ({calls} calls). The same command with more of it goes on." in told
        )
        assert "(of 20: the budget is spent)" in told
        assert summary["kept"] == len(list(trajectory.read(tmp_path / "r" / "trajectories.jsonl")))
    assert ends(command(world, tmp_path, *flags, "--budget_calls", "1000")) == 0
    names = [out / "r" / "trajectories.jsonl" for out in (tmp_path, tmp_path / "free")]
    assert names[0].read_bytes() == names[1].read_bytes()


def test_tokens_that_are_not_told_cannot_be_bounded(world, tmp_path, capsys):
    assert ends(command(world, tmp_path, "--budget_tokens", "100")) == 2
    assert "does not say how many tokens its answers take: bound calls" in capsys.readouterr().err


def test_money_is_counted_at_its_prices_and_bounded(world, tmp_path, capsys, monkeypatch):
    plain = Scripted.complete

    def paid(self, request):
        return [Completion(one.text, "stop", 1000, 100) for one in plain(self, request)]

    monkeypatch.setattr(Scripted, "complete", paid)
    prices = ["--price_in", "2", "--price_out", "10", "--budget_usd", "0.07"]  # 0.003 a call
    assert ends(command(world, tmp_path, *prices, "--concurrency", "4")) == 3
    spent = json.loads((tmp_path / "r" / "summary.json").read_text())["spent"]
    assert spent == {"calls": 23, "prompt_tokens": 23_000, "completion_tokens": 2_300, "usd": 0.069}
    assert "budget_usd 0.07 is spent (23 calls, 25.3k tokens, $0.07)" in capsys.readouterr().out


NEAR_UNITS = st.integers(3, 12).flatmap(lambda zeros: st.integers(10**zeros - 10**zeros // 1000, 10**zeros))


@given(NEAR_UNITS | st.integers(1, 10**14))
def test_tokens_are_told_in_three_digits_and_a_unit(count):
    told = Budget().told(Spending(1, count)).removeprefix("1 calls, ").removesuffix(" tokens")
    digits, unit = re.fullmatch(r"([0-9.]+)([kMGT]?)", told).groups()
    value = float(digits) * 1000 ** ["", "k", "M", "G", "T"].index(unit)
    assert abs(value - count) <= count / 200 and len(digits.replace(".", "")) <= 3


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--budget_calls", "-1"], "budget_calls is -1; it must be at least 0"),
        (["--budget_usd", "1"], "budget_usd is 1.0, and nothing has a price: set price_in and price_out"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(world, tmp_path, capsys, flags, says):
    assert ends(command(world, tmp_path, *flags)) == 2 and says in capsys.readouterr().err


def test_many_threads_take_no_more_than_the_budget():
    meter = Metered(Said(lambda request: "x"), Budget(budget_calls=50))
    made, stopped = [], []

    def ask():
        for _ in range(20):
            try:
                made.append(meter.complete(Request("p")))
            except Stopped:
                stopped.append(1)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(stopped), meter.spent.calls) == (50, 110, 50)


def test_a_call_that_fails_is_not_spent():
    def broken(request):
        raise Mistake("no")

    meter = Metered(Said(broken), Budget(budget_calls=1))
    for _ in range(2):
        with pytest.raises(Mistake):
            meter.complete(Request("p"))
    assert meter.spent == Spending()


def test_a_record_says_what_its_calls_took(tmp_path):
    class Paid(Said):
        def complete(self, request):
            return [Completion("x", "stop", 10, 3)] * request.n

    model = Recorded(Paid(lambda request: ""), tmp_path / "c.sqlite")
    assert model.totals() == {"calls": 0, "seconds": 0.0, "prompt_tokens": 0, "completion_tokens": 0}
    for prompt, n in (("a", 1), ("b", 2), ("a", 1)):
        model.complete(Request(prompt, n=n))
    totals = model.totals()
    assert (totals["calls"], totals["prompt_tokens"], totals["completion_tokens"]) == (2, 30, 9)
    model.close()


def test_a_record_that_stops_makes_no_further_call_and_waits_for_those_under_way(tmp_path):
    begun, end = threading.Event(), threading.Event()

    def slow(request):
        begun.set()
        assert end.wait(10)
        return "late"

    model = Recorded(Said(slow), tmp_path / "c.sqlite")
    said = []
    thread = threading.Thread(target=lambda: said.append(model.complete(Request("a"))))
    thread.start()
    assert begun.wait(10)
    model.stop(0.01)
    with pytest.raises(Stopped):
        model.complete(Request("b"))
    end.set()
    model.stop(10)
    assert model.totals()["calls"] == 1 and model.complete(Request("a"))[0].text == "late"
    thread.join()
    model.close()
