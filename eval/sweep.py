"""python -m eval.sweep runs/eval/<cot_sc> --react runs/eval/<react>: scores by the number of samples (paper, figure 2).

A run of CoT-SC keeps every vote, so that what fewer samples would have come to, and what the back-offs would, follows
from finished runs: nothing is asked again, and each number is what a run of that method with so many samples gives.
Writes `sweep.md`, `sweep.csv` and `sweep.png` into `runs/sweep`, and the table to the terminal.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.curves import draw
from eval.page import table
from eval.runs import Run, RunError, read
from eval.statistics import Estimate, wilson
from react import trajectory
from react.combined import agreed, answered, winner
from react.methods import METHODS
from react.mistakes import mistakes
from react.trajectory import Trajectory

SAME = ("model", "model_fingerprint", "shots", "environment", "environment_fingerprint", "max_tokens")
Tried = Mapping[str, Trajectory]


@dataclass(frozen=True)
class Point:
    """The share of solved tasks of one method with so many samples, and how many tasks took the second method."""

    method: str
    samples: int
    n: int
    em: Estimate
    backed_off: int


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m eval.sweep", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("votes", type=Path, metavar="RUN", help="folder of a run of CoT-SC")
    parser.add_argument("--react", type=Path, metavar="RUN", help="folder of a run of ReAct: adds the back-offs")
    parser.add_argument("--cot", type=Path, metavar="RUN", help="folder of a run of CoT, to compare with")
    parser.add_argument("--output", type=Path, default=Path("runs/sweep"), help="folder to write to: %(default)s")
    chosen = parser.parse_args(args)
    with mistakes(RunError, OSError):
        given = {"cot_sc": chosen.votes, "cot": chosen.cot, "react": chosen.react}
        folders = {method: folder for method, folder in given.items() if folder}
        runs = {method: of(method, folder) for method, folder in folders.items()}
        alike({folders[method]: run for method, run in runs.items()})
        readers = {"cot_sc": voted}
        tried = shared({method: readers.get(method, finished)(folder) for method, folder in folders.items()})
        points = sweep(tried["cot_sc"], tried.get("react"))
        lines = {name: share([one.solved for one in tried[name].values()]) for name in runs if name != "cot_sc"}
        said = told(points, lines, runs["cot_sc"])
        write(chosen.output, points, lines, runs["cot_sc"], said)
    print(said)
    print(f"Written: {chosen.output / 'sweep.md'}, sweep.csv, sweep.png")


def of(method: str, folder: Path) -> Run:
    """The run in `folder`. RunError where it is none of `method`."""
    run = read(folder)
    if run.method != method:
        raise RunError(f"{folder}: is a run of {METHODS[run.method].title}, not of {METHODS[method].title}")
    return run


def alike(runs: Mapping[Path, Run]) -> None:
    """RunError where the runs are not of one model in one state of one environment: no method would be both."""
    for key in SAME:
        values = {folder: getattr(run, key) for folder, run in runs.items()}
        if len(set(values.values())) > 1:
            told = ", ".join(f"{folder}: {value}" for folder, value in values.items())
            raise RunError(f"the runs cannot be combined: {key} differs ({told})")


def finished(folder: Path) -> dict[str, Trajectory]:
    """The trajectories of a run by task (not by id: two files of questions without ids have the same), without those
    that the infrastructure failed."""
    tried = trajectory.read(folder / "trajectories.jsonl")
    return {trajectory.fingerprint([one.task]): one for one in tried if one.end != "failed"}


def voted(folder: Path) -> dict[str, Trajectory]:
    """The finished trajectories of a run of CoT-SC. RunError where one does not say how its vote went."""
    tried = finished(folder)
    for one in tried.values():
        id = one.task.id
        votes, rewards = one.provenance.get("votes"), one.provenance.get("rewards")
        if not votes or not _all(votes, str):
            raise RunError(f"{folder}: task {id}: `votes` is {votes!r}; it must be a list of the samples' answers")
        if not _all(rewards, int | float) or len(rewards or ()) != len(votes):
            raise RunError(f"{folder}: task {id}: `rewards` is {rewards!r}; it must be a number for each vote")
    return tried


def _all(values: object, kind: Any) -> bool:
    return isinstance(values, list) and all(isinstance(v, kind) and not isinstance(v, bool) for v in values)


def shared(tried: Mapping[str, Tried]) -> dict[str, dict[str, Trajectory]]:
    """The same tasks of every run, in one order. RunError where there are none."""
    ids = sorted(set.intersection(*(set(one) for one in tried.values())))
    if not ids:
        raise RunError("the runs have no finished task in common")
    return {method: {id: one[id] for id in ids} for method, one in tried.items()}


def sweep(voted: Tried, acted: Tried | None) -> list[Point]:
    """Every method for 1, 2, ... samples, as many as all votes have. `acted` are the same tasks, tried by ReAct."""
    most = min(len(one.provenance["votes"]) for one in voted.values())
    return [point for samples in range(1, most + 1) for point in points_at(samples, voted, acted)]


def points_at(samples: int, voted: Tried, acted: Tried | None) -> Iterator[Point]:
    """The methods with so many samples: the first ones of every vote."""
    votes = {id: one.provenance["votes"][:samples] for id, one in voted.items()}
    won = {id: solved_by_vote(votes[id], one.provenance["rewards"]) for id, one in voted.items()}
    yield point("cot_sc", samples, list(won.values()), 0)
    if acted:
        sure = {id: agreed(votes[id]) for id in voted}
        solved = [won[id] if sure[id] else acted[id].solved for id in voted]
        yield point("cot_sc_to_react", samples, solved, list(sure.values()).count(False))
        sure = {id: answered(acted[id]) for id in voted}
        solved = [acted[id].solved if sure[id] else won[id] for id in voted]
        yield point("react_to_cot_sc", samples, solved, list(sure.values()).count(False))


def solved_by_vote(votes: Sequence[str], rewards: Sequence[float]) -> bool:
    """Whether the vote's answer had the full reward."""
    return rewards[votes.index(winner(votes))] >= 1.0


def point(method: str, samples: int, solved: Sequence[bool], backed_off: int) -> Point:
    return Point(method, samples, len(solved), share(solved), backed_off)


def share(solved: Sequence[bool]) -> Estimate:
    return wilson(sum(solved), len(solved))


def told(points: Sequence[Point], lines: Mapping[str, Estimate], run: Run) -> str:
    """The table: a row for each number of samples, and the methods without samples below."""
    rows: dict[int, dict[str, str]] = {}
    for one in points:
        row = rows.setdefault(one.samples, {"samples": str(one.samples)})
        row[METHODS[one.method].title] = words(one.em)
    below = [f"{METHODS[method].title}: {words(em)}" for method, em in lines.items()]
    head = f"{run.environment} ({run.split}), {run.model}, {run.source}: {run.metric}, n = {points[0].n}, 95% intervals"
    return "\n\n".join(filter(None, [head, table(list(rows.values())), "  \n".join(below)]))


def words(em: Estimate) -> str:
    return f"{em.value:.3f} [{em.low:.3f}, {em.high:.3f}]"


def write(output: Path, points: Sequence[Point], lines: Mapping[str, Estimate], run: Run, said: str) -> None:
    """The table, its figure, and the numbers for other programs."""
    output.mkdir(parents=True, exist_ok=True)
    (output / "sweep.md").write_text(
        f"{said}\n\n![{run.metric} by the number of samples](sweep.png)\n", encoding="utf-8"
    )
    with (output / "sweep.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("method", "samples", "n", "em", "low", "high", "backed_off"))
        for one in points:
            em = one.em
            writer.writerow((one.method, one.samples, one.n, em.value, em.low, em.high, one.backed_off))
        for method, em in lines.items():
            writer.writerow((method, "", points[0].n, em.value, em.low, em.high, ""))
    curves = {method: [one.em for one in points if one.method == method] for method in METHODS}
    heading = f"{run.environment}, {run.split}, n = {points[0].n}, 95% intervals"
    draw({method: ems for method, ems in curves.items() if ems}, lines, heading, run.metric, output / "sweep.png")


if __name__ == "__main__":
    main()
