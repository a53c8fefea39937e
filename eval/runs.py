"""A finished run, read back from its folder. RunError says what is wrong with one that cannot be compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from eval import fields
from eval.statistics import Estimate
from react import trajectory
from react.cap import Cap
from react.methods import METHODS
from react.noise import split
from react.trajectory import Trajectory


class RunError(ValueError):
    """A folder that holds no finished evaluation; the message names it and what to do."""


# Half of a character, which JSON can spell and no file can hold.
_SURROGATE = re.compile("[\\ud800-\\udfff]")


class Unfinished(RunError):
    """A run that has begun and not ended."""


@dataclass(frozen=True)
class Run:
    """One row of the report. `solved` and `rewards` are of every task that the infrastructure did not fail."""

    name: str
    method: str
    model: str
    shots: int
    environment: str
    split: str
    n: int
    n_failed: int
    em: Estimate | None
    f1: Estimate | None
    reward: Estimate | None
    ends: Mapping[str, int]
    steps: float
    prompt_tokens: float
    completion_tokens: float
    temperature: float
    max_tokens: int
    environment_fingerprint: str
    tasks_fingerprint: str
    score: Estimate | None = None
    panel: str = "sample"
    panel_data: str = ""
    backend: str = ""
    metric: str = "EM"
    prompt_set: int = 0
    seed: int = 0
    by_kind: Mapping[str, float] = field(default_factory=dict)
    samples: int = 0
    cap: str = ""
    failures: Mapping[str, int] = field(default_factory=dict)
    model_fingerprint: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    trained_on: Mapping[str, Any] = field(default_factory=dict)
    solved: Mapping[str, bool] = field(default_factory=dict, repr=False)
    rewards: Mapping[str, float] = field(default_factory=dict, repr=False)

    @property
    def condition(self) -> str:
        """`prompted` with exemplars, `finetuned` without."""
        return "prompted" if self.shots else "finetuned"

    @property
    def actor(self) -> str:
        """The model with its back end."""
        return f"{self.model} ({self.backend})" if self.backend else self.model

    @property
    def played(self) -> str:
        """The model; with the back end where that replays its trajectories, and no model acted."""
        return self.actor if self.backend == "scripted" else self.model

    @property
    def source(self) -> str:
        """What is known of the condition: the shots, or the data that was finetuned on; votes, seed, cap, noise."""
        votes = f", {self.samples} samples" if self.samples else ""
        votes += f", seed {self.seed}" if self.seed else ""
        votes += f", capped at {self.cap}" if self.cap else ""
        votes += f", {self.noise}" if self.noise else ""
        if self.shots:
            prompt = f", prompt set {self.prompt_set}" if self.prompt_set else ""
            return f"prompted, {self.shots} shots{prompt}{votes}"
        return self._trained + votes

    @property
    def noise(self) -> str:
        """What the environment replaces of its outputs, in words; empty where it does not."""
        try:
            return split(self.options)[0].told
        except ValueError:
            return ""  # a config that was changed by hand says nothing

    @property
    def _trained(self) -> str:
        """What was done to a student, and on what: by DPO, where it has a beta, from what student on."""
        if not self.data:
            return "finetuned"
        if "beta" not in self.trained_on:
            return f"finetuned on {self.data}{self._rows('rows')}"
        start = str(self.trained_on.get("model", "")).removeprefix("runs/").removesuffix("/checkpoint")
        return f"{start}, then DPO on {self.data}{self._rows('pairs')}"

    def _rows(self, unit: str) -> str:
        """How many rows the data has; where a short training did not come to all of them, how many it saw."""
        rows, seen = self.trained_on.get("rows"), self.trained_on.get("rows_seen")
        if rows is None:
            return ""
        return f" ({rows} {unit})" if seen in (None, rows) else f" ({seen} of {rows} {unit})"

    @property
    def data(self) -> str:
        """The training files, by their run folders: `bootstrap/demo` for runs/bootstrap/demo/trajectories.jsonl."""
        data = self.trained_on.get("data") or []
        paths = [data] if isinstance(data, str) else [str(path) for path in data]
        for name in ("/trajectories.jsonl", "/attempts.jsonl"):
            paths = [path.removeprefix("runs/").removesuffix(name) for path in paths]
        return ", ".join(paths)


def read(folder: Path) -> Run:
    """The run in `folder`."""
    return read_whole(folder)[0]


def read_whole(folder: Path) -> tuple[Run, list[Trajectory]]:
    """The run in `folder`, and all of its trajectories: those too that the infrastructure failed."""
    summary, tried = _summary(folder), _tried(folder)
    options = settings(folder).get("environment_options")
    try:
        run = replace(_run(summary, unfailed(tried)), options=options if isinstance(options, dict) else {})
    except fields.FieldError as error:
        raise RunError(f"{folder / 'summary.json'}: {error}") from None
    if run.method not in METHODS:
        raise RunError(f"{folder / 'summary.json'}: method is {run.method!r}; there are: {', '.join(METHODS)}")
    if len(run.solved) != run.n:
        raise Unfinished(
            f"{folder}: the summary counts {run.n} finished episodes, trajectories.jsonl holds {len(run.solved)}: "
            "the run was started again and is unfinished; the command that made it continues it"
        )
    return run, tried


def _summary(folder: Path) -> dict[str, Any]:
    path = folder / "summary.json"
    if not folder.is_dir():
        raise RunError(f"{folder}: " + ("is no folder" if folder.exists() else "does not exist"))
    if other := _other(settings(folder)):
        raise RunError(f"{folder}: is {other}, not an evaluation (runs/eval/<name>)")
    if not path.exists() and (folder / "config.yaml").exists():
        raise Unfinished(f"{folder}: is unfinished (no summary.json yet); the command that made it continues it")
    if not path.exists():
        raise RunError(f"{folder}: is no run of `python -m eval` (no summary.json, no config.yaml)")
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{path}: cannot be read: {error}") from None
    if not isinstance(summary, dict):
        raise RunError(f"{path}: must hold a JSON object, not {type(summary).__name__}")
    for key, value in summary.items():
        if _SURROGATE.search(json.dumps([key, value], ensure_ascii=False)):
            raise RunError(f"{path}: {key!r} holds half of a character: {value!r}")
    return summary


def _other(config: Mapping[str, Any]) -> str:
    """What another stage's folder is, by the settings that its config alone has; empty for an evaluation."""
    return "a collection" if "rules" in config else "a training" if "learning_rate" in config else ""


def settings(folder: Path) -> dict[str, Any]:
    """The settings of a run; none where they cannot be read."""
    with suppress(OSError, UnicodeDecodeError, yaml.YAMLError):
        said = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
        return said if isinstance(said, dict) else {}
    return {}


def _tried(folder: Path) -> list[Trajectory]:
    try:
        return list(trajectory.read(folder / "trajectories.jsonl"))
    except trajectory.RecordError as error:
        raise RunError(str(error)) from None


def last(tried: Iterable[Trajectory]) -> list[Trajectory]:
    """The last try of each task."""
    return list({_key(one): one for one in tried}.values())


def unfailed(tried: Iterable[Trajectory]) -> list[Trajectory]:
    """One trajectory of each task that the infrastructure did not fail."""
    return last(one for one in tried if one.end != "failed")


def _key(tried: Trajectory) -> str:
    """All that a task is: two files of questions without ids have the same ids."""
    return trajectory.fingerprint([tried.task])


def _run(summary: Mapping[str, Any], tried: Sequence[Trajectory]) -> Run:
    since = {"metric": "EM", "prompt_set": 0, "by_kind": {}, "samples": 0, "model_fingerprint": "", "score": None}
    said = {"backend": "", "seed": 0, "failures": {}, **since, **summary}
    prints = ("environment_fingerprint", "tasks_fingerprint", "model_fingerprint")
    texts = ("name", "method", "model", "environment", "metric", "backend", *prints)
    values: dict[str, Any] = {key: fields.text(said, key) for key in texts}
    counts = ("shots", "n", "n_failed", "max_tokens", "prompt_set", "samples", "seed")
    values |= {key: fields.count(said, key) for key in counts}
    values |= {key: fields.number(said, key, "mean") for key in ("steps", "prompt_tokens", "completion_tokens")}
    values |= {key: fields.estimate(said, key) for key in ("em", "f1", "reward", "score")}
    return Run(
        **values,
        split=fields.text(said, "panel", "split"),
        panel=fields.text(said, "panel", "name") if "name" in said["panel"] else "sample",
        panel_data=fields.text(said, "panel", "data") if "data" in said["panel"] else "",
        ends={end: fields.count(said, "ends", end) for end in fields.mapping(said, "ends")},
        failures={error: fields.count(said, "failures", error) for error in fields.mapping(said, "failures")},
        temperature=fields.number(said, "temperature"),
        cap=_cap(said),
        by_kind={kind: fields.number(said, "by_kind", kind, "em", "value") for kind in fields.mapping(said, "by_kind")},
        trained_on=_trained_on(said),
        solved={_key(one): one.solved for one in tried},
        rewards={_key(one): one.reward for one in tried},
    )


def _cap(summary: Any) -> str:
    """What an episode may take, in words; empty where it has no cap."""
    if "cap" not in summary:
        return ""
    steps, tokens = (fields.count(summary, "cap", key) for key in ("steps", "tokens"))
    return Cap(steps, tokens, *(fields.number(summary, "cap", key) for key in ("usd", "price_in", "price_out"))).told


def _trained_on(summary: Any) -> dict[str, Any]:
    """What is known of the training; nothing for a model that was not finetuned here."""
    if fields.at(summary, "trained_on") is None:
        return {}
    found = fields.mapping(summary, "trained_on")
    data = found.get("data") or []
    if not isinstance(data, str) and not (isinstance(data, list) and all(isinstance(path, str) for path in data)):
        raise fields.wrong(data, ("trained_on", "data"), "a text or a list of texts")
    return found
