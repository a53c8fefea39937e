"""Selects again over stored attempts: other rules, another number, or the tasks that several methods have in common.

    python -m bootstrap.select --run runs/bootstrap/a --rules correct grounded steps:5 --out runs/bootstrap/a_short
    python -m bootstrap.select --paired runs/bootstrap/react runs/bootstrap/act --target 1000 --out runs/bootstrap/pairs

No model is asked, and the runs are left as they are: a line that one of them is about to write is not read. What is
written is what a run writes: `trajectories.jsonl`, `left_out.jsonl`, `config.yaml`, `summary.json`; of several runs, in
a folder each below the one that is named.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bootstrap import reasons
from bootstrap.job import sensible
from bootstrap.rules import NAMES, spelled_out
from bootstrap.run import learnable
from bootstrap.schedule import by_id
from bootstrap.screen import Screened
from bootstrap.select import Selection, Wanted, paired
from bootstrap.stored import Stored, stored
from react import trajectory
from react.config import parse, setting
from react.methods import trainable
from react.mistakes import LOADING, RUNNING, Mistake, at_least, mistakes, plain
from react.run_folder import enter, put

_WRITTEN = ("trajectories.jsonl", "left_out.jsonl", "summary.json")
# What runs must have in common for their tasks to be compared.
_SAME = ("environment", "split", "environment_fingerprint", "tasks_fingerprint")


@dataclass(frozen=True)
class SelectConfig:
    """What is selected again, from what, and where to."""

    run: str = setting("", "a run folder, such as runs/bootstrap/react_3000")
    paired: list[str] = setting([], "several, of methods to be compared: keeps the tasks that all of them solved")
    rules: list[str] = setting([], f"what is kept; without it, what the run's own rules say: {', '.join(NAMES)}")
    target: int = setting(0, "how many tasks to keep; 0: as many as the run wanted")
    per_task: int = setting(1, "keep up to so many attempts of a task, the earliest first")
    held_out: list[str] = setting([], "files of evaluation items beside the environment's own; none of them is kept")
    out: str = setting("", "the folder to write to")

    def __post_init__(self) -> None:
        at_least(1, self, "per_task")
        at_least(0, self, "target")
        spelled_out(self.rules)


def main(args: list[str] | None = None) -> None:
    """The command."""
    with ExitStack() as held:
        with mistakes(*LOADING):
            (job,) = parse((SelectConfig,), __doc__ or "", args)
            places = destinations(job)
            runs = [stored(Path(run)) for run in places]
            refuse_mixed(runs)
            rules = [job.rules or run.job.rules for run in runs]
            screened = screened_again(job, runs[0], list(dict.fromkeys(rule for each in rules for rule in each)))
            for run, each in zip(runs, rules, strict=True):
                sensible(replace(run.job, rules=each, hints=0), trainable(run.scene.method), screened.tasks)
            target = job.target or min(run.job.target for run in runs)
            wanted = wanted_again(job, runs[0], screened, target)
            for run in runs:
                held.callback(os.close, entered(places[str(run.folder)], job, run))
        with mistakes(*RUNNING):
            found = paired([(run.attempts, each) for run, each in zip(runs, rules, strict=True)], wanted)
            for run, each, selection in zip(runs, rules, found, strict=True):
                asked = {"rules": list(each), "target": target, "per_task": job.per_task}
                print(written(places[str(run.folder)], run, selection, asked, screened))


def destinations(job: SelectConfig) -> dict[str, Path]:
    """The runs that are named, each with the folder to write its selection to. Mistake where they do not fit."""
    if bool(job.run) == bool(job.paired) or not job.out:
        raise Mistake("name a run by --run, or several by --paired, and a folder to write to by --out")
    if len(job.paired) == 1:
        raise Mistake(f"paired is {job.paired[0]} alone; one run is selected from by --run")
    out = Path(job.out)
    found = {
        str(Path(run)): out / Path(run).resolve().name if job.paired else out for run in [job.run, *job.paired] if run
    }
    if len(set(found.values())) < max(1, len(job.paired)):
        raise Mistake(f"paired names two runs of one name: {', '.join(job.paired)}")
    for run, place in found.items():
        if place.resolve() == Path(run).resolve():
            raise Mistake(f"out is {job.out}, where {run} would be written over; give another --out")
        if other := _in_the_way(place):
            raise Mistake(
                f"--out {str(place)!r} holds other things ({other}); give a new folder, or one of this command"
            )
    return found


def _in_the_way(place: Path) -> str:
    """What there is that no selection wrote; empty if there is nothing."""
    if not place.is_dir():
        return "it is a file" if place.exists() else ""
    found = {path.name for path in place.iterdir()} - {"run.lock", "config.yaml.partial"}
    ours = {"config.yaml", *_WRITTEN} if (place / "config.yaml").is_file() else set()
    return min((name for name in found if name.removesuffix(".partial") not in ours), default="")


def refuse_mixed(runs: Sequence[Stored]) -> None:
    """Mistake where the runs are not of the same tasks in the same state of the same environment."""
    first, *others = runs
    for other in others:
        for key in _SAME:
            if first.says.get(key) != other.says.get(key):
                said = f"{first.says.get(key)!r} in {first.folder}, {other.says.get(key)!r} in {other.folder}"
                raise Mistake(f"paired runs must be of the same tasks, and {key} differs: {said}")


def screened_again(job: SelectConfig, run: Stored, rules: list[str]) -> Screened:
    """The tasks of the run in their order, and which of them may not be learned from."""
    files = run.job.held_out if "uncontaminated" in rules else []  # those that the run had hold for its rule alone
    settings = replace(run.job, rules=rules, held_out=[*files, *job.held_out])
    return learnable(run.staged, settings, run.tasks)


def wanted_again(job: SelectConfig, run: Stored, screened: Screened, target: int) -> Wanted:
    """What is kept: of `target` tasks, those that were solved first, as in a run (`schedule`)."""
    settings = replace(run.job, target=target)
    schedule = settings.schedule(screened.tasks, settings.plan(run.scene))
    return Wanted(screened.order, by_id(schedule, screened.tasks), job.per_task, screened.refused)


def entered(place: Path, job: SelectConfig, run: Stored) -> int:
    """The folder, made or entered again, with what the selection depends on. As `enter`."""
    derived = {"selected_from": str(run.folder), "attempts_fingerprint": run.fingerprint(), **run.prints}
    try:
        return enter(place, job, derived=derived)
    except Mistake as error:
        raise Mistake(str(error).replace("--name", "--out")) from None


def written(place: Path, run: Stored, selection: Selection, asked: Mapping[str, Any], screened: Screened) -> str:
    """Writes the results; returns what is said of them. `asked` is what was to be kept, for the summary."""
    trajectory.write(place / "trajectories.jsonl", selection.kept)
    reasons.write(place / "left_out.jsonl", selection.left_out)
    ids = {row.task.id for row in selection.kept}
    summary: dict[str, Any] = {
        "run": str(run.folder),
        "method": run.scene.method,
        **asked,
        "kept": len(selection.kept),
        "kept_hinted": sum(bool(row.provenance.get("hinted")) for row in selection.kept),
        "tasks_kept": len(ids),
        "attempts": len(selection.kept) + sum(one.attempt is not None for one in selection.left_out),
        "kinds": dict(Counter(row.task.kind for row in selection.kept)),
        **reasons.summarized(selection),
        "compared_with": screened.compared,
    }
    put(place / "summary.json", json.dumps(summary, indent=2) + "\n")
    for line in reasons.warned(selection.left_out):
        print(f"warning: {line}", file=sys.stderr)
    return "\n".join(map(plain, told(place, summary)))


def told(place: Path, summary: dict[str, Any]) -> list[str]:
    """The summary as a person reads it."""
    several = f" of {summary['tasks_kept']:,} tasks" if summary["per_task"] > 1 else ""
    short = f" (of {summary['target']:,} wanted)" if summary["tasks_kept"] < summary["target"] else ""
    return [
        f"{summary['run']}: {summary['kept']:,} kept{several}{short}, of {summary['attempts']:,} attempts.",
        *reasons.told(summary),
        *reasons.compared(summary["compared_with"]),
        f"Written: {place / 'trajectories.jsonl'}; each attempt that is not in it, and why: left_out.jsonl",
    ]
