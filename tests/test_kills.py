"""kill -9 at random moments against a served teacher that fails on purpose: the same bytes, and no call paid twice.

The teacher's answers follow from the prompt and the seed, as a model's. What is asked of it is counted where it is.
"""

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

from react import trajectory
from tests.fault_server import FaultServer, reply, status
from tests.towns import ROOT, command, make_world

ASKED = re.compile(r"Question: On which river is (Town(\d+))\?.*\Z", re.DOTALL)
LIMITS = {"--limit": 60, "--target": 52, "--attempts": 3, "--hints": 1, "--temperature": "0.5 1.0", "--retries": 0}


def answer(prompt: str, seed: int) -> str:
    """Looks the town up, then says its river, or guesses: by town and seed. With a hint it knows."""
    context = ASKED.search(prompt)
    town, n = context[1], int(context[2])
    if context[0].endswith("Thought 1:"):
        copied = "(Hint: " in context[0] and n % 12 == 0
        return f" {f'It must be River {town[::-1]}.' if copied else 'I look the town up.'}\nAction 1: Search[{town}]"
    knows = n % 3 if seed == 0 else random.Random(f"{seed}/{town}").random() < 0.3
    if knows or "(Hint: " in context[0]:
        return f" It lies on the River {town[::-1]}.\nAction 2: Finish[River {town[::-1]}]"
    return " I guess.\nAction 2: Finish[Nile]"


class Teacher:
    """What a FaultServer says: an answer, or in one of twelve cases a fault. Keeps each call that it answered."""

    def __init__(self, faults: bool) -> None:
        self.paid: list[tuple[str, int]] = []
        self._heard = time.monotonic()
        self._chance = random.Random(0) if faults else None

    def rest(self) -> None:
        """Waits until what a process that is gone had asked is answered into the void."""
        while time.monotonic() - self._heard < 0.2:
            time.sleep(0.01)

    def __call__(self, handler, asked) -> None:
        self._heard = time.monotonic()
        if self._chance and self._chance.random() < 1 / 12:
            fault = self._chance.choice([status(400), status(500), status(429, headers={"Retry-After": "0"})])
            return fault(handler, asked)
        self.paid.append((ASKED.search(asked["prompt"])[0], asked["seed"]))
        handler.say_json(200, reply(asked, text=answer(asked["prompt"], asked["seed"])))


def begin(world, out, server, concurrency):
    flags = [part for name, value in LIMITS.items() for part in (name, *str(value).split())]
    served = ["--backend", "server", "--model", "m", "--base_url", server.url, "--concurrency", str(concurrency)]
    patient = ["--failures_in_a_row", "1000", "--failed_share", "1"]
    words = command(world, out, *flags, *served, *patient)
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def recorded(out) -> set[tuple[str, int]]:
    path = out / "r" / "completions.sqlite"
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path)) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'calls'").fetchone():
            return set()
        rows = database.execute("SELECT context, parameters FROM calls").fetchall()
    return {(context, json.loads(parameters)["seed"]) for context, parameters in rows}


def failing(out) -> int:
    """How many tries the finished run says that are open."""
    return json.loads((out / "r" / "summary.json").read_text())["n_failing"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The world, and what a run without faults keeps of it."""
    world = tmp_path_factory.mktemp("world")
    make_world(world)
    teacher = Teacher(faults=False)
    with FaultServer(then=teacher) as server:
        process = begin(world, world, server, 4)
        _, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    kept = list(trajectory.read(world / "r" / "trajectories.jsonl"))
    kinds = {(one.provenance["attempt"], one.provenance["temperature"], one.provenance.get("hinted")) for one in kept}
    assert {(0, 0.0, None), (1, 0.5, None), (2, 1.0, None), (3, 0.0, True)} == kinds, "all that is tried is kept of"
    return world, (world / "r" / "trajectories.jsonl").read_bytes()


def kill(process, teacher, chance) -> None:
    """After a few further calls or within the first seconds, at once or a little later; also while it selects."""
    if chance.random() < 0.9:
        enough = len(teacher.paid) + chance.randrange(1, 40)
        while process.poll() is None and len(teacher.paid) < enough:
            time.sleep(0.001)
        time.sleep(chance.choice([0, chance.uniform(0, 0.05)]))
    else:
        time.sleep(chance.uniform(0, 3))
    process.send_signal(signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize(("concurrency", "kills"), [(1, 40), (4, 60)])
def test_killed_at_random_moments_while_the_server_fails(undisturbed, tmp_path, concurrency, kills):
    """So many kills, over as many runs as that takes: each ends with the same bytes."""
    world, expected = undisturbed
    chance, inside, run, ended = random.Random(concurrency), 0, 0, 0
    while inside < kills:
        out, teacher, again, run = tmp_path / str(run), Teacher(faults=True), 0, run + 1
        with FaultServer(then=teacher) as server:
            done = False
            while not done:
                before, known = len(teacher.paid), recorded(out)
                process = begin(world, out, server, concurrency)
                if inside < kills:
                    kill(process, teacher, chance)
                _, errors = process.communicate(timeout=100)
                teacher.rest()
                assert process.returncode in (0, 2, -signal.SIGKILL), errors
                done, made = process.returncode == 0 == failing(out), teacher.paid[before:]
                assert not set(made) & known, "a call that was recorded was made again"
                assert len(set(made)) == len(made), "a call was made twice in one start"
                lost = set(made) - recorded(out)
                assert len(lost) <= concurrency, "of those answered only the last are not recorded"
                again += len(lost)
                inside += process.returncode == -signal.SIGKILL
        assert (out / "r" / "trajectories.jsonl").read_bytes() == expected
        assert len(teacher.paid) - len(set(teacher.paid)) <= again
        ended += sum(one.end == "failed" for one in trajectory.read(out / "r" / "attempts.jsonl"))
    assert ended, "the server failed for good at times"


@pytest.mark.slow
def test_stopped_by_hand_no_call_is_paid_twice(undisturbed, tmp_path):
    world, expected = undisturbed
    teacher = Teacher(faults=False)

    def slowly(handler, asked) -> None:
        time.sleep(0.05)
        teacher(handler, asked)

    with FaultServer(then=slowly) as server:
        for enough, number in ((20, signal.SIGINT), (60, signal.SIGTERM)):
            process = begin(world, tmp_path, server, 4)
            while process.poll() is None and len(teacher.paid) < enough:
                time.sleep(0.001)
            os.kill(process.pid, number)
            _, words = process.communicate(timeout=60)
            assert process.returncode == 128 + number and "Waiting for the calls under way" in words
        process = begin(world, tmp_path, server, 4)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert (tmp_path / "r" / "trajectories.jsonl").read_bytes() == expected
    assert len(teacher.paid) == len(set(teacher.paid)), "what was under way was recorded"
