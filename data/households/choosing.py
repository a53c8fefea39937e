"""Which tasks are asked for in which rooms."""

from __future__ import annotations

import random
from collections.abc import Sequence

from data.households.chores import LOOK, TWO, Chore
from data.households.rooms import LAMP, Room
from data.households.things import THINGS, Thing

_THINGS = {thing.type: thing for thing in THINGS}


def choose(
    kind: str, known: Sequence[Room], wanted: int, taken: set[tuple[int, Chore]], chance: random.Random
) -> list[tuple[Room, Chore]]:
    """Tasks in all rooms that they can be done in, in turn; in a split, a thing is asked for twice at most."""
    usable = [room for room in known if _chores(kind, room)]
    chance.shuffle(usable)
    tasks: list[tuple[Room, Chore]] = []
    while len(tasks) < wanted:
        room = usable[len(tasks) % len(usable)]
        had = [chore.thing for _, chore in tasks]
        new = [c for c in _chores(kind, room) if (room.scene, c) not in taken and had.count(c.thing) < 2]
        thing = chance.choice(sorted({chore.thing for chore in new}))
        tasks.append((room, chance.choice([chore for chore in new if chore.thing == thing])))
        taken.add((room.scene, tasks[-1][1]))
    return tasks


def _chores(kind: str, room: Room) -> list[Chore]:
    """The tasks of a kind that make sense in a room."""
    possible = [thing for thing in THINGS if thing.lives_in(room)]
    if kind == LOOK:
        return [Chore(kind, thing.type, LAMP) for thing in possible if room.lamp]
    chores = [Chore(kind, thing.type, to) for thing in possible for to in thing.goes_into]
    return [chore for chore in chores if _possible(chore, room)]


def _possible(chore: Chore, room: Room) -> bool:
    """Whether the thing can be treated and brought to its place here, and can lie elsewhere before."""
    thing, treatment = _THINGS[chore.thing], chore.treatment
    if treatment and not (treatment.needs in thing.qualities and room.of(treatment.receptacle)):
        return False
    goes = room.of(chore.to) and not (treatment and chore.to == treatment.receptacle)
    return bool(goes and homes(thing, room, chore)) and (chore.kind != TWO or thing.most > 1)


def homes(thing: Thing, room: Room, chore: Chore) -> list[str]:
    """The types of receptacles that a thing may lie in at first: what is asked for is not yet where it has to go."""
    avoided = chore.to if thing.type == chore.thing else ""
    return [home for home in thing.homes if room.of(home) and home != avoided]
