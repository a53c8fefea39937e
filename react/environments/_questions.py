"""What the environments that ask have in common: splits of files, the fields of a record, and the paper's panel.

A split is named by files, globs, or data sets of the Hugging Face hub (`_hub.py`), one or a list::

    {"train": "fever/train.jsonl", "dev": ["part-1.jsonl", "part-2.jsonl"]}
    {"dev": "hf://hotpotqa/hotpot_qa?config=fullwiki"}

Its order is that of the files' names (their bytes), and in a file that of its lines: it depends on the data alone, not
on the order in which files are listed, the file system or the locale.
"""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from react.environments._hub import HUB, Layout, fetched
from react.environments.wikipedia.sources import Paths, files, records
from react.mistakes import nearest
from react.trajectory import Task

Record = Mapping[str, Any]
_EMBEDDED = Path(__file__).resolve().parents[2] / "data"

# ReAct@6bdb3a1 hotpotqa.ipynb and FEVER.ipynb: both take 500 of the 7,405 questions of HotpotQA's dev set.
_DRAWN_FROM, _DRAWN, _SEED = 7405, 500, 233


class Questions:
    """The tasks of each split, read when they are first asked for. `files` are those of all splits."""

    def __init__(
        self, splits: Mapping[str, Paths | None], layout: Layout, task_of: Callable[[Record, str], Task]
    ) -> None:
        named = {name: _named(paths) for name, paths in splits.items() if paths is not None}
        self._splits = {name: _files(sources, name, layout) for name, sources in named.items()}
        self._data = {name: data_of(sources) for name, sources in named.items()}
        self._task_of = task_of
        self._tasks: dict[str, tuple[Task, ...]] = {}

    @property
    def files(self) -> list[Path]:
        return [path for paths in self._splits.values() for path in paths]

    @property
    def held_out(self) -> list[str]:
        return [split for split in self._splits if split != "train"]

    def data(self, split: str) -> str:
        """`embedded`, or the names of what the tasks of a split are read from."""
        return self._data[split]

    def tasks(self, split: str) -> Sequence[Task]:
        """The tasks of a split in its order. ValueError names the splits there are, or the file, the line and what is
        wrong there."""
        if split not in self._splits:
            raise ValueError(f"no split {split!r}; {nearest(split, list(self._splits))}")
        if split not in self._tasks:
            self._tasks[split] = tuple(_read(self._splits[split], split, self._task_of))
        return self._tasks[split]


def data_of(paths: Paths) -> str:
    """`embedded` for the project's own data; else the names of files, and data sets of the hub, as they were given."""
    listed = [str(path) for path in (paths if isinstance(paths, list | tuple) else [paths])]
    if all(not path.startswith(HUB) and Path(path).resolve().is_relative_to(_EMBEDDED) for path in listed):
        return "embedded"
    names = sorted(path if path.startswith(HUB) else Path(path).name for path in listed)
    return ", ".join(names) if len(names) < 4 else f"{names[0]} to {names[-1]}, {len(names)} files"


def _named(paths: Paths) -> list[str]:
    """The data sets of the hub that are named, and the files."""
    listed: Sequence[Any] = paths if isinstance(paths, list | tuple) else [paths]
    hosted = [path for path in listed if isinstance(path, str) and path.startswith(HUB)]
    local = [path for path in listed if path not in hosted]
    return hosted + (list(map(str, files(local))) if local or not hosted else [])


def _files(sources: Iterable[str], split: str, layout: Layout) -> list[Path]:
    found = [fetched(source, split, layout) if source.startswith(HUB) else Path(source) for source in sources]
    return sorted(found, key=lambda path: (os.fsencode(path.name), os.fsencode(path)))


def _read(paths: Iterable[Path], split: str, task_of: Callable[[Record, str], Task]) -> list[Task]:
    """A task without an id is called by its split and its index, from 0, as the reference does."""
    tasks: list[Task] = []
    places: dict[str, str] = {}
    for path in paths:
        for place, record in records(path):
            try:
                task = task_of(record, f"{split}-{len(tasks)}")
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{place}: {error}") from None
            if task.id in places:
                raise ValueError(f"{place}: the id {task.id!r} was already taken at {places[task.id]}")
            places[task.id] = place
            tasks.append(task)
    if not tasks:
        raise ValueError(f"no tasks for {split!r} in {', '.join(map(str, paths))}")
    return tasks


def text(record: Record, field: str) -> str:
    """A field that must hold a text. ValueError says what it holds instead."""
    value = record.get(field)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"`{field}` must be a text, not {value!r}" if field in record else f"`{field}` is missing")
    value.encode()  # half a surrogate pair is refused here, where its place is known
    return value


def label(record: Record, field: str) -> str | int:
    """A field that says of what kind a task is: a text or a whole number. ValueError says what it holds instead."""
    value = record[field]
    if not isinstance(value, str | int):
        raise ValueError(f"`{field}` must be a text or a whole number, not a {type(value).__name__}")
    str(value).encode()
    return value


def identity(record: Record, default: str, *fields: str) -> str:
    """The id of a record, a text or a whole number in the first of `fields` that is there."""
    field = next((field for field in fields if field in record), "")
    if isinstance(record.get(field), int) and not isinstance(record[field], bool):
        return str(record[field])
    return text(record, field) if field else default


def paper_panel(tasks: Sequence[Task], known: str, name: str) -> list[int]:
    """The indices, among the tasks of a dev set, of the 500 that the paper's numbers are made of.

    ValueError where they are not those whose `fingerprint` is `known`: the dev set is not the one called `name`.
    """
    if len(tasks) < _DRAWN_FROM:
        raise ValueError(
            f"the paper's panel is drawn from {_DRAWN_FROM:,} tasks of {name}, and there are {len(tasks):,}"
        )
    panel = drawn()
    if fingerprint(tasks[index].question for index in panel) != known:
        raise ValueError(f"the paper's panel is drawn from {name}, and these tasks are others, or in another order")
    return panel


def drawn() -> list[int]:
    """What the reference draws. FEVER's come from the first 7,405 claims too, although `paper_dev` has 9,999: its code
    kept the number."""
    order = list(range(_DRAWN_FROM))
    random.Random(_SEED).shuffle(order)
    return order[:_DRAWN]


def fingerprint(questions: Iterable[str]) -> str:
    """Of texts in their order, whatever their ids are and however they are spaced: several editions have the same."""
    told = "\n".join(" ".join(question.split()) for question in questions)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
