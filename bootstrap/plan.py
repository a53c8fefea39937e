"""What STaR's outer loop is told, and the commands that it comes to, in their order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from bootstrap.outcome import SPENT
from bootstrap.stages import Stage, settled, train_py
from react.config import setting
from react.mistakes import Mistake, at_least
from react.run_folder import CREDENTIALS, folder_name

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
