"""python -m eval.grid --config configs/grid/demo.yaml: all cells of a grid, and their report.

Writes into `runs/grid/<name>/` a run folder for each cell, as `python -m eval` does, and `report/`. A model is loaded
once for the cells that follow one another, an environment once for all, and back-offs take the calls that their parts
made. The same command continues a stopped grid, skips what is finished, and tries again what failed. A cell that cannot
be is named with its rule; one that fails leaves the others, and the status is 2 in the end. `--check` tells the cells.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic

from eval.cells import Cell, Grid, cells
from eval.evaluate import Asked, entered, played
from eval.page import table
from eval.report import made
from eval.runs import RunError, Unfinished, read, settings
from eval.summary import words
from react import models
from react.config import parse
from react.mistakes import LOADING, RUNNING, Mistake, mistakes, plain
from react.models import Completion, Model, ModelConfig, ModelError, Request
from react.models.scripted import refuse_others
from react.rollout import Outage
from react.run_folder import agree, enter
from react.signals import endable


@dataclass(frozen=True)
class Planned:
    """A cell with its panel; without one where a rule leaves it out."""

    cell: Cell
    asked: Asked | None

    @property
    def name(self) -> str:
        return self.cell.name

    @property
    def folder(self) -> Path:
        return self.cell.job.folder


@dataclass(frozen=True)
class State:
    """How far a cell is: `left out`, `no model`, `refused`, `finished`, `begun` or `to do`; and more words on it."""

    what: str
    told: str = ""


def main(args: list[str] | None = None) -> None:
    """The command."""
    with endable(), ExitStack() as held:
        with mistakes(*LOADING):
            (grid,) = parse((Grid,), __doc__ or "", args, _tell)
            plan = planned(grid)
            held.callback(os.close, enter(grid.folder, grid))
        with mistakes(*RUNNING, RunError, Outage):
            failed = run(plan)
            if finished := [one.folder for one in plan if (one.folder / "summary.json").is_file()]:
                made(finished, grid.folder / "report", grid.claims)
            if failed:
                told = "\n".join(f"  {name}: {plain(why)}" for name, why in failed.items())
                raise Outage(f"{len(failed)} of {len(plan)} cells failed; the same command tries them again:\n{told}")


def planned(grid: Grid) -> list[Planned]:
    """Every cell, with all opened but the models. Mistake names the one whose settings are wrong."""
    found = []
    for cell in cells(grid):
        try:
            asked = None if cell.without else Asked.of(cell.job, cell.scene, cell.model, cell.environment)
        except Mistake as error:
            raise Mistake(f"cell {cell.name}: {error}") from None
        found.append(Planned(cell, asked))
    return found


def stated(one: Planned) -> State:
    """How far a cell is, as its folder says, without a model."""
    if not one.asked:
        return State("left out", one.cell.without)
    try:
        known = models.fingerprint(one.asked.config) or _recorded(one.folder)
    except (ValueError, OSError) as error:
        return State("no model", plain(str(error)))
    prints = {"model_fingerprint": known, **one.asked.staged.prints(one.asked.panel)}
    try:
        agree(one.folder, one.asked.job, one.asked.scene, one.asked.config, derived=prints)
        found = read(one.folder)
    except (Mistake, Unfinished, RunError) as error:
        if isinstance(error, Mistake):
            return State("refused", plain(str(error)))
        begun = one.folder / "trajectories.jsonl"
        return State("begun", f"{_lines(begun)} of {len(one.asked.panel)}") if begun.exists() else State("to do")
    if found.n < len(one.asked.panel):
        return State("begun", f"{found.n} of {len(one.asked.panel)}, {found.n_failed} failed")
    return State("finished", f"{found.metric} {words(asdict(found.em))}" if found.em else "")


def _recorded(folder: Path) -> str:
    """The fingerprint that a cell was made with, where only a loaded model could say it."""
    said = settings(folder)
    return str(said.get("model_fingerprint", ""))


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _tell(grid: Grid) -> None:
    """Prints the cells and how far they are, and ends the program."""
    states = {one.name: stated(one) for one in planned(grid)}
    there = {name: state for name, state in states.items() if state.what != "left out"}
    if there:
        print(table([{"cell": name, "state": state.what, "": state.told} for name, state in there.items()]) + "\n")
    print("\n".join([*_left_out(states), f"{_counted(states.values())}; in {grid.folder}"]))
    raise SystemExit(0)


def _left_out(states: Mapping[str, State]) -> list[str]:
    """The cells that rules leave out, a line a rule."""
    rules: dict[str, list[str]] = {}
    for name, state in states.items():
        if state.what == "left out":
            rules.setdefault(state.told, []).append(name)
    return [f"left out, {rule}: {', '.join(names)}" for rule, names in rules.items()]


def _counted(states: Iterable[State]) -> str:
    return ", ".join(f"{n} {what}" for what, n in Counter(state.what for state in states).items())


def run(plan: Sequence[Planned]) -> dict[str, str]:
    """Plays all that is not finished; why cells failed, by their names. What is left out is said."""
    states = {one.name: stated(one) for one in plan}
    print("\n".join([*_left_out(states), f"{len(plan)} cells: {_counted(states.values())}"]), file=sys.stderr)
    todo = [one for one in plan if states[one.name].what not in ("left out", "refused", "finished")]
    failed = {name: state.told for name, state in states.items() if state.what == "refused"}
    with closing(Loaded()) as loaded:
        for at, one in enumerate(todo, 1):
            assert one.asked
            if why := _played(one.asked, loaded, f"{one.name} ({at} of {len(todo)})"):
                failed[one.name] = why
                loaded.close()  # it may be what failed
    return failed


class Loaded:
    """The model of the last cell, for as long as the next ones have the same."""

    def __init__(self) -> None:
        self._config: ModelConfig | None = None
        self._model: Model | None = None

    def model(self, config: ModelConfig) -> Model:
        """The model of these settings; the one before is closed if it is another. ValueError as of `models.load`."""
        if self._model is None or self._config != config:
            self.close()
            self._model = models.load(config)
            self._config = config
        return Lent(self._model)

    def close(self) -> None:
        """May be called twice."""
        if self._model:
            self._model.close()
        self._config = self._model = None


@dataclass(frozen=True)
class Lent:
    """A model whose user may close it, which leaves it open for the next."""

    lender: Model

    @property
    def name(self) -> str:
        return self.lender.name

    @property
    def fingerprint(self) -> str:
        return self.lender.fingerprint

    def complete(self, request: Request) -> list[Completion]:
        return self.lender.complete(request)

    def close(self) -> None:
        """Nothing: the lender is not the user's."""


def _played(asked: Asked, loaded: Loaded, title: str) -> str:
    """Plays a cell to its end, and says what came of it in a line; why it failed, or an empty text."""
    asked = replace(asked, job=replace(asked.job, reuse=[folder for folder in asked.job.reuse if _has_calls(folder)]))
    began = monotonic()
    with ExitStack() as held:
        try:
            model = loaded.model(asked.config)
            refuse_others(model.lender if isinstance(model, Lent) else model, asked.panel)
            files = entered(asked, model, held)
        except (*LOADING, ModelError) as error:
            return _why(error)
        try:
            summary, _ = played(asked, files, title)
        except (*RUNNING, Outage) as error:
            return _why(error)
        except Exception as error:  # a bug, which shall not cost the other cells
            traceback.print_exc()
            return _why(error)
    seconds = monotonic() - began
    score = f"{summary['metric']} {words(summary['em'])}" if summary["em"] else "no episode finished"
    print(f"{title}: {score}, {summary['n']} tasks, {seconds:.0f} s")
    if summary["n_failed"]:
        return f"{summary['n_failed']} of {len(asked.panel)} episodes failed: {summary['failure_examples'][0]}"
    return ""


def _has_calls(folder: str) -> bool:
    """Whether a part of a back-off came so far as to have a record; where it failed before, its calls are made here."""
    return (Path(folder) / "completions.sqlite").is_file()


def _why(error: Exception) -> str:
    return plain(f"{type(error).__name__}: {error}" if not isinstance(error, Mistake) else str(error))


if __name__ == "__main__":
    main()
