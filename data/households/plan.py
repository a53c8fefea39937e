"""What one would do who knows where everything is: a walkthrough, as the official games have one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product

from data.households.chores import LOOK, TWO, Chore
from data.households.problem import Placed
from data.households.rooms import LAMP, OPENABLE, Receptacle, Room
from react.environments.household.release import MOVE

# Something to do at a receptacle, and whether one has to reach into it for that.
_Errand = tuple[Receptacle, bool, str]


def shortest(room: Room, placed: Sequence[Placed], chore: Chore, names: Mapping[str, str]) -> list[str]:
    """The fewest commands that do a task, where `names` says what the ids are called."""
    ways = (_commands(room, errands, names) for errands in _ways(room, placed, chore, names))
    return min(ways, key=lambda commands: (len(commands), commands))


def _ways(room: Room, placed: Sequence[Placed], chore: Chore, names: Mapping[str, str]) -> Iterator[list[_Errand]]:
    """All choices: which of the things, brought where, treated in which of the appliances."""
    wanted = [one for one in placed if one.thing.type == chore.thing]
    if chore.kind == LOOK:
        (lamp,) = (one for one in placed if one.thing.type == LAMP)
        for one in wanted:
            yield [_taking(one, names), (lamp.on, False, f"use {names[lamp.id.lower()]}")]
        return
    appliances = room.of(chore.treatment.receptacle) if chore.treatment else [None]
    for chosen in permutations(wanted, 2 if chore.kind == TWO else 1):
        for to, appliance in product(room.of(chore.to), appliances):
            yield [errand for one in chosen for errand in _bringing(one, to, appliance, chore, names)]


def _taking(one: Placed, names: Mapping[str, str]) -> _Errand:
    return one.on, True, f"take {names[one.id.lower()]} from {names[one.on.id.lower()]}"


def _bringing(
    one: Placed, to: Receptacle, appliance: Receptacle | None, chore: Chore, names: Mapping[str, str]
) -> Iterator[_Errand]:
    name = names[one.id.lower()]
    yield _taking(one, names)
    if appliance and chore.treatment:
        yield appliance, False, f"{chore.treatment.verb} {name} with {names[appliance.id.lower()]}"
    yield to, True, MOVE.put.format(o=name, r=names[to.id.lower()])


def _commands(room: Room, errands: Sequence[_Errand], names: Mapping[str, str]) -> list[str]:
    """The errands, with the ways between them and the doors on the way."""
    commands, spot, opened = [], room.entrance, set[Receptacle]()
    for at, inside, command in errands:
        if spot != at.spot:
            commands.append(f"go to {names[at.id.lower()]}")
            spot = at.spot
        if inside and at.type in OPENABLE and at not in opened:
            commands.append(f"open {names[at.id.lower()]}")
            opened.add(at)
        commands.append(command)
    return commands
