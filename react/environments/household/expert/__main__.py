"""An expert plays the games of a split, and its episodes are written as a file of trajectories.

python -m react.environments.household.expert --split train --out expert.jsonl [--path FOLDER] [--method act]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from react import trajectory
from react.config import Mistake, at_least, mistakes
from react.environments import alfworld
from react.environments.household.expert.play import VOICES, demonstrate
from react.progress import Progress


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m react.environments.household.expert", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--split", default="train", help="which games: %(default)s")
    parser.add_argument("--out", type=Path, required=True, help="the file to write, JSON lines")
    parser.add_argument("--path", default="", help=f"the games; empty: those of ${alfworld.VARIABLE}, or the embedded")
    parser.add_argument("--method", default="react", choices=VOICES, help="which thoughts: %(default)s")
    parser.add_argument("--limit", type=int, default=0, help="only the first so many games; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="of the words: %(default)s")
    flags = parser.parse_args(args)
    with mistakes(ValueError, OSError):
        at_least(0, flags, "limit")
        if flags.out.is_dir():
            raise Mistake(f"--out {str(flags.out)!r} is a folder; it must be the file to write")
        environment = alfworld.load(flags.path)
        tasks = environment.tasks(flags.split)[: flags.limit or None]
        flags.out.parent.mkdir(exist_ok=True)
        played = []
        with Progress(f"{flags.split}: played", len(tasks)) as progress:
            progress.begin()
            for task in tasks:
                played.append(demonstrate(environment, task, flags.method, flags.seed))
                progress.advance(len(played))
        trajectory.write(flags.out, played)
    print(told(played))
    print(f"Written: {flags.out}")


def told(played: Sequence[trajectory.Trajectory]) -> str:
    """How many were solved, of each kind and in all, and in how many steps."""
    tried, solved = Counter(one.task.kind for one in played), Counter(one.task.kind for one in played if one.solved)
    lines = [f"{kind or 'of another kind'}: {solved[kind]} of {tried[kind]} solved" for kind in sorted(tried)]
    steps = [len(one.steps) for one in played if one.solved]
    mean = f", {sum(steps) / len(steps):.1f} steps on average" if steps else ""
    return "\n".join([*lines, f"all: {len(steps)} of {len(played)} solved{mean}"])


if __name__ == "__main__":
    main()
