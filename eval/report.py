"""python -m eval.report runs/eval/*: prompted against finetuned, as a table, a page, a figure, and numbers.

Writes `report.md`, `figure.png`, `report.csv` and `report.json` into `runs/report`, and the tables to the terminal.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from eval.page import page, tables
from eval.runs import Run, RunError, read
from eval.statistics import Comparison, compare, holm
from react.config import mistakes
from react.methods import METHODS


@dataclass(frozen=True)
class Pair:
    """Two runs of one method over the same questions. `p` is corrected for the number of pairs in the report (Holm)."""

    method: str
    prompted: str
    finetuned: str
    result: Comparison
    p: float = 1.0


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m eval.report", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="RUN", help="run folders, such as runs/eval/*")
    parser.add_argument("--output", type=Path, default=Path("runs/report"), help="folder to write to: %(default)s")
    chosen = parser.parse_args(args)
    with mistakes(RunError, OSError):
        runs = ordered([read(folder) for folder in chosen.folders])
        pairs, warnings = paired(runs), warnings_on(runs)
        write(chosen.output, runs, pairs, warnings)
    print(tables(runs, pairs))
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"Written: {chosen.output / 'report.md'}, figure.png, report.csv, report.json")


def ordered(runs: Sequence[Run]) -> list[Run]:
    """Prompted before finetuned, then the paper's order of methods. RunError: two runs have one name."""
    names = [run.name for run in runs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise RunError(f"two runs are called {twice[0]!r}; a name is a run's label in the report")
    place = list(METHODS).index
    return sorted(runs, key=lambda run: (run.environment, not run.shots, run.model, place(run.method), run.name))


def paired(runs: Sequence[Run]) -> list[Pair]:
    """Each prompted run with each finetuned run of its method and environment, where they have tasks in common."""
    found = []
    for one, other in product(runs, runs):
        if not (one.shots and not other.shots and one.method == other.method):
            continue
        if one.environment_fingerprint != other.environment_fingerprint:
            continue  # `warnings_on` says so
        if result := compare(one.solved, other.solved):
            found.append(Pair(one.method, one.name, other.name, result))
    found.sort(key=lambda pair: list(METHODS).index(pair.method))
    corrected = holm([pair.result.p for pair in found])
    return [replace(pair, p=p) for pair, p in zip(found, corrected, strict=True)]


def warnings_on(runs: Sequence[Run]) -> list[str]:
    """What makes rows hard to compare: other panels, other environments, other settings, failures."""
    found = []
    for environment in sorted({run.environment for run in runs}):
        here = [run for run in runs if run.environment == environment]
        found += _differing(
            here, "environment_fingerprint", f"runs were made in different states of {environment}, and are not paired"
        )
        found += _differing(here, "panel_fingerprint", "panels differ; pairs are made of the tasks in common")
        found += _differing(here, "max_tokens", "max_tokens differs")
        found += _differing(here, "temperature", "temperature differs")
    for run in runs:
        if run.n_failed:
            share = f"{run.n_failed} of {run.n + run.n_failed} episodes"
            found.append(f"{run.name}: the infrastructure failed {share}; they are in no score")
    return found


def _differing(runs: Sequence[Run], key: str, words: str) -> list[str]:
    groups: dict[str, list[str]] = {}
    for run in runs:
        groups.setdefault(str(getattr(run, key)), []).append(run.name)
    said = "; ".join(f"{value}: {', '.join(names)}" for value, names in groups.items())
    return [f"{words} ({said})"] if len(groups) > 1 else []


def write(output: Path, runs: Sequence[Run], pairs: Sequence[Pair], warnings: Sequence[str]) -> None:
    """The page, its figure, and the numbers for other programs."""
    from eval.figure import draw

    output.mkdir(parents=True, exist_ok=True)
    draw(runs, output / "figure.png")
    (output / "report.md").write_text(page(runs, pairs, warnings), encoding="utf-8")
    numbers = {
        "runs": [_record(run) for run in runs],
        "pairs": [asdict(pair) for pair in pairs],
        "warnings": list(warnings),
    }
    (output / "report.json").write_text(json.dumps(numbers, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    rows = [_flat(_record(run)) for run in runs]
    with (output / "report.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)), restval="")
        writer.writeheader()
        writer.writerows(rows)


def _record(run: Run) -> dict[str, Any]:
    kept = {f.name: getattr(run, f.name) for f in fields(run) if f.name != "solved"}
    estimates = {key: asdict(value) for key in ("em", "f1", "reward") if (value := kept[key])}
    return {"condition": run.condition, **kept, **estimates}


def _flat(record: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Nested records as columns: em.value, em.low, ..."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        flat |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value}
    return flat


if __name__ == "__main__":
    main()
