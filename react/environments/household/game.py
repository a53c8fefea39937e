"""Game file -> `Game`: everything about a game that never changes.

`game.tw-pddl` is JSON: `pddl_domain` and `grammar` (release.py), `pddl_problem` (problem.py), and, beside what playing
needs, `solvable` and a winning `walkthrough`. It comes from outside: whatever is wrong with it is a GameError.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react.environments.household.problem import Condition, Facts, read_problem
from react.environments.household.release import Dialect, recognise

LARGEST = 8_000_000  # bytes; the largest official file has 140,000
_APPLIANCES = {"sinkbasintype": "clean", "microwavetype": "heat", "fridgetype": "cool"}


class GameError(ValueError):
    """A game file that cannot be played; the message names the file and what is wrong with it."""


@dataclass(frozen=True)
class Game:
    """A game as its file says it is. Shared by any number of plays; ids are those of the file, in lower case.

    `names` are what a player reads (`mug 2`), of every id that has a number. `receptacles` says where each stands, in
    the order of ids, and `does` what can be done in it to an object in hand. `fits` names the receptacles that an
    object may be put into.
    """

    task: str
    dialect: Dialect
    facts: Facts
    goal: tuple[Condition, ...]
    names: Mapping[str, str]
    receptacles: Mapping[str, str]
    does: Mapping[str, frozenset[str]]
    fits: Mapping[str, frozenset[str]]
    agent: str
    start: str
    walkthrough: tuple[str, ...]
    solvable: bool

    def has(self, quality: str, thing: str) -> bool:
        """Whether an object or receptacle has a quality that never changes: `openable`, `heatable`, ..."""
        return (thing,) in self.facts.get(quality, ())


def read_game(path: Path) -> Game:
    """The game of a file. GameError says why it is none."""
    content = game_bytes(path)
    try:
        return parse_game(_parsed(content))
    except (ValueError, RecursionError) as error:
        raise _unplayable(path, str(error) or type(error).__name__) from None


def game_bytes(path: Path) -> bytes:
    """The bytes of a game file, at most one more than a game can have. GameError where there is none to read."""
    if not path.is_file():  # a pipe would be waited for
        raise _unplayable(path, "there is no such file")
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise _unplayable(path, error.strerror or type(error).__name__) from None


def _unplayable(path: Path, reason: str) -> GameError:
    return GameError(f"{path}: not a game that can be played: {reason}")


def release_of(content: bytes) -> str:
    """The data release of the bytes of a game file; `unknown` where they are no game of one."""
    try:
        return _recognised(_parsed(content))[0].release
    except (ValueError, RecursionError):
        return "unknown"


def _parsed(content: bytes) -> Any:
    if len(content) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST} bytes")
    try:
        return json.loads(content)
    except ValueError as error:
        raise ValueError(f"it is no JSON, or cut off: {error}") from None


def _recognised(content: Any) -> tuple[Dialect, str]:
    if not isinstance(content, dict):
        raise ValueError(f"it holds a {type(content).__name__}, not an object of JSON")
    return recognise(_text(content, "pddl_domain"), _text(content, "grammar"))


def parse_game(content: Any) -> Game:
    """The game that the JSON of a game file says. ValueError says what is missing or not known."""
    dialect, task = _recognised(content)
    facts, goal = read_problem(_text(content, "pddl_problem"))
    names = numbered({argument for known in facts.values() for fact in known for argument in fact})
    receptacles = _receptacles(facts, names)
    agents = facts.get("atlocation", frozenset())
    if len(agents) != 1:
        raise ValueError(f"{len(agents)} agents have a place; there must be one")
    ((agent, start),) = agents
    walkthrough = content.get("walkthrough") or ()
    if not isinstance(walkthrough, list | tuple) or not all(isinstance(command, str) for command in walkthrough):
        raise ValueError("its `walkthrough` must be a list of commands")
    return Game(
        task=task,
        dialect=dialect,
        facts={predicate: known for predicate, known in facts.items() if predicate != "cancontain"},
        goal=goal,
        names=names,
        receptacles=receptacles,
        does=_does(facts),
        fits=_fits(facts),
        agent=agent,
        start=start,
        walkthrough=tuple(walkthrough),
        solvable=content.get("solvable") is not False,
    )


def _text(content: Mapping[str, Any], key: str) -> str:
    value = content.get(key)
    if not isinstance(value, str):
        raise ValueError(f"its `{key}` must be a text" if key in content else f"it has no `{key}`")
    return value


def numbered(ids: Iterable[str]) -> dict[str, str]:
    """What the ids are called: the word before `_bar_`, and a number that goes down as the ids go up.

    `Sink_bar_3_bar_SinkBasin` is a `sinkbasin` (alfworld 0.4.2, agents/utils/misc.py `Demangler`).
    """
    words = {id: id.split("_bar_", 1)[0] + ("basin" if "basin" in id else "") for id in sorted(ids) if "_bar_" in id}
    left = Counter(words.values())
    names = {}
    for id, word in words.items():
        names[id] = f"{word} {left[word]}"
        left[word] -= 1
    return names


def _receptacles(facts: Facts, names: Mapping[str, str]) -> dict[str, str]:
    """Where each receptacle stands, in the order of ids. Everything that a player can meet must have a name."""
    places = {receptacle: place for receptacle, place in sorted(facts.get("receptacleatlocation", ()))}
    if len(places) < len(facts.get("receptacleatlocation", ())):
        raise ValueError("a receptacle stands in two places")
    lying = {thing for name in ("inreceptacle", "objectatlocation") for thing, _ in facts.get(name, ())}
    met = {*places, *places.values(), *lying}
    if nameless := sorted(met - set(names)):
        raise ValueError(f"{nameless[0]!r} has no number, as in Mug_bar_1")
    return places


def _does(facts: Facts) -> dict[str, frozenset[str]]:
    """What each receptacle can do. Domains disagree on `SinkType`, which no official game uses."""
    types = facts.get("receptacletype", frozenset())
    if any(type == "sinktype" for _, type in types):
        raise ValueError("it has a receptacle of type Sink; what is cleaned in is a SinkBasin")
    found: dict[str, set[str]] = {}
    for receptacle, type in types:
        if type in _APPLIANCES:
            found.setdefault(receptacle, set()).add(_APPLIANCES[type])
    return {receptacle: frozenset(verbs) for receptacle, verbs in found.items()}


def _fits(facts: Facts) -> dict[str, frozenset[str]]:
    """The receptacles that each object may be put into. Objects of one type share one set."""
    of_type: dict[str, set[str]] = {}
    for receptacle, type in facts.get("receptacletype", ()):
        of_type.setdefault(type, set()).add(receptacle)
    room: dict[str, set[str]] = {}
    for container, type in facts.get("cancontain", ()):
        room.setdefault(type, set()).update(of_type.get(container, ()))
    shared = {type: frozenset(receptacles) for type, receptacles in room.items()}
    fits: dict[str, frozenset[str]] = {}
    for thing, type in facts.get("objecttype", ()):
        here = shared.get(type, frozenset())
        fits[thing] = fits[thing] | here if thing in fits else here
    return fits
