"""What a receptacle, an object or the room looks like: the texts of alfred.twl2, the text grammar of ALFWorld."""

from __future__ import annotations

from collections.abc import Sequence

from react.environments.household.game import Game
from react.environments.household.state import State


def listing(names: Sequence[str], none: str = "nothing") -> str:
    """`a mug 2, a mug 1, and a pen 3`, where `names` have their articles."""
    if len(names) < 2:
        return names[0] if names else none
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def opening(game: Game, state: State) -> str:
    """What one sees before the first command: all receptacles of the room, unless one stands before some of them."""
    if state.here():
        return look(game, state)
    return _middle([f"a {game.names[receptacle]}" for receptacle in game.receptacles])


def look(game: Game, state: State) -> str:
    """What is where one stands. Things that were taken from one receptacle and put into its neighbour lie beside it."""
    here = state.here()
    if not here:
        return _middle([])
    beside = [
        f"a {game.names[thing]}"
        for thing, place in sorted(state.facts["objectatlocation"])
        for receptacle in here
        if place == state.place and (thing, receptacle) in state.left
    ]
    return f"You are facing the {listing([game.names[one] for one in here])}. Next to it, you see {listing(beside)}."


def _middle(seen: Sequence[str]) -> str:
    return f"You are in the middle of a room. Looking quickly around you, you see {listing(seen)}."


def receptacle(game: Game, state: State, which: str) -> str:
    """A receptacle from outside or, where it is open, with what is in it."""
    name = game.names[which]
    if not game.has("openable", which):
        return f"On the {name}, you see {_inside(game, state, which)}."
    if not state.has("opened", which):
        return f"The {name} is closed."
    return f"The {name} is open. In it, you see {_inside(game, state, which)}."


def _inside(game: Game, state: State, which: str) -> str:
    return listing([f"a {game.names[thing]}" for thing in state.inside(which)])


def examined(game: Game, state: State, which: str) -> str:
    """What one examines: a receptacle, or an object in hand."""
    return receptacle(game, state, which) if which in game.receptacles else thing(game, state, which)


def inventory(game: Game, state: State) -> str:
    """What one has in hand."""
    return f"You are carrying: a {game.names[state.held]}." if state.held else "You are not carrying anything."


def thing(game: Game, state: State, which: str) -> str:
    """An object in hand, by what was done to it. What lay in a bowl at first is named for ever, as in the original."""
    name = game.names[which]
    if game.has("isreceptacleobject", which):
        held = sorted(inner for inner, outer in game.facts.get("inreceptacleobject", ()) if outer == which)
        return f"This is a normal {name}. In it, you see {listing([f'a {game.names[inner]}' for inner in held])}."
    is_ = {quality for quality in ("ishot", "iscool", "isclean", "issliced", "istoggled") if state.has(quality, which)}
    warmth = ["hot"] if "ishot" in is_ else ["cool"] if "iscool" in is_ else []
    clean = ["clean"] if "isclean" in is_ else []
    sliced = ["sliced"] if "issliced" in is_ else []
    if warmth or clean:
        words = " ".join([" and ".join(warmth + clean), *sliced])
        return f"This is a {'cold' if words == 'cool' else words} {name}."
    if "istoggled" in is_ and game.has("toggleable", which):
        return f"This {name} is on."
    if sliced and game.has("sliceable", which):
        return f"This is a sliced {name}."
    return f"There's nothing special about {name}."
