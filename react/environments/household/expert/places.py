"""Where things are kept in a house: what a person expects before having looked.

Of ten mugs, two or three stand on a countertop, two in the coffee machine. The numbers are our own judgment, set by
what is usual in the training games; nothing of the game that is being played is in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

_KEPT = {
    "alarmclock": "desk 4 shelf 2 sidetable 2 dresser 2 diningtable 1",
    "apple": "fridge 3 countertop 3 diningtable 2 garbagecan 1 microwave 1 sinkbasin 1",
    "book": "bed 4 desk 2 drawer 1 countertop 1 dresser 1 diningtable 1 sofa 1 coffeetable 1 sidetable 1 shelf 1",
    "bowl": "cabinet 3 countertop 2 fridge 2 diningtable 2 shelf 1 desk 1 dresser 1 coffeetable 1",
    "box": "diningtable 2 sofa 2 coffeetable 2 shelf 1 sidetable 1 desk 1 armchair 1 cabinet 1",
    "bread": "countertop 6 diningtable 3 fridge 1",
    "butterknife": "countertop 6 diningtable 3 drawer 1 sinkbasin 1",
    "candle": "toilet 3 countertop 3 cabinet 2 drawer 1 shelf 1 sidetable 1 coffeetable 1 cart 1",
    "cd": "drawer 3 desk 2 dresser 2 sidetable 1 shelf 1 garbagecan 1 diningtable 1",
    "cellphone": "bed 2 drawer 2 desk 1 dresser 1 sidetable 1 countertop 1 diningtable 1 coffeetable 1 sofa 1",
    "cloth": "bathtubbasin 3 cabinet 2 countertop 2 drawer 2 sinkbasin 1 toilet 1 shelf 1 cart 1",
    "creditcard": "drawer 2 shelf 1 sidetable 1 desk 1 dresser 1 armchair 1 sofa 1 coffeetable 1 diningtable 1",
    "cup": "cabinet 2 countertop 2 fridge 2 diningtable 2 sinkbasin 1 microwave 1 shelf 1",
    "desklamp": "sidetable 4 desk 4 dresser 2 shelf 1 coffeetable 1",
    "dishsponge": "countertop 3 cabinet 2 drawer 2 diningtable 1 sinkbasin 1 bathtubbasin 1 shelf 1",
    "egg": "fridge 3 countertop 3 garbagecan 1 sinkbasin 1 microwave 1 diningtable 1",
    "fork": "countertop 4 drawer 2 diningtable 2 sinkbasin 1",
    "glassbottle": "cabinet 3 countertop 3 diningtable 1 fridge 1 sinkbasin 1 garbagecan 1 shelf 1",
    "handtowel": "handtowelholder 9 countertop 1",
    "kettle": "stoveburner 4 countertop 3 cabinet 2 diningtable 1",
    "keychain": "drawer 2 sidetable 2 shelf 1 desk 1 dresser 1 coffeetable 1 armchair 1 sofa 1 diningtable 1",
    "knife": "countertop 5 diningtable 3 drawer 2 sinkbasin 1",
    "ladle": "countertop 4 cabinet 3 drawer 2 diningtable 1",
    "laptop": "bed 5 desk 1 sofa 1 diningtable 1 coffeetable 1 dresser 1 armchair 1",
    "lettuce": "countertop 4 diningtable 3 fridge 2 sinkbasin 1",
    "mug": "countertop 2 coffeemachine 2 cabinet 2 fridge 1 diningtable 1 microwave 1 desk 1 sinkbasin 1 shelf 1",
    "newspaper": "sofa 2 coffeetable 2 diningtable 2 sidetable 1 armchair 1 shelf 1 dresser 1 tvstand 1",
    "pan": "stoveburner 5 countertop 3 cabinet 1 diningtable 1",
    "papertowelroll": "countertop 5 garbagecan 2 diningtable 1 shelf 1",
    "pen": "desk 2 drawer 2 dresser 1 sidetable 1 shelf 1 diningtable 1 countertop 1 coffeetable 1",
    "pencil": "desk 2 drawer 2 sidetable 2 shelf 1 dresser 1 diningtable 1 garbagecan 1 coffeetable 1",
    "peppershaker": "cabinet 3 countertop 3 diningtable 2 drawer 2 shelf 1",
    "pillow": "bed 7 sofa 2 armchair 1",
    "plate": "cabinet 4 countertop 3 diningtable 2 fridge 1 shelf 1",
    "pot": "stoveburner 7 countertop 1 diningtable 1 fridge 1 cabinet 1",
    "potato": "countertop 3 fridge 3 diningtable 2 microwave 1 sinkbasin 1 garbagecan 1",
    "remotecontrol": "coffeetable 2 sofa 2 sidetable 1 armchair 1 diningtable 1 drawer 1 dresser 1 tvstand 1",
    "saltshaker": "cabinet 3 countertop 3 diningtable 2 drawer 2 shelf 1",
    "soapbar": "countertop 2 toilet 2 sinkbasin 2 cabinet 1 drawer 1 bathtubbasin 1 garbagecan 1 shelf 1",
    "soapbottle": "countertop 3 cabinet 3 diningtable 1 garbagecan 1 toilet 1 shelf 1",
    "spatula": "countertop 4 diningtable 3 drawer 2 sinkbasin 1",
    "spoon": "countertop 4 drawer 3 diningtable 2 sinkbasin 1",
    "spraybottle": "countertop 3 toilet 2 cabinet 2 garbagecan 1 shelf 1 cart 1",
    "statue": "shelf 3 coffeetable 2 countertop 1 diningtable 1 sidetable 1 dresser 1 tvstand 1",
    "tissuebox": "shelf 2 coffeetable 2 drawer 1 countertop 1 sidetable 1 diningtable 1 desk 1",
    "toiletpaper": "toilet 2 countertop 2 toiletpaperhanger 1 drawer 1 cabinet 1 garbagecan 1 shelf 1",
    "tomato": "fridge 3 countertop 3 diningtable 2 garbagecan 1 sinkbasin 1",
    "towel": "towelholder 9 countertop 1",
    "vase": "shelf 3 countertop 1 cabinet 1 coffeetable 1 diningtable 1 dresser 1 sidetable 1",
    "watch": "coffeetable 2 drawer 2 sidetable 2 dresser 1 diningtable 1 tvstand 1 shelf 1",
    "winebottle": "countertop 4 cabinet 3 diningtable 2 garbagecan 1",
}
# What is not in the list is somewhere in sight first; anything may be anywhere.
_USUAL = "countertop 3 diningtable 2 desk 2 shelf 2 coffeetable 2 sidetable 2 dresser 2 bed 1 sofa 1 cabinet 1 drawer 1"
_ELSEWHERE = 0.02
CLOSED = frozenset({"cabinet", "drawer", "fridge", "microwave", "safe"})
_IN = CLOSED | {"sinkbasin", "garbagecan", "bathtubbasin", "laundryhamper", "coffeemachine", "toaster", "cart"}


def kind(name: str) -> str:
    """`mug` for `mug 2`."""
    return name.partition(" ")[0]


def within(name: str) -> str:
    """`in the drawer 1`, `on the desk 2`."""
    return f"{'in' if kind(name) in _IN else 'on'} the {name}"


def expected(thing: str) -> dict[str, int]:
    """The kinds of places where a thing is kept, and how many of ten are there."""
    words = _KEPT.get(thing, _USUAL).split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


def ordered(thing: str, room: Sequence[str]) -> list[str]:
    """The receptacles of a room in the order in which one looks for a thing: the likeliest for its trouble first.

    A place that must be opened is twice the trouble, and one of twenty cabinets is a twentieth as likely as all.
    """
    kept = expected(thing)
    there = Counter(map(kind, room))

    def worth(name: str) -> float:
        return kept.get(kind(name), _ELSEWHERE) / there[kind(name)] / (2 if kind(name) in CLOSED else 1)

    return sorted(room, key=lambda name: (-worth(name), kind(name), int(name.rpartition(" ")[2])))
