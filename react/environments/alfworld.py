"""ALFWorld: a household in text, and a task that is done or not (paper, section 4; arXiv 2010.03768).

A game of either data release is played in the words of ReAct's prompts: `put X in/on Y`, and no `You arrive at`; what a
model says in the words of the newer one, `move X to Y`, means the same. Success is the win flag of the game.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from react.console import HEARD, THINK, Console
from react.environments import Observation, _questions
from react.environments.household import folder
from react.environments.household.game import GameError, game_bytes, read_game, release_of
from react.environments.household.play import NOTHING, Play
from react.environments.household.release import PUT, as_in_the_paper
from react.mistakes import Mistake, nearest
from react.notation import Notation
from react.tool_calls import Tool
from react.trajectory import Task

METRIC = "success rate"
BY_ID = True
KINDS = tuple(folder.KINDS.values())  # the columns of the paper's table 3
TOOLS = (
    Tool(
        "act",
        "Does one thing in the household, and says what is seen then.",
        "command",
        "A command such as `go to desk 1`, `take mug 1 from desk 1` or `put mug 1 in/on shelf 1`.",
        "{}",
    ),
)
VARIABLE = "ALFWORLD_DATA"
_EMBEDDED = Path(__file__).resolve().parents[2] / "data" / "alfworld"
# Another value whenever the same actions could bring another text or end.
_VERSION = "1"
_LIMIT = 50  # steps of a game; alfworld configs/base_config.yaml, max_nb_steps_per_episode
_UNSEEN = 134
# Of the ids of those games, in their order; both releases have the same.
_PAPER = "c2da12ecefba61db"
_MOVE = re.compile(r"move (.+) to (.+)")
_PLACE = re.compile(r"\ban? (\w+ \d+)")
_CLOSED = " is closed."


def load(path: str = "", admissible: bool = False) -> AlfWorld:
    """The games below `path`, else below $ALFWORLD_DATA, else the embedded ones.

    `admissible` ends each observation with the commands that are possible now, as many report ALFWorld.
    """
    if not isinstance(admissible, bool):
        raise Mistake(f"alfworld: `admissible` is {admissible!r}; it must be true or false")
    if not isinstance(path, str):
        raise Mistake(f"alfworld: `path` is {path!r}; it must be a text, the folder of the games")
    return AlfWorld(root_of(path), admissible)


def root_of(path: str) -> Path:
    """The folder of the splits: below the option, the variable or the embedded data. Mistake if it is not there."""
    named = {"the option `path`": path, f"${VARIABLE}": os.environ.get(VARIABLE, ""), "": str(_EMBEDDED)}
    by, place = next((by, Path(os.path.expanduser(place))) for by, place in named.items() if place)
    if not place.is_dir():
        raise Mistake(
            f"alfworld: {place} is no folder{by and f' ({by})'}; give the option `path`, or set ${VARIABLE}, to the "
            "folder that alfworld-download made"
        )
    official = place / "json_2.1.1"
    return official if official.is_dir() else place


class AlfWorld:
    """The `Environment`. Games are read when they are started; nothing that changes is shared between episodes."""

    name = "alfworld"
    max_steps = _LIMIT - 1  # ReAct@6bdb3a1 alfworld.ipynb: 49 calls

    def __init__(self, root: Path, admissible: bool = False) -> None:
        self._root = root
        self._admissible = admissible
        self._splits = folder.games(root)
        self._ids = {id for ids in self._splits.values() for id in ids}
        self._tasks: dict[str, tuple[Task, ...]] = {}

    @cached_property
    def fingerprint(self) -> str:
        """The data release (several, joined by `+`), a colon, and what changes with any byte of any game."""
        digest = hashlib.sha256(f"{self.name} {_VERSION} {self._admissible}".encode())
        releases = set()
        for id in sorted(self._ids):
            try:
                content = game_bytes(self._path(id))
            except GameError:
                content = b""  # stays in, as a game that cannot be read does
            digest.update(f"\n{id} {len(content)}\n".encode() + content)
            releases.add(release_of(content))
        return f"{'+'.join(sorted(releases))}:{digest.hexdigest()}"

    @property
    def held_out(self) -> list[str]:
        return [split for split in ("valid_seen", "valid_unseen") if split in self._splits]

    def tasks(self, split: str) -> Sequence[Task]:
        """The games of a split in the order of their ids, but those whose file says that they cannot be won.

        A game that cannot be read stays in, so that the panel is whole: to start it is an error.
        """
        if split not in self._splits:
            raise ValueError(f"no split {split!r}; {nearest(split, list(self._splits))}")
        if split not in self._tasks:
            found = (self._task(id) for id in self._splits[split])
            self._tasks[split] = tuple(task for task in found if task is not None)
        return self._tasks[split]

    def data(self, split: str) -> str:
        """The data releases that the games of a split are of: `embedded`, `release 2.1.1`, ..."""
        found = sorted({task.extra["release"] for task in self.tasks(split) if "release" in task.extra})
        return " and ".join(name if name == "embedded" else f"release {name}" for name in found) or "unknown release"

    def _task(self, id: str) -> Task | None:
        extra = {"kind": folder.kind(id)}
        try:
            game = read_game(self._path(id))
        except GameError:
            return Task(id, "", "", extra)
        play = Play(game, as_in_the_paper(game.dialect))
        room = play.room + (_told(play) if self._admissible else "")
        extra |= {"release": game.dialect.release, "room": room}
        return Task(id, game.task, "", extra) if game.solvable else None

    def _path(self, id: str) -> Path:
        if id not in self._ids:
            raise ValueError(f"there is no game {id!r} in {self._root}")
        return self._root / id / folder.GAME

    def start(self, task: Task) -> Household:
        """A new play of the game. GameError, a ValueError, where it cannot be read."""
        game = read_game(self._path(task.id))
        return Household(Play(game, as_in_the_paper(game.dialect)), self._admissible)

    def normalise(self, answer: str) -> str:
        return answer

    def notation(self, *, thoughts: bool, actions: bool) -> Notation:
        return notation(thoughts=thoughts, actions=actions)


def paper_panel(environment: AlfWorld, split: str) -> range:
    """The games that the paper's numbers are made of: all of the official valid_unseen."""
    ids = [task.id for task in environment.tasks(split)]
    if _questions.fingerprint(ids) != _PAPER:
        there = f"there are {len(ids):,} ({environment.data(split)})" if len(ids) != _UNSEEN else "there are others"
        raise ValueError(
            f"the paper's panel is the {_UNSEEN} official games of valid_unseen, and {there}; give the option `path`, "
            f"or set ${VARIABLE}, to the folder that alfworld-download made"
        )
    return range(_UNSEEN)


def mishap(observation: str) -> str:
    """See `environments.says`. What is not understood and what is not possible are told in the same words."""
    return "invalid" if observation.startswith(NOTHING) else ""


def notation(*, thoughts: bool, actions: bool) -> Notation:
    """How ALFWorld is written, without opening any game: all that training needs."""
    if not actions:
        raise Mistake(
            "alfworld has no method without actions: a household is not a question; there are: act, react, react_im"
        )
    return Console(thoughts)


def glance(task: Task, seen: Sequence[str]) -> str:
    """See `environments.says`: goes to each place of the room, and opens what is closed."""
    places = _PLACE.findall(str(task.extra.get("room", "")))
    shut = [_CLOSED in text for text in seen]
    gone = len(seen) - sum(shut[:-1])  # behind each place that is shut it is opened
    if shut and shut[-1]:
        return f"open {places[gone - 1]}"
    return f"go to {places[gone]}" if gone < len(places) else ""


def _told(play: Play) -> str:
    return f" Admissible commands: {', '.join(play.admissible())}."


class Household:
    """The `Episode`: a game, thoughts that change nothing in it, and the end of its time."""

    answer = ""  # a household hands nothing in

    def __init__(self, play: Play, admissible: bool = False) -> None:
        self._play = play
        self._admissible = admissible
        self._steps = 0

    def act(self, action: str) -> Observation:
        """One command, or a thought, which takes its time too. `done` after success, or where time is up."""
        if self._steps == _LIMIT:
            return Observation(NOTHING, done=True, valid=False)
        self._steps += 1
        text = HEARD if action.strip().startswith(THINK) else self._play.act(_canonical(action.strip()))
        valid = text != NOTHING
        if self._admissible and text != HEARD:
            text += _told(self._play)
        won = self._play.won
        return Observation(text, done=won or self._steps >= _LIMIT, reward=float(won), valid=valid)


def _canonical(action: str) -> str:
    """`put X in/on Y` for `move X to Y`, which is no other command of either release."""
    move = _MOVE.fullmatch(action)
    return PUT.put.format(o=move[1], r=move[2]) if move else action
