"""python -m react.environments.shop build SOURCE --out FOLDER: makes a catalogue for WebShop, once.

A source is

  data/webshop/                                       the folder with the official files: items_shuffle.json,
                                                      items_ins_v2.json, items_human_ins.json (also as .gz, .bz2, .xz)
  data/webshop/items_shuffle_1000.json                or its list of products, where both sizes lie there
  hf://axon-rl/webshop hf://axon-rl/webshop_instructions
                                                      data sets of the Hugging Face hub: products, and goals for them

The same command goes on after whatever stopped it. The catalogue is then `path` in the options of the environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from react.flags import Flags, whole
from react.mistakes import LOADING, Mistake, mistakes


def main(args: Sequence[str] | None = None) -> None:
    parser = Flags(prog="python -m react.environments.shop", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="build SOURCE --out ...")
    command = commands.add_parser("build", help="products and instructions -> a catalogue")
    command.add_argument("source", nargs="+", help="folder, items_shuffle*.json, or hf://OWNER/NAME (products, goals)")
    command.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="the catalogue")
    command.add_argument("--goals", default="", help="human or synthetic; by default those that the data have")
    command.add_argument("--seed", type=whole(0), default=0, help="draws prices and price bounds")
    command.add_argument("--products", type=whole(0), default=0, metavar="N", help="the first N of the data; 0: all")
    with mistakes(*LOADING):
        options = parser.parse_args(args)
        print(build(options.source, options.out, options.goals, options.seed, options.products))


def build(names: Sequence[str], out: Path, goals: str, seed: int, most: int) -> str:
    """Makes the catalogue, or finds it made, and says what is in it. Mistake if `out` is something else."""
    from react.environments.shop.build import asked, named_catalogue, signature
    from react.environments.shop.build import build as build_from
    from react.environments.shop.store import Store

    if out.exists() and not named_catalogue(out):
        raise Mistake(f"--out {out}: is there, and is no catalogue")
    wanted = asked(names, goals, seed, most)
    build_from(wanted, out)
    store = Store(out)
    if store.facts["sources"] != signature(wanted):
        raise Mistake(f"--out {out}: is there, and was made of other data or settings, or they changed; remove it")
    facts = store.facts
    note = f"; skipped: {facts['skipped']}" if facts["skipped"] else ""
    counts = f"{int(facts['products']):,} products, {int(facts['goals']):,} {facts['kind']} goals"
    return f"{out}: {counts}, fingerprint {store.fingerprint[:12]}{note}"


if __name__ == "__main__":
    main()
