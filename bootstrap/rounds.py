"""python -m bootstrap.rounds --config configs/rounds/demo.yaml: STaR's outer loop, collect, train, evaluate, again.

The base model, prompted, is evaluated (round 0) and teaches the first round; a student, trained from the base model on
what was kept, is evaluated and teaches the next one. Writes into `runs/rounds/<name>/`: `bootstrap/round1`,
`train/round1`, `eval/round0` and so on, ordinary runs of each stage, and the table: `rounds.md`, `rounds.csv`,
`rounds.png`. The same command continues a stopped one, in the stage that was under way.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

from bootstrap.plan import Plan, Rounds, planned
from bootstrap.stages import Stage, StageFailed, done, run, shown
from react import trajectory
from react.config import parse
from react.mistakes import LOADING, RUNNING, Mistake, mistakes
from react.run_folder import enter, put
from react.trajectory import Trajectory


def main(args: list[str] | None = None) -> None:
    """The command."""
    with ExitStack() as held:
        with mistakes(*LOADING):
            (job,) = parse((Rounds,), __doc__ or "", args, planned)
            plan = planned(job)
            if job.dry_run:
                return print("\n".join(shown(stage.command) for stage in plan.stages()))
            held.callback(os.close, enter(job.folder, job, derived=plan.derived))
            finished = Finished(job.folder / "finished.json")
        with mistakes(*RUNNING, StageFailed):
            go(plan, finished)


class Finished:
    """The stages that ended well, in their order, as a file. Only a beginning of it counts.

    What comes after a stage that has to be run again is run again too: it says itself that it is finished, or that it
    was made from something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before: list[str] = []
        self._now: list[str] = []
        with suppress(FileNotFoundError, ValueError):  # without it all are called, and say themselves how far they are
            said = json.loads(path.read_text(encoding="utf-8"))
            self._before = said if isinstance(said, list) else []

    def skips(self, stage: Stage) -> bool:
        """Whether this is the next of those that were finished before."""
        at = len(self._now)
        if self._before[at : at + 1] != [stage.name] or not stage.finished:
            self._before = []
            return False
        self._now.append(stage.name)
        return True

    def add(self, stage: Stage) -> None:
        """One more, before the next begins."""
        self._now.append(stage.name)
        put(self._path, json.dumps(self._now) + "\n")


def go(plan: Plan, finished: Finished) -> None:
    """Every stage that is not finished, with the table after each evaluation."""
    told = False
    for stage in plan.stages():
        kind, _, number = stage.name.partition("/round")
        if finished.skips(stage):
            continue
        if kind == "train":
            prepare(plan, int(number))
        print(f"\n{stage.name} (of {plan.job.rounds} rounds): {shown(stage.command)}", file=sys.stderr)
        run(stage, plan.job.folder)
        finished.add(stage)
        if told := kind == "eval":
            tabulate(plan)
    if not told:
        tabulate(plan)


def prepare(plan: Plan, number: int) -> None:
    """Makes the data of a round's training where it is more than one file. Mistake where it cannot be trained on."""
    first = 1 if plan.job.accumulate else number
    rows = accumulated([list(trajectory.read(plan.kept(n))) for n in range(first, number + 1)])
    if plan.job.accumulate:
        plan.data(number).parent.mkdir(exist_ok=True)
        trajectory.write(plan.data(number), rows)
    if len(rows) < plan.job.least:
        tabulate(plan)
        raise Mistake(
            f"round {number} has {len(rows)} trajectories to train on, and least is {plan.job.least}: it ends here"
        )
    refuse_asked(rows, plan.job.folder / "eval" / "round0" / "trajectories.jsonl")


def accumulated(rounds: list[list[Trajectory]]) -> list[Trajectory]:
    """Of every task that a round kept the latest trajectory, in the order in which tasks were first kept."""
    return list({row.task.id: row for rows in rounds for row in rows}.values())


def refuse_asked(rows: list[Trajectory], panel: Path) -> None:
    """Mistake where a task to train on is on the panel of the students. Those without an answer go by their ids."""
    asked = [record.task for record in trajectory.read(panel)]
    ids, questions = {task.id for task in asked}, {task.question.casefold() for task in asked}
    both = [
        t.id for t in (row.task for row in rows) if t.id in ids or (t.answer and t.question.casefold() in questions)
    ]
    if both:
        said = f"{len(both)} of {len(rows)} kept tasks, such as {both[0]!r}, are on the panel of eval"
        raise Mistake(
            f"{said}; a student is not asked what it was trained on: let bootstrap and eval have other splits"
        )


def tabulate(plan: Plan) -> None:
    """The table of the rounds so far, by the stage that can compare runs."""
    done(["python", "-m", "eval.rounds", str(plan.job.folder)], "the table")


if __name__ == "__main__":
    main()
