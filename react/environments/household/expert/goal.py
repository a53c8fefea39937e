"""What the sentence of a task asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The sentences of alfred.twl2, two of each kind.
_SENTENCES = (
    r"put (?:a|some) (?P<state>)(?P<thing>\w+) (?:in|on) (?P<place>\w+)",
    r"put a (?P<state>clean|hot|cool) (?P<thing>\w+) in (?P<place>\w+)",
    r"(?P<state>clean|heat|cool) some (?P<thing>\w+) and put it in (?P<place>\w+)",
    r"(?P<state>find two) (?P<thing>\w+) and put them in (?P<place>\w+)",
    r"put (?P<state>two) (?P<thing>\w+) in (?P<place>\w+)",
    r"look at (?P<state>)(?P<thing>\w+) under the (?P<lamp>\w+)",
    r"examine (?P<state>)the (?P<thing>\w+) with the (?P<lamp>\w+)",
)
_VERBS = {"hot": "heat", "find two": "", "two": ""}
# What an object is cleaned, heated or cooled with, and what it is then.
APPLIANCES = {"clean": "sinkbasin", "heat": "microwave", "cool": "fridge"}
STATES = {"clean": "clean", "heat": "hot", "cool": "cold"}


@dataclass(frozen=True)
class Goal:
    """`count` things of a kind, in a place or under a lamp; before that `verb` is done to each (clean, heat, cool)."""

    thing: str
    place: str = ""
    lamp: str = ""
    verb: str = ""
    count: int = 1


def read_goal(sentence: str) -> Goal:
    """The goal of a task sentence. ValueError where it is none of the twelve forms that ALFWorld has."""
    for form in _SENTENCES:
        if match := re.fullmatch(form + r"\.?", " ".join(sentence.split())):
            said = match.groupdict()
            return Goal(
                thing=said["thing"],
                place=said.get("place") or "",
                lamp=said.get("lamp") or "",
                verb=_VERBS.get(said["state"], said["state"]),
                count=2 if "two" in said["state"] else 1,
            )
    raise ValueError(f"{sentence!r} is no task that the expert knows")
