"""python -m bootstrap.rounds --config configs/rounds/demo.yaml: STaR's outer loop, collect, train, evaluate, again.

The base model, prompted, is evaluated (round 0) and teaches the first round; a student, trained from the base model on
what was kept, is evaluated and teaches the next one. Writes into `runs/rounds/<name>/`: `bootstrap/round1`,
`train/round1`, `eval/round0` and so on, ordinary runs of each stage, and the table: `rounds.md`, `rounds.csv`,
`rounds.png`. The same command continues a stopped one, in the stage that was under way.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from bootstrap.outcome import SPENT
from bootstrap.stages import Stage, StageFailed, done, run, settled, shown, train_py
from react import trajectory
from react.config import parse, setting
from react.mistakes import LOADING, RUNNING, Mistake, at_least, mistakes
from react.run_folder import CREDENTIALS, enter, folder_name, put
from react.trajectory import Trajectory

# What a section cannot say, because it follows from the round.
OURS = {
    "bootstrap": ("name", "output", "check"),
    "later": ("name", "output", "check", "config", "model", "backend"),
    "train": ("name", "output", "check", "data"),
    "prompted": ("name", "output", "check", "config", "model", "backend"),
    "eval": ("name", "output", "check", "model", "backend"),
}
MOST_ROUNDS, MOST_STEPS = 1000, 10**9  # more are a slip of the pen
EXEMPLARS = ("shots", "exemplars", "exemplars_by", "prompt_set")


@dataclass(frozen=True)
class Rounds:
    """How many rounds, and what each stage is told. A section is settings of its stage, with a `config` file below."""

    PACE: ClassVar = frozenset({"rounds", "least", "launch", "dry_run", *OURS})  # sections are compared as they resolve

    name: str = setting("demo", "the folder is <output>/<name>")
    output: str = setting("runs/rounds", "where such folders lie")
    rounds: int = setting(3, "how many; a greater number continues a folder that ended")
    bootstrap: dict[str, Any] = setting({}, "how is collected, as of `python -m bootstrap`; its model teaches round 1")
    later: dict[str, Any] = setting({}, "what differs from round 2 on, such as shots: 0; the teacher is the student")
    train: dict[str, Any] = setting({}, "how is trained, as of train.py; its model is the base of every round")
    eval: dict[str, Any] = setting({}, "how students are evaluated, as of `python -m eval`")
    prompted: dict[str, Any] = setting({}, "what differs in round 0; of itself it has the exemplars of `bootstrap`")
    growth: float = setting(1.0, "a round trains so many times the steps of the one before; STaR: 1.2")
    accumulate: bool = setting(False, "train on what all rounds kept, of a task the latest, not on the round's own")
    least: int = setting(1, "with fewer trajectories to train on a round stops")
    launch: str = setting("", "accelerate's configuration for training; empty: what accelerate finds")
    dry_run: bool = setting(False, "only print the commands")

    def __post_init__(self) -> None:
        at_least(1, self, "rounds", "least", "growth")
        if self.rounds > MOST_ROUNDS:
            raise ValueError(f"rounds is {self.rounds}; it must be at most {MOST_ROUNDS}")
        folder_name(self.name)
        for section in OURS:
            _sensible(section, getattr(self, section))

    @property
    def folder(self) -> Path:
        return Path(self.output) / self.name


def _sensible(section: str, settings: Mapping[str, Any]) -> None:
    """ValueError for what a section cannot hold."""
    for key, value in settings.items():
        if key in OURS[section]:
            raise ValueError(f"{section} holds {key!r}, which follows from the round; leave it out")
        if CREDENTIALS.search(str(value)):
            raise ValueError(
                f"{section}: {key} has a name or a password in a URL, which a command shows to all who list processes; "
                "let the environment variable that api_key_env names hold the key"
            )
        if value is None or value == []:
            raise ValueError(f"{section}: {key} is {value!r}; give it a value or leave it out")


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


@dataclass(frozen=True)
class Plan:
    """All stages in their order. `settings` are what each section comes to in its first stage, defaults and all."""

    job: Rounds
    settings: Mapping[str, Mapping[str, Any]]

    @property
    def derived(self) -> dict[str, Any]:
        """The settings by their places: `bootstrap.hints`."""
        return {f"{section}.{key}": value for section, said in self.settings.items() for key, value in said.items()}

    def stages(self) -> Iterator[Stage]:
        yield self.evaluation(0)
        for number in range(1, self.job.rounds + 1):
            yield self.collection(number)
            yield self.training(number)
            yield self.evaluation(number)

    def collection(self, number: int) -> Stage:
        """The base model, or another teacher, collects in round 1; later the student of the round before."""
        student = {"model": self.student(number - 1), "backend": "local", **self.job.later} if number > 1 else {}
        stage = self._stage("bootstrap", number, {**self.job.bootstrap, **student})
        return replace(stage, good=(0, SPENT))  # a budget ends a collection with what there is

    def training(self, number: int) -> Stage:
        """From the base model, whatever the round (STaR, section 3.1: against overfitting)."""
        grown = {}
        if self.job.growth > 1 and self.settings:
            grown = {"steps": round(self.settings["train"]["steps"] * self.job.growth ** (number - 1))}
        stage = self._stage("train", number, {**self.job.train, **grown, "data": str(self.data(number))})
        launch = ("--config_file", self.job.launch) if self.job.launch else ()
        return replace(stage, launcher=("accelerate", "launch", *launch))

    def evaluation(self, number: int) -> Stage:
        """A student; in round 0 the base model, with exemplars."""
        settings = {**self.job.eval, "model": self.student(number), "backend": "local"}
        if not number:
            collected, evaluated = self.settings["bootstrap"], self.settings["eval"]
            settings |= {key: collected[key] for key in EXEMPLARS if collected[key] != evaluated[key]}
            settings |= {"model": self.settings["train"]["model"], **self.job.prompted}
        return self._stage("eval", number, settings)

    def kept(self, number: int) -> Path:
        return self.job.folder / "bootstrap" / f"round{number}" / "trajectories.jsonl"

    def data(self, number: int) -> Path:
        """What a round trains on."""
        return self.job.folder / "data" / f"round{number}.jsonl" if self.job.accumulate else self.kept(number)

    def student(self, number: int) -> str:
        return str(self.job.folder / "train" / f"round{number}" / "checkpoint")

    def _stage(self, kind: str, number: int, settings: Mapping[str, Any]) -> Stage:
        program = (train_py(),) if kind == "train" else ("-m", kind)
        place = {"name": f"round{number}", "output": str(self.job.folder / kind)}
        config = {"config": settings["config"]} if "config" in settings else {}
        return Stage(
            f"{kind}/round{number}",
            program,
            {**config, **settings, **place},
            self.job.folder / kind / f"round{number}",
        )


def planned(job: Rounds) -> Plan:
    """The plan, after every stage has read its settings. Mistake where one refuses them, or they do not fit."""
    if job.launch and not Path(job.launch).is_file():
        raise Mistake(f"launch is {job.launch!r}; it must be a file, accelerate's configuration, or empty")
    draft = Plan(job, {})
    first = [draft.collection(1), draft.training(1), draft.evaluation(1)]
    collected, trained, evaluated = settled(first)
    settings = {"bootstrap": collected, "train": trained, "eval": evaluated}
    if math.log(max(trained["steps"], 1)) + (job.rounds - 1) * math.log(job.growth) > math.log(MOST_STEPS):
        raise Mistake(
            f"growth is {job.growth:g}: from {trained['steps']} steps, round {job.rounds} would have more than "
            f"{MOST_STEPS:,}; let it be less, or rounds"
        )
    plan = Plan(job, settings)
    prompted, later = settled([plan.evaluation(0), plan.collection(2)])
    for stage, said in (("eval", evaluated), ("train", trained)):
        if said["environment"] != (there := collected["environment"]):
            raise Mistake(
                f"bootstrap is in {there!r}, {stage} in {said['environment']!r}; a round is in one environment"
            )
    for section, said in (("later", later), ("eval", evaluated), ("prompted", prompted)):
        if said["adapter"]:
            raise Mistake(f"{section}: adapter is {said['adapter']!r}, and students are whole checkpoints: adapter: ''")
    return Plan(job, {**settings, "prompted": prompted, "later": later})


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
