"""A room, things in it and a task -> a game that is won by its walkthrough."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from data.households.chores import KINDS, LOOK, TWO, Chore
from data.households.language import domain, grammar
from data.households.plan import shortest
from data.households.problem import Placed, problem
from data.households.rooms import LAMP, Room, rooms
from data.households.things import LAMP_THING, THINGS, Thing
from react.environments.household.game import parse_game
from react.environments.household.play import NOTHING, Play

# How many games of each kind a split has.
_EACH = {"train": 10, "valid_seen": 2, "valid_unseen": 4}
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
        here = {"train": known["train"], "valid_seen": seen, "valid_unseen": known["unseen"]}[split]
        for kind in KINDS:
            chance = random.Random(f"{seed}/{split}/{kind}")
            for room, chore in _tasks(kind, here, each, taken, chance):
                made.append(_game(f"trial_T{seed:08d}_{len(made):06d}", split, room, chore, chance))
    return made


def _tasks(
    kind: str, known: list[Room], wanted: int, taken: set[tuple[int, Chore]], chance: random.Random
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
    return bool(goes and _lies(thing, room, chore)) and (chore.kind != TWO or thing.most > 1)


_THINGS = {thing.type: thing for thing in THINGS}


def _lies(thing: Thing, room: Room, chore: Chore) -> list[str]:
    """The types of receptacles that a thing may lie in at first: what is asked for is not yet where it has to go."""
    avoided = chore.to if thing.type == chore.thing else ""
    return [home for home in thing.homes if room.of(home) and home != avoided]


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
        lies = _lies(thing, room, chore)
        for number in range(1, _many(thing, room, chore, chance) + 1 if lies else 1):
            where = chance.choice(room.of(chance.choice(lies)))
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
