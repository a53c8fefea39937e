"""Runs in their order, in pairs, and with what makes them hard to compare."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from eval.paired import Comparison, compare, holm
from eval.pools import pools
from eval.runs import Run, RunError
from react.methods import METHODS

_HASH = re.compile(r"([0-9a-f]{16})[0-9a-f]{32,}")


@dataclass(frozen=True)
class Side:
    """What is compared: a run, or the runs of one cell together. `run` says what they have in common."""

    name: str
    run: Run
    solved: Mapping[str, float]
    rewards: Mapping[str, float]
    scored: bool


@dataclass(frozen=True)
class Pair:
    """Two sides over the same questions: a claim of the report, or two where there are scores.

    `p` and `score_p` are corrected for all claims of the report (Holm), and `detectable` and `score_detectable` are for
    the first step of that correction, whose level is the least. `asked` is how many items the larger side finished; the
    comparison is over those that both did. The score is in its own unit, 0 to 100.
    """

    kind: str
    environment: str
    first: str
    second: str
    first_method: str
    second_method: str
    asked: int
    result: Comparison
    p: float = 1.0
    detectable: float | None = None
    score: Comparison | None = None
    score_p: float = 1.0
    score_detectable: float | None = None


def _conditions(one: Run, other: Run) -> bool:
    return bool(one.shots and not other.shots and one.method == other.method)


def _methods(one: Run, other: Run) -> bool:
    """ReAct and another method of one condition: of one prompted model, or of students of one base."""
    alike = one.condition == other.condition and _base(one) == _base(other)
    return alike and other.method == "react" and one.method not in ("react", "react_im")


def _base(run: Run) -> object:
    return (run.actor, run.shots) if run.shots else run.trained_on.get("model", run.model)


def _models(one: Run, other: Run) -> bool:
    """Two prompted models, the same way."""
    alike = (one.method, one.shots) == (other.method, other.shots)
    return bool(one.shots) and alike and (one.model, one.model_fingerprint) < (other.model, other.model_fingerprint)


def _students(one: Run, other: Run) -> bool:
    """Two students that act the same way without exemplars: other data, another recipe, another base."""
    return not one.shots and not other.shots and one.method == other.method and one.name < other.name


# Which pairs are claims, and what they are called.
CLAIMS: dict[str, tuple[str, Callable[[Run, Run], bool]]] = {
    "conditions": ("Prompted against finetuned", _conditions),
    "methods": ("ReAct against the other methods", _methods),
    "models": ("Prompted models", _models),
    "students": ("Students", _students),
}


def ordered(runs: Sequence[Run]) -> list[Run]:
    """Prompted before finetuned, then the paper's order of methods. RunError: two runs have one name."""
    names = [run.name for run in runs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RunError(f"two runs are called {twice[0]!r}; a name is a run's label in the report")
    place = list(METHODS).index
    return sorted(runs, key=lambda run: (run.environment, not run.shots, run.model, place(run.method), run.name))


def paired(runs: Sequence[Run], claims: Sequence[str] = ("conditions",)) -> tuple[list[Pair], list[str]]:
    """Every pair of sides that is a claim, and a warning for each that cannot be made: no item is common to both."""
    found, refused = [], []
    for kind in claims:
        for one, other in permutations(sides(runs), 2):
            if one.run.environment != other.run.environment or not CLAIMS[kind][1](one.run, other.run):
                continue
            if one.run.environment_fingerprint != other.run.environment_fingerprint:
                continue  # `warnings_on` says so
            if one.run.cap != other.run.cap:
                continue  # and so it does here
            if pair := _pair(kind, one, other):
                found.append(pair)
            else:
                refused.append(f"{one.name} and {other.name} have no task in common, and are not compared")
    found.sort(key=lambda pair: (list(CLAIMS).index(pair.kind), list(METHODS).index(pair.first_method)))
    return _corrected(found), refused


def sides(runs: Sequence[Run]) -> list[Side]:
    """The runs, those of one cell as one."""
    several = pools(runs)
    found = [Side(one.name, one.runs[0], one.solved, one.rewards, one.score is not None) for one in several]
    singles = [run for run in runs if not any(one.counts(run) for one in several)]
    found += [Side(run.name, run, run.solved, run.rewards, run.score is not None) for run in singles]
    names = [run.name for run in runs]
    return sorted(found, key=lambda side: names.index(side.run.name))


def _pair(kind: str, one: Side, other: Side) -> Pair | None:
    result = compare(one.solved, other.solved)
    if not result:
        return None
    scored = one.scored and other.scored
    return Pair(
        kind=kind,
        environment=one.run.environment,
        first=one.name,
        second=other.name,
        first_method=one.run.method,
        second_method=other.run.method,
        asked=max(len(one.solved), len(other.solved)),
        result=result,
        score=_times(100, compare(one.rewards, other.rewards)) if scored else None,
    )


def _times(factor: float, found: Comparison | None) -> Comparison | None:
    """In another unit, such as the score's."""
    return found and replace(
        found,
        first=factor * found.first,
        second=factor * found.second,
        change=found.change.times(factor),
        bootstrap=found.bootstrap.times(factor),
        detectable=found.detectable and factor * found.detectable,
        deviation=factor * found.deviation,
    )


def _corrected(pairs: Sequence[Pair]) -> list[Pair]:
    """All p values of a report together: two of a pair with scores."""
    values = [p for pair in pairs for p in (pair.result.p, *([pair.score.p] if pair.score else []))]
    corrected, level = iter(holm(values)), 0.05 / max(len(values), 1)
    return [
        replace(
            pair,
            p=next(corrected),
            detectable=pair.result.detects(level),
            score_p=next(corrected) if pair.score else 1.0,
            score_detectable=pair.score.detects(level) if pair.score else None,
        )
        for pair in pairs
    ]


def warnings_on(runs: Sequence[Run]) -> list[str]:
    """What makes rows hard to compare: other panels, environments or settings, failures, students of unknown origin."""
    found = []
    for environment in sorted({run.environment for run in runs}):
        here = [run for run in runs if run.environment == environment]
        found += _differing(
            here, "environment_fingerprint", f"runs were made in different states of {environment}, and are not paired"
        )
        found += _differing(here, "tasks_fingerprint", "panels differ; pairs are made of the tasks in common")
        found += _differing(here, "cap", "what an episode may take differs, and such runs are not paired")
        found += _differing(here, "max_tokens", "max_tokens differs")
        found += _differing(here, "temperature", "temperature differs")
    for run in runs:
        if not run.shots and not run.trained_on:
            found.append(f"{run.name}: counts as finetuned for its 0 shots; no record of training lies by {run.model}")
        if run.backend == "scripted":
            found.append(f"{run.name}: replays trajectories of {run.model}; its numbers are not those of a model")
        if run.n_failed:
            share = f"{run.n_failed} of {run.n + run.n_failed} episodes"
            named = f" ({', '.join(f'{error} {n}' for error, n in run.failures.items())})" if run.failures else ""
            found.append(f"{run.name}: the infrastructure failed {share}{named}; they are in no score")
    return found


def _differing(runs: Sequence[Run], key: str, words: str) -> list[str]:
    groups: dict[str, list[str]] = {}
    for run in runs:
        groups.setdefault(_HASH.sub(r"\1", str(getattr(run, key))) or "none", []).append(_named(run, key))
    said = "; ".join(f"{value}: {', '.join(names)}" for value, names in groups.items())
    return [f"{words} ({said})"] if len(groups) > 1 else []


def _named(run: Run, key: str) -> str:
    """The run; where its environment is in question, with the options by which a person knows that."""
    told = key == "environment_fingerprint" and run.options
    return f"{run.name} {json.dumps(run.options, ensure_ascii=False)}" if told else run.name
