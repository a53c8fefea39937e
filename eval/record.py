"""Run folders -> a `Report`: all that a report says, before it is a page, a table of numbers or LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eval.compare import Pair, ordered, paired, warnings_on
from eval.pools import Pool, pools
from eval.rates import Row, rows, untimed
from eval.reference import Reference, references
from eval.runs import Run, RunError, Unfinished, read_whole
from react.trajectory import Trajectory


@dataclass(frozen=True)
class Report:
    """Runs in their order, those of one cell as pools too, the claims, what others reported, what to beware of, how
    each run went about all of its tasks; and by its name the folder of each run, and all of its trajectories."""

    runs: Sequence[Run]
    pools: Sequence[Pool]
    pairs: Sequence[Pair]
    references: Sequence[Reference]
    warnings: Sequence[str]
    rates: Sequence[Row] = ()
    folders: Mapping[str, Path] = field(default_factory=dict)
    tried: Mapping[str, Sequence[Trajectory]] = field(default_factory=dict)


def report_of(folders: Sequence[Path], claims: Sequence[str] = ("conditions",)) -> Report:
    """What the runs in `folders` say. A folder of run folders stands for them. RunError: one is none, or none is
    finished."""
    found, unfinished = _finished(expanded(folders))
    runs = ordered([run for run, _, _ in found])
    pairs, refused = paired(runs, claims)
    environments = sorted({run.environment for run in runs})
    tried = {run.name: tried for run, tried, _ in found}
    return Report(
        runs=runs,
        pools=pools(runs),
        pairs=pairs,
        references=[row for environment in environments for row in references(environment)],
        warnings=[*unfinished, *warnings_on(runs), *refused],
        rates=rows([untimed(run, tried[run.name]) for run in runs], by_kind=False),
        folders={run.name: folder for run, _, folder in found},
        tried=tried,
    )


def expanded(folders: Sequence[Path]) -> Iterator[Path]:
    """The run folders: a folder without a summary, in which folders with settings lie, stands for those."""
    for folder in folders:
        inside = [] if (folder / "summary.json").exists() else sorted(folder.glob("*/config.yaml"))
        yield from [path.parent for path in inside] or [folder]


def _finished(folders: Iterable[Path]) -> tuple[list[tuple[Run, list[Trajectory], Path]], list[str]]:
    """The finished runs with their trajectories and where each is, and a warning for each that is not finished.
    RunError where a folder is no run, or none is finished."""
    found, warnings = [], []
    for folder in folders:
        try:
            found.append((*read_whole(folder), folder))
        except Unfinished as error:
            warnings.append(f"{error}; left out")
    if not found:
        raise RunError("; ".join(warnings))
    return found, warnings
