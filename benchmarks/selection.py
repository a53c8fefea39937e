"""What it costs to select from a store of attempts: nothing but reading it grows with their number.

    python -m benchmarks.selection [--quick]

Attempts at the embedded questions of HotpotQA, four a task as a teacher makes them: wrong, with a repeated action,
hinted and right, with the real pages as observations. Selecting reads the store twice (to judge, and to take what is
kept), so that time grows linearly; memory by what is kept, and by a line for each attempt that is left out. Seconds are
those of the processor. Last, one line of JSON:

* select_seconds_per_100k   from the file to the kept trajectories, with the default rules
* select_growth             seconds an attempt in the whole store, over those in a quarter of it: 1 where it is linear
* select_bytes_an_attempt   how much more memory is held at most than for that quarter, with as many kept, an attempt
* screen_seconds            a look at all 4,193 questions: twins, and items of the 593 that are evaluated on
"""

from __future__ import annotations

import argparse
import json
import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import process_time

from bootstrap.rules import DEFAULT
from bootstrap.screen import held_out, screen
from bootstrap.select import Wanted, select
from react import environments, trajectory
from react.environments import Environment
from react.trajectory import Step, Task, Trajectory

_ATTEMPTS = 4
_TRACED = 4000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20,000 attempts instead of 100,000")
    flags = parser.parse_args()
    environment = environments.load("hotpotqa")
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), environment, 20_000 if flags.quick else 100_000)
    figures |= screening(environment)
    for name, value in figures.items():
        print(f"{name:24} {value:10.2f}")
    print(json.dumps(figures))


def measure(folder: Path, environment: Environment, count: int) -> dict[str, float]:
    """Selects from `count` attempts and from a quarter of them; memory, as it is slow to measure, from fewer."""
    stores = {size: folder / f"{size}.jsonl" for size in (count, count // 4, _TRACED, _TRACED // 4)}
    for size, path in stores.items():
        trajectory.write(path, attempts(environment, size))
    seconds, quarter = (seconds_of(stores[size], size) for size in (count, count // 4))
    grown = peak_of(stores[_TRACED], _TRACED) - peak_of(stores[_TRACED // 4], _TRACED // 4)
    return {
        "select_seconds_per_100k": round(seconds / count * 100_000, 2),
        "select_growth": round(seconds / quarter / 4, 2),
        "select_bytes_an_attempt": round(grown / (_TRACED - _TRACED // 4)),
    }


def seconds_of(path: Path, count: int) -> float:
    """How long a selection takes, that keeps one of the four attempts at each task."""
    began = process_time()
    run(path, count, count // _ATTEMPTS)
    return process_time() - began


def peak_of(path: Path, count: int) -> int:
    """The most bytes that a selection held at once, with as many kept for any `count`."""
    tracemalloc.start()
    run(path, count, _TRACED // 4 // _ATTEMPTS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def run(path: Path, count: int, target: int) -> None:
    """Selects from a file of `count` attempts."""
    order = [f"t{number}" for number in range(count // _ATTEMPTS)]
    selection = select(partial(trajectory.read, path), DEFAULT, Wanted(order, lambda ids: list(ids)[:target]))
    if len(selection.kept) != target or len(selection.left_out) != count - target:
        raise SystemExit(f"{len(selection.kept)} kept and {len(selection.left_out)} left out, of {count}")


def attempts(environment: Environment, count: int) -> Iterator[Trajectory]:
    """`count` attempts at made-up tasks, each of which is an embedded one under another id."""
    made = [[*tried(environment, task)] for task in environment.tasks("train")[:200]]
    for number in range(count // _ATTEMPTS):
        for record in made[number % len(made)]:
            yield replace(record, task=replace(record.task, id=f"t{number}"))


def tried(environment: Environment, task: Task) -> Iterator[Trajectory]:
    """Four attempts at a task, the last of which is right."""
    actions = [f"Search[{title}]" for title in task.extra["supporting"]]
    right = played(environment, task, [*actions, f"Finish[{task.answer}]"])
    told = {"model_fingerprint": "0" * 16, "environment_fingerprint": environment.fingerprint, "calls": 5}
    for number, record in enumerate(
        [
            replace(right, reward=0.0, answer="Nile"),
            replace(right, steps=(right.steps[0], *right.steps)),
            replace(right, steps=(replace(right.steps[0], thought=f"It is {task.answer}."), *right.steps[1:])),
            replace(
                right, steps=(*right.steps[:-1], replace(right.steps[-1], thought=f"So the answer is {task.answer}."))
            ),
        ]
    ):
        yield replace(record, provenance={**told, "attempt": number, "hinted": number == 2})


def played(environment: Environment, task: Task, actions: Sequence[str]) -> Trajectory:
    """What the environment says to the actions. Grounded whatever the pages say: the answer is added to the last."""
    episode = environment.start(task)
    steps = [Step("I look for what I need to know next.", action, episode.act(action).text) for action in actions]
    steps[-2] = replace(steps[-2], observation=f"{steps[-2].observation} {task.answer}.")
    return Trajectory(task, "react", "teacher", (*steps[:-1], replace(steps[-1], observation="")), task.answer, 1.0)


def screening(environment: Environment) -> dict[str, float]:
    """A look at each question of the training split."""
    tasks = environment.tasks("train")
    began = process_time()
    screen(tasks, DEFAULT, held_out(environment, "train", []))
    return {"screen_seconds": round(process_time() - began, 2)}


if __name__ == "__main__":
    main()
