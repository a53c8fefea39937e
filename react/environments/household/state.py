"""What changes in the course of a play: which facts hold now."""

from __future__ import annotations

from collections.abc import Collection

from react.environments.household.game import Game
from react.environments.household.problem import CHANGING, Arguments


class State:
    """The facts of a play that actions change, by predicate, and which receptacles each object was taken from.

    TextWorld knows that something is not in a receptacle only where it once was: `left` is that knowledge.
    """

    def __init__(self, game: Game) -> None:
        self.facts: dict[str, set[Arguments]] = {name: set(game.facts.get(name, ())) for name in CHANGING}
        self.left: set[tuple[str, str]] = set()
        self.place = game.start
        self.held = ""
        self._game = game

    def has(self, quality: str, thing: str) -> bool:
        """Whether an object or receptacle has a quality that actions change: `opened`, `isclean`, ..."""
        return (thing,) in self.facts[quality]

    def known(self, predicate: str) -> Collection[Arguments]:
        """All facts of a predicate that hold now."""
        return self.facts[predicate] if predicate in CHANGING else self._game.facts.get(predicate, ())

    def here(self) -> list[str]:
        """The receptacles where the player stands, in the order of ids; often one, sometimes none or several."""
        return [receptacle for receptacle, place in self._game.receptacles.items() if place == self.place]

    def inside(self, receptacle: str) -> list[str]:
        """What is in a receptacle, in the order of ids."""
        return sorted(thing for thing, where in self.facts["inreceptacle"] if where == receptacle)

    def reachable(self, receptacle: str) -> bool:
        """Whether one can put into it and take out of it: what can be closed must be open."""
        return not self._game.has("openable", receptacle) or self.has("opened", receptacle)

    def go(self, place: str) -> None:
        self.place = place
        self.facts["atlocation"] = {(self._game.agent, place)}

    def take(self, thing: str, receptacle: str) -> None:
        self.facts["inreceptacle"].discard((thing, receptacle))
        self.facts["objectatlocation"].discard((thing, self.place))
        self.left.add((thing, receptacle))
        self._hold(thing)

    def put(self, thing: str, receptacle: str) -> None:
        self.facts["inreceptacle"].add((thing, receptacle))
        self.facts["objectatlocation"].add((thing, self.place))
        self.left.discard((thing, receptacle))
        self._hold("")

    def _hold(self, thing: str) -> None:
        self.held = thing
        self.facts["holds"] = {(self._game.agent, thing)} if thing else set()

    def mark(self, which: str, quality: str) -> None:
        self.facts[quality].add((which,))

    def unmark(self, which: str, quality: str) -> None:
        self.facts[quality].discard((which,))
