"""The files of a training's data: whose records they hold, how their environment writes them, what is left out."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from react import environments, trajectory
from react.mistakes import Mistake, choose
from react.native import Calling
from react.notation import PARTS, Notation
from react.trajectory import Trajectory
from train.dataset import LeftOut, Notations
from train.recipe import Recipe


def fingerprint(paths: Sequence[str]) -> str:
    """Changes with any byte of the data."""
    if not paths:
        raise Mistake("data is empty: name one or several trajectories.jsonl")
    digest = hashlib.sha256()
    for path in paths:
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()[:16]


def read_records(recipe: Recipe) -> Iterator[Trajectory]:
    """The trajectories of all data files."""
    return (record for path in recipe.data for record in trajectory.read(Path(path)))


def teachers(recipe: Recipe) -> list[str]:
    """Whose trajectories the data holds: models by name, or `expert`."""
    return sorted({record.model for record in read_records(recipe)})


def notations(environment: str) -> Notations:
    """How an environment writes the trajectories of a method. Opens none of its data."""
    choose("environment", environment, environments.names())
    module = import_module(f"react.environments.{environment}")

    @cache
    def of(method: str) -> Notation:
        thoughts, actions = PARTS[method]
        notation: Notation = module.notation(thoughts=thoughts, actions=actions)
        return notation

    return of


def callings(environment: str) -> Callable[[str], Calling]:
    """How an environment writes the trajectories of a method as chats. Mistake where it has no tools to call."""
    write, tools = notations(environment), environments.says(environment, "TOOLS", ())
    if not tools:
        raise Mistake(f"form is 'tools', and {environment} has no tools to call (TOOLS of its module)")

    @cache
    def of(method: str) -> Calling:
        thoughts, actions = PARTS[method]
        return Calling.of(write(method), tools, thoughts=thoughts, actions=actions)

    return of


def reasons(left_out: list[LeftOut]) -> str:
    """How many were left out for each reason: `3 over-long, 1 unsolved`."""
    return ", ".join(f"{count} {reason}" for reason, count in Counter(row.reason for row in left_out).items())


def note_left_out(folder: Path, rows: list[Any], left_out: list[LeftOut], unit: str = "rows") -> None:
    """Lists what is not trained on, in a file and in one line."""
    path = folder / "left_out.jsonl"
    path.write_text("".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in left_out), encoding="utf-8")
    told = f"left out: {reasons(left_out)} (listed in {path})" if left_out else "none left out"
    said = [f"{len(rows)} {unit}", *(f"{count} {note}" for note, count in notes(rows).items()), told]
    print("; ".join(said), flush=True)


def notes(rows: list[Any]) -> dict[str, int]:
    """What is odd about rows that are trained on, and about how many."""
    return dict(Counter(note for row in rows for note in row.notes))


def counts(rows: list[Any], left_out: list[LeftOut]) -> dict[str, Any]:
    """What the summary says of the data."""
    lengths = sorted(len(row.tokens) for row in rows)
    return {
        "rows": len(rows),
        "rows_left_out": dict(Counter(row.reason for row in left_out)),
        "rows_noted": notes(rows),
        "row_tokens": {"median": lengths[len(lengths) // 2], "longest": lengths[-1], "all": sum(lengths)},
        "example": rows[0].text,
    }


def lengths(rows: Sequence[Any]) -> list[int]:
    """Tokens of each row."""
    return [len(row.tokens) for row in rows]
