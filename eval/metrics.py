"""python -m eval.metrics runs/eval/*: how runs went about their tasks, by kind of task; see docs/metrics.md.

Prints a table of the metrics with 95% intervals, and writes all of them to `metrics.csv` in `runs/report`.
"""

from __future__ import annotations

import argparse
import csv
import math
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.measures import MEANS, METRICS, SHARES, Facts, Part, acting, acts
from eval.page import table as markdown
from eval.runs import RunError, Unfinished, read
from eval.statistics import LEVEL, RESAMPLES, Estimate, wilson
from react import environments, trajectory
from react._store import Store
from react.methods import METHODS
from react.mistakes import mistakes
from react.trajectory import Trajectory

ALL = "all"
# In the tables these are written apart from shares.
_FORMS = {"cost": "${:.3g}", "latency": "{:.2f} s", "prompt tokens": "{:.0f}", "completion tokens": "{:.0f}"}
_AT_ONCE = 2_000_000  # numbers of resamples that are held at a time


@dataclass(frozen=True)
class Played:
    """The episodes of a run that the infrastructure did not fail. `seconds` are of its calls, by task."""

    name: str
    method: str
    environment: str
    tried: tuple[Trajectory, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """The metrics of one run, over its tasks of one kind or over all; None where a metric says nothing of them."""

    run: str
    method: str
    kind: str
    n: int
    metrics: Mapping[str, Estimate | None]


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m eval.metrics", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="RUN", help="run folders, such as runs/eval/*")
    told = "US dollars for a million tokens of each: adds the cost"
    names = ("PROMPT", "COMPLETION")
    parser.add_argument("--usd_per_million", nargs=2, type=_price, metavar=names, help=told)
    told = "JSONL file of trajectories that solve the tasks, such as an expert's: with how few actions it can be done"
    parser.add_argument("--known", nargs="*", default=[], type=Path, metavar="FILE", help=told)
    parser.add_argument("--output", type=Path, default=Path("runs/report"), help="folder to write to: %(default)s")
    chosen = parser.parse_args(args)
    with mistakes(RunError, OSError, sqlite3.Error, trajectory.RecordError):
        known = [one for file in chosen.known for one in trajectory.read(file)]
        found = rows(_finished(chosen.folders), known, chosen.usd_per_million and tuple(chosen.usd_per_million))
        write(chosen.output, found)
    print(table(found))
    print(f"Written: {chosen.output / 'metrics.csv'}")


def _price(text: str) -> float:
    if not 0 <= (price := float(text)) < math.inf:
        raise ValueError
    return price


def _finished(folders: Sequence[Path]) -> list[Played]:
    found = []
    for folder in folders:
        try:
            found.append(played(folder))
        except Unfinished as error:
            print(f"warning: {error}; left out")
    if not found:
        raise RunError("no run is finished")
    return found


def played(folder: Path) -> Played:
    """The finished run in `folder`. RunError where there is none."""
    run = read(folder)
    path = folder / "completions.sqlite"
    tried = [one for one in trajectory.read(folder / "trajectories.jsonl") if one.end != "failed"]
    tried = list({trajectory.fingerprint([one.task]): one for one in tried}.values())
    return Played(run.name, run.method, run.environment, tuple(tried), _seconds(path) if path.is_file() else {})


def _seconds(path: Path) -> dict[str, float]:
    """What the calls of each task took together. A session is `task#attempt.sample`."""
    store = Store(path, live=False)
    try:
        sessions = store.seconds()
    finally:
        store.close()
    found: dict[str, float] = {}
    for session, seconds in sessions.items():
        task = session.rpartition("#")[0]
        found[task] = found.get(task, 0.0) + seconds
    return found


def rows(
    runs: Sequence[Played], known: Sequence[Trajectory] = (), prices: tuple[float, float] | None = None
) -> list[Row]:
    """A row for each run over all of its tasks, each followed by those of its kinds, where there are several."""
    fewest = fewest_actions(runs, known)
    return [row for run in runs for row in _rows(run, fewest, prices)]


def fewest_actions(runs: Sequence[Played], known: Sequence[Trajectory]) -> dict[str, int]:
    """The fewest actions by which each task is known to be solved: by `known`, or in one of the runs.

    A run counts where no answer is handed in: an answer can be guessed, a household cannot be.
    """
    found: dict[str, int] = {}
    solved = [(one, one.provenance.get("environment")) for one in known if one.solved and acting(one)]
    solved += [(one, run.environment) for run in runs for one in run.tried if one.solved and not one.task.answer]
    for one, environment in solved:
        key = trajectory.fingerprint([one.task])
        found[key] = min(len(acts(one, _mishap(str(environment)))), found.get(key, sys.maxsize))
    return found


def _mishap(environment: str) -> Callable[[str], str]:
    found: Callable[[str], str] = _well
    if environment in environments.names():
        found = environments.says(environment, "mishap", _well)
    return found


def _well(observation: str) -> str:
    return ""


def _rows(run: Played, fewest: Mapping[str, int], prices: tuple[float, float] | None) -> Iterator[Row]:
    parts = [_parts(one, run, fewest, prices) for one in run.tried]
    kinds = [one.task.kind for one in run.tried]
    several = sorted({kind for kind in kinds if kind})
    for kind in (ALL, *several) if len(several) > 1 else (ALL,):
        some = [part for part, of in zip(parts, kinds, strict=True) if kind in (ALL, of)]
        yield Row(run.name, run.method, kind, len(some), estimates(some))


def _parts(
    tried: Trajectory, run: Played, fewest: Mapping[str, int], prices: tuple[float, float] | None
) -> dict[str, Part]:
    key = trajectory.fingerprint([tried.task])
    facts = Facts(_mishap(run.environment), fewest.get(key), run.seconds.get(tried.task.id), prices)
    return {name: metric(tried, facts) for name, metric in METRICS.items()}


def estimates(parts: Sequence[Mapping[str, Part]], seed: int = 0) -> dict[str, Estimate | None]:
    """Each metric of these tasks, with the percentile interval of a bootstrap over them, drawn once for all metrics.

    Where all tasks that a share says something of have the same, the bootstrap would claim certainty: there the
    interval is Wilson's, as if each of these tasks were one trial.
    """
    if not parts:
        return dict.fromkeys(METRICS)
    import numpy as np

    found: dict[str, Estimate | None] = dict.fromkeys(METRICS)
    said = [name for name in METRICS if any(task[name].of for task in parts)]
    values, of = (np.array([[getattr(task[name], key) for name in said] for task in parts]) for key in ("value", "of"))
    lows, highs = _bootstrap(values, of, seed)
    for i, name in enumerate(said):
        speaking = of[:, i] > 0
        value = float(values[:, i].sum() / of[:, i].sum())
        found[name] = Estimate(value, min(value, float(lows[i])), max(value, float(highs[i])))
        if name in SHARES and len(np.unique(values[speaking, i] / of[speaking, i])) == 1:
            found[name] = wilson(value * speaking.sum(), int(speaking.sum()))
    return found


def _bootstrap(values: Any, of: Any, seed: int) -> Any:
    """The ends of the intervals of sums over sums, of tasks (rows) and metrics (columns)."""
    import numpy as np

    random, n = np.random.default_rng(seed), len(values)
    most = max(1, _AT_ONCE // n)
    drawn = []
    for start in range(0, RESAMPLES, most):
        counts = random.multinomial(n, np.full(n, 1 / n), size=min(most, RESAMPLES - start))
        with np.errstate(invalid="ignore"):  # tasks of which the metric says nothing: no resample
            drawn.append((counts @ values) / (counts @ of))
    return np.nanquantile(np.concatenate(drawn), [0.5 - LEVEL / 2, 0.5 + LEVEL / 2], axis=0)


def table(found: Sequence[Row]) -> str:
    """The rows as Markdown: shares, then what an episode takes. A metric that says nothing of any has no column."""
    return "\n\n".join(_table(found, names) for names in (SHARES, MEANS))


def _table(found: Sequence[Row], names: Iterable[str]) -> str:
    columns = [name for name in names if any(row.metrics[name] for row in found)]
    return markdown(
        [
            {"run": row.run, "method": METHODS[row.method].title, "tasks": row.kind, "n": str(row.n)}
            | {name: _words(name, row.metrics[name]) for name in columns}
            for row in found
        ]
    )


def _words(name: str, estimate: Estimate | None) -> str:
    if estimate is None:
        return "-"
    form = "{:.3f}" if name in SHARES else _FORMS.get(name, "{:.1f}")
    return f"{form.format(estimate.value)} [{form.format(estimate.low)}, {form.format(estimate.high)}]"


def write(output: Path, found: Sequence[Row]) -> None:
    """`metrics.csv`: a line for each row and metric."""
    output.mkdir(parents=True, exist_ok=True)
    with (output / "metrics.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("run", "method", "tasks", "n", "metric", "value", "low", "high"))
        for row in found:
            for name, one in row.metrics.items():
                numbers = (one.value, one.low, one.high) if one else ("", "", "")
                writer.writerow((row.run, row.method, row.kind, row.n, name, *numbers))


if __name__ == "__main__":
    main()
