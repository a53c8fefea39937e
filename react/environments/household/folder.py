"""The official folder layout: `<split>/<task>/<trial>/game.tw-pddl`, below `json_2.1.1` for either release.

A game is known by its folder, `valid_unseen/pick_and_place_simple-Mug-None-Desk-308/trial_T20190908_125200_737896`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

GAME = "game.tw-pddl"
_ID = re.compile(r"(\w[\w.-]*)/(\w[\w.-]*)/\w[\w.-]*", re.ASCII)
# The six kinds by the beginning of the task's folder, in the words of ReAct@6bdb3a1 alfworld.ipynb.
KINDS = {
    "pick_and_place": "put",
    "pick_clean_then_place": "clean",
    "pick_heat_then_place": "heat",
    "pick_cool_then_place": "cool",
    "look_at_obj": "examine",
    "pick_two_obj": "puttwo",
}


def games(root: Path) -> dict[str, list[str]]:
    """The ids of the games below `root` by split, in the order of their bytes. ValueError where there are none.

    A link that leads nowhere is a game too, one that cannot be read: a split never gets smaller without a word.

    Tasks with sliced or movable things are left out, as alfworld leaves them out: their games cannot be won.
    """
    splits: dict[str, list[str]] = {}
    for place in root.glob("*/*/*"):
        path = place / GAME
        if not os.path.lexists(path) or path.is_dir():
            continue
        id = place.relative_to(root).as_posix()
        match = _ID.fullmatch(id)
        if match is None:
            raise ValueError(
                f"{root}: {id!r} is no name of a game; it may have letters of ASCII, digits, '_', '-', '.'"
            )
        if "movable" not in id and "Sliced" not in id:
            splits.setdefault(match[1], []).append(id)
    if not splits:
        raise ValueError(f"{root}: no games; they are looked for as <split>/<task>/<trial>/{GAME}, or below json_2.1.1")
    return {split: sorted(ids) for split, ids in sorted(splits.items())}


def kind(id: str) -> str:
    """What kind of task a game is: put, clean, heat, cool, examine or puttwo; empty for another one."""
    task = id.split("/")[1]
    return next((kind for beginning, kind in KINDS.items() if task.startswith(beginning)), "")
