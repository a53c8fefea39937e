"""An expert shops for the goals of a split, and its episodes are written as a file of trajectories.

python -m react.environments.shop.expert --split train --out expert.jsonl [--method act] [--environment_options JSON]
"""

from __future__ import annotations

from collections.abc import Sequence

from react import environments, trajectory
from react.environments.shop.expert.play import VOICES, demonstrate
from react.environments.webshop import NOTEBOOK
from react.flags import Flags, json_object, new_file, whole
from react.mistakes import LOADING, choose, mistakes
from react.progress import Progress


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = Flags(prog="python -m react.environments.shop.expert", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--split", default="train", help="which goals: %(default)s")
    parser.add_argument("--out", type=new_file, required=True, help="the file to write, JSON lines")
    parser.add_argument("--environment_options", type=json_object, default={}, help="which shop, as JSON")
    parser.add_argument("--method", default="react", choices=VOICES, help="with thoughts, or without: %(default)s")
    parser.add_argument("--limit", type=whole(1), help="only the first so many goals")
    parser.add_argument("--seed", type=int, default=0, help="of the words: %(default)s")
    parser.add_argument("--solved", action="store_true", help="write only the episodes with the full reward")
    with mistakes(*LOADING):
        flags = parser.parse_args(args)
        choose("form for an expert", flags.environment_options.get("form", NOTEBOOK), [NOTEBOOK])
        environment = environments.load("webshop", flags.environment_options)
        tasks = environment.tasks(flags.split)[: flags.limit]
        flags.out.parent.mkdir(exist_ok=True)
        played = []
        with Progress(f"{flags.split}: shopped", len(tasks)) as progress:
            progress.begin()
            for task in tasks:
                played.append(demonstrate(environment, task, flags.method, flags.seed))
                progress.advance(len(played))
        trajectory.write(flags.out, [one for one in played if one.solved or not flags.solved])
    print(told(played))
    print(f"Written: {flags.out}")


def told(played: Sequence[trajectory.Trajectory]) -> str:
    """Score and success, and how many steps it took."""
    n = max(len(played), 1)
    score, steps = 100 * sum(one.reward for one in played) / n, sum(len(one.steps) for one in played) / n
    solved = sum(one.solved for one in played)
    return f"{solved} of {len(played)} solved, score {score:.1f}, {steps:.1f} steps on average"


if __name__ == "__main__":
    main()
