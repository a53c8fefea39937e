"""How fast episodes run when the model costs nothing, every call is recorded, and every attempt is journalled.

    python -m benchmarks.rollout [--quick]

A scripted model walks through the embedded questions: it opens the supporting pages and hands in the answer. What is
left is the cost of the pipeline itself: notation, environment, record of calls, journal. The cost of an episode does
not grow with the number of episodes before it; memory should not either. Last, one line of JSON:

* env_steps_per_second   environment steps (actions) a second, all threads together
* memory_growth_mb       resident memory at the end, over that after 1,000 episodes
* vote_calls_at_once     calls in flight on the average while 4 questions are voted on, of 48 that may be
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from benchmarks._memory import memory_mb
from react import environments, models, trajectory
from react.combined import Ballot, Crew, bind
from react.completions import Recorded
from react.environments import Environment
from react.journal import Journal
from react.methods import METHODS, SINGLE, Sampling, Solver
from react.models import Completion, ModelConfig, Request
from react.rollout import attempt, roll_out
from react.trajectory import Step, Task, Trajectory

_WARM = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="5,000 episodes instead of 20,000")
    parser.add_argument("--concurrency", type=int, default=16)
    flags = parser.parse_args()
    environment = environments.load("hotpotqa")
    tasks = environment.tasks("train")
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), environment, tasks, 5000 if flags.quick else 20_000, flags.concurrency)
    figures |= votes(environment, tasks[:4])
    for name, value in figures.items():
        print(f"{name:24} {value:10.1f}")
    print(json.dumps(figures))


def measure(
    folder: Path, environment: Environment, tasks: Sequence[Task], episodes: int, concurrency: int
) -> dict[str, float]:
    """Rolls `episodes` out, going round over the tasks as further attempts, and measures from the first 1,000 on."""
    trajectory.write(folder / "script.jsonl", (script(task) for task in tasks))
    model = Recorded(models.load(ModelConfig("scripted", str(folder / "script.jsonl"))), folder / "completions.sqlite")
    journal = Journal(folder / "attempts.jsonl")
    solver = Solver(SINGLE["react"], environment, model, lambda task: "")

    def solve(job: tuple[Task, int]) -> int:
        record = attempt(solver, job[0], Sampling(attempt=job[1], temperature=0.5))
        if not record.solved:
            raise SystemExit(f"the script failed at {record}")
        journal.append(record)
        return len(record.steps)

    def jobs() -> Iterator[tuple[Task, int]]:
        for number in range(episodes):
            yield tasks[number % len(tasks)], number // len(tasks)

    began, steps, before = perf_counter(), 0, 0.0
    for done, taken in enumerate(roll_out(jobs(), solve, concurrency), 1):
        steps += taken
        if done == _WARM:
            began, steps, before = perf_counter(), 0, memory_mb()
    seconds = perf_counter() - began
    grown = memory_mb() - before
    journal.close()
    model.close()
    return {"env_steps_per_second": round(steps / seconds, 1), "memory_growth_mb": round(grown, 1)}


class Waits:
    """A model that answers after a while, and knows for how long it was asked in all."""

    name = fingerprint = "waits"

    def __init__(self) -> None:
        self.seconds = 0.0

    def complete(self, request: Request) -> list[Completion]:
        time.sleep(0.1)
        self.seconds += 0.1
        return [Completion(" So.\nAnswer: yes")]

    def close(self) -> None:
        """Nothing to let go of."""


def votes(environment: Environment, tasks: Sequence[Task], concurrency: int = 48) -> dict[str, float]:
    """How many samples run together where there are fewer questions than episodes at once."""
    model, ballot = Waits(), Ballot(21, 0.7, environment.normalise, Crew(concurrency))
    solver = bind(METHODS["cot_sc"], lambda method: Solver(method, environment, model, lambda task: ""), ballot)
    began = perf_counter()
    for record in roll_out(tasks, lambda task: attempt(solver, task, Sampling()), concurrency):
        if record.end != "finished":
            raise SystemExit(f"the vote failed at {record}")
    return {"vote_calls_at_once": round(model.seconds / (perf_counter() - began), 1)}


def script(task: Task) -> Trajectory:
    """A way to the answer: the supporting pages, one by one."""
    reads = [Step(f"I open the page of {title}.", f"Search[{title}]") for title in task.extra["supporting"]]
    return Trajectory(task, "react", "script", (*reads, Step("That is all I need.", f"Finish[{task.answer}]")))


if __name__ == "__main__":
    main()
