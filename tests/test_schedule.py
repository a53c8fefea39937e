"""What is kept depends on what each try comes to, and on nothing else: not on speed, failures, kills or sharing."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bootstrap.schedule import MAKINGS, ORDERS, Ledger, Schedule


@st.composite
def worlds(draw):
    """A schedule, and for each task the number of the try that solves it (none may)."""
    tasks = draw(st.integers(1, 9))
    strata = draw(st.lists(st.sampled_from("abc"), min_size=tasks, max_size=tasks))
    shares = {name: draw(st.integers(1, 6)) for name in draw(st.sets(st.sampled_from("abc"), min_size=1))}
    most = draw(st.integers(1, 4))
    tries = [most if name in shares else 0 for name in strata]
    wins = draw(st.lists(st.integers(0, 5), min_size=tasks, max_size=tasks))
    return Schedule(draw(st.sampled_from(ORDERS)), tries, strata, shares), wins


def one_at_a_time(schedule, wins):
    """The kept tasks by the definition: every slot in its order, and how many tries that took."""
    slots = [(i, n) for i, tries in enumerate(schedule.tries) for n in range(tries)]
    kept, made = [], 0
    for index, number in sorted(slots, key=schedule.place):
        stratum = schedule.strata[index]
        has = sum(schedule.strata[i] == stratum for i in kept)
        if index in kept or has == schedule.shares[stratum]:
            continue
        made += 1
        if wins[index] == number:
            kept.append(index)
    return sorted(kept), made


def play(schedule, wins, chance, at_once, failures=0.0, kills=0.0, ranks=1):
    """The kept tasks of a run whose tries end in any order, fail, are killed, are shared by ranks that hear late."""
    journals = [[] for _ in range(ranks)]
    for _ in range(1000):
        ledgers = [Ledger(schedule, lambda index, rank=rank: index % ranks == rank) for rank in range(ranks)]
        for ledger in ledgers:
            for slot, solved in [entry for journal in journals for entry in journal]:
                ledger.settle(slot, solved)
        flying = [[] for _ in range(ranks)]
        while not all(ledger.over for ledger in ledgers) and chance.random() >= kills:
            rank = chance.randrange(ranks)
            ledger = ledgers[rank]
            while len(flying[rank]) < at_once and (slot := ledger.next()):
                flying[rank].append(slot)
            if flying[rank]:
                slot = flying[rank].pop(chance.randrange(len(flying[rank])))
                if chance.random() < failures:
                    ledger.fail(slot)
                else:
                    journals[rank].append((slot, wins[slot[0]] == slot[1]))
                    ledger.settle(*journals[rank][-1])
            if chance.random() < 0.5:
                for slot, solved in journals[chance.randrange(ranks)]:
                    ledger.settle(slot, solved)
        if all(ledger.over and not ledger.failing for ledger in ledgers):
            break
    settled = {slot: solved for journal in journals for slot, solved in journal}
    won = {index: number for (index, number), solved in settled.items() if solved}
    return schedule.earliest(won), sum(map(len, journals))


@settings(max_examples=40, deadline=None)
@given(worlds(), st.integers(0, 2**32), st.integers(1, 6), st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 0.1]))
def test_what_is_kept_is_what_one_at_a_time_keeps(world, seed, at_once, failures, kills):
    schedule, wins = world
    kept, _ = play(schedule, wins, random.Random(seed), at_once, failures, kills)
    assert kept == one_at_a_time(schedule, wins)[0]


@settings(max_examples=40, deadline=None)
@given(worlds(), st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 4), st.sampled_from([0.0, 0.1]))
def test_any_number_of_ranks_keeps_the_same(world, seed, at_once, ranks, kills):
    schedule, wins = world
    kept, _ = play(schedule, wins, random.Random(seed), at_once, kills=kills, ranks=ranks)
    assert kept == one_at_a_time(schedule, wins)[0]


@settings(max_examples=40, deadline=None)
@given(worlds(), st.integers(0, 2**32))
def test_one_at_a_time_no_try_is_in_vain(world, seed):
    schedule, wins = world
    assert play(schedule, wins, random.Random(seed), at_once=1) == one_at_a_time(schedule, wins)


def test_passes_take_everybody_once_before_anybody_twice_and_tasks_each_to_its_end():
    for order, slots in {"passes": [(0, 0), (1, 0), (0, 1), (1, 1)], "tasks": [(0, 0), (0, 1), (1, 0), (1, 1)]}.items():
        ledger, made = Ledger(Schedule(order, [2, 2], ["", ""], {"": 2})), []
        while slot := ledger.next():
            made.append(slot)
            ledger.settle(slot, False)
        assert made == slots and ledger.over and (ledger.tried, ledger.left) == (4, 0)


def test_nothing_is_started_behind_the_last_that_can_be_kept():
    ledger = Ledger(Schedule("passes", [2] * 9, [""] * 9, {"": 2}))
    slots = [ledger.next() for _ in range(6)]
    ledger.settle(slots[4], True)
    ledger.settle(slots[3], True)
    assert ledger.next() is None and not ledger.over, "the first three may still win"
    for slot in slots[:3]:
        ledger.settle(slot, False)
    assert ledger.over and ledger.kept == 2 and ledger.next() is None


def test_a_failed_try_is_made_again_when_nothing_else_is_left_but_not_for_ever():
    ledger = Ledger(Schedule("passes", [1] * 3, [""] * 3, {"": 3}))
    ledger.fail(ledger.next())
    assert [ledger.next(), ledger.next(), ledger.next()] == [(1, 0), (2, 0), (0, 0)]
    for _ in range(MAKINGS - 2):
        ledger.fail((0, 0))
        assert ledger.next() == (0, 0)
    ledger.fail((0, 0))
    ledger.settle((1, 0), True)
    ledger.settle((2, 0), True)
    assert ledger.next() is None and ledger.over and ledger.failing == {(0, 0)}


@pytest.mark.parametrize("order", ORDERS)
def test_a_stratum_that_runs_out_is_said(order):
    ledger = Ledger(Schedule(order, [2, 2, 0, 2], ["a", "b", "c", "a"], {"a": 1, "b": 3}))
    while slot := ledger.next():
        ledger.settle(slot, True)
    assert ledger.short() == {"b": (1, 3)} and ledger.kept == 2
