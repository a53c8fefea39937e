"""python -m eval.report runs/eval/*: prompted against finetuned, as a table, a page, a figure, and numbers.

Writes `report.md`, `figure.png`, `report.csv` and `report.json` into `runs/report`, and the tables to the terminal.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from eval.compare import Pair, ordered, paired, warnings_on
from eval.page import page, tables
from eval.runs import Run, RunError, Unfinished, read
from react.mistakes import mistakes


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m eval.report", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="RUN", help="run folders, such as runs/eval/*")
    parser.add_argument("--output", type=Path, default=Path("runs/report"), help="folder to write to: %(default)s")
    chosen = parser.parse_args(args)
    with mistakes(RunError, OSError):
        runs, unfinished = finished(chosen.folders)
        pairs, warnings = paired(runs), [*unfinished, *warnings_on(runs)]
        write(chosen.output, runs, pairs, warnings)
    print(tables(runs, pairs))
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"Written: {chosen.output / 'report.md'}, figure.png, report.csv, report.json")


def finished(folders: Sequence[Path]) -> tuple[list[Run], list[str]]:
    """The finished runs, and a warning for each that is not. RunError where a folder is no run, or none is finished."""
    runs, warnings = [], []
    for folder in folders:
        try:
            runs.append(read(folder))
        except Unfinished as error:
            warnings.append(f"{error}; left out")
    if not runs:
        raise RunError("; ".join(warnings))
    return ordered(runs), warnings


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
    kept = {f.name: getattr(run, f.name) for f in fields(run) if f.name not in ("solved", "rewards")}
    estimates = {key: asdict(value) for key in ("em", "f1", "reward", "score") if (value := kept[key])}
    return {"condition": run.condition, **kept, **estimates}


def _flat(record: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Nested records as columns: em.value, em.low, ..."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        flat |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value}
    return flat


if __name__ == "__main__":
    main()
