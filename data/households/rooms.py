"""What a room has: receptacles, where they stand, and where its lamp is.

A room belongs to one split alone, as the scenes of ALFWorld do, and is the same in all games that play in it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

OPENABLE = frozenset({"Cabinet", "Drawer", "Fridge", "Microwave", "Safe"})
LAMP = "DeskLamp"
_HAS_LAMP = ("living room", "bedroom")
_LAMP_ON = ("Desk", "SideTable", "Dresser", "Shelf")

# How many of each there are, from ... to.
_HAS = {
    "kitchen": {
        "Cabinet": (4, 8),
        "CoffeeMachine": (1, 1),
        "CounterTop": (1, 3),
        "DiningTable": (0, 1),
        "Drawer": (2, 5),
        "Fridge": (1, 1),
        "GarbageCan": (1, 1),
        "Microwave": (1, 1),
        "Shelf": (0, 2),
        "SideTable": (0, 1),
        "SinkBasin": (1, 1),
        "StoveBurner": (2, 4),
        "Toaster": (1, 1),
    },
    "living room": {
        "ArmChair": (0, 2),
        "Cabinet": (0, 3),
        "CoffeeTable": (1, 2),
        "DiningTable": (0, 1),
        "Drawer": (0, 4),
        "Dresser": (0, 1),
        "GarbageCan": (1, 1),
        "Safe": (0, 1),
        "Shelf": (0, 4),
        "SideTable": (1, 3),
        "Sofa": (1, 2),
        "TVStand": (0, 1),
    },
    "bedroom": {
        "ArmChair": (0, 1),
        "Bed": (1, 2),
        "Desk": (1, 2),
        "Drawer": (2, 6),
        "Dresser": (0, 1),
        "GarbageCan": (1, 1),
        "LaundryHamper": (0, 1),
        "Safe": (0, 1),
        "Shelf": (0, 5),
        "SideTable": (1, 2),
    },
    "bathroom": {
        "BathtubBasin": (0, 1),
        "Cabinet": (1, 5),
        "CounterTop": (1, 2),
        "Drawer": (0, 4),
        "GarbageCan": (1, 1),
        "HandTowelHolder": (1, 2),
        "Shelf": (0, 3),
        "SideTable": (0, 1),
        "SinkBasin": (1, 2),
        "Toilet": (1, 1),
        "ToiletPaperHanger": (1, 1),
        "TowelHolder": (1, 1),
    },
}
# Scenes of ALFWorld have the same hundreds and end at 30: ours are taken for none of them.
_FIRST = {"kitchen": 51, "living room": 251, "bedroom": 351, "bathroom": 451}
_ROOMS = {"train": {"kitchen": 8, "living room": 5, "bedroom": 6, "bathroom": 5}, "unseen": dict.fromkeys(_HAS, 2)}
# What stands so close to its like, or to a counter, that one reaches both from one spot, and how often it does.
_BESIDE_ITS_LIKE = {"Cabinet": 0.25, "Drawer": 0.25, "Shelf": 0.2, "StoveBurner": 0.6}
_BESIDE_A_COUNTER = {"CoffeeMachine": 0.6, "Toaster": 0.3}


@dataclass(frozen=True)
class Receptacle:
    """`id` is that of the PDDL, `spot` the number of the place that one stands at before it."""

    id: str
    type: str
    spot: int


@dataclass(frozen=True)
class Room:
    """`lamp` is the receptacle that the lamp stands on, if there is one. Nothing stands at `entrance`."""

    kind: str
    scene: int
    receptacles: tuple[Receptacle, ...]
    lamp: Receptacle | None
    entrance: int

    def of(self, *types: str) -> list[Receptacle]:
        return [receptacle for receptacle in self.receptacles if receptacle.type in types]

    @property
    def layout(self) -> tuple[str, ...]:
        return tuple(sorted(receptacle.type for receptacle in self.receptacles))


def rooms(seed: int) -> dict[str, list[Room]]:
    """The rooms of `train` and `unseen`, no two of them with the same furniture."""
    made: dict[str, list[Room]] = {split: [] for split in _ROOMS}
    scenes, layouts = dict(_FIRST), set[tuple[str, ...]]()
    for split, kinds in _ROOMS.items():
        for kind, wanted in kinds.items():
            for _ in range(wanted):
                room = _new(kind, scenes[kind], seed, layouts)
                layouts.add(room.layout)
                scenes[kind] += 1
                made[split].append(room)
    return made


def _new(kind: str, scene: int, seed: int, layouts: set[tuple[str, ...]]) -> Room:
    chance = random.Random(f"{seed}/room/{scene}")
    while (room := _room(kind, scene, chance)).layout in layouts:
        pass
    return room


def _room(kind: str, scene: int, chance: random.Random) -> Room:
    types = [type for type, (least, most) in _HAS[kind].items() for _ in range(chance.randint(least, most))]
    numbers = dict.fromkeys(types, 0)
    made = []
    for type, spot in zip(types, _spots(types, chance), strict=True):
        numbers[type] += 1
        made.append(Receptacle(_id(type, numbers[type]), type, spot))
    stands = [one for one in made if one.type in _LAMP_ON] if kind in _HAS_LAMP else []
    return Room(kind, scene, tuple(made), chance.choice(stands) if stands else None, len(types) + 1)


def _spots(types: list[str], chance: random.Random) -> list[int]:
    """Where each stands. Spots are numbered at random: numbers say nothing about what is near."""
    spots = list(range(1, len(types) + 1))
    chance.shuffle(spots)
    for index, type in enumerate(types[1:], 1):
        alone = type == types[index - 1] and spots.count(spots[index - 1]) == 1
        if alone and chance.random() < _BESIDE_ITS_LIKE.get(type, 0):
            spots[index] = spots[index - 1]
    counters = [spot for type, spot in zip(types, spots, strict=True) if type == "CounterTop"]
    for index, type in enumerate(types):
        if chance.random() < _BESIDE_A_COUNTER.get(type, 0):
            spots[index] = chance.choice(counters)
    return spots


def _id(type: str, number: int) -> str:
    """ALFWorld calls `Sink_bar_..._bar_SinkBasin` a sinkbasin, and knows no other form of it."""
    of = {"SinkBasin": "Sink", "BathtubBasin": "Bathtub"}.get(type)
    return f"{of}_bar_{number:02d}_bar_{type}" if of else f"{type}_bar_{number:02d}"
