"""The metrics of finished runs, by kind of task, with intervals: sums of what `eval.measures` says of each task."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eval.measures import METRICS, SHARES, Facts, Part, acting, acts
from eval.runs import Run, RunError, Unfinished, read_whole, unfailed
from eval.statistics import LEVEL, RESAMPLES, Estimate, wilson
from react import environments, trajectory
from react._store import Store
from react.trajectory import Trajectory

# In the tables these are written apart from shares.
_FORMS = {"cost": "${:.3g}", "latency": "{:.2f} s", "prompt tokens": "{:.0f}", "completion tokens": "{:.0f}"}
ALL = "all"
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


def finished(folders: Sequence[Path]) -> list[Played]:
    """The finished runs; a line on stderr for each other. RunError: a folder is no run, or none is finished."""
    found, warnings = [], []
    for folder in folders:
        try:
            found.append(played(folder))
        except Unfinished as error:
            warnings.append(f"{error}; left out")
    if not found:
        raise RunError("; ".join(warnings))
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return found


def played(folder: Path) -> Played:
    """The finished run in `folder`, with the seconds of its calls. RunError where there is none."""
    path = folder / "completions.sqlite"
    found = untimed(*read_whole(folder))
    return replace(found, seconds=_seconds(path)) if path.is_file() else found


def untimed(run: Run, tried: Sequence[Trajectory]) -> Played:
    """The episodes of a run, of all its trajectories."""
    return Played(run.name, run.method, run.environment, tuple(unfailed(tried)))


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
    runs: Sequence[Played],
    known: Sequence[Trajectory] = (),
    prices: tuple[float, float] | None = None,
    by_kind: bool = True,
) -> list[Row]:
    """A row for each run over all of its tasks; `by_kind`, followed by those of its kinds, where there are several."""
    fewest = fewest_actions(runs, known)
    return [row for run in runs for row in _rows(run, fewest, prices, by_kind)]


def fewest_actions(runs: Sequence[Played], known: Sequence[Trajectory]) -> dict[str, int]:
    """The fewest actions by which each task is known to be solved: by `known`, or in one of the runs.

    A run counts where no answer is handed in: an answer can be guessed, a household cannot be.
    """
    found: dict[str, int] = {}
    solved = [(one, one.provenance.get("environment")) for one in known if one.solved and acting(one)]
    solved += [(one, run.environment) for run in runs for one in run.tried if one.solved and not one.task.answer]
    for one, environment in solved:
        key = trajectory.fingerprint([one.task])
        found[key] = min(len(acts(one, mishap_of(str(environment)))), found.get(key, sys.maxsize))
    return found


def mishap_of(environment: str) -> Callable[[str], str]:
    """How an environment says what went wrong; of one that does not, and of an unknown one, nothing is known to."""
    found: Callable[[str], str] = _well
    if environment in environments.names():
        found = environments.says(environment, "mishap", _well)
    return found


def _well(observation: str) -> str:
    return ""


def _rows(run: Played, fewest: Mapping[str, int], prices: tuple[float, float] | None, by_kind: bool) -> Iterator[Row]:
    mishap = mishap_of(run.environment)
    parts = [_parts(one, mishap, fewest, run.seconds, prices) for one in run.tried]
    kinds = [one.task.kind for one in run.tried]
    several = sorted({kind for kind in kinds if kind}) if by_kind else []
    for kind in (ALL, *several) if len(several) > 1 else (ALL,):
        some = [part for part, of in zip(parts, kinds, strict=True) if kind in (ALL, of)]
        yield Row(run.name, run.method, kind, len(some), estimates(some))


def _parts(
    tried: Trajectory,
    mishap: Callable[[str], str],
    fewest: Mapping[str, int],
    seconds: Mapping[str, float],
    prices: tuple[float, float] | None,
) -> dict[str, Part]:
    key = trajectory.fingerprint([tried.task])
    facts = Facts(mishap, fewest.get(key), seconds.get(tried.task.id), prices)
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
        size = min(most, RESAMPLES - start)
        tasks = random.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        counts = np.bincount(tasks.ravel(), minlength=size * n).reshape(size, n)
        with np.errstate(invalid="ignore"):  # tasks of which the metric says nothing: no resample
            drawn.append((counts @ values) / (counts @ of))
    return np.nanquantile(np.concatenate(drawn), [0.5 - LEVEL / 2, 0.5 + LEVEL / 2], axis=0)


def words(name: str, estimate: Estimate | None) -> str:
    """An estimate of a metric as a person reads it."""
    if estimate is None:
        return "-"
    form = "{:.3f}" if name in SHARES else _FORMS.get(name, "{:.1f}")
    return f"{form.format(estimate.value)} [{form.format(estimate.low)}, {form.format(estimate.high)}]"
