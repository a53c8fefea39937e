"""Writes the catalogue of the embedded shop, in the official formats, into `OUT/webshop`.

    python -m data.catalogue --out data --seed 0

Same seed, same bytes.
"""

from __future__ import annotations

from pathlib import Path

from data.catalogue.files import write
from react.flags import Flags
from react.mistakes import mistakes


def main() -> None:
    parser = Flags(prog="python -m data.catalogue", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("data"), help="folder to write into")
    parser.add_argument("--seed", type=int, default=0)
    with mistakes(OSError):
        options = parser.parse_args()
        write(options.out / "webshop", options.seed)


if __name__ == "__main__":
    main()
