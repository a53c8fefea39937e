"""python -m eval.metrics runs/eval/*: how runs went about their tasks, by kind of task; see docs/metrics.md.

Prints a table of the metrics with 95% intervals, and writes all of them to `metrics.csv` in `runs/report`.
"""

from __future__ import annotations

import argparse
import csv
import math
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from eval.measures import MEANS, SHARES
from eval.page import table as markdown
from eval.rates import Row, finished, rows, words
from eval.record import expanded
from eval.runs import RunError
from react import trajectory
from react.methods import METHODS
from react.mistakes import mistakes


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
        found = rows(
            finished(list(expanded(chosen.folders))), known, chosen.usd_per_million and tuple(chosen.usd_per_million)
        )
        write(chosen.output, found)
    print(table(found))
    print(f"Written: {chosen.output / 'metrics.csv'}")


def _price(text: str) -> float:
    if not 0 <= (price := float(text)) < math.inf:
        raise ValueError
    return price


def table(found: Sequence[Row]) -> str:
    """The rows as Markdown: shares, then what an episode takes. A metric that says nothing of any has no column."""
    return "\n\n".join(_table(found, names) for names in (SHARES, MEANS))


def _table(found: Sequence[Row], names: Iterable[str]) -> str:
    columns = [name for name in names if any(row.metrics[name] for row in found)]
    return markdown(
        [
            {"run": row.run, "method": METHODS[row.method].title, "tasks": row.kind, "n": str(row.n)}
            | {name: words(name, row.metrics[name]) for name in columns}
            for row in found
        ]
    )


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
