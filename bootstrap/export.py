"""python -m bootstrap.export --run runs/bootstrap/demo_own --format tools --out FOLDER: trajectories as a data set.

Writes a folder that `datasets.load_dataset` and the Hugging Face Hub read: one configuration a format, each a parquet
file with a row a trajectory, and a data card. `--push user/name` puts it on the hub, private unless `--public`.
`python -m bootstrap.imports FOLDER` gives the same trajectories back.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bootstrap import card
from bootstrap.card import Made
from bootstrap.formats import COMMON, FORMATS, write
from bootstrap.tally import Tally
from react import hub, trajectory
from react.environments import names
from react.mistakes import Mistake, choose, mistakes
from react.progress import Progress
from react.trajectory import RecordError, Trajectory

# Characters of rows that are held in memory at once.
_HELD = 1 << 25
_SPLIT = re.compile(r"\w+(\.\w+)*")


@dataclass(frozen=True)
class Plan:
    """What is written where. `environment` is that of records that do not name theirs."""

    files: tuple[Path, ...]
    out: Path
    formats: tuple[str, ...]
    split: str
    environment: str = ""


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    chosen = _parser().parse_args(args)
    with mistakes(RecordError, OSError):
        runs = [card.made(folder) for folder in chosen.run]
        plan = Plan(
            files=(*(run.folder / "trajectories.jsonl" for run in runs), *chosen.data),
            out=chosen.out.resolve(),
            formats=tuple(dict.fromkeys(chosen.format)),
            split=chosen.split,
            environment=chosen.environment or next((run.environment for run in runs if run.environment), ""),
        )
        sensible(plan, chosen.push)
        gone = [format for format in FORMATS if (plan.out / format).exists() and format not in plan.formats]
        written = export(plan, runs, chosen.license, chosen.push)
        print(
            f"Written: {chosen.out}, {written:,} trajectories as {', '.join(plan.formats)}; README.md is the data card"
        )
        if gone:
            print(f"Gone from {chosen.out}, which was replaced whole: {', '.join(gone)}")
        if chosen.push:
            words, old = "Trajectories, and their card", [f"{format}/*.parquet" for format in FORMATS]
            at = hub.push(plan.out, chosen.push, "dataset", public=chosen.public, replaced=old, message=words)
            print(f"Pushed: {at}")


def _parser() -> argparse.ArgumentParser:
    about = (__doc__ or "").split("\n")[0].partition(": ")[2]
    parser = argparse.ArgumentParser(prog="python -m bootstrap.export", description=about)
    parser.add_argument("--run", type=Path, nargs="+", default=[], metavar="FOLDER", help="runs of bootstrap")
    parser.add_argument("--data", type=Path, nargs="+", default=[], metavar="FILE", help="trajectories files (.gz too)")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the data set to write")
    parser.add_argument(
        "--format", nargs="+", default=["messages"], metavar="NAME", help=f"{', '.join(FORMATS)}; several: {{messages}}"
    )
    parser.add_argument("--split", default="train", help="what the rows are called: %(default)s")
    parser.add_argument("--environment", default="", help="of records that do not name theirs")
    parser.add_argument("--license", default="", help="of the data, for the card: an identifier that the hub knows")
    parser.add_argument(
        "--push", default="", metavar="USER/NAME", help="put it on the hub; asks for your login's token"
    )
    parser.add_argument("--public", action="store_true", help="for all to see; without it a pushed data set is private")
    return parser


def sensible(plan: Plan, repository: str) -> None:
    """Mistake where a setting names nothing, before anything is written."""
    if not plan.files:
        raise Mistake("nothing to export: give --run FOLDER or --data FILE")
    for format in plan.formats:
        choose("format", format, list(FORMATS))
    if plan.environment:
        choose("environment", plan.environment, names())
    if not _SPLIT.fullmatch(plan.split):
        raise Mistake(f"split is {plan.split!r}; the hub takes letters, digits, `_` and `.`")
    if repository:
        hub.want_repository(repository)
    if plan.out.exists() and not _replaceable(plan.out):
        raise Mistake(f"--out {str(plan.out)!r} holds other things; give a new folder, or one that this command wrote")


def _replaceable(folder: Path) -> bool:
    """Whether there is nothing, or a data set of ours and nothing else."""
    found = {path.name for path in folder.iterdir()} if folder.is_dir() else {""}
    ours = (folder / "README.md").is_file() and card.MARK in (folder / "README.md").read_text("utf-8", "replace")
    return not found or (ours and found <= {"README.md", *FORMATS})


def export(plan: Plan, runs: Sequence[Made] = (), license: str = "", repository: str = "") -> int:
    """Writes the folder in one piece, the same bytes for the same trajectories; returns the number of rows."""
    partial = plan.out.with_name(plan.out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    tally = Tally()
    try:
        sizes = _write_tables(plan, partial, tally)
    except BaseException:
        shutil.rmtree(partial)
        raise
    infos = {format: card.info(columns(format), plan.split, tally.rows, *size) for format, size in sizes.items()}
    text = card.text(plan.out.name, plan.split, infos, tally, runs, license, repository)
    (partial / "README.md").write_text(text, encoding="utf-8")
    if plan.out.exists():
        shutil.rmtree(plan.out)
    partial.replace(plan.out)
    return tally.rows


def _write_tables(plan: Plan, folder: Path, tally: Tally) -> dict[str, tuple[int, int]]:
    """One table a format, all in one pass; how many bytes each is in memory and on disk."""
    from datasets.arrow_writer import ParquetWriter

    paths = {format: folder / format / f"{plan.split}-00000-of-00001.parquet" for format in plan.formats}
    with ExitStack() as opened, Progress(f"{plan.out.name}: trajectories", 0) as progress:
        tables = {}
        for format, path in paths.items():
            path.parent.mkdir()
            tables[format] = opened.enter_context(ParquetWriter(features=columns(format), path=str(path)))
        progress.begin()
        held = 0
        for record, environment in _records(plan):
            rows = {format: write(record, format, environment) for format in plan.formats}
            tally.add(record, environment, rows)
            for format, row in rows.items():
                tables[format].write(row)
            held += sum(len(str(row)) for row in rows.values())
            if held > _HELD:
                for table in tables.values():
                    table.write_examples_on_file()
                held = 0
            progress.advance(tally.rows)
        if not tally.rows:
            raise RecordError(f"{', '.join(map(str, plan.files))}: no trajectories")
        return {format: (table.finalize()[1], paths[format].stat().st_size) for format, table in tables.items()}


def _records(plan: Plan) -> Iterator[tuple[Trajectory, str]]:
    """The records in their order, each with its environment. Mistake names one that has none."""
    for path in plan.files:
        for record in trajectory.read(path):
            environment = str(record.provenance.get("environment") or plan.environment)
            if not environment:
                known = ", ".join(names())
                raise Mistake(f"{path}: task {record.task.id!r} names no environment; give --environment, of: {known}")
            yield record, environment


def columns(format: str) -> Any:
    """The columns of a format, with their types: `datasets.Features`."""
    from datasets import Features, Json, List, Value

    text = Value("string")
    kinds: Mapping[str, Any] = {
        "messages": List(Json()) if format == "tools" else List({"role": text, "content": text}),
        "tools": List(Json()),
        "extra": Json(),
        "provenance": Json(),
        "reward": Value("float64"),
        "steps": List({"thought": text, "action": text, "observation": text}),
    }
    return Features({name: kinds.get(name, text) for name in (*FORMATS[format].columns, *COMMON)})


if __name__ == "__main__":
    main()
