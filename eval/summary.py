"""Trajectories of a panel -> what a run came to, as `summary.json` and in words.

Shortened::

    {"name": "demo", "method": "react", "model": "smollm2", "backend": "local", "shots": 6, "trained_on": null,
     "environment": "hotpotqa", "n": 126, "n_failed": 2, "failures": {"ModelError": 2},
     "metric": "EM", "em": {"value": 0.31, "low": 0.24, "high": 0.40}, "f1": {...}, "reward": {...}, "score": null,
     "by_kind": {"bridge": {"n": 98, "em": {...}}}, "ends": {"finished": 120, "out_of_steps": 6},
     "steps": {"sum": 504, "mean": 4.0, "histogram": {"2": 7, ...}}, "calls": {"sum": ..., "mean": ...}, ...
     "sessions": [{"seconds": 61.2, ...}], "tasks_fingerprint": "...", ...,
     "panel": {"name": "sample", "split": "dev", "data": "embedded", "hash": "...", "ids": [...], ...}}

`em` is the share of tasks with the full reward, which `metric` gives the environment's own name. An episode that the
infrastructure failed is in `n_failed` alone. The interval of a share is Wilson's, and that of a mean Wilson's for as
many tasks as would vary so much. `score` is 100 times the mean reward where rewards come in parts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from eval.job import EvalConfig
from eval.origin import versions
from eval.statistics import Estimate, mean, score, wilson
from react import environments
from react.cap import Cap
from react.noise import OPTIONS, split
from react.run_folder import put
from react.scene import Scene
from react.trajectory import COUNTS, Task, Trajectory


@dataclass(frozen=True)
class Session:
    """What one start of the run did: `episodes` in `seconds` by the clock, in which `tokens` were completed.

    `calls` were made; others were `answered` from the record of an earlier start, or from those that `reuse` names. A
    start that was killed leaves none.
    """

    seconds: float
    episodes: int
    tokens: int
    calls: int
    answered: int

    @property
    def tokens_per_second(self) -> float:
        """Completion tokens a second, without the share of calls that the record answered."""
        made = self.calls / max(self.calls + self.answered, 1)
        return round(self.tokens * made / self.seconds, 1) if self.seconds else 0.0


@dataclass(frozen=True)
class Sources:
    """Where model and tasks of a run come from: the back end, the data of the split, the training of a checkpoint."""

    backend: str
    data: str
    trained_on: Mapping[str, Any] | None = None


def summarize(
    job: EvalConfig,
    scene: Scene,
    tried: Sequence[Trajectory],
    panel: Sequence[Task],
    session: Session,
    sources: Sources,
    fingerprints: Mapping[str, str],
) -> dict[str, Any]:
    """Everything that `summary.json` says. `tried` holds one trajectory a task."""
    finished = [trajectory for trajectory in tried if trajectory.end != "failed"]
    failures = Counter(trajectory.error.partition(":")[0] for trajectory in tried if trajectory.end == "failed")
    return {
        "name": job.name,
        "method": tried[0].method,
        "model": tried[0].model,
        "backend": sources.backend,
        "shots": scene.shots,
        "prompt_set": scene.prompt_set,
        "seed": scene.seed,
        "trained_on": sources.trained_on,
        "environment": scene.environment,
        "temperature": job.temperature,
        "max_tokens": scene.max_tokens,
        "n": len(finished),
        "n_failed": len(tried) - len(finished),
        "failures": dict(failures),
        "failure_examples": sorted({trajectory.error for trajectory in tried if trajectory.end == "failed"})[:3],
        "metric": environments.says(scene.environment, "METRIC", "EM"),
        **scores(finished, scene.environment),
        "by_kind": by_kind(finished),
        **combined(finished, scene),
        **capped(finished, job.cap),
        **disturbed(finished, scene),
        "ends": dict(sorted(Counter(trajectory.end for trajectory in finished).items())),
        "steps": _spread([len(trajectory.steps) for trajectory in finished]),
        **{key: _total([int(trajectory.provenance.get(key, 0)) for trajectory in finished]) for key in COUNTS},
        "sessions": [asdict(session) | {"tokens_per_second": session.tokens_per_second}] if session.episodes else [],
        **fingerprints,
        "versions": versions(),
        "panel": {
            "name": job.panel,
            "split": job.split,
            "data": sources.data,
            "seed": job.panel_seed if job.panel == "sample" else None,
            "hash": fingerprints["tasks_fingerprint"],
            "ids": [task.id for task in panel],
        },
    }


def combined(finished: Sequence[Trajectory], scene: Scene) -> dict[str, Any]:
    """What the record of a vote or of a back-off has beside that of one method; nothing for such a one."""
    said = [trajectory.provenance for trajectory in finished if "from" in trajectory.provenance]
    if not said:
        return {}
    backed_off = [one["backed_off"] for one in said if "backed_off" in one]
    return {
        "samples": scene.samples,
        "vote_temperature": scene.vote_temperature,
        **({"backed_off": sum(backed_off)} if backed_off else {}),
    }


def capped(finished: Sequence[Trajectory], cap: Cap) -> dict[str, Any]:
    """The cap of each episode, and how many came to it: with an answer, and with one that was asked for there."""
    if not cap:
        return {}
    at_it = [trajectory for trajectory in finished if trajectory.end == "out_of_budget"]
    counts = {"reached": len(at_it), "answered": sum(trajectory.partial for trajectory in at_it)}
    forced = sum(bool(trajectory.provenance.get("forced")) and trajectory.partial for trajectory in at_it)
    return {"cap": {**asdict(cap), **counts, "forced": forced}}


def disturbed(finished: Sequence[Trajectory], scene: Scene) -> dict[str, Any]:
    """The noise of the environment, and how many of its outputs were `replaced`; nothing without noise."""
    noise, _ = split(scene.environment_options)
    if not noise.noise:
        return {}
    return {"noise": {**asdict(noise), "replaced": _total([len(one.provenance["noisy_steps"]) for one in finished])}}


def scores(finished: Sequence[Trajectory], environment: str) -> dict[str, Any]:
    """EM (the share with the full reward), the mean reward, and what else the environment has. Null without items."""
    f1 = environments.says(environment, "f1")
    rewards = [trajectory.reward for trajectory in finished]
    return {
        "em": _estimate(wilson(sum(trajectory.solved for trajectory in finished), len(finished))) if finished else None,
        "reward": _mean(rewards),
        "score": _estimate(score(rewards)) if rewards and environments.says(environment, "SCORED") else None,
        "f1": _mean([f1(trajectory.answer, trajectory.task.answer) for trajectory in finished]) if f1 else None,
    }


def by_kind(finished: Sequence[Trajectory]) -> dict[str, Any]:
    """The share for each kind of task that the data set tells apart; of claims, for each label."""
    kinds: dict[str, list[bool]] = {}
    for trajectory in finished:
        if kind := trajectory.task.kind:
            kinds.setdefault(kind, []).append(trajectory.solved)
    return {
        kind: {"n": len(solved), "em": _estimate(wilson(sum(solved), len(solved)))}
        for kind, solved in sorted(kinds.items())
    }


def _mean(values: Sequence[float]) -> dict[str, float] | None:
    return _estimate(mean(values)) if values else None


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {key: round(value, 6) for key, value in asdict(estimate).items()}


def _total(values: Sequence[int]) -> dict[str, Any]:
    return {"sum": sum(values), "mean": round(sum(values) / max(len(values), 1), 3)}


def _spread(values: Sequence[int]) -> dict[str, Any]:
    return _total(values) | {"histogram": {str(value): count for value, count in sorted(Counter(values).items())}}


def write(folder: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """Writes `summary.json` in one piece and returns it. The sessions of an earlier one are kept, before the new."""
    path = folder / "summary.json"
    with suppress(OSError, ValueError, LookupError, TypeError):
        summary["sessions"] = [*json.loads(path.read_text(encoding="utf-8"))["sessions"], *summary["sessions"]]
    put(path, json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    return summary


def told(summary: Mapping[str, Any], session: Session) -> str:
    """The summary as a person reads it, and what this start of the run had to do for it."""
    panel, asked = summary["panel"], summary["n"] + summary["n_failed"]
    lines = [
        f"{summary['name']}: {summary['method']}, {summary['model']} ({summary['backend']}), {summary['shots']} shots, "
        f"{asked} tasks",
        f"  panel {panel['name']} of {panel['split']} ({panel['data']}), hash {panel['hash']}",
    ]
    if scored := summary["score"]:
        lines.append(f"  score {scored['value']:.1f} [{scored['low']:.1f}, {scored['high']:.1f}]")
    for title, estimate in ((summary["metric"], summary["em"]), ("F1", summary["f1"])):
        if estimate:
            lines.append(f"  {title} {words(estimate)}")
    for kind, part in summary["by_kind"].items():
        lines.append(f"     {kind}: {words(part['em'])}, n {part['n']}")
    if summary["n"]:
        means = f"{summary['steps']['mean']:.1f} steps and {summary['calls']['mean']:.1f} calls"
        lines.append(f"  ended: {counted(summary['ends'])}; {means} an episode, on average")
    if noise := summary.get("noise"):
        options = ", ".join(f"{key} {noise[key]}" for key in OPTIONS if noise[key] != "")
        lines.append(f"  {options}: {noise['replaced']['mean']:.1f} outputs of an episode replaced, on average")
    if cap := summary.get("cap"):
        at_it = f"{cap['reached']} of {summary['n']} came to it, {cap['answered']} with an answer"
        bounds = Cap(**{bound.name: cap[bound.name] for bound in fields(Cap)}).told
        lines.append(f"  capped at {bounds} an episode: {at_it} ({cap['forced']} asked for at once)")
    if "backed_off" in summary:
        lines.append(f"  backed off: {summary['backed_off']} of {summary['n']}")
    if not session.episodes:
        lines.append("  nothing was left to do: each of them was finished before")
    elif session.answered:
        lines.append(f"  this time: {session.calls} calls made, {session.answered} answered from records")
    if summary["n_failed"]:
        lines.append(f"  failed: {summary['n_failed']} of {asked}: {counted(summary['failures'])}, such as")
        lines += [f"    {example}" for example in summary["failure_examples"][:1]]
        lines.append("  They are in no score; the same command tries them again.")
    return "\n".join(lines)


def counted(counts: Mapping[str, int]) -> str:
    """Such as `finished 14, out of steps 2`."""
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items())


def words(estimate: Mapping[str, float]) -> str:
    """An estimate with its interval, such as `0.312 [0.238, 0.397]`."""
    return f"{estimate['value']:.3f} [{estimate['low']:.3f}, {estimate['high']:.3f}]"
