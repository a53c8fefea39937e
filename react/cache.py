"""Where things are kept that can be made again: the embedded model, snapshots, data sets, recordings of wikis."""

from __future__ import annotations

import os
from os.path import expanduser
from pathlib import Path


def folder() -> Path:
    """`$STARACT_CACHE`, or `~/.cache/staract`. It need not be there yet."""
    return Path(expanduser(os.environ.get("STARACT_CACHE") or "~/.cache/staract")).absolute()
