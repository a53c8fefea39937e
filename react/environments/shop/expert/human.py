"""The logs of the people who shopped for the official data -> trajectories, so that they can be imitated (the row IL).

    python -m react.environments.shop.expert.human LOG... --out human.jsonl --environment_options '{"path": ...}'

What was done is what leads from each page of a log (logs.py) to the next. Observations and reward are those of the
environment, in which it is done again: prices were drawn anew each time the original was started.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from react import environments, trajectory
from react.environments import Environment
from react.environments.shop.expert.logs import Unfollowable, actions, read_log
from react.flags import Flags, json_object, new_file
from react.mistakes import LOADING, Mistake, mistakes
from react.progress import Progress
from react.trajectory import End, Step, Task, Trajectory

_PRICE = re.compile(r",? and price lower than [\d.]+ dollars")
_NOT_THERE = "its goal is not in the catalogue"


def imported(
    logs: Iterable[Path], environment: Environment, goals: Iterable[Task], skipped: Counter[str]
) -> Iterator[Trajectory]:
    """The logs whose goals are among these, in their order. `skipped` counts the others, by reason."""
    tasks: dict[str, list[Task]] = {}
    for task in goals:
        tasks.setdefault(_asked(task.question), []).append(task)
    for path in logs:
        pages = read_log(path)
        if not pages or pages[-1]["page"] != "done":
            skipped["nothing was bought"] += 1
            continue
        meant = tasks.get(_asked(pages[0]["goal"]["instruction_text"]), [])
        if len(meant) != 1:
            skipped["several goals have its instruction" if meant else _NOT_THERE] += 1
            continue
        try:
            found = _done_again(path, meant[0], actions(pages), environment)
        except Unfollowable as error:
            skipped[f"cannot be followed: {error}"] += 1
            continue
        if found.end == "finished":
            yield found
        else:
            skipped[f"nothing is bought within {environment.max_steps} steps"] += 1


def _asked(instruction: str) -> str:
    """An instruction without its price, which may have been drawn anew."""
    return " ".join(_PRICE.sub("", instruction).lower().split()).strip(". ")


def _done_again(path: Path, task: Task, said: Sequence[str], environment: Environment) -> Trajectory:
    episode = environment.start(task)
    steps: list[Step] = []
    page, reward = "", 0.0
    end: End = "out_of_steps"
    for action in said[: environment.max_steps]:
        action = _as_shown(action, page)
        seen = episode.act(action)
        steps.append(Step(action=action, observation="" if seen.done else seen.text))
        page = seen.text if "[" in seen.text else page  # to choose an option shows no page
        if seen.done:
            end, reward = "finished", seen.reward
            break
    made = {"environment": environment.name, "log": path.name}
    return Trajectory(task, "act", "human", tuple(steps), episode.answer, reward, end, provenance=made)


def _as_shown(action: str, page: str) -> str:
    """A click with the blanks that the page has in it: in a log `38 | 40 mm` may be `38  |  40 mm`."""
    name, _, said = action[:-1].partition("[")
    shown = re.search(r"\s+".join(map(re.escape, said.split())), page) if name == "click" else None
    return f"click[{shown[0]}]" if shown else action


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = Flags(prog="python -m react.environments.shop.expert.human", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG", help="log files, or folders of them (*.jsonl)")
    parser.add_argument("--out", type=new_file, required=True, help="the file to write, JSON lines")
    parser.add_argument("--split", nargs="+", default=["train"], help="whose goals: %(default)s")
    parser.add_argument("--environment_options", type=json_object, default={}, help="which shop, as JSON")
    skipped: Counter[str] = Counter()
    with mistakes(*LOADING):
        flags = parser.parse_args(args)
        logs = [log for path in flags.logs for log in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]
        environment = environments.load("webshop", flags.environment_options)
        goals = goals_of(environment, flags.split)
        with Progress("logs", len(logs)) as progress:
            progress.begin()
            found = []
            for one in imported(logs, environment, goals, skipped):
                found.append(one)
                progress.advance(len(found) + sum(skipped.values()))
        if not found:
            raise Mistake(
                f"none of {len(logs)} logs can be used: {_told(skipped)}"
                + _hint(environment) * bool(skipped[_NOT_THERE])
            )
        flags.out.parent.mkdir(exist_ok=True)
        trajectory.write(flags.out, found)
    print(f"{len(found)} of {len(logs)} logs{f'; left out: {_told(skipped)}' if skipped else ''}")
    print(f"{sum(one.solved for one in found)} with the full reward\nWritten: {flags.out}")


def goals_of(environment: Environment, splits: Sequence[str]) -> list[Task]:
    """The goals of these splits. Mistake where there is none such: a part of the shop has test goals alone."""
    try:
        return [task for split in splits for task in environment.tasks(split)]
    except ValueError as error:
        raise Mistake(f"{error}{_hint(environment)}") from None


def _hint(environment: Environment) -> str:
    return (
        f"; the logs are of the whole shop, and this is {environment.data('')}: `path` must name a folder with the "
        "whole items_shuffle.json, and --split those of their goals: test, dev, train, or several"
    )


def _told(skipped: Counter[str]) -> str:
    return ", ".join(f"{count} ({reason})" for reason, count in sorted(skipped.items())) or "there are none"


if __name__ == "__main__":
    main()
