"""Plays games here and in TextWorld with the same random commands, and reports the first difference.

    pip install -e '.[textworld]'
    python -m react.environments.household.crosscheck GAME... [--steps 100] [--seed 0]

GAME is a `game.tw-pddl`, or the folder of the trial that it lies in. Compared are the first text and, at every step,
the feedback, the admissible commands and the win flag. TextWorld evaluates what stands in a game's grammar: it is given
only games that are recognised here.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from react.environments.household.folder import GAME
from react.environments.household.game import read_game
from react.environments.household.play import Play
from react.mistakes import Mistake, at_least, mistakes

# Every tenth command is one of these: most of them are wrong, in ways that models are.
_WRONG = ("think: where am I?", "look around", "Look", "go to mars 1", "take", "help", " inventory ", "look.", "")


def main(args: Sequence[str] | None = None) -> None:
    """The command. Its exit status is 1 where something differs."""
    parser = argparse.ArgumentParser(
        prog="python -m react.environments.household.crosscheck", description=(__doc__ or "").split("\n")[0]
    )
    told = f"{GAME}, or the folder that it lies in: data/alfworld/json_2.1.1/<split>/<task>/<trial>"
    parser.add_argument("games", metavar="GAME", nargs="+", type=Path, help=told)
    parser.add_argument("--steps", type=int, default=100, help="of each game")
    parser.add_argument("--seed", type=int, default=0)
    flags = parser.parse_args(args)
    different = 0
    with mistakes(ValueError):
        at_least(1, flags, "steps")
        for given in flags.games:
            path = given / GAME if given.is_dir() else given
            difference = compare(path, flags.steps, random.Random(f"{flags.seed}/{path.name}/{path.parent.name}"))
            different += bool(difference)
            print(f"{path}: {difference or f'{flags.steps} steps alike'}", flush=True)
    sys.exit(1 if different else 0)


def compare(path: Path, steps: int, rng: random.Random) -> str:
    """The first difference in `steps` steps; empty if there is none. GameError for a game that is not known here."""
    ours, theirs = Play(read_game(path)), TextWorld(path)
    if ours.intro != theirs.text:
        return f"first text: here {ours.intro!r}, in TextWorld {theirs.text!r}"
    for number in range(1, steps + 1):
        command = _choose(theirs.admissible, rng)
        text = ours.act(command)
        theirs.act(command)
        for what, one, other in (
            ("feedback", text, theirs.text),
            ("commands", ours.admissible(), theirs.admissible),
            ("won", ours.won, theirs.won),
        ):
            if one != other:
                return f"step {number}, {command!r}: {what}: here {one!r}, in TextWorld {other!r}"
    return ""


def _choose(admissible: Sequence[str], rng: random.Random) -> str:
    """A verb, then a command with it: else nearly all commands would go somewhere."""
    if rng.random() < 0.1:
        return rng.choice(_WRONG)
    verb = rng.choice(sorted({command.split()[0] for command in admissible}))
    return rng.choice([command for command in admissible if command.split()[0] == verb])


class TextWorld:
    """A game in TextWorld, with the names that ALFWorld gives. Slow, and for one thread of one process."""

    def __init__(self, path: Path) -> None:
        try:
            import textworld
            from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
            from textworld.envs.pddl import PddlEnv
        except ImportError as error:
            raise Mistake(f"TextWorld is not installed ({error}); pip install -e '.[textworld]'") from None
        given = sys.argv
        self._env: Any = AlfredDemangler(PddlEnv(textworld.EnvInfos(won=True, admissible_commands=True)))
        self._env.load(str(path))
        self._state = self._env.reset()
        sys.argv = given  # the planner of TextWorld writes its own there

    @property
    def text(self) -> str:
        return str(self._state.feedback)

    @property
    def admissible(self) -> list[str]:
        return list(self._state.admissible_commands)

    @property
    def won(self) -> bool:
        return bool(self._state.won)

    def act(self, command: str) -> None:
        self._state, _, _ = self._env.step(command)


if __name__ == "__main__":
    main()
