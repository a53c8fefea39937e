"""What a selection left out and why, as numbers and examples: for `summary.json`, and for a person to read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bootstrap.select import LeftOut, Selection
from react.mistakes import plain
from react.run_folder import put

_SHOWN = 2
_WIDTH = 150


def summarized(selection: Selection) -> dict[str, Any]:
    """Counts by the first reason, a few examples of each, and what is worth keeping too."""
    examples = {reason: [asdict(one) for one in ones] for reason, ones in selection.examples().items()}
    return {"left_out": selection.removed, "left_out_examples": examples, "spare": selection.spares}


def told(summary: Mapping[str, Any]) -> list[str]:
    """The lines of a report: each reason with its count and the first examples; then what is worth keeping too."""
    lines = ["Left out, by first reason:" if summary["left_out"] else "Left out: none."]
    for reason, count in sorted(summary["left_out"].items(), key=lambda item: (-item[1], item[0])):
        lines.append(f"  {count:>6,}  {reason}")
        lines += [f"          {_example(one)}" for one in summary["left_out_examples"][reason][:_SHOWN]]
    if spare := ", ".join(f"{count:,} {reason}" for reason, count in summary["spare"].items()):
        lines.append(f"Worth keeping, too: {spare}.")
    return lines


def compared(places: Mapping[str, int] | None) -> list[str]:
    """With what the tasks were compared, so that none is an item of an evaluation."""
    if places is None:
        return ["Not compared with the items of any evaluation: the rule uncontaminated was not asked for."]
    said = ", ".join(f"{count:,} of {place}" for place, count in places.items())
    return [f"Compared with what is evaluated on: {said or 'there is none; name files of such items by --held_out'}."]


def warned(left_out: Sequence[LeftOut], shown: int = 5) -> list[str]:
    """A line for each of the first items of an evaluation that were found, and how many there are."""
    first = {one.id: one for one in left_out if one.reason == "uncontaminated"}
    if not first:
        return []
    count = f"{len(first):,} tasks are items" if len(first) > 1 else "1 task is an item"
    lines = [f"{count} of an evaluation, and nothing of it is kept (rule uncontaminated):"]
    lines += [f"  {plain(one.id)} {_line(one.detail, 400)}" for one in list(first.values())[:shown]]
    return lines + ([f"  and {len(first) - shown:,} more: see left_out.jsonl"] if len(first) > shown else [])


def write(path: Path, left_out: Sequence[LeftOut]) -> None:
    """One line of JSON for each, in one piece."""
    put(path, (json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in left_out))


def _example(one: Mapping[str, Any]) -> str:
    where = one["id"] if one["attempt"] is None else f"{one['id']}, attempt {one['attempt']}"
    return _line(f"{where}: {one['detail']}" if one["detail"] else where, _WIDTH)


def _line(text: str, width: int) -> str:
    """What a model wrote is shown on one line and cannot command a terminal."""
    line = plain(text)
    return line if len(line) <= width else f"{line[: width - 1]}\u2026"
