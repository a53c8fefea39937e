"""python -m bootstrap.imports webshop_train.json --out trajectories.jsonl: what others wrote, as records of ours.

Reads what `python -m bootstrap.export` wrote (any format, also from the hub), AgentTraj-L, FireAct and chats with or
without tool calls. `train` takes the file; `python -m bootstrap --backend scripted` has the environment judge it.
"""

from __future__ import annotations

import argparse
import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from bootstrap import foreign, formats, sources, tables
from bootstrap.sources import Row, Unreadable
from react import environments, trajectory
from react.environments import names
from react.mistakes import LOADING, RUNNING, Mistake, choose, mistakes
from react.notation import one_line
from react.progress import Progress
from react.run_folder import put
from react.trajectory import Task, Trajectory

_KNOWN = (
    "data sets of `bootstrap.export`, AgentTraj-L (`conversations`), FireAct (`instruction` and `output`, or `traj`), "
    "chats (`messages`)"
)


@dataclass(frozen=True)
class Terms:
    """What the user says of rows that do not say it. `reward` is what they assume where nobody judged.

    `tasks` are those of `split`, by what is asked, of the environment with `options` (JSON).
    """

    environment: str = ""
    reward: float | None = None
    teacher: str = ""
    tasks: Mapping[str, Sequence[Task]] = field(default_factory=dict)
    split: str = ""
    options: str = "{}"


@dataclass(frozen=True)
class LeftOut:
    """A row that is no record, and why."""

    place: str
    reason: str
    detail: str


@dataclass
class Result:
    """What is counted while rows are read: `tried` is how often each task was met, `judged` by whom."""

    left_out: list[LeftOut] = field(default_factory=list)
    tried: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    matched: int = 0

    @property
    def reasons(self) -> str:
        """How many rows were left out for each reason, most first."""
        counts = Counter(one.reason for one in self.left_out).most_common()
        return ", ".join(f"{count:,} {reason}" for reason, count in counts)


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    chosen = _parser().parse_args(args)
    with mistakes(*LOADING):
        terms = agreed(chosen)
    result = Result()
    with mistakes(*RUNNING):
        with Progress(f"{chosen.out.name}: rows read", 0) as progress:
            progress.begin()
            records = read(chosen.sources, terms, result, progress.advance)
            first = next(records, None)
            if first is None:
                raise Mistake(_nothing(chosen.sources, result))
            chosen.out.parent.mkdir(parents=True, exist_ok=True)
            count = trajectory.write(chosen.out, chain([first], records))
        beside = note_left_out(chosen.out, result)
    print(told(chosen.out, count, result, terms, beside))


def _parser() -> argparse.ArgumentParser:
    about = (__doc__ or "").split("\n")[0].partition(": ")[2]
    parser = argparse.ArgumentParser(prog="python -m bootstrap.imports", description=about)
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help="files, folders, hf://OWNER/NAME[/FILE]")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the trajectories file to write")
    parser.add_argument("--environment", default="", help=f"where it was tried, if no row says: {', '.join(names())}")
    parser.add_argument("--environment_options", default="{}", metavar="JSON", help="for --match")
    parser.add_argument("--match", default="", metavar="SPLIT", help="take its tasks where they are asked the same")
    parser.add_argument("--reward", type=float, help="what to assume where the source says none; without it 0")
    parser.add_argument("--teacher", default="", help="who wrote them, if no row says; without it the file's name")
    return parser


def agreed(chosen: argparse.Namespace) -> Terms:
    """The terms. Mistake where a setting names nothing."""
    if chosen.environment:
        choose("environment", chosen.environment, names())
    if chosen.reward is not None and not 0 <= chosen.reward <= 1:
        raise Mistake(f"reward is {chosen.reward}; it must be from 0 to 1")
    if chosen.out.is_dir():
        raise Mistake(f"--out {str(chosen.out)!r} is a folder; it must be the file to write")
    if not chosen.match:
        return Terms(chosen.environment, chosen.reward, chosen.teacher)
    if not chosen.environment:
        raise Mistake("--match needs --environment, whose tasks they are")
    try:
        options = json.loads(chosen.environment_options)
    except ValueError as error:
        raise Mistake(f"environment_options is {chosen.environment_options!r}: not JSON: {error}") from None
    tasks = environments.load(chosen.environment, options).tasks(chosen.match)
    given = (chosen.environment, chosen.reward, chosen.teacher)
    return Terms(*given, foreign.by_question(tasks), chosen.match, chosen.environment_options)


def read(given: Sequence[str], terms: Terms, result: Result, told: Callable[[int], None]) -> Iterator[Trajectory]:
    """The records of all sources, in their order; what is none is noted in `result`. Mistake names a file of others."""
    seen = 0
    for name in given:
        files = tables.files(name)
        origin = {"source": Path(name).name, "source_fingerprint": tables.fingerprint(files)}
        for path in files:
            for number, (place, row) in enumerate(tables.rows(path)):
                if not number:
                    _known(place, row)
                try:
                    yield _record(row, terms, result, {**origin, "row": number})
                except Unreadable as error:
                    result.left_out.append(LeftOut(place, error.reason, error.detail))
                seen += 1
                told(seen)


def _known(place: str, row: Row) -> None:
    if not formats.is_ours(row) and not sources.shape(row):
        keys = one_line(", ".join(map(str, row)))[:200]
        raise Mistake(f"{place}: a row of {keys or 'nothing'} is of no format that is known; known are {_KNOWN}")


def _record(row: Row, terms: Terms, result: Result, origin: Mapping[str, Any]) -> Trajectory:
    if formats.is_ours(row):
        try:
            ours = formats.read(dict(row))
            trajectory.want_unicode(ours)
        except ValueError as error:
            raise Unreadable("changed since it was exported", str(error)) from None
        return ours
    environment = _environment(row, terms)
    found = sources.found(row, environments.says(environment, "TOOLS"))
    record = foreign.record(found, environment, terms.reward)
    _want_letters(record)
    known = foreign.matching(record.task, terms.tasks)
    task = known or record.task
    said = {**record.provenance, "imported": sources.shape(row), **origin, "attempt": result.tried[task.id]}
    result.matched += known is not None
    result.judged[record.provenance["judged_by"]] += 1
    result.tried[task.id] += 1
    model = record.model or terms.teacher or str(origin["source"]).partition(".")[0]
    return replace(record, task=task, model=model, provenance=said)


def _want_letters(record: Trajectory) -> None:
    try:
        trajectory.want_unicode(record)
    except ValueError as error:
        raise Unreadable("half a letter", str(error)) from None


@cache
def _names() -> frozenset[str]:
    return frozenset(names())


def _environment(row: Row, terms: Terms) -> str:
    named = sources.environment(row)
    if named and (named not in _names() or terms.environment not in ("", named)):
        raise Unreadable("another environment", f"a row of {named}")
    if not named and not terms.environment:
        raise Mistake(f"these rows do not say their environment; give --environment, of: {', '.join(names())}")
    return named or terms.environment


def note_left_out(out: Path, result: Result) -> Path | None:
    """Lists the rows that are no records in a file beside the others; its name."""
    path = out.with_name(out.name.partition(".jsonl")[0] + ".left_out.jsonl")
    path.unlink(missing_ok=True)
    if not result.left_out:
        return None
    put(path, "".join(json.dumps(asdict(one)) + "\n" for one in result.left_out))
    return path


def _nothing(given: Sequence[str], result: Result) -> str:
    """Why there is nothing to write."""
    if not result.left_out:
        return f"{', '.join(given)}: no rows"
    first = result.left_out[0]
    said = f"none of {len(result.left_out):,} rows can be read: {result.reasons}"
    return f"{said}; {first.place}: {one_line(first.detail) or first.reason}"


def told(out: Path, count: int, result: Result, terms: Terms, beside: Path | None) -> str:
    """What came of it, and how an environment can judge what nobody did."""
    lines = [f"{count:,} trajectories from {count + len(result.left_out):,} rows: {out}"]
    if beside:
        lines.append(f"Left out: {result.reasons} (each is listed in {beside}).")
    if terms.split:
        lines.append(f"{result.matched:,} are of tasks of {terms.environment}.")
    if result.judged:
        assumed = f"taken to have the reward {terms.reward}"
        by = {"source": "judged by their source", "assumption": assumed, "nobody": "judged by nobody"}
        lines.append(f"Rewards: {', '.join(f'{n:,} {by[who]}' for who, n in result.judged.most_common())}.")
    if result.judged["nobody"]:
        lines.append(f"What nobody judged counts as unsolved, and train leaves it out. {_judging(out, result, terms)}")
    return "\n".join(lines)


def _judging(out: Path, result: Result, terms: Terms) -> str:
    """How what nobody judged is judged, as a command that works; where none does, what is in its way."""
    if not terms.split:
        missing = ("" if terms.environment else "--environment NAME ") + "--match SPLIT"
        return f"To have it judged it must be of the environment's own tasks: import it with {missing} first."
    if not result.matched:
        return f"Nothing can judge it: no task of {terms.environment} in {terms.split!r} is asked the same."
    words = ["python", "-m", "bootstrap", "--backend", "scripted", "--model", str(out), "--tasks_of", str(out)]
    words += ["--environment", terms.environment, *(["--split", terms.split] if terms.split != "train" else [])]
    words += ["--environment_options", terms.options] if terms.options != "{}" else []
    return f"To have it judged: {shlex.join(words)}"


if __name__ == "__main__":
    main()
