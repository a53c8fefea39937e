"""One play of a game: the commands that are possible now, what each of them brings, and whether the game is won.

go to R | open R | close R | examine R | take O from R | put O in/on R (or: move O to R) | examine O in hand
clean, heat or cool O with R | use LAMP | slice O with KNIFE | look | inventory | help
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from react.environments.household import words
from react.environments.household.game import Game
from react.environments.household.release import Dialect
from react.environments.household.state import State

NOTHING = "Nothing happens."
BANNER = "-= Welcome to TextWorld, ALFRED! =-"

# What a command does: a verb and the ids that it is about.
Act = tuple[str, ...]
_MARKS = {"clean": ("isclean", ""), "heat": ("ishot", "iscool"), "cool": ("iscool", "ishot")}
_QUALITIES = {"clean": "cleanable", "heat": "heatable", "cool": "coolable"}
_KNIVES = ("knifetype", "butterknifetype")


class Play:
    """A game from its beginning, as TextWorld would play it. Used by one thread; shares nothing that changes.

    `dialect` replaces the game's own, so that games of both releases can be played in the same words.
    """

    def __init__(self, game: Game, dialect: Dialect | None = None) -> None:
        self.game = game
        self.dialect = dialect or game.dialect
        self.won = False
        self._state = State(game)
        self._commands: dict[str, Act] | None = None
        self._judge()

    @property
    def room(self) -> str:
        """What the player sees before the first command."""
        return words.opening(self.game, State(self.game))

    @property
    def intro(self) -> str:
        """The first text of the original: a banner, the room and the task."""
        return f"{BANNER}\n\n{self.room}\n\nYour task is to: {self.game.task}"

    def admissible(self) -> list[str]:
        """The commands that do something now, sorted."""
        return sorted(self._possible())

    def act(self, command: str) -> str:
        """Carries out a command, exactly as it is written but for spaces around it, and returns its feedback."""
        act = self._possible().get(command.strip())
        if act is None:
            return NOTHING
        feedback = self._do(act)
        self._commands = None
        self._judge()
        return feedback

    def _judge(self) -> None:
        self.won = all(condition.met(self._state.known) for condition in self.game.goal)

    def _possible(self) -> Mapping[str, Act]:
        """What every possible command does, until the next one is carried out."""
        if self._commands is None:
            self._commands = dict(self._offers())
        return self._commands

    def _offers(self) -> Iterator[tuple[str, Act]]:
        yield "look", ("look",)
        yield "inventory", ("inventory",)
        if self.dialect.help:
            yield "help", ("help",)
        names, state = self.game.names, self._state
        for receptacle, place in self.game.receptacles.items():
            if place != state.place:
                yield f"go to {names[receptacle]}", ("go", receptacle)
        here = state.here()
        for receptacle in here:
            yield f"examine {names[receptacle]}", ("examine", receptacle)
            if self.game.has("openable", receptacle):
                verb = "close" if state.has("opened", receptacle) else "open"
                yield f"{verb} {names[receptacle]}", (verb, receptacle)
        yield from self._offers_in(here)
        if state.held:
            yield from self._offers_with(state.held, here)

    def _offers_in(self, here: list[str]) -> Iterator[tuple[str, Act]]:
        """What can be taken and used. A lamp can be used through a closed door, as in the original."""
        game, state = self.game, self._state
        for thing, receptacle in state.facts["inreceptacle"]:
            if receptacle not in here:
                continue
            name = game.names[thing]
            if game.has("toggleable", thing):
                yield f"use {name}", ("use", thing)
            if not state.held and game.has("pickupable", thing) and state.reachable(receptacle):
                yield f"take {name} from {game.names[receptacle]}", ("take", thing, receptacle)

    def _offers_with(self, held: str, here: list[str]) -> Iterator[tuple[str, Act]]:
        """What can be done with what is in hand. Heating, cooling and cleaning open nothing and put nothing in."""
        game, state = self.game, self._state
        name = game.names[held]
        yield f"examine {name}", ("examine", held)
        for receptacle in here:
            if receptacle in game.fits.get(held, ()) and state.reachable(receptacle):
                yield self.dialect.put.format(o=name, r=game.names[receptacle]), ("put", held, receptacle)
            for verb in game.does.get(receptacle, ()):
                if game.has(_QUALITIES[verb], held):
                    yield f"{verb} {name} with {game.names[receptacle]}", (verb, held, receptacle)
        if any((held, knife) in game.facts.get("objecttype", ()) for knife in _KNIVES):
            for thing, place in state.facts["objectatlocation"]:
                if place == state.place and game.has("sliceable", thing):
                    yield f"slice {game.names[thing]} with {name}", ("slice", thing, held)

    def _do(self, act: Act) -> str:
        """Changes the state, and says so."""
        game, state = self.game, self._state
        verb, *ids = act
        names = {key: game.names[id] for key, id in zip("or", ids, strict=False)}
        match verb, *ids:
            case ["look"]:
                return words.look(game, state)
            case ["inventory"]:
                return words.inventory(game, state)
            case ["help"]:
                return self.dialect.help
            case ["examine", which]:
                return words.examined(game, state, which)
            case ["go", receptacle]:
                state.go(game.receptacles[receptacle])
                arrives = self.dialect.arrives.format(r=game.names[receptacle], place=game.names[state.place])
                return arrives + words.receptacle(game, state, receptacle)
            case ["open", receptacle]:
                state.mark(receptacle, "opened")
                return f"You open the {game.names[receptacle]}. {words.receptacle(game, state, receptacle)}"
            case ["close", receptacle]:
                state.unmark(receptacle, "opened")
                return f"You close the {game.names[receptacle]}."
            case ["use", lamp]:
                state.mark(lamp, "istoggled")
                return f"You turn on the {game.names[lamp]}."
            case ["take", thing, receptacle]:
                state.take(thing, receptacle)
                return "You pick up the {o} from the {r}.".format(**names)
            case ["put", thing, receptacle]:
                state.put(thing, receptacle)
                return self.dialect.has_put.format(**names)
            case ["slice", thing, _]:
                state.mark(thing, "issliced")
                return "You sliced the {o} with the {r}.".format(**names)
            case [verb, thing, _]:
                self._treat(verb, thing)
                return f"You {verb} the {{o}} using the {{r}}.".format(**names)
        raise AssertionError(act)

    def _treat(self, verb: str, thing: str) -> None:
        """Cleans, heats or cools. What was cleaned stays clean."""
        quality, opposite = _MARKS[verb]
        self._state.mark(thing, quality)
        if opposite:
            self._state.unmark(thing, opposite)
