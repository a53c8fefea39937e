"""Writes the catalogue of the embedded shop, in the official formats, into `OUT/webshop`.

    python -m data.catalogue --out data --seed 0

Same seed, same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from data.catalogue.files import write


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m data.catalogue", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("data"), help="folder to write into")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        write(options.out / "webshop", options.seed)
    except OSError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
