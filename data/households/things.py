"""What may lie in a household: what can be done to it, how many there are, and where one would look for it."""

from __future__ import annotations

from dataclasses import dataclass

from data.households.rooms import LAMP, Room

# Letters for what can be done to a thing, and what PDDL calls it.
QUALITIES = {
    "t": "pickupable",
    "c": "cleanable",
    "h": "heatable",
    "k": "coolable",
    "s": "sliceable",
    "o": "isReceptacleObject",
    "u": "toggleable",
}

_COUNTER = "CounterTop DiningTable SideTable"
_DISHES = "CounterTop DiningTable SideTable Cabinet SinkBasin Shelf CoffeeTable TVStand Desk Dresser"
_SURFACES = "CoffeeTable SideTable DiningTable Desk Dresser Shelf TVStand"
_SEATS = "Sofa ArmChair Bed"
_BATH = "CounterTop Cabinet Drawer SideTable Shelf Toilet"

# type: rooms (their first letters: k, l, b; w is the washroom), qualities, where it lies, where else it may be put, and
# how many there are at most.
_TABLE = f"""
Apple            k    tchks   {_COUNTER} Fridge SinkBasin               | GarbageCan Microwave                     | 3
Bread            k    thks    {_COUNTER} Fridge                         | GarbageCan Microwave                     | 2
Egg              k    tchks   {_COUNTER} Fridge SinkBasin               | GarbageCan Microwave                     | 3
Lettuce          k    tcks    {_COUNTER} Fridge SinkBasin               | GarbageCan                               | 2
Potato           k    tchks   {_COUNTER} Fridge SinkBasin Microwave     | GarbageCan                               | 3
Tomato           k    tchks   {_COUNTER} Fridge SinkBasin Microwave     | GarbageCan                               | 3
Bowl             klb  tcko    {_DISHES} Fridge                          | Microwave                                | 2
Cup              k    tchko   {_DISHES} Microwave                       | Fridge                                   | 3
Mug              kb   tchko   {_DISHES} CoffeeMachine Microwave         | Fridge Drawer                            | 3
Plate            kl   tchko   {_DISHES} Fridge                          | Microwave                                | 3
Pan              k    tcko    {_COUNTER} StoveBurner Cabinet SinkBasin  | Fridge                                   | 2
Pot              k    tcko    {_COUNTER} StoveBurner Cabinet SinkBasin  | Fridge Shelf                             | 2
Kettle           k    tc      {_COUNTER} StoveBurner Cabinet            | SinkBasin Shelf                          | 1
GlassBottle      k    t       {_COUNTER} Cabinet Shelf                  | GarbageCan SinkBasin Fridge              | 2
WineBottle       k    tk      {_COUNTER} Cabinet Fridge                 | GarbageCan SinkBasin Shelf               | 2
ButterKnife      k    tc      {_COUNTER} Drawer SinkBasin               |                                          | 2
Fork             k    tc      {_COUNTER} Drawer SinkBasin               | Cabinet                                  | 3
Knife            k    tc      {_COUNTER} Drawer SinkBasin               |                                          | 2
Ladle            k    tc      {_COUNTER} Drawer SinkBasin               | Cabinet                                  | 2
Spatula          k    tc      {_COUNTER} Drawer SinkBasin               |                                          | 3
Spoon            k    tc      {_COUNTER} Drawer SinkBasin               | Cabinet                                  | 3
PepperShaker     k    t       {_COUNTER} Cabinet Drawer Shelf           |                                          | 3
SaltShaker       k    t       {_COUNTER} Cabinet Drawer Shelf           |                                          | 3
DishSponge       kw   tc      {_COUNTER} Cabinet Drawer SinkBasin       | GarbageCan Shelf Toilet BathtubBasin     | 2
PaperTowelRoll   k    t       {_COUNTER} Cabinet GarbageCan             | Drawer Shelf                             | 1
SoapBottle       kw   t       {_BATH} DiningTable                       | GarbageCan SinkBasin BathtubBasin        | 3
Candle           lw   t       {_BATH} CoffeeTable Dresser               | BathtubBasin TVStand DiningTable         | 3
Cloth            w    tc      {_BATH} BathtubBasin SinkBasin            | GarbageCan LaundryHamper                 | 2
HandTowel        w    t       HandTowelHolder                           | CounterTop Toilet SinkBasin Cabinet      | 2
ScrubBrush       w    t       {_BATH} BathtubBasin                      | SinkBasin                                | 1
SoapBar          w    tc      {_BATH} BathtubBasin SinkBasin            | GarbageCan                               | 3
SprayBottle      w    t       {_BATH}                                   | GarbageCan SinkBasin BathtubBasin        | 2
ToiletPaper      w    t       {_BATH} ToiletPaperHanger                 | GarbageCan                               | 3
Towel            w    t       TowelHolder                               | CounterTop BathtubBasin Toilet           | 1
TissueBox        lbw  t       {_SURFACES} CounterTop Toilet             | Cabinet Drawer GarbageCan                | 2
Vase             l    t       {_SURFACES}                               | Cabinet Safe                             | 3
Statue           lk   t       {_SURFACES} CounterTop                    | Cabinet Safe                             | 3
Box              l    to      {_SURFACES} Sofa ArmChair                 | Cabinet                                  | 2
Newspaper        l    t       {_SURFACES} Sofa ArmChair                 | Drawer GarbageCan Bed                    | 3
RemoteControl    l    t       {_SURFACES} {_SEATS} Drawer               |                                          | 2
Watch            lb   t       {_SURFACES} Drawer Safe                   |                                          | 2
Book             lb   t       {_SURFACES} {_SEATS} Drawer               | Cabinet                                  | 3
CellPhone        lb   t       {_SURFACES} {_SEATS} Drawer               | Safe                                     | 2
CreditCard       lb   t       {_SURFACES} {_SEATS} Drawer               | Safe                                     | 3
KeyChain         lb   t       {_SURFACES} {_SEATS} Drawer Safe          |                                          | 3
Laptop           lb   t       {_SURFACES} {_SEATS}                      |                                          | 2
Pen              lb   t       {_SURFACES} Drawer GarbageCan             | Cabinet                                  | 3
Pencil           lb   t       {_SURFACES} Drawer GarbageCan             | Cabinet                                  | 3
Pillow           lb   t       {_SEATS}                                  |                                          | 3
AlarmClock       b    t       Desk Dresser Shelf SideTable              | Drawer                                   | 3
CD               b    t       Desk Dresser Shelf SideTable Drawer Safe GarbageCan |                                | 3
BasketBall       b    t       Bed ArmChair Desk Dresser                 | LaundryHamper                            | 1
BaseballBat      b    t       Bed Desk Dresser                          |                                          | 1
TeddyBear        b    t       Bed ArmChair Dresser                      | LaundryHamper                            | 1
"""


@dataclass(frozen=True)
class Thing:
    """A type of object. It lies in `homes` at first, and can be put there and into `fits`; types of receptacles all."""

    type: str
    rooms: frozenset[str]
    qualities: frozenset[str]
    homes: tuple[str, ...]
    fits: tuple[str, ...]
    most: int

    def lives_in(self, room: Room) -> bool:
        """Whether one would expect it in such a room, and there is a place for it."""
        return room.kind in self.rooms and bool(room.of(*self.homes))

    @property
    def goes_into(self) -> tuple[str, ...]:
        return self.homes + self.fits


_ROOMS = {"k": "kitchen", "l": "living room", "b": "bedroom", "w": "bathroom"}


def _read(line: str) -> Thing:
    first, fits, most = line.split("|")
    type, rooms, letters, *homes = first.split()
    return Thing(
        type,
        frozenset(_ROOMS[letter] for letter in rooms),
        frozenset(QUALITIES[letter] for letter in letters),
        tuple(dict.fromkeys(homes)),
        tuple(fits.split()),
        int(most),
    )


THINGS = tuple(map(_read, _TABLE.strip().splitlines()))
LAMP_THING = Thing(LAMP, frozenset(), frozenset({"toggleable"}), (), (), 1)
