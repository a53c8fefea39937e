"""Where things are kept that can be made again: the embedded model, snapshots, data sets, recordings of wikis.

And what makes a file of a run that is not there.
"""

from __future__ import annotations

import os
from os.path import expanduser
from pathlib import Path


def folder() -> Path:
    """`$STARACT_CACHE`, or `~/.cache/staract`. It need not be there yet."""
    return Path(expanduser(os.environ.get("STARACT_CACHE") or "~/.cache/staract")).absolute()


_MADE = {
    ("bootstrap", "trajectories.jsonl"): "python -m bootstrap",
    ("train", "checkpoint"): "accelerate launch train.py",
    ("train", "adapter"): "accelerate launch train.py",
}


def made_by(path: str | Path) -> str:
    """The end of a message that `path` is missing: which command makes it. Empty where it is of no run."""
    kind, loop, stage, name, file = (*[""] * 5, *Path(path).parts)[-5:]
    program = _MADE.get((stage, file), "")
    if program and kind == "rounds":
        program, stage, name = "python -m bootstrap.rounds", kind, loop
    config = Path("configs", stage, f"{name}.yaml")
    if program:
        return f"; it is made by: {program} {f'--config {config}' if config.is_file() else f'--name {name}'}"
    return ""
