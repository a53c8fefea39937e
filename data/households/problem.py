"""The PDDL of one game: a room, what lies in it, and what has to become true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.households.chores import Chore
from data.households.language import CONSTANTS, DOMAIN_NAME
from data.households.rooms import OPENABLE, Receptacle, Room
from data.households.things import Thing

_AGENT = "agent1"


@dataclass(frozen=True)
class Placed:
    """An object: its id, what it is, and where it lies at first."""

    id: str
    thing: Thing
    on: Receptacle


def problem(name: str, room: Room, placed: Sequence[Placed], chore: Chore) -> str:
    """What there is, what is true of it, and the goal of a task."""
    receptacles = room.receptacles
    things = sorted({one.thing.type: one.thing for one in placed}.items())
    types = sorted({one.type for one in receptacles})
    spots = sorted({one.spot for one in receptacles} | {room.entrance})
    declared = {
        "agent": [_AGENT],
        "location": map(_spot, spots),
        "receptacle": [one.id for one in receptacles],
        "object": [one.id for one in placed],
        "rtype": [f"{type}Type" for type in types],
        "otype": [f"{type}Type" for type, _ in things],
    }
    facts = [f"(atLocation {_AGENT} {_spot(room.entrance)})"]
    facts += [fact for one in receptacles for fact in _receptacle(one)]
    facts += [fact for one in placed for fact in _object(one)]
    facts += [f"(canContain {to}Type {type}Type)" for type, thing in things for to in thing.goes_into if to in types]
    return "\n".join(
        [
            f"(define (problem {name})",
            f" (:domain {DOMAIN_NAME})",
            " (:objects",
            *(
                f"  {' '.join(name for name in names if name not in CONSTANTS)} - {of}"
                for of, names in declared.items()
            ),
            " )",
            " (:init",
            *(f"  {fact}" for fact in facts),
            " )",
            f" (:goal {chore.goal()}))",
            "",
        ]
    )


def _spot(number: int) -> str:
    return f"loc_bar_{number:02d}"


def _receptacle(one: Receptacle) -> list[str]:
    facts = [f"(receptacleType {one.id} {one.type}Type)", f"(receptacleAtLocation {one.id} {_spot(one.spot)})"]
    return facts + ([f"(openable {one.id})"] if one.type in OPENABLE else [])


def _object(one: Placed) -> list[str]:
    return [
        f"(objectType {one.id} {one.thing.type}Type)",
        f"(inReceptacle {one.id} {one.on.id})",
        f"(objectAtLocation {one.id} {_spot(one.on.spot)})",
        *(f"({quality} {one.id})" for quality in sorted(one.thing.qualities)),
    ]
