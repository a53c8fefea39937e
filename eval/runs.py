"""A finished run, read back from its folder. RunError says what is wrong with one that cannot be compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.statistics import Estimate
from react import trajectory
from react.methods import METHODS


class RunError(ValueError):
    """A folder that holds no finished evaluation; the message names it and what to do."""


class Unfinished(RunError):
    """A run that has begun and not ended."""


@dataclass(frozen=True)
class Run:
    """One row of the report. `solved` holds the verdict on every task that the infrastructure did not fail."""

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
    panel: str = "sample"
    metric: str = "EM"
    prompt_set: int = 0
    by_kind: Mapping[str, float] = field(default_factory=dict)
    samples: int = 0
    model_fingerprint: str = ""
    trained_on: Mapping[str, Any] = field(default_factory=dict)
    solved: Mapping[str, bool] = field(default_factory=dict, repr=False)

    @property
    def condition(self) -> str:
        """`prompted` with exemplars, `finetuned` without."""
        return "prompted" if self.shots else "finetuned"

    @property
    def source(self) -> str:
        """What is known of the condition: the shots, or the data that the model was finetuned on; samples that vote."""
        votes = f", {self.samples} samples" if self.samples else ""
        if self.shots:
            return f"prompted, {self.shots} shots{votes}"
        rows = f" ({self.trained_on['rows']} rows)" if "rows" in self.trained_on else ""
        return (f"finetuned on {self.data}{rows}" if self.data else "finetuned") + votes

    @property
    def data(self) -> str:
        """The training files, by their run folders: `bootstrap/demo` for runs/bootstrap/demo/trajectories.jsonl."""
        data = self.trained_on.get("data") or []
        paths = [data] if isinstance(data, str) else [str(path) for path in data]
        return ", ".join(path.removeprefix("runs/").removesuffix("/trajectories.jsonl") for path in paths)


def read(folder: Path) -> Run:
    """The run in `folder`."""
    summary = _summary(folder)
    try:
        run = _run(summary, _verdicts(folder))
    except KeyError as error:
        raise RunError(f"{folder / 'summary.json'}: has no {error}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise RunError(error if isinstance(error, RunError) else f"{folder / 'summary.json'}: {error}") from None
    if run.method not in METHODS:
        raise RunError(f"{folder / 'summary.json'}: method is {run.method!r}; there are: {', '.join(METHODS)}")
    if len(run.solved) != run.n:
        raise Unfinished(
            f"{folder}: the summary counts {run.n} finished episodes, trajectories.jsonl holds {len(run.solved)}: "
            "the run was started again and is unfinished; the command that made it continues it"
        )
    return run


def _summary(folder: Path) -> dict[str, Any]:
    path = folder / "summary.json"
    if not folder.is_dir():
        raise RunError(f"{folder}: " + ("is no folder" if folder.exists() else "does not exist"))
    if not path.exists() and (folder / "config.yaml").exists():
        raise Unfinished(f"{folder}: is unfinished (no summary.json yet); the command that made it continues it")
    if not path.exists():
        raise RunError(f"{folder}: is no run of `python -m eval` (no summary.json, no config.yaml)")
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{path}: cannot be read: {error}") from None
    if not isinstance(summary, dict):
        raise RunError(f"{path}: must hold a JSON object, not {type(summary).__name__}")
    return summary


def _verdicts(folder: Path) -> dict[str, bool]:
    try:
        tried = list(trajectory.read(folder / "trajectories.jsonl"))
    except trajectory.RecordError as error:
        raise RunError(str(error)) from None
    return {one.task.id: one.solved for one in tried if one.end != "failed"}


def _run(summary: Mapping[str, Any], solved: Mapping[str, bool]) -> Run:
    values: dict[str, Any] = {key: str(summary[key]) for key in ("name", "method", "model", "environment")}
    values |= {key: int(summary[key]) for key in ("shots", "n", "n_failed", "max_tokens")}
    values |= {key: _estimate(summary[key]) for key in ("em", "f1", "reward")}
    return Run(
        **values,
        split=str(summary["panel"]["split"]),
        panel=str(summary["panel"].get("name", "sample")),
        metric=str(summary.get("metric", "EM")),
        ends={str(end): int(count) for end, count in summary["ends"].items()},
        steps=float(summary["steps"]["mean"]),
        prompt_tokens=float(summary["prompt_tokens"]["mean"]),
        completion_tokens=float(summary["completion_tokens"]["mean"]),
        temperature=float(summary["temperature"]),
        environment_fingerprint=str(summary["environment_fingerprint"]),
        tasks_fingerprint=str(summary["tasks_fingerprint"]),
        prompt_set=int(summary.get("prompt_set", 0)),
        by_kind={str(kind): float(part["em"]["value"]) for kind, part in summary.get("by_kind", {}).items()},
        samples=int(summary.get("samples", 0)),
        model_fingerprint=str(summary.get("model_fingerprint", "")),
        trained_on=dict(summary["trained_on"] or {}),
        solved=solved,
    )


def _estimate(record: Mapping[str, Any] | None) -> Estimate | None:
    return Estimate(*(float(record[key]) for key in ("value", "low", "high"))) if record else None
