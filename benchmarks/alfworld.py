"""How fast households are played, and what they take while they are.

    python -m benchmarks.alfworld [--quick] [--data FOLDER]

FOLDER is what alfworld-download made; without it $ALFWORLD_DATA, or else the embedded games. One thread walks through
games by random admissible commands. Last, one line of JSON:

* load_reset_ms        from a game file to the first observation, on average
* steps_per_second     commands carried out, the list of the admissible ones made before each
* mb_per_1000_games    resident memory of 1,000 plays that are all under way, each with its own game
* ratio_to_textworld   how many times longer TextWorld takes for the same episodes, where it is installed
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import random
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter

from benchmarks._memory import memory_mb
from react.environments import alfworld
from react.environments.household import folder
from react.environments.household.crosscheck import TextWorld
from react.environments.household.game import read_game
from react.environments.household.play import Play
from react.mistakes import Mistake

_WALK = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="300 games instead of 3,000")
    parser.add_argument("--data", default="", metavar="FOLDER")
    flags = parser.parse_args()
    try:
        paths = games(flags.data)
    except Mistake as mistake:
        print(f"{mistake}\n{{}}")
        return
    figures = measure(list(islice(cycle(paths), 300 if flags.quick else 3000)))
    figures["mb_per_1000_games"] = round(memory(list(islice(cycle(paths), 1000))), 1)
    if importlib.util.find_spec("textworld") and importlib.util.find_spec("alfworld"):
        figures["ratio_to_textworld"] = ratio(paths[:: len(paths) // 3 + 1], steps=20)
    for name, value in figures.items():
        print(f"{name:20} {value:10.1f}")
    print(json.dumps(figures))


def games(data: str) -> list[Path]:
    """All games of all splits, mixed: neighbours in a folder are alike."""
    root = alfworld.root_of(data)
    paths = [root / id / folder.GAME for ids in folder.games(root).values() for id in ids]
    random.Random(0).shuffle(paths)
    return paths


def measure(paths: Sequence[Path]) -> dict[str, float]:
    """Speed: loading and walking, one game after the other."""
    loading = walking = 0.0
    for number, path in enumerate(paths):
        began = perf_counter()
        play = begun(path)
        loading += perf_counter() - began
        began = perf_counter()
        walk(play, _WALK, random.Random(number))
        walking += perf_counter() - began
    return {
        "load_reset_ms": round(1000 * loading / len(paths), 2),
        "steps_per_second": round(_WALK * len(paths) / walking, 1),
    }


def begun(path: Path) -> Play:
    play = Play(read_game(path))
    assert play.intro
    return play


def walk(play: Play, steps: int, rng: random.Random) -> list[str]:
    """The commands of a random walk. It does not end where the game is won."""
    taken = []
    for _ in range(steps):
        taken.append(rng.choice(play.admissible()))
        play.act(taken[-1])
    return taken


def memory(paths: Sequence[Path]) -> float:
    """What plays take that have gone some steps, in megabytes."""
    gc.collect()
    before = memory_mb()
    alive = [begun(path) for path in paths]
    for number, play in enumerate(alive):
        walk(play, 10, random.Random(number))
    gc.collect()
    return memory_mb() - before


def ratio(paths: Sequence[Path], steps: int) -> float:
    """The time that TextWorld takes for whole episodes, over ours for the same commands."""
    ours = theirs = 0.0
    for path in paths:
        began = perf_counter()
        commands = walk(begun(path), steps, random.Random(0))
        ours += perf_counter() - began
        began = perf_counter()
        other = TextWorld(path)
        for command in commands:
            other.act(command)
        theirs += perf_counter() - began
    return round(theirs / ours, 1)


if __name__ == "__main__":
    main()
