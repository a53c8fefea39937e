"""Writes the household games, in the official layout, below `OUT/alfworld`.

    python -m data.households --out data --seed 0

Same seed, same bytes. Each game is won by its walkthrough on the way.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from data.households.files import write
from data.households.games import games


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m data.households", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("data"), help="folder to write into")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        write(options.out / "alfworld", games(options.seed))
    except OSError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
