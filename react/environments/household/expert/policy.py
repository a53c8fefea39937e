"""What has been seen so far -> the next step.

An expert goes to the likeliest places first, opens what is closed, remembers what it saw, takes one thing at a time,
cleans, heats, cools or lights it, and puts it where it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Generator

from react.environments.household.expert.goal import APPLIANCES, Goal
from react.environments.household.expert.places import expected, kind, ordered, within
from react.environments.household.expert.thinking import Voice, a, where_next
from react.environments.household.play import NOTHING
from react.trajectory import Step

Steps = Generator[Step, str, None]
_NAMED = re.compile(r"\ban? ([a-z]+ \d+)\b")


class Expert:
    """One episode of an expert: `steps` yields what it does and is sent what that brought."""

    def __init__(self, goal: Goal, room: str, voice: Voice) -> None:
        self._goal = goal
        self._voice = voice
        self._room = _named(room)
        self._here = ""
        self._target = ""
        self._seen: dict[str, list[str]] = {}
        self._subgoal = ""
        self._doubts = 2  # how often it says that it was wrong about where a thing is

    def steps(self) -> Steps:
        """All that it does, until the game is won or there is nowhere left to look."""
        goal = self._goal
        yield from self._think(self._voice.opening(goal, self._kinds(goal.thing)))
        told = ""
        while place := (yield from self._find(goal.thing)):
            name = self._known(goal.thing)[0]
            if name != told:
                lamp = self._hint(goal.lamp, a(goal.lamp)) if goal.lamp else ""
                yield from self._think(self._voice.found(goal, name, place, lamp))
            yield from self._take(name, place)
            if goal.lamp:
                yield from self._light()
                return
            if goal.verb:
                yield from self._treat(name)
            yield from self._deliver(name)
            if goal.count == 2:
                told = self._known(goal.thing)[0]
                hint = self._hint(goal.thing, f"another {goal.thing}")
                yield from self._think(self._voice.another(goal, name, self._target, hint))

    # What it knows.

    def _known(self, thing: str) -> tuple[str, str]:
        """A thing that was seen and not put to its place yet, and where; empty if there is none."""
        places = sorted(self._seen, key=lambda place: place != self._here)
        found = ((name, place) for place in places if place != self._target for name in self._seen[place])
        return next(((name, place) for name, place in found if kind(name) == thing), ("", ""))

    def _unseen(self, thing: str) -> list[str]:
        """Where it has not looked yet. What has only to be put somewhere is hardly there already."""
        places = [place for place in ordered(thing, self._room) if place not in self._seen]
        return sorted(places, key=lambda place: not self._goal.verb and kind(place) == self._goal.place)

    def _kinds(self, thing: str) -> list[str]:
        """The kinds of places to look for a thing, in order: those where it is kept while there are any."""
        kinds = list(dict.fromkeys(kind(place) for place in self._unseen(thing)))
        place = "" if self._goal.verb else self._goal.place
        return [one for one in kinds if one in expected(thing) and one != place] or kinds

    def _hint(self, thing: str, called: str) -> str:
        return where_next(called, *self._known(thing), self._here, self._kinds(thing))

    # What it does.

    def _think(self, thought: str) -> Steps:
        if thought:
            yield Step(thought=thought)

    def _find(self, thing: str) -> Generator[Step, str, str]:
        """Looks for a thing; the place where it is, or empty after all places."""
        self._subgoal = f"find a {thing}"
        named, looked = self._kinds(thing)[:3], list[str]()
        while not self._known(thing)[0]:
            places = self._unseen(thing)
            if not places:
                return ""
            if kind(places[0]) not in named and len(looked) > 1 and self._doubts:
                kinds = self._kinds(thing)
                yield from self._think(self._voice.elsewhere(thing, list(dict.fromkeys(looked)), kinds))
                named, looked, self._doubts = [*named, *kinds[:2]], [], self._doubts - 1
            yield from self._visit(places[0])
            looked.append(kind(places[0]))
        return self._known(thing)[1]

    def _visit(self, place: str, *, open_: bool = True) -> Steps:
        """Goes to a place and sees what is there."""
        if place == self._here:
            return
        yield from self._think(self._voice.going(self._goal, self._subgoal))
        text = yield Step(action=f"go to {place}")
        if text == NOTHING:  # two places share one spot: it stands there already
            text = (yield Step(action=f"examine {place}")) if place not in self._seen else ""
        self._here = place
        if "is closed" in text and open_:
            text = yield Step(action=f"open {place}")
        if "you see" in text:
            self._seen[place] = _named(text.partition("you see")[2])

    def _take(self, name: str, place: str) -> Steps:
        self._subgoal = f"take the {name}"
        yield from self._visit(place)
        yield Step(action=f"take {name} from {place}")
        self._seen[place].remove(name)

    def _treat(self, name: str) -> Steps:
        verb = self._goal.verb
        place = self._nearest(APPLIANCES[verb])
        self._subgoal = f"{verb} the {name} with the {kind(place)}"
        yield from self._visit(place, open_=False)
        yield Step(action=f"{verb} {name} with {place}")
        yield from self._think(self._voice.treated(self._goal, name, self._destination()))

    def _light(self) -> Steps:
        lamp = self._goal.lamp
        place = yield from self._find(lamp)
        if place:
            self._subgoal = f"turn on the {lamp}"
            yield from self._visit(place)
            yield Step(action=f"use {self._known(lamp)[0]}")

    def _deliver(self, name: str) -> Steps:
        self._target = self._destination()
        self._subgoal = f"put the {name} {within(self._target)}"
        yield from self._visit(self._target)
        yield Step(action=f"put {name} in/on {self._target}")
        self._seen.setdefault(self._target, []).append(name)

    def _destination(self) -> str:
        """Where things are to be put: the place that holds one of two already, one that is known, or the first."""
        if self._target:
            return self._target
        places = [place for place in self._room if kind(place) == self._goal.place]
        return sorted(places, key=lambda place: (-self._held(place), place not in self._seen, _number(place)))[0]

    def _held(self, place: str) -> int:
        there = self._seen.get(place, [])
        return sum(kind(name) == self._goal.thing for name in there) if self._goal.count == 2 else 0

    def _nearest(self, wanted: str) -> str:
        return sorted((place for place in self._room if kind(place) == wanted), key=_number)[0]


def _number(name: str) -> int:
    return int(name.rpartition(" ")[2])


def _named(text: str) -> list[str]:
    """The things and places that a text tells of: `mug 1`."""
    return [str(name) for name in _NAMED.findall(text)]
