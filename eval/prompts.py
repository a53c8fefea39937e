"""Runs that differ in their prompt set alone: told as their average and their best, as the paper tells its six."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from eval.runs import Run
from eval.statistics import mean


def groups(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs that differ in nothing but their names and prompt sets. What is run twice with one set counts once."""
    found: dict[tuple[object, ...], dict[int, Run]] = {}
    for run in runs:
        found.setdefault(_same(run), {}).setdefault(run.prompt_set, run)
    return [list(group.values()) for group in found.values()]


def _same(run: Run) -> tuple[object, ...]:
    same = (run.environment, run.method, run.model, run.model_fingerprint, run.shots, run.temperature, run.max_tokens)
    prints = (run.panel, run.tasks_fingerprint, run.environment_fingerprint, run.split)
    # Without exemplars a prompt set is none: two students are two rows.
    return (*same, *prints, *(() if run.shots else (run.name,)))


def merged(runs: Sequence[Run]) -> list[tuple[Run, str]]:
    """The runs in their order, each with what is said of its prompt; those of several prompts as two, in one place.

    The interval of the average is of the tasks' mean success (Student's t); the best is the run of the highest score.
    """
    several = {_same(group[0]): group for group in groups([run for run in runs if run.em]) if len(group) > 1}
    shown: list[tuple[Run, str]] = []
    for run in runs:
        if _same(run) not in several:
            shown.append((run, f"prompt set {run.prompt_set}" if run.shots and run.prompt_set else ""))
        elif group := several[_same(run)]:
            told = f"of {len(group)} prompts"
            tasks = set[str]().union(*(one.solved for one in group))
            averages = [fmean(one.solved[task] for one in group if task in one.solved) for task in tasks]
            best = max(group, key=lambda one: one.em.value if one.em else 0.0)
            average = replace(best, name=f"{group[0].name}, ...", em=mean(averages))
            shown += [(average, f"average {told}"), (best, f"best {told}")]
            several[_same(run)] = []
    return shown
