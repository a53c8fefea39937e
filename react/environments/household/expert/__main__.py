"""An expert plays the games of a split, and its episodes are written as a file of trajectories.

python -m react.environments.household.expert --split train --out expert.jsonl [--path FOLDER] [--method act]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from react import trajectory
from react.environments import alfworld
from react.environments.household.expert.play import VOICES, demonstrate
from react.flags import Flags, new_file, whole
from react.mistakes import LOADING, mistakes
from react.progress import Progress


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = Flags(prog="python -m react.environments.household.expert", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--split", default="train", help="which games: %(default)s")
    parser.add_argument("--out", type=new_file, required=True, help="the file to write, JSON lines")
    parser.add_argument("--path", default="", help=f"the games; empty: those of ${alfworld.VARIABLE}, or the embedded")
    parser.add_argument("--method", default="react", choices=VOICES, help="which thoughts: %(default)s")
    parser.add_argument("--limit", type=whole(0), default=0, help="only the first so many games; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="of the words: %(default)s")
    with mistakes(*LOADING):
        flags = parser.parse_args(args)
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
