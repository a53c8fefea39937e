"""A grid and its cells: models x environments x shots x prompt sets x seeds x methods, each an ordinary evaluation.

    methods: [standard, react]
    models:
      prompted: {model: smollm2}
      student: {model: runs/train/demo_own/checkpoint, shots: 0, only: [react], environments: [questions]}
    environments:
      questions: {environment: hotpotqa, split: dev, limit: 24, shots: 6}

makes `prompted-questions-standard-6shots`, `prompted-questions-react-6shots` and `student-questions-react-0shots`. A
cell's settings are those of `settings`, of its environment and of its model, of which the last that says one wins.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from eval.compare import CLAIMS
from eval.job import EvalConfig
from react import environments, exemplars
from react.config import fit, setting
from react.environments import Environment
from react.methods import METHODS, BackOff, Vote, find
from react.mistakes import Mistake, choose, nearest
from react.models import ModelConfig
from react.run_folder import CREDENTIALS, folder_name
from react.scene import Scene, Staged

PARTS = (EvalConfig, Scene, ModelConfig)
# What a section cannot say, because it follows from the cell.
OURS = ("name", "output", "method", "reuse", "prompt_set", "seed")


@dataclass(frozen=True)
class Grid:
    """Which cells there are. A grid may grow: what its cells are bound to is in their own folders."""

    PACE: ClassVar = frozenset(
        {"methods", "models", "environments", "shots", "prompt_sets", "seeds", "settings", "claims"}
    )

    name: str = setting("demo", "the folder is <output>/<name>, with a run folder for each cell, and the report")
    output: str = setting("runs/grid", "where such folders lie")
    methods: list[str] = setting([], ", ".join(METHODS))
    models: dict[str, Any] = setting({}, "settings by name; `only`: methods, `environments`: names that it is for")
    environments: dict[str, Any] = setting({}, "settings by name: environment, its options, split, panel, limit, shots")
    shots: list[int] = setting([6], "numbers of exemplars, where neither the model nor the environment says them")
    prompt_sets: list[int] = setting([0], "several are told as their average and their best")
    seeds: list[int] = setting([0], "of samples; several are told as their average")
    settings: dict[str, Any] = setting({}, "of all cells, such as concurrency, max_tokens, samples")
    claims: list[str] = setting(["conditions"], f"what the report tests: {', '.join(CLAIMS)}")

    def __post_init__(self) -> None:
        folder_name(self.name)
        for method in self.methods:
            find(method)
        for claim in self.claims:
            choose("claim", claim, list(CLAIMS))
        for what in ("methods", "models", "environments", "shots", "prompt_sets", "seeds", "claims"):
            values = list(getattr(self, what))
            if not values:
                raise ValueError(f"{what} is empty; a grid has at least one of them")
            if twice := [value for value in values if values.count(value) > 1]:
                raise ValueError(f"{what} holds {twice[0]!r} twice")
        for name in (*self.models, *self.environments):
            folder_name(name)

    @property
    def folder(self) -> Path:
        return Path(self.output) / self.name


@dataclass(frozen=True)
class Cell:
    """One evaluation. `without` says by which rule it is left out; empty where it is not."""

    job: EvalConfig
    scene: Scene
    model: ModelConfig
    environment: Environment
    without: str = ""

    @property
    def name(self) -> str:
        return self.job.name


def cells(grid: Grid) -> list[Cell]:
    """All cells, in an order in which one model follows itself, and what a back-off is made of comes before it.

    Mistake names the section and the key that is wrong. An environment is opened once.
    """
    made: list[Cell] = []
    opened: dict[str, Environment] = {}
    for model, place in product(grid.models, grid.environments):
        there = _settings(grid, model, place)
        for (shots, prompt_set, seed), method in product(_axes(grid, there), _ordered(grid.methods)):
            name = _name(model, place, method, shots, prompt_set, seed)
            own = {"name": name, "output": str(grid.folder), "method": method, "shots": shots}
            values = {**there, **own, "prompt_set": prompt_set, "seed": seed}
            job, scene, config = (_part(part, values, f"cell {name}") for part in PARTS)
            key = f"{scene.environment} {sorted(scene.environment_options.items())!r}"
            if key not in opened:
                opened[key] = environments.load(scene.environment, scene.environment_options)
            cell = Cell(job, scene, config, opened[key], _without(grid, model, place, job, scene, opened[key]))
            made.append(dataclasses.replace(cell, job=dataclasses.replace(job, reuse=_reused(cell, made))))
    return made


def _ordered(methods: Sequence[str]) -> list[str]:
    """As in `METHODS`, where a method comes after those that it is made of."""
    asked = [method.lower() for method in methods]
    return [method for method in METHODS if method in asked]


def _axes(grid: Grid, settings: Mapping[str, Any]) -> Iterator[tuple[int, int, int]]:
    shots = settings.get("shots", grid.shots)
    return product(shots if isinstance(shots, list) else [shots], grid.prompt_sets, grid.seeds)


def _name(model: str, place: str, method: str, shots: int, prompt_set: int, seed: int) -> str:
    more = (f"-set{prompt_set}" if prompt_set else "") + (f"-seed{seed}" if seed else "")
    return f"{model}-{place}-{method}-{shots}shots{more}"


def _settings(grid: Grid, model: str, place: str) -> dict[str, Any]:
    """What a cell of these is told. Mistake: a section holds what is no setting."""
    sections = {
        "settings": grid.settings,
        f"environments: {place}": grid.environments[place],
        f"models: {model}": grid.models[model],
    }
    known = {field.name for part in PARTS for field in dataclasses.fields(part)} - {*OURS}
    merged: dict[str, Any] = {}
    for section, said in sections.items():
        if not isinstance(said, dict):
            raise Mistake(f"{section}: {said!r} must hold settings, such as {{limit: 24}}")
        for key, value in said.items():
            if key in OURS:
                raise Mistake(f"{section} holds {key!r}, which follows from the cell; leave it out")
            if key not in known | ({"only", "environments"} if section.startswith("models") else set()):
                raise Mistake(f"{section}: unknown key {key!r}; {nearest(str(key), sorted(known))}")
            if CREDENTIALS.search(str(value)):
                raise Mistake(f"{section}: {key} has a name or a password in a URL; api_key_env names where the key is")
            merged[key] = value
    return {key: value for key, value in merged.items() if key in known}


def _part(part: type[Any], values: Mapping[str, Any], place: str) -> Any:
    """One of a cell's three parts; Mistake names the cell and the value."""
    hints = typing.get_type_hints(part)
    names = [field.name for field in dataclasses.fields(part) if field.name in values]
    fitted = {name: fit(values[name], hints[name], f"{place}: {name}") for name in names}
    try:
        return part(**fitted)
    except ValueError as error:
        raise Mistake(f"{place}: {error}") from None


def _without(grid: Grid, model: str, place: str, job: EvalConfig, scene: Scene, environment: Environment) -> str:
    """By which rule there is no such cell."""
    said = grid.models[model]
    only, where = _names(said, "only", model, list(METHODS)), _names(said, "environments", model, grid.environments)
    shots = exemplars.load(Path(scene.exemplars) if scene.exemplars else exemplars.of(scene.environment))
    known, there = Staged(scene, environment, shots).methods(), len(shots.examples)
    greedy = not job.temperature and not isinstance(find(scene.method), Vote | BackOff)
    rules = {
        f"{model} is for {', '.join(only)} only": scene.method not in only,
        f"{model} is for {', '.join(where)} only": place not in where,
        f"{scene.environment} has no {METHODS[scene.method].title}": scene.method not in known,
        f"{scene.environment} has {there} exemplars": scene.shots > there,
        "without exemplars there are no prompt sets": not scene.shots and scene.prompt_set != grid.prompt_sets[0],
        "greedy, so that a seed changes nothing": greedy and scene.seed != grid.seeds[0],
    }
    return next((why for why, holds in rules.items() if holds), "")


def _names(said: Mapping[str, Any], key: str, model: str, known: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """What a model is restricted to; all where it says nothing."""
    if key not in said:
        return list(known)
    names: list[str] = fit(said[key], list[str], f"models: {model}: {key}")
    return [choose(f"name in models: {model}: {key}:", name, list(known)) for name in names]


def _reused(cell: Cell, before: Sequence[Cell]) -> list[str]:
    """The folders of earlier cells whose calls a back-off makes again: of its parts, and of the other back-off."""
    method = find(cell.scene.method)
    if cell.without or not isinstance(method, BackOff):
        return []
    parts = {method.first.name, method.then.name}
    return [
        str(other.job.folder)
        for other in before
        if not other.without
        and (other.scene.method in parts or isinstance(find(other.scene.method), BackOff))
        and dataclasses.replace(other.scene, method=cell.scene.method) == cell.scene
        and (other.model, other.job.panel, other.job.split) == (cell.model, cell.job.panel, cell.job.split)
    ]
