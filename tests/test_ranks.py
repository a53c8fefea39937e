"""Several processes, one run: any number of ranks keeps the same, and a rank that is lost ends the others."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from bootstrap.budget import Spending
from bootstrap.company import Company
from react import trajectory
from react.journal import Journal
from react.mistakes import Mistake
from react.models import ModelConfig, local
from react.ranks import placed, placed_here
from react.rollout import Outage
from react.trajectory import Task, Trajectory
from tests.towns import LOGGED, ROOT, command, make_world

WANTED = ["--target", "130", "--hints", "1", "--concurrency", "3", "--rank_timeout", "20"]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


def start(world, out, rank, ranks, *flags, log="calls"):
    """One rank of a launch, as torchrun starts it."""
    places = {"RANK": rank, "WORLD_SIZE": ranks, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": ranks}
    environment = {**os.environ, **{name: str(value) for name, value in places.items()}}
    words = [sys.executable, "-c", LOGGED, *command(world, out, *WANTED, *flags)[3:], str(out / log)]
    return subprocess.Popen(words, cwd=ROOT, env=environment, stdout=-1, stderr=-1, text=True)


def launch(world, out, ranks, *flags, log="calls"):
    """The exit statuses and the last words of all ranks."""
    out.mkdir(parents=True, exist_ok=True)
    started = [start(world, out, rank, ranks, *flags, log=log) for rank in range(ranks)]
    said = [process.communicate(timeout=100) for process in started]
    return [process.returncode for process in started], said


@pytest.fixture(scope="module")
def alone(world, tmp_path_factory):
    """What one process keeps."""
    out = tmp_path_factory.mktemp("alone")
    statuses, said = launch(world, out, 1)
    assert statuses == [0], said
    return kept(out)


def kept(out):
    """The kept bytes of a finished run; a try that broke would explain another choice."""
    assert json.loads((out / "r" / "summary.json").read_text())["failure_examples"] == []
    return (out / "r" / "trajectories.jsonl").read_bytes()


def calls(out):
    return [tuple(json.loads(line)) for path in sorted(out.glob("calls*")) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_any_number_of_ranks_keeps_the_same_bytes(world, alone, tmp_path, ranks):
    statuses, said = launch(world, tmp_path, ranks)
    assert statuses == [0] * ranks, said
    assert kept(tmp_path) == alone
    assert not list((tmp_path / "r" / "ranks").glob("*/")), "merged into one run"
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    tried = list(trajectory.read(tmp_path / "r" / "attempts.jsonl"))
    assert summary["attempts"] == len({(one.task.id, one.provenance["attempt"]) for one in tried}) == len(tried)
    assert summary["spent"]["calls"] == summary["calls_made_now"] == len(calls(tmp_path)) == len(set(calls(tmp_path)))
    assert "attempts: 0 of" in said[0][1] and not any(words for _, words in said[1:]), "rank 0 speaks for all"


@pytest.mark.slow
def test_all_ranks_killed_the_same_launch_continues(world, alone, tmp_path, monkeypatch):
    monkeypatch.setenv("EACH_CALL", "0.1")
    started = [start(world, tmp_path, rank, 2, log=f"calls_first{rank}") for rank in range(2)]
    while len(list(tmp_path.glob("r/ranks/*/attempts.jsonl"))) < 2 or len(calls(tmp_path)) < 20:
        time.sleep(0.01)
    for process in started:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    made = calls(tmp_path)
    monkeypatch.delenv("EACH_CALL")
    statuses, said = launch(world, tmp_path, 2, log="calls_second")
    assert statuses == [0, 0], said
    assert kept(tmp_path) == alone
    assert len(calls(tmp_path)) - len(set(calls(tmp_path))) <= 2 * 3, "those that were under way alone are made again"
    assert len(made) > 10


@pytest.mark.slow
def test_killed_and_continued_with_other_numbers_of_ranks_it_keeps_the_same_bytes(world, alone, tmp_path):
    chance = random.Random(0)
    for number, ranks in enumerate([2, 3, 1, 4, 2, 3]):
        started = [start(world, tmp_path, rank, ranks, log=f"calls{number}") for rank in range(ranks)]
        time.sleep(chance.uniform(2, 8))
        for process in started:
            process.send_signal(signal.SIGKILL)
        for process in started:
            process.communicate()
    statuses, said = launch(world, tmp_path, 2, log="calls_last")
    assert statuses == [0, 0], said
    assert kept(tmp_path) == alone


@pytest.mark.slow
@pytest.mark.parametrize("lost", [0, 1])
def test_a_rank_that_is_lost_ends_the_others_and_the_same_command_continues(world, alone, tmp_path, lost, monkeypatch):
    monkeypatch.setenv("EACH_CALL", "0.3")
    started = [start(world, tmp_path, rank, 2, log="calls_first") for rank in range(2)]
    while not calls(tmp_path) and started[0].poll() is None:
        time.sleep(0.001)
    started[lost].send_signal(signal.SIGKILL)
    other = started[1 - lost]
    _, words = other.communicate(timeout=60)
    started[lost].communicate()
    assert other.returncode == 2 and f"rank {lost} has not been heard of for 20 seconds (rank_timeout)" in words
    monkeypatch.delenv("EACH_CALL")
    statuses, said = launch(world, tmp_path, 1)
    assert statuses == [0], said
    assert kept(tmp_path) == alone


@pytest.mark.slow
def test_a_rank_that_fails_is_named_by_the_others(world, tmp_path):
    started = [start(world, tmp_path, 0, 2), start(world, tmp_path, 1, 2, "--target", "9")]
    said = [process.communicate(timeout=60) for process in started]
    assert [process.returncode for process in started] == [2, 2]
    assert "was made with other settings" in said[1][1] and "target: 130 -> 9" in said[1][1]
    assert "rank 1 ended: status 2; its own output says why" in said[0][1]


def test_a_second_launch_on_the_same_folder_is_refused_with_who_has_it(world, tmp_path, monkeypatch):
    monkeypatch.setenv("EACH_CALL", "0.5")
    first = [start(world, tmp_path, rank, 2) for rank in range(2)]
    while not calls(tmp_path):
        time.sleep(0.01)
    statuses, said = launch(world, tmp_path, 2, log="others")
    assert statuses == [2, 2] and [process.poll() for process in first] == [None, None]
    for process in first:
        process.kill()
        process.communicate()
    for rank in range(2):
        assert f"ranks/{rank} is in use by another run (process {first[rank].pid})" in said[rank][1]
    assert not (tmp_path / "others").read_text()


@pytest.mark.slow
def test_ranks_share_one_budget(world, tmp_path):
    statuses, said = launch(world, tmp_path, 2, "--budget_calls", "60")
    assert statuses == [3, 0], said
    spent = json.loads((tmp_path / "r" / "summary.json").read_text())["spent"]["calls"]
    assert 60 <= spent == len(calls(tmp_path)), "what a rank spends is known to the others a moment later"
    statuses, said = launch(world, tmp_path, 2, "--budget_calls", "0")
    assert statuses == [0, 0] and len(calls(tmp_path)) == len(set(calls(tmp_path)))


def entered(folder, silence=20.0):
    """Both ranks of a launch, in this process."""
    first, second = (Company(folder, rank, 2, silence).__enter__() for rank in range(2))
    first.open()
    second.join()
    return first, second


def until(holds):
    """Waits for what takes a beat or two."""
    for _ in range(500):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


def test_ranks_hear_what_the_others_tried_spent_and_ended(tmp_path):
    first, second = entered(tmp_path)
    record = Trajectory(Task("t", "q", "a"), "react", "m")
    second.home.mkdir()
    journal = Journal(second.home / "attempts.jsonl")
    journal.append(record)
    first.listen()
    assert list(first.news()) == [record] and not list(first.news())
    with journal.path.open("ab") as torn:
        torn.write(b'{"task"')
    assert not list(first.news()), "half a line is no line yet"
    second.spend(Spending(3, 20, 1))
    until(lambda: first.listen() or first.spend(Spending()) == Spending(3, 20, 1))
    second.done(Spending(4, 20, 1))
    second.__exit__(None, None, None)
    looks = []
    first.wait(lambda: looks.append(first.listen()))
    assert looks and first.spend(Spending()) == Spending(4, 20, 1)
    first.__exit__(None, None, None)


def test_a_rank_that_says_nothing_is_lost(tmp_path, monkeypatch):
    first, second = entered(tmp_path, silence=0.4)
    monkeypatch.setattr(second, "_write", lambda: None)
    with pytest.raises(Outage, match=r"rank 1 has not been heard of for 0.4 seconds \(rank_timeout\)"):
        first.wait(first.listen)
    for company in (first, second):
        company.__exit__(None, None, None)


def test_what_an_earlier_launch_left_is_taken_for_nobody(tmp_path):
    for company in entered(tmp_path):
        company.__exit__(None, None, None)
    second = Company(tmp_path, 1, 2, 0.3)
    with second, pytest.raises(Outage, match="rank 0 has not been heard of"):
        second.join()


def test_ranks_of_launches_of_another_size_do_not_meet(tmp_path):
    with Company(tmp_path, 0, 3, 9) as first, Company(tmp_path, 1, 2, 9) as second:
        first.open()
        with pytest.raises(Mistake, match="this rank is one of 2, and rank 0 one of 3"):
            second.join()


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ({}, ((0, 1), (0, 1))),
        ({"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"}, ((5, 8), (1, 4))),
        ({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"}, ((1, 2), (1, 2))),
    ],
)
def test_the_launcher_says_which_process_this_is(said, places):
    assert (placed(said), placed_here(said)) == places


@pytest.mark.parametrize("said", [{"RANK": "2", "WORLD_SIZE": "2"}, {"RANK": "x", "WORLD_SIZE": "2"}, {"RANK": "1"}])
def test_an_environment_that_makes_no_sense_is_a_mistake(said):
    with pytest.raises(Mistake, match="the environment says RANK="):
        placed(said)


@pytest.mark.parametrize(
    ("gpus", "ranks", "devices"),
    [
        (4, 4, [["cuda:0"], ["cuda:1"], ["cuda:2"], ["cuda:3"]]),
        (4, 2, [["cuda:0", "cuda:2"], ["cuda:1", "cuda:3"]]),
        (2, 4, [["cuda:0"], ["cuda:1"], ["cuda:0"], ["cuda:1"]]),
        (1, 2, [["cuda:0"], ["cuda:0"]]),
        (2, 1, [["cuda:0", "cuda:1"]]),
    ],
)
def test_each_rank_of_a_machine_has_gpus_of_its_own(monkeypatch, gpus, ranks, devices):
    monkeypatch.setattr(local, "_gpus", lambda: gpus)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", str(ranks))
    for rank in range(ranks):
        monkeypatch.setenv("LOCAL_RANK", str(rank))
        assert local._devices(ModelConfig(), None) == devices[rank]


def test_ranks_of_a_machine_share_its_cores(monkeypatch):
    monkeypatch.setattr(local, "_cores", lambda: 8)
    monkeypatch.setattr(local, "_gpus", lambda: 0)
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    assert len(local._devices(ModelConfig(), SimpleNamespace(size=0))) in range(1, 5)
    assert local._devices(ModelConfig(workers=3), SimpleNamespace(size=0)) == ["cpu"] * 3
