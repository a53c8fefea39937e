"""The six kinds of task: what they are called, how they are asked for, and when they are done."""

from __future__ import annotations

import random
from dataclasses import dataclass

from data.households.rooms import LAMP

LOOK = "look_at_obj_in_light"
TWO = "pick_two_obj_and_place"
# kind: how ALFWorld asks for it (arXiv 2010.03768, templates of its goals).
KINDS = {
    "pick_and_place_simple": ("put a {o} in {r}", "put some {o} on {r}"),
    LOOK: ("look at {o} under the {r}", "examine the {o} with the {r}"),
    "pick_clean_then_place_in_recep": ("put a clean {o} in {r}", "clean some {o} and put it in {r}"),
    "pick_heat_then_place_in_recep": ("put a hot {o} in {r}", "heat some {o} and put it in {r}"),
    "pick_cool_then_place_in_recep": ("put a cool {o} in {r}", "cool some {o} and put it in {r}"),
    TWO: ("put two {o} in {r}", "find two {o} and put them in {r}"),
}


@dataclass(frozen=True)
class Treatment:
    """What is done to a thing on its way: the verb, where, and the qualities that allow and that record it."""

    verb: str
    receptacle: str
    needs: str
    makes: str


TREATMENTS = {
    "pick_clean_then_place_in_recep": Treatment("clean", "SinkBasin", "cleanable", "isClean"),
    "pick_heat_then_place_in_recep": Treatment("heat", "Microwave", "heatable", "isHot"),
    "pick_cool_then_place_in_recep": Treatment("cool", "Fridge", "coolable", "isCool"),
}


@dataclass(frozen=True)
class Chore:
    """A task: a type of thing, and the type of receptacle that it goes to, or the lamp that it is looked at with."""

    kind: str
    thing: str
    to: str

    @property
    def treatment(self) -> Treatment | None:
        return TREATMENTS.get(self.kind)

    def sentence(self, chance: random.Random) -> str:
        return chance.choice(KINDS[self.kind]).format(o=self.thing.lower(), r=self.to.lower()) + "."

    def goal(self) -> str:
        """The condition of winning, in PDDL."""
        if self.kind == LOOK:
            return (
                "(and (exists (?t - object ?r - receptacle ?l - location ?a - agent) (and "
                f"(objectType ?t {LAMP}Type) (toggleable ?t) (isToggled ?t) (inReceptacle ?t ?r) "
                "(receptacleAtLocation ?r ?l) (atLocation ?a ?l)))\n"
                f"  (exists (?o - object ?a - agent) (and (objectType ?o {self.thing}Type) (holds ?a ?o))))"
            )
        if self.kind == TWO:
            one, other = (
                f"(objectType {o} {self.thing}Type) (receptacleType ?r {self.to}Type) (inReceptacle {o} ?r)"
                for o in ("?o1", "?o2")
            )
            return (
                f"(and (exists (?r - receptacle) (exists (?o1 - object) (and {one}\n"
                f"  (exists (?o2 - object) (and (not (= ?o1 ?o2)) {other}))))))"
            )
        done = f"({self.treatment.needs} ?o) ({self.treatment.makes} ?o) " if self.treatment else ""
        return (
            f"(and (exists (?r - receptacle) (exists (?o - object) (and {done}(objectType ?o {self.thing}Type) "
            f"(receptacleType ?r {self.to}Type) (inReceptacle ?o ?r)))))"
        )
