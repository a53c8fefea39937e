"""Runs in their order, in pairs, and with what makes them hard to compare."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from eval.runs import Run, RunError
from eval.statistics import Comparison, Estimate, compare, difference, holm
from react.methods import METHODS

_HASH = re.compile(r"([0-9a-f]{16})[0-9a-f]{32,}$")


@dataclass(frozen=True)
class Pair:
    """Two runs of one method over the same questions. `p` is corrected for the number of pairs in the report (Holm).

    `score` is the difference of their scores, where there are such.
    """

    method: str
    prompted: str
    finetuned: str
    result: Comparison
    p: float = 1.0
    score: Estimate | None = None


def ordered(runs: Sequence[Run]) -> list[Run]:
    """Prompted before finetuned, then the paper's order of methods. RunError: two runs have one name."""
    names = [run.name for run in runs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RunError(f"two runs are called {twice[0]!r}; a name is a run's label in the report")
    place = list(METHODS).index
    return sorted(runs, key=lambda run: (run.environment, not run.shots, run.model, place(run.method), run.name))


def paired(runs: Sequence[Run]) -> list[Pair]:
    """Each prompted run with each finetuned run of its method and environment, where they have tasks in common."""
    found = []
    for one, other in product(runs, runs):
        if not (one.shots and not other.shots and one.method == other.method):
            continue
        if one.environment_fingerprint != other.environment_fingerprint:
            continue  # `warnings_on` says so
        if result := compare(one.solved, other.solved):
            found.append(Pair(one.method, one.name, other.name, result, score=_scores(one, other)))
    found.sort(key=lambda pair: list(METHODS).index(pair.method))
    corrected = holm([pair.result.p for pair in found])
    return [replace(pair, p=p) for pair, p in zip(found, corrected, strict=True)]


def _scores(one: Run, other: Run) -> Estimate | None:
    """How much better the other scores, on the tasks that both finished."""
    if not (one.score and other.score):
        return None
    ids = sorted(one.rewards.keys() & other.rewards.keys())
    found = difference([one.rewards[id] for id in ids], [other.rewards[id] for id in ids])
    return Estimate(100 * found.value, 100 * found.low, 100 * found.high)


def warnings_on(runs: Sequence[Run]) -> list[str]:
    """What makes rows hard to compare: other panels, environments or settings, failures, students of unknown origin."""
    found = []
    for environment in sorted({run.environment for run in runs}):
        here = [run for run in runs if run.environment == environment]
        found += _differing(
            here, "environment_fingerprint", f"runs were made in different states of {environment}, and are not paired"
        )
        found += _differing(here, "tasks_fingerprint", "panels differ; pairs are made of the tasks in common")
        found += _differing(here, "max_tokens", "max_tokens differs")
        found += _differing(here, "temperature", "temperature differs")
    for run in runs:
        if not run.shots and not run.trained_on:
            found.append(f"{run.name}: counts as finetuned for its 0 shots; no record of training lies by {run.model}")
        if run.backend == "scripted":
            found.append(f"{run.name}: replays trajectories of {run.model}; its numbers are not those of a model")
        if run.n_failed:
            share = f"{run.n_failed} of {run.n + run.n_failed} episodes"
            found.append(f"{run.name}: the infrastructure failed {share}; they are in no score")
    return found


def _differing(runs: Sequence[Run], key: str, words: str) -> list[str]:
    groups: dict[str, list[str]] = {}
    for run in runs:
        groups.setdefault(_HASH.sub(r"\1", str(getattr(run, key))), []).append(_named(run, key))
    said = "; ".join(f"{value}: {', '.join(names)}" for value, names in groups.items())
    return [f"{words} ({said})"] if len(groups) > 1 else []


def _named(run: Run, key: str) -> str:
    """The run; where its environment is in question, with the options by which a person knows that."""
    told = key == "environment_fingerprint" and run.options
    return f"{run.name} {json.dumps(run.options, ensure_ascii=False)}" if told else run.name
