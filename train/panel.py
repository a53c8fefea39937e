"""Whom a student is asked while it is trained: a panel of tasks that no row comes from, and that no result is made of.

By what a panel says a checkpoint is chosen, so what it says of the chosen one is too good. It is therefore never the
panel of `eval`: by default it is a part of the split `train`. Where the split is one to be evaluated on, the tasks of
the paper's panel are left out, and the panel is the end of the shuffle of which a `sample` of `eval` is the beginning.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react import environments, trajectory
from react.mistakes import Mistake
from react.notation import PARTS
from react.scene import Scene, Staged
from react.trajectory import Task, Trajectory
from train.recipe import Recipe
from train.records import read_records

SEED = 233  # of the shuffle: that of `eval`'s panels


@dataclass(frozen=True)
class Panel:
    """Where a student acts, and at what: `tasks` of `split`. `folder` holds what comes of it."""

    staged: Staged
    tasks: tuple[Task, ...]
    split: str
    folder: Path
    calls: bool = False

    def said(self) -> dict[str, Any]:
        """What the summary says of it, and what a run folder is bound to."""
        scene = self.staged.scene
        return {
            "split": self.split,
            "method": scene.method,
            "max_tokens": scene.max_tokens,
            "data": self.staged.environment.data(self.split),
            "environment_fingerprint": self.staged.environment.fingerprint,
            "tasks_fingerprint": trajectory.fingerprint(self.tasks),
            "ids": [task.id for task in self.tasks],
            **({"form": "tools"} if self.calls else {}),
        }


def prepare(recipe: Recipe) -> Panel | None:
    """The panel of a recipe whose student acts. Mistake where there are not so many tasks, or it was another before."""
    if not recipe.act_every:
        return None
    records = list(read_records(recipe))
    scene = Scene(
        environment=recipe.environment,
        environment_options=recipe.environment_options,
        method=method_of(recipe, records),
        shots=0,
        max_tokens=recipe.act_max_tokens,
    )
    staged = scene.staged()
    tasks = tuple(tasks_of(staged, recipe, records))
    panel = Panel(staged, tasks, recipe.act_split, recipe.folder / "acting", recipe.form == "tools")
    path = panel.folder / "panel.json"
    if path.exists() and (before := json.loads(path.read_text(encoding="utf-8"))) != panel.said():
        changed = ", ".join(key for key, value in panel.said().items() if before.get(key) != value)
        raise Mistake(f"{path}: another panel ({changed} changed); give another --name, or delete {recipe.folder}")
    return panel


def actor(recipe: Recipe, panel: Panel | None, base: str, tokenizer: Any) -> Any:
    """What lets the student act while it is trained (`train.acting`), on all processes; None where it does not."""
    if not recipe.act_every:
        return None
    from train.acting import Acting

    return Acting(recipe, panel, base, tokenizer)


def method_of(recipe: Recipe, records: Iterable[Trajectory]) -> str:
    """The method that the rows are written in. Mistake where that is several."""
    if named := recipe.act_method or recipe.method:
        return named
    found = sorted({str(record.provenance.get("from", record.method)) for record in records} & PARTS.keys())
    if len(found) != 1:
        told = ", ".join(found) or "none that can be trained"
        raise Mistake(f"the rows are of several methods ({told}); say by which the student acts: --act_method")
    return found[0]


def tasks_of(staged: Staged, recipe: Recipe, records: Iterable[Trajectory]) -> list[Task]:
    """The first tasks of a shuffle of the split that no record is about, by id or question, whatever came of it.

    Those of many households are asked in the same words, without an answer: they go by their ids.
    """
    split = recipe.act_split
    met = [record.task for record in records]
    ids, questions = {task.id for task in met}, {task.question.casefold() for task in met}
    tasks = staged.tasks(split)
    random.Random(SEED).shuffle(tasks)
    if split in staged.environment.held_out:
        ids |= _of_paper(staged, split)
        tasks.reverse()
    free = [t for t in tasks if t.id not in ids and not (t.answer and t.question.casefold() in questions)]
    if len(free) < recipe.act_tasks:
        said = f"the split {split!r} of {recipe.environment} has {len(free)} tasks that a student may be asked"
        raise Mistake(
            f"act_tasks is {recipe.act_tasks}; {said} (no row comes from them); give fewer, or another act_split"
        )
    return free[: recipe.act_tasks]


def _of_paper(staged: Staged, split: str) -> set[str]:
    """The ids of the tasks that the paper's numbers are made of, where the split has them."""
    indices = environments.says(staged.scene.environment, "paper_panel")
    whole: Sequence[Task] = staged.environment.tasks(split)
    try:
        return {whole[index].id for index in indices(staged.environment, split)} if indices else set()
    except ValueError:  # another data set than the paper's
        return set()
