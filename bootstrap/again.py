"""Selects again over stored attempts: other rules, another number, or the tasks that several methods have in common.

    python -m bootstrap.select --run runs/bootstrap/a --rules correct grounded steps:5 --out runs/bootstrap/a_short
    python -m bootstrap.select --paired runs/bootstrap/react runs/bootstrap/act --target 1000 --out runs/bootstrap/pairs

No model is asked, and the runs are left as they are: a line that one of them is about to write is not read. What is
written is what a run writes: `trajectories.jsonl`, `left_out.jsonl`, `config.yaml`, `summary.json`; of several runs, in
a folder each below the one that is named.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

import yaml

from bootstrap import reasons
from bootstrap.job import BootstrapConfig, sensible
from bootstrap.merge import ATTEMPTS, homes
from bootstrap.own import Own
from bootstrap.rules import NAMES, spelled_out
from bootstrap.run import learnable, pool
from bootstrap.schedule import by_id
from bootstrap.screen import Screened
from bootstrap.select import Selection, Wanted, paired
from react import trajectory
from react.config import fit, parse, setting
from react.methods import find, trainable
from react.mistakes import LOADING, RUNNING, Mistake, at_least, mistakes, plain
from react.run_folder import enter
from react.scene import Scene, Staged
from react.trajectory import RecordError, Task, Trajectory

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


@dataclass(frozen=True)
class Stored:
    """A run folder: its settings, the fingerprints in it, and its attempts."""

    folder: Path
    job: BootstrapConfig
    scene: Scene
    says: dict[str, Any]

    @cached_property
    def staged(self) -> Staged:
        return self.scene.staged()

    @cached_property
    def tasks(self) -> list[Task]:
        """Its tasks in their order. Mistake where its settings name others by now."""
        tasks = pool(self.staged, self.job)
        if (now := trajectory.fingerprint(tasks)) != (then := self.says.get("tasks_fingerprint")):
            raise Mistake(
                f"{self.folder}: its settings name other tasks than they did (fingerprint {now}, then {then}); "
                "has the data changed?"
            )
        return tasks

    @cached_property
    def own(self) -> Own:
        """What its records say of it."""
        prints = {key: value for key, value in self.says.items() if key.endswith("_fingerprint")}
        return Own.of(self.tasks, find(self.scene.method).name, "", self.scene.environment, prints)

    def attempts(self) -> Iterator[Trajectory]:
        """What was tried, in whole lines. RecordError names a line that is no trajectory, or none of this run."""
        for place, line in self._lines():
            try:
                record = trajectory.from_json(line.decode())
            except (ValueError, RecursionError) as error:
                raise RecordError(f"{place}: not a trajectory: {error}") from None
            yield self.own.checked(record, place)

    def _lines(self) -> Iterator[tuple[str, bytes]]:
        """Each line and where it stands: what the run has, and what ranks have that are at work, or were killed.

        A merge that was killed left lines in both: they are one.
        """
        shares = [path for home in homes(self.folder) if (path := home / ATTEMPTS).is_file()]
        seen: set[bytes] = set()
        for path in (self.folder / ATTEMPTS, *shares):
            with path.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    if not line.endswith(b"\n"):
                        break  # torn by a kill, or being written
                    if shares and (digest := hashlib.blake2b(line, digest_size=16).digest()) in seen:
                        continue
                    seen.update({digest} if shares else ())
                    yield f"{path}:{number}", line

    def fingerprint(self) -> str:
        """Changes with any byte of the attempts."""
        digest = hashlib.sha256()
        for _, line in self._lines():
            digest.update(line)
        return digest.hexdigest()


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
            wanted = wanted_again(job, runs, screened)
            for run in runs:
                held.callback(os.close, entered(places[str(run.folder)], job, run))
        with mistakes(*RUNNING):
            found = paired([(run.attempts, each) for run, each in zip(runs, rules, strict=True)], wanted)
            for run, each, selection in zip(runs, rules, found, strict=True):
                print(written(places[str(run.folder)], run, each, selection, wanted, screened))


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
    found = {path.name.removesuffix(".partial") for path in place.iterdir()} - {"run.lock", "config"}
    ours = {"config.yaml", *_WRITTEN} if (place / "config.yaml").is_file() else set()
    return min(found - ours, default="")


def stored(folder: Path) -> Stored:
    """Opens a run folder. Mistake where it is none."""
    path = folder / "config.yaml"
    if not path.is_file() or not (folder / ATTEMPTS).is_file():
        raise Mistake(f"{folder} is no run of bootstrap: it lacks config.yaml or attempts.jsonl")
    try:
        says = yaml.safe_load(path.read_text(encoding="utf-8"))
        if not isinstance(says, dict):
            raise ValueError("it must hold `key: value` lines")
        return Stored(folder, BootstrapConfig(**of(BootstrapConfig, says)), Scene(**of(Scene, says)), says)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, TypeError, ValueError) as error:
        raise Mistake(f"{path}: is no run's configuration: {' '.join(str(error).split())}") from None


def of(kind: type[Any], says: dict[str, Any]) -> dict[str, Any]:
    """The settings of `kind` that a configuration has. What was one value once may be a list by now."""
    hints = get_type_hints(kind)
    return {
        field.name: fit(says[field.name], hints[field.name], field.name) for field in fields(kind) if field.name in says
    }


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
    settings = replace(run.job, rules=rules, held_out=[*run.job.held_out, *job.held_out])
    return learnable(run.staged, settings, run.tasks)


def wanted_again(job: SelectConfig, runs: Sequence[Stored], screened: Screened) -> Wanted:
    """What is kept: of as many tasks as are wanted those that were solved first, as in a run (`schedule`)."""
    target = job.target or min(run.job.target for run in runs)
    settings = replace(runs[0].job, target=target)
    schedule = settings.schedule(screened.tasks, settings.plan(runs[0].scene))
    return Wanted(screened.order, target, job.per_task, screened.refused, by_id(schedule, screened.tasks))


def entered(place: Path, job: SelectConfig, run: Stored) -> int:
    """The folder, made or entered again, with what the selection depends on. As `enter`."""
    prints = {key: value for key, value in run.says.items() if key.endswith("_fingerprint")}
    derived = {"selected_from": str(run.folder), "attempts_fingerprint": run.fingerprint(), **prints}
    try:
        return enter(place, job, derived=derived)
    except Mistake as error:
        raise Mistake(str(error).replace("--name", "--out")) from None


def written(
    place: Path, run: Stored, rules: Sequence[str], selection: Selection, wanted: Wanted, screened: Screened
) -> str:
    """Writes the results; returns what is said of them."""
    trajectory.write(place / "trajectories.jsonl", selection.kept)
    reasons.write(place / "left_out.jsonl", selection.left_out)
    ids = {row.task.id for row in selection.kept}
    summary: dict[str, Any] = {
        "run": str(run.folder),
        "method": run.scene.method,
        "rules": list(rules),
        "target": wanted.target,
        "per_task": wanted.per_task,
        "kept": len(selection.kept),
        "kept_hinted": sum(bool(row.provenance.get("hinted")) for row in selection.kept),
        "tasks_kept": len(ids),
        "attempts": len(selection.kept) + sum(one.attempt is not None for one in selection.left_out),
        "kinds": dict(Counter(row.task.kind for row in selection.kept)),
        **reasons.summarized(selection),
        "compared_with": screened.compared,
    }
    (place / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
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
