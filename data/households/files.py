"""Games as files, where alfworld and TextWorld look for them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from data.households.chores import LOOK
from data.households.games import Made


def write(folder: Path, games: Sequence[Made]) -> None:
    """`<folder>/json_2.1.1/<split>/<task>/<trial>/`, with a game and what alfworld wants to know of it in each.

    FileExistsError where other games are: splits are found by looking into the folder, and would be mixed.
    """
    root = folder / "json_2.1.1"
    others = {path.parent.relative_to(root).as_posix() for path in root.glob("*/*/*/game.tw-pddl")}
    if others := others - {made.id for made in games}:
        raise FileExistsError(f"{root} has {len(others)} other games, {min(others)} among them; move them away first")
    for made in games:
        place = root / made.id
        place.mkdir(parents=True, exist_ok=True)
        _write(place / "game.tw-pddl", made.content)
        _write(place / "traj_data.json", _task(made))


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8", newline="\n")


def _task(made: Made) -> dict[str, object]:
    """What alfworld's lists of games and its experts read of `traj_data.json`."""
    chore = made.chore
    looks = chore.kind == LOOK
    return {
        "task_id": made.id.rsplit("/", 1)[1],
        "task_type": chore.kind,
        "pddl_params": {
            "object_target": chore.thing,
            "object_sliced": False,
            "mrecep_target": "",
            "parent_target": "" if looks else chore.to,
            "toggle_target": chore.to if looks else "",
        },
        "scene": {"floor_plan": f"FloorPlan{made.room.scene}", "scene_num": made.room.scene},
        "turk_annotations": {"anns": [{"task_desc": made.sentence}]},
    }
