"""What came of a student's panels, by step: `curve.jsonl`, and which step is the best.

One line a panel::

    {"step": 500, "success": 0.34375, "n": 64, "reward": 0.34375, "seconds": 61.2, "fingerprint": "sha256:..."}

`success` is the share of tasks with the full reward. Where a single episode failed for want of a model or of an
environment, there is none: null, and `error` says why. Such a step is neither better nor worse than another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from react.run_folder import put

Entry = Mapping[str, Any]


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a curve; none where there is no file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def write(path: Path, entries: Sequence[Entry]) -> None:
    """All lines, in one piece."""
    put(path, "".join(json.dumps(entry) + "\n" for entry in entries))


def best(entries: Sequence[Entry]) -> Entry | None:
    """The one of the greatest success; of equals the earliest, which has been fitted least."""
    scored = [entry for entry in entries if entry["success"] is not None]
    return max(scored, key=lambda entry: (entry["success"], -entry["step"]), default=None)


def since_best(entries: Sequence[Entry]) -> int:
    """How many panels with a success came after the best one."""
    top = best(entries)
    return sum(entry["success"] is not None and entry["step"] > top["step"] for entry in entries) if top else 0


def table(entries: Sequence[Entry], losses: Sequence[Mapping[str, float]]) -> str:
    """The curve as a table of Markdown, beside the last loss that was logged by then. The best is marked."""
    top = best(entries)
    lines = ["| step | loss | success | |", "|---|---|---|---|"]
    for entry in entries:
        loss = next((f"{one['loss']:.3f}" for one in reversed(losses) if one["step"] <= entry["step"]), "")
        success = "none" if entry["success"] is None else f"{entry['success']:.3f}"
        note = "**this one**" if entry is top else entry.get("error", "")
        lines.append(f"| {entry['step']:,} | {loss} | {success} | {note} |")
    return "\n".join(lines)
