"""python -m eval.report runs/eval/*: runs side by side, as tables, a page, a figure, LaTeX, and numbers.

Writes `report.md`, `report.html`, `figure.png`, `report.tex`, `report.csv`, `claims.csv` and `report.json` into
`runs/report`, and the tables to the terminal. A folder of run folders, such as that of a grid, stands for all of them.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from eval.compare import CLAIMS
from eval.latex import latex
from eval.page import page, tables
from eval.pools import Pool
from eval.record import Report, report_of
from eval.runs import Run, RunError
from react.mistakes import mistakes

FILES = "report.md, report.html, figure.png, report.tex, report.csv, claims.csv, report.json"


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m eval.report", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="RUN", help="run folders, such as runs/eval/*")
    parser.add_argument("--output", type=Path, default=Path("runs/report"), help="folder to write to: %(default)s")
    parser.add_argument(
        "--claims", nargs="+", choices=list(CLAIMS), default=["conditions"], help="what is tested: %(default)s"
    )
    chosen = parser.parse_args(args)
    with mistakes(RunError, OSError):
        made(chosen.folders, chosen.output, chosen.claims)


def made(folders: Sequence[Path], output: Path, claims: Sequence[str] = ("conditions",)) -> Report:
    """The report of some run folders, written and told."""
    report = report_of(folders, claims)
    write(output, report)
    print(tables(report))
    for warning in report.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"Written: {output / 'report.md'}, {FILES.partition(', ')[2]}")
    return report


def write(output: Path, report: Report) -> None:
    """The pages, the figure, and the numbers for other programs."""
    from eval import web
    from eval.figure import draw

    output.mkdir(parents=True, exist_ok=True)
    draw(report.runs, output / "figure.png")
    (output / "report.md").write_text(page(report), encoding="utf-8")
    (output / "report.html").write_text(web.page(report), encoding="utf-8")
    (output / "report.tex").write_text(latex(report), encoding="utf-8")
    numbers = record(report)
    (output / "report.json").write_text(json.dumps(numbers, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _csv(output / "report.csv", numbers["runs"])
    _csv(output / "claims.csv", numbers["pairs"])


def record(report: Report) -> dict[str, Any]:
    """A report as JSON: everything but the items."""
    return {
        "runs": [_run(run) for run in report.runs],
        "pools": [_pool(pool) for pool in report.pools],
        "pairs": [asdict(pair) for pair in report.pairs],
        "rates": [asdict(row) for row in report.rates],
        "references": [asdict(reference) for reference in report.references],
        "warnings": list(report.warnings),
    }


def _run(run: Run) -> dict[str, Any]:
    kept = {f.name: getattr(run, f.name) for f in fields(run) if f.name not in ("solved", "rewards")}
    estimates = {key: asdict(value) for key in ("em", "f1", "reward", "score") if (value := kept[key])}
    return {"condition": run.condition, **kept, **estimates}


def _pool(pool: Pool) -> dict[str, Any]:
    said = asdict(replace(pool, runs=[], solved={}, rewards={}))
    return {key: value for key, value in said.items() if key not in ("solved", "rewards")} | {
        "runs": [run.name for run in pool.runs],
        "n": len(pool.solved),
    }


def _csv(path: Path, records: Sequence[dict[str, Any]]) -> None:
    rows = [_flat(record) for record in records]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)), restval="")
        writer.writeheader()
        writer.writerows(rows)


def _flat(record: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Nested records as columns: em.value, em.low, ..."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        flat |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value}
    return flat


if __name__ == "__main__":
    main()
