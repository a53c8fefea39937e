"""Writes the encyclopedia, the questions and the claims.

    python -m data.world --out data --seed 0

Same seed, same bytes. The demonstrations are played in their environments over the files just written.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from data.world.build import build
from data.world.demonstrations import demonstrate, demonstrate_claims
from data.world.files import write_claims, write_pages, write_questions, write_trajectories
from data.world.sets import claim_sets, question_sets


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m data.world", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("data"), help="folder to write into")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    world = build(options.seed)
    sets = question_sets(world, options.seed)
    write_pages(options.out / "wikipedia" / "pages.jsonl.gz", world)
    for split, questions in sets.items():
        write_questions(options.out / "hotpotqa" / f"{split}.json.gz", world, questions, options.seed)
    claims = claim_sets(world, options.seed)
    for split, made in claims.items():
        write_claims(options.out / "fever" / f"{split}.jsonl.gz", made)
    shown = demonstrate(world, sets["train"], options.out, options.seed)
    write_trajectories(options.out / "hotpotqa" / "demonstrations.jsonl.gz", shown)
    judged = demonstrate_claims(world, claims["train"], options.out, options.seed)
    write_trajectories(options.out / "fever" / "demonstrations.jsonl.gz", judged)


if __name__ == "__main__":
    main()
