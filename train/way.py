"""What one kind of training does in its own way, in all that `train.course.run` does for each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from train.dataset import LeftOut, Row
from train.recipe import Layout, Recipe


@dataclass(frozen=True)
class Way:
    """A kind of training. What it is trained on are items: rows, or pairs of them, with `id, text, tokens, notes`."""

    recipe: type[Recipe]
    unit: str  # what an item is called
    told: str  # of the student, in its card: what was done to it, with the summary's facts in braces
    derived: Callable[[Any], dict[str, str]]  # what a run's folder is bound to beside the recipe and the data
    read: Callable[[Any, Any], tuple[list[Any], list[LeftOut]]]  # of a recipe and a tokenizer: items, and what is not
    note: Callable[[Path, list[Any], list[LeftOut]], None]  # lists them in the run's folder
    facts: Callable[[Any, list[Any]], dict[str, Any]]  # what the summary says of them beside what it says of all
    schedule: Callable[[list[Any], Any, int], tuple[Any, dict[str, Any]]]  # all sequences, or those of the first steps
    arguments: Callable[[Any, Layout], Any]  # the recipe in TRL's words
    trainer: Callable[[], Any]  # its class, which brings in torch
    rows: Callable[[list[Any]], Sequence[Row]]  # of the items: what the student is to write
    curve: tuple[str, ...] = ()  # what the loss curve keeps beside the loss
