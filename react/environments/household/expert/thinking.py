"""When an expert thinks, and in which words.

`Sparse` are ReAct's thoughts for acting (paper, section 4): few, where they are of use. They decompose the goal, track
what is completed, determine what comes next, and reason by commonsense where a thing may be and what to do with it.
`Monologue` is ReAct-IM, after Inner Monologue (arXiv 2207.05608): what the goal is and, before each way, what of it is
to be done now, and nothing else. `Silent` is Act.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from react.environments.household.expert.goal import APPLIANCES, STATES, Goal
from react.environments.household.expert.places import within


class Voice(Protocol):
    """What is thought at each occasion; empty where nothing is. Places are in the order in which they will be tried."""

    def opening(self, goal: Goal, places: Sequence[str]) -> str:
        """Before the first step."""
        ...

    def going(self, goal: Goal, subgoal: str) -> str:
        """Before going anywhere."""
        ...

    def elsewhere(self, thing: str, looked: Sequence[str], places: Sequence[str]) -> str:
        """A thing was not where it was looked for; other kinds of places come next."""
        ...

    def found(self, goal: Goal, name: str, place: str, lamp: str) -> str:
        """The thing is in sight. `lamp` says where a lamp stands, or may stand; empty where none is needed."""
        ...

    def treated(self, goal: Goal, name: str, place: str) -> str:
        """It is clean, hot or cold now, and is to be put to its place."""
        ...

    def another(self, goal: Goal, name: str, place: str, next_: str) -> str:
        """The first of two is in its place. `next_` says where the second is or may be."""
        ...


class Silent:
    """No thoughts."""

    def opening(self, goal: Goal, places: Sequence[str]) -> str:
        return ""

    def going(self, goal: Goal, subgoal: str) -> str:
        return ""

    def elsewhere(self, thing: str, looked: Sequence[str], places: Sequence[str]) -> str:
        return ""

    def found(self, goal: Goal, name: str, place: str, lamp: str) -> str:
        return ""

    def treated(self, goal: Goal, name: str, place: str) -> str:
        return ""

    def another(self, goal: Goal, name: str, place: str, next_: str) -> str:
        return ""


class Monologue(Silent):
    """The goal once, and the subgoal again and again."""

    def __init__(self) -> None:
        self._begun = False

    def going(self, goal: Goal, subgoal: str) -> str:
        begun, self._begun = self._begun, True
        return f"I need to {subgoal}." if begun else f"My goal is to {told(goal)}. First I need to {subgoal}."


class Sparse(Silent):
    """The paper's thoughts. The same words for all who have seen the same, whatever lies hidden from them."""

    def __init__(self, seed: str) -> None:
        self._chance = random.Random(seed)

    def _say(self, *forms: str) -> str:
        return self._chance.choice(forms)

    def opening(self, goal: Goal, places: Sequence[str]) -> str:
        likely = listed(places[:3])
        first = self._say(
            f"First I have to find {a(goal.thing)}. It is most likely {likely}.",
            f"So I start by looking for {a(goal.thing)}, which is usually {likely}.",
            f"{a(goal.thing).capitalize()} is most often {likely}, so I look there first.",
        )
        return f"{self._plan(goal)} {first}"

    def _plan(self, goal: Goal) -> str:
        thing = a(goal.thing)
        if goal.lamp:
            return self._say(
                f"I need {thing} in my hand and a {goal.lamp} that is on.",
                f"To look at {thing} under the {goal.lamp}, I take it to a {goal.lamp} and turn that on.",
            )
        where = f"{within(goal.place)}"
        if goal.count == 2:
            return self._say(
                f"Two {goal.thing} have to go {where}, and I can carry only one at a time.",
                f"I need to find one {goal.thing}, put it {where}, and then do the same with a second one.",
            )
        if goal.verb:
            appliance = APPLIANCES[goal.verb]
            return self._say(
                f"I need to find {thing}, {goal.verb} it with the {appliance}, and put it {where}.",
                f"The {goal.thing} has to be {STATES[goal.verb]} before it goes {where}; the {appliance} will do that.",
            )
        return self._say(
            f"I need to find {thing}, take it, and put it {where}.",
            f"Two things are to be done: find {thing}, then bring it to the {goal.place}.",
        )

    def elsewhere(self, thing: str, looked: Sequence[str], places: Sequence[str]) -> str:
        seen, next_ = listed(looked, "or"), listed(places[:2])
        return self._say(
            f"So far I have seen no {thing} {seen}. It could also be {next_}.",
            f"No {thing} {seen} so far. The next best guess is {next_}.",
            f"I have not found {a(thing)} {seen} yet, so I check whether it is {next_}.",
        )

    def found(self, goal: Goal, name: str, place: str, lamp: str) -> str:
        here = self._say(f"There is {a(name)} {within(place)}.", f"I have found {a(name)} {within(place)}.")
        if goal.lamp:
            return f"{here} I take it. {lamp}"
        if goal.verb:
            appliance = APPLIANCES[goal.verb]
            next_ = self._say(
                f"I take it, then {goal.verb} it with the {appliance}.",
                f"Next I take it and go to the {appliance} to {goal.verb} it.",
            )
        else:
            next_ = self._say(
                f"I take it and bring it to the {goal.place}.", f"Next I take it, then put it {within(goal.place)}."
            )
        return f"{here} {next_}"

    def treated(self, goal: Goal, name: str, place: str) -> str:
        state = STATES[goal.verb]
        return self._say(
            f"The {name} is {state} now. What is left is to put it {within(place)}.",
            f"Now that the {name} is {state}, I put it {within(place)}.",
            f"That made the {name} {state}. Next I bring it to the {place}.",
        )

    def another(self, goal: Goal, name: str, place: str, next_: str) -> str:
        done = self._say(
            f"The {name} is {within(place)} now, so one of two is done.",
            f"One {goal.thing} is {within(place)}; I need one more.",
        )
        return f"{done} {next_}"


def where_next(thing: str, name: str, place: str, here: str, places: Sequence[str]) -> str:
    """Where the second thing is (`another mug`), or the lamp: seen already, or to be looked for."""
    if name and place == here:
        return f"There is {a(name)} here, too."
    if name:
        return f"I have seen {a(name)} {within(place)}, so I go there."
    return f"Next I look for {thing}, which may be {listed(places[:2])}."


def told(goal: Goal) -> str:
    """`put a clean mug in the cabinet`."""
    if goal.lamp:
        return f"look at {a(goal.thing)} under a {goal.lamp}"
    things = f"two {goal.thing}" if goal.count == 2 else a(f"{STATES.get(goal.verb, '')} {goal.thing}".strip())
    return f"put {things} {within(goal.place)}"


def a(name: str) -> str:
    """`a mug 1`, `an apple 2`."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def listed(places: Sequence[str], word: str = "or") -> str:
    """`on a shelf, on a desk or in a drawer`, of kinds of places."""
    said = [f"{within(place).partition(' ')[0]} {a(place)}" for place in places]
    return said[0] if len(said) < 2 else f"{', '.join(said[:-1])} {word} {said[-1]}"
