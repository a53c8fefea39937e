"""A small household to play with: its game file, in either release, without any official text.

KNOWN is how `react.environments.household.release` learns of it: tests set it with monkeypatch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from react.environments.household.release import MOVE, PUT, Dialect, fingerprint

# At loc 1 two receptacles share one place, as in most official games; the fridge and the drawer can be closed.
PROBLEM = """
(define (problem plan_trial_T1) (:domain alfred)
 (:objects agent1 - agent  Mug_bar_1 - object ; and so on
 )
 (:init
  (atLocation agent1 loc_bar_9)
  (receptacleType Shelf_bar_1 ShelfType)               (receptacleAtLocation Shelf_bar_1 loc_bar_1)
  (receptacleType Drawer_bar_1 DrawerType)             (receptacleAtLocation Drawer_bar_1 loc_bar_1)
  (receptacleType Fridge_bar_1 FridgeType)             (receptacleAtLocation Fridge_bar_1 loc_bar_2)
  (receptacleType Microwave_bar_1 MicrowaveType)       (receptacleAtLocation Microwave_bar_1 loc_bar_3)
  (receptacleType Sink_bar_1_bar_SinkBasin SinkBasinType)
  (receptacleAtLocation Sink_bar_1_bar_SinkBasin loc_bar_4)
  (receptacleType Desk_bar_1 DeskType)                 (receptacleAtLocation Desk_bar_1 loc_bar_5)
  (receptacleType Desk_bar_2 DeskType)                 (receptacleAtLocation Desk_bar_2 loc_bar_6)
  (openable Drawer_bar_1) (openable Fridge_bar_1) (openable Microwave_bar_1)
  (canContain ShelfType MugType) (canContain DrawerType MugType) (canContain FridgeType MugType)
  (canContain DeskType MugType) (canContain DeskType AppleType) (canContain ShelfType BowlType)
  (canContain DrawerType KnifeType) (canContain FridgeType AppleType)
  (objectType Mug_bar_1 MugType) (objectType Mug_bar_2 MugType) (objectType Apple_bar_1 AppleType)
  (objectType Bowl_bar_1 BowlType) (objectType Knife_bar_1 KnifeType) (objectType DeskLamp_bar_1 DeskLampType)
  (pickupable Mug_bar_1) (pickupable Mug_bar_2) (pickupable Apple_bar_1) (pickupable Bowl_bar_1)
  (pickupable Knife_bar_1) (toggleable DeskLamp_bar_1) (isReceptacleObject Bowl_bar_1)
  (cleanable Mug_bar_1) (cleanable Mug_bar_2) (heatable Mug_bar_1) (heatable Mug_bar_2) (coolable Mug_bar_1)
  (coolable Mug_bar_2) (cleanable Apple_bar_1) (heatable Apple_bar_1) (coolable Apple_bar_1) (sliceable Apple_bar_1)
  (inReceptacle Mug_bar_1 Shelf_bar_1)         (objectAtLocation Mug_bar_1 loc_bar_1)
  (inReceptacle Mug_bar_2 Fridge_bar_1)        (objectAtLocation Mug_bar_2 loc_bar_2)
  (inReceptacle Apple_bar_1 Desk_bar_1)        (objectAtLocation Apple_bar_1 loc_bar_5)
  (inReceptacle Bowl_bar_1 Shelf_bar_1)        (objectAtLocation Bowl_bar_1 loc_bar_1)
  (inReceptacle Knife_bar_1 Desk_bar_1)        (objectAtLocation Knife_bar_1 loc_bar_5)
  (inReceptacle DeskLamp_bar_1 Desk_bar_2)     (objectAtLocation DeskLamp_bar_1 loc_bar_6)
  (inReceptacleObject Knife_bar_1 Bowl_bar_1)
 )
 (:goal GOAL))
"""
GOALS = {
    "put": """(and (exists (?r - receptacle) (exists (?o - object)
        (and (inReceptacle ?o ?r) (objectType ?o MugType) (receptacleType ?r DeskType)))))""",
    "clean": """(and (exists (?r - receptacle) (exists (?o - object) (and (cleanable ?o) (objectType ?o MugType)
        (receptacleType ?r DeskType) (isClean ?o) (inReceptacle ?o ?r)))))""",
    "puttwo": """(and (exists (?r - receptacle) (exists (?o1 - object) (and (objectType ?o1 MugType)
        (receptacleType ?r DeskType) (inReceptacle ?o1 ?r) (exists (?o2 - object) (and (not (= ?o1 ?o2))
        (objectType ?o2 MugType) (receptacleType ?r DeskType) (inReceptacle ?o2 ?r)))))))""",
    "examine": """(and (exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and (toggleable ?ot)
        (objectType ?ot DeskLampType) (isToggled ?ot) (receptacleAtLocation ?r ?l) (atLocation ?a ?l)
        (inReceptacle ?ot ?r))) (exists (?o - object ?a - agent) (and (objectType ?o MugType) (holds ?a ?o))))""",
}

DOMAIN = "(define (domain toy)) ; {} home"
KNOWN: dict[str, Dialect] = {
    fingerprint(DOMAIN, f'{dialect.put} "Your task is to: "'): dialect for dialect in (PUT, MOVE)
}


def content(goal: str = GOALS["put"], dialect: Dialect = MOVE, **changes: Any) -> dict[str, Any]:
    """What the JSON of its game file holds."""
    put = dialect.put.format(o="mug 2", r="desk 1")
    game = {
        "pddl_domain": DOMAIN,
        "grammar": f'{dialect.put} "Your task is to: put a mug in desk."',
        "pddl_problem": PROBLEM.replace("GOAL", goal),
        "solvable": True,
        "walkthrough": ["go to shelf 1", "take mug 2 from shelf 1", "go to desk 1", put],
    }
    return {**game, **changes}


def written(folder: Path, id: str, **changes: Any) -> Path:
    """Its game file, where the official layout has the game of this id."""
    path = folder / id / "game.tw-pddl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content(**changes)), encoding="utf-8")
    return path
