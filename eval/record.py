"""Run folders -> a `Report`: all that a report says, before it is a page, a table of numbers or LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from eval.compare import Pair, ordered, paired, warnings_on
from eval.pools import Pool, pools
from eval.rates import Played, Row, played, rows
from eval.reference import Reference, references
from eval.runs import Run, RunError, Unfinished, read


@dataclass(frozen=True)
class Report:
    """Runs in their order, those of one cell as pools too, the claims, what others reported, what to beware of, how
    each run went about all of its tasks, and the folder of each run by its name."""

    runs: Sequence[Run]
    pools: Sequence[Pool]
    pairs: Sequence[Pair]
    references: Sequence[Reference]
    warnings: Sequence[str]
    rates: Sequence[Row] = ()
    folders: Mapping[str, Path] = field(default_factory=dict)


def report_of(folders: Sequence[Path], claims: Sequence[str] = ("conditions",)) -> Report:
    """What the runs in `folders` say. A folder of run folders stands for them. RunError: one is none, or none is
    finished."""
    there = list(expanded(folders))
    runs, unfinished, found = finished(there)
    pairs, refused = paired(runs, claims)
    environments = sorted({run.environment for run in runs})
    published = [row for environment in environments for row in references(environment)]
    warnings = [*unfinished, *warnings_on(runs), *refused]
    return Report(runs, pools(runs), pairs, published, warnings, _rates(there, runs), found)


def _rates(folders: Sequence[Path], runs: Sequence[Run]) -> list[Row]:
    """How the runs went about all of their tasks, in the order of the runs."""
    tried: list[Played] = []
    for folder in folders:
        with suppress(Unfinished):
            tried.append(played(folder, timed=False))
    found = {row.run: row for row in rows(tried, by_kind=False)}
    return [found[run.name] for run in runs if run.name in found]


def expanded(folders: Sequence[Path]) -> Iterator[Path]:
    """The run folders: a folder without a summary, in which folders with settings lie, stands for those."""
    for folder in folders:
        inside = [] if (folder / "summary.json").exists() else sorted(folder.glob("*/config.yaml"))
        yield from [path.parent for path in inside] or [folder]


def finished(folders: Sequence[Path]) -> tuple[list[Run], list[str], dict[str, Path]]:
    """The finished runs, a warning for each that is not, and where each is. RunError where a folder is no run, or none
    is finished."""
    runs, warnings, found = [], [], {}
    for folder in folders:
        try:
            runs.append(read(folder))
            found[runs[-1].name] = folder
        except Unfinished as error:
            warnings.append(f"{error}; left out")
    if not runs:
        raise RunError("; ".join(warnings))
    return ordered(runs), warnings, found
