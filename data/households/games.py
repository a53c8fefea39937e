"""A room, things in it and a task -> a game that is won by its walkthrough."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from data.households.choosing import choose, homes
from data.households.chores import KINDS, TWO, Chore
from data.households.language import domain, grammar
from data.households.plan import shortest
from data.households.problem import Placed, problem
from data.households.rooms import LAMP, Room, rooms
from data.households.things import LAMP_THING, THINGS, Thing
from react.environments.household.game import parse_game
from react.environments.household.play import NOTHING, Play

# How many games of each kind a split has. Exemplars play in games of their own, so that train is whole.
_EACH = {"train": 10, "valid_seen": 2, "valid_unseen": 4, "exemplars": 3}
# How often a thing that nobody asks for is in a room that one would expect it in. Another one of it is rarer.
_THERE = {"kitchen": 0.5, "living room": 0.55, "bedroom": 0.65, "bathroom": 0.8}
_ANOTHER = 0.4
_LONGEST = 25  # commands of a walkthrough; a game has 50 steps


@dataclass(frozen=True)
class Made:
    """A game. `id` is its folder, `content` what the JSON of its game file holds."""

    id: str
    room: Room
    chore: Chore
    sentence: str
    content: Mapping[str, object]


def games(seed: int) -> list[Made]:
    """All games of all splits. No two of them have the same task in the same room."""
    known = rooms(seed)
    made: list[Made] = []
    taken: set[tuple[int, Chore]] = set()
    for split, each in _EACH.items():
        seen = [room for room in known["train"] if any(room == one.room for one in made)]
        here = {"valid_seen": seen, "valid_unseen": known["unseen"]}.get(split, known["train"])
        for kind in KINDS:
            chance = random.Random(f"{seed}/{split}/{kind}")
            for room, chore in choose(kind, here, each, taken, chance):
                made.append(_game(f"trial_T{seed:08d}_{len(made):06d}", split, room, chore, chance))
    return made


def _game(trial: str, split: str, room: Room, chore: Chore, chance: random.Random) -> Made:
    placed = _place(room, chore, chance)
    sentence = chore.sentence(chance)
    content = {
        "pddl_domain": domain(),
        "grammar": grammar(sentence),
        "pddl_problem": problem(trial, room, placed, chore),
        "solvable": True,
    }
    content["walkthrough"] = _won(content, room, placed, chore)
    return Made(
        f"{split}/{chore.kind}-{chore.thing}-None-{chore.to}-{room.scene}/{trial}", room, chore, sentence, content
    )


def _place(room: Room, chore: Chore, chance: random.Random) -> list[Placed]:
    """Things all over the room."""
    placed = []
    for thing in THINGS:
        places = homes(thing, room, chore)
        for number in range(1, _many(thing, room, chore, chance) + 1 if places else 1):
            where = chance.choice(room.of(chance.choice(places)))
            placed.append(Placed(f"{thing.type}_bar_{number:02d}", thing, where))
    if room.lamp:
        placed.append(Placed(f"{LAMP}_bar_01", LAMP_THING, room.lamp))
    return placed


def _many(thing: Thing, room: Room, chore: Chore, chance: random.Random) -> int:
    asked = thing.type == chore.thing
    if not asked and not (thing.lives_in(room) and chance.random() < _THERE[room.kind]):
        return 0
    many = 2 if asked and chore.kind == TWO else 1
    while many < thing.most and chance.random() < _ANOTHER:
        many += 1
    return many


def _won(content: Mapping[str, object], room: Room, placed: list[Placed], chore: Chore) -> list[str]:
    """The walkthrough, after having won by it, and by nothing less."""
    game = parse_game(content)
    commands = shortest(room, placed, chore, game.names)
    play = Play(game)
    for command in commands:
        assert not play.won and play.act(command) != NOTHING, (content["pddl_problem"], command)
    assert play.won and len(commands) <= _LONGEST, (content["pddl_problem"], commands)
    return commands
