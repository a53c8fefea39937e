"""Cells that were run several times: with other prompts, other seeds, or by students of other seeds.

Such runs answer the same tasks, and what is hard is hard for all of them: all their answers are no independent sample.
An item counts once, with its share of success over the runs; how the runs differ from one another is said beside. The
paper tells its six prompts as their average and their best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from eval.runs import Run
from eval.statistics import Estimate, Spread, mean, spread


@dataclass(frozen=True)
class Pool:
    """Runs of one cell. The interval of `em` and `score` is over items; `spread` is that of the runs' own values."""

    runs: Sequence[Run]
    what: str
    em: Estimate
    spread: Spread
    score: Estimate | None
    solved: Mapping[str, float]
    rewards: Mapping[str, float]

    @property
    def name(self) -> str:
        return f"{self.runs[0].name}, ... ({self.what})"

    def counts(self, run: Run) -> bool:
        """Whether a run is of this cell, itself or one that is like one of its runs."""
        return _same(run) == _same(self.runs[0])

    @property
    def best(self) -> Run:
        """The run of the highest value; of several the first."""
        return max(self.runs, key=lambda run: run.em.value if run.em else 0.0)


def groups(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs that differ in nothing but names, prompt sets and seeds. What is run twice with the same counts once."""
    found: dict[tuple[object, ...], dict[tuple[object, ...], Run]] = {}
    for run in runs:
        found.setdefault(_same(run), {}).setdefault(_own(run), run)
    return [list(group.values()) for group in found.values()]


def _own(run: Run) -> tuple[object, ...]:
    return (run.prompt_set, run.seed, run.trained_on.get("seed"))


def _same(run: Run) -> tuple[object, ...]:
    same = (run.environment, run.method, run.shots, run.temperature, run.max_tokens, run.samples, run.cap)
    prints = (run.panel, run.tasks_fingerprint, run.environment_fingerprint, run.split)
    return (*same, *prints, *_model(run))


def _model(run: Run) -> tuple[object, ...]:
    """What one model is in a cell. Without exemplars a prompt set is none: students of unknown training are two."""
    if run.shots:
        return run.model, run.model_fingerprint
    origin = run.trained_on
    if "seed" in origin and origin.get("recipe") and origin.get("data_fingerprint"):
        return origin["recipe"], origin["data_fingerprint"]
    return (run.model_fingerprint or run.name, run.prompt_set)


def pools(runs: Sequence[Run]) -> list[Pool]:
    """The groups of more than one run that have a finished episode."""
    return [pool(group) for group in groups([run for run in runs if run.em]) if len(group) > 1]


def pool(group: Sequence[Run]) -> Pool:
    """Runs of one cell as one. An item's value is over the runs that finished it."""
    solved = _by_item([run.solved for run in group])
    rewards = _by_item([run.rewards for run in group])
    tries = sum(len(run.solved) for run in group)
    scored = all(run.score for run in group)
    return Pool(
        runs=group,
        what=what(group),
        em=mean(list(solved.values()), tries),
        spread=spread(run.em.value for run in group if run.em),
        score=mean(list(rewards.values())).times(100) if scored else None,
        solved=solved,
        rewards=rewards,
    )


def what(group: Sequence[Run]) -> str:
    """What so many runs are of: `6 prompts`, `3 seeds`."""
    prompts = len({run.prompt_set for run in group}) > 1
    seeds = len({(run.seed, run.trained_on.get("seed")) for run in group}) > 1
    return f"{len(group)} {'prompts and seeds' if prompts and seeds else 'prompts' if prompts else 'seeds'}"


def _by_item(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
    items = sorted(set[str]().union(*values))
    return {item: fmean(one[item] for one in values if item in one) for item in items}


def merged(runs: Sequence[Run]) -> list[tuple[Run, str]]:
    """The runs in their order, each with what is said of its prompt; those of one pool as two, in one place: the
    average, with the interval of the pool, and the best."""
    several = {_same(one.runs[0]): one for one in pools(runs)}
    done: set[tuple[object, ...]] = set()
    shown: list[tuple[Run, str]] = []
    for run in runs:
        found = several.get(_same(run)) if run.em else None
        if not found:
            shown.append((run, f"prompt set {run.prompt_set}" if run.shots and run.prompt_set else ""))
        elif _same(run) not in done:
            done.add(_same(run))
            average = replace(found.best, name=found.name, em=found.em)
            shown += [(average, f"average of {found.what}"), (found.best, f"best of {found.what}")]
    return shown
