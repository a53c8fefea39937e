"""python -m react.environments.wikipedia build SOURCE... --out wiki.sqlite: makes a snapshot of Wikipedia, once.

A source is a file, a folder or an archive of pages, or a data set of the Hugging Face hub:

  hotpot_train_v1.1.json ...                               the paragraphs of HotpotQA's questions
  enwiki-20171001-pages-meta-current-withlinks-abstracts.tar.bz2   HotpotQA's own dump, packed or unpacked
  wiki-pages.zip                                           FEVER's dump, packed or unpacked
  hf://wikimedia/wikipedia/20231101.en                     every article, whole (also as parquet files)
  wikipedia_en_all_nopic.zim                               Kiwix's (needs libzim: pip install "staract[zim]")
  pages.jsonl.gz                                           lines of {"title", "text", "redirects", "kind"}

The same command goes on after whatever stopped it. The snapshot is then `pages` in the options of an environment.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from react.mistakes import LOADING, Mistake, mistakes


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m react.environments.wikipedia",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="build SOURCE --out ...")
    command = commands.add_parser("build", help="sources of pages -> one SQLite file", allow_abbrev=False)
    command.add_argument("source", nargs="+", help="file, glob, folder, archive, or hf://OWNER/NAME/CONFIG")
    command.add_argument("--out", required=True, type=Path, metavar="FILE.sqlite", help="the snapshot")
    for one in (parser, command):
        one.error = _refuse  # type: ignore[method-assign, assignment]
    with mistakes(*LOADING):
        options = parser.parse_args(args)
        print(build(options.source, options.out))


def _refuse(message: str) -> None:
    raise Mistake(message)


def build(names: Sequence[str], out: Path) -> str:
    """Makes the snapshot, or finds it made, and says what is in it. Mistake if `out` is something else."""
    from react.environments.wikipedia.build import build_from, signature
    from react.environments.wikipedia.snapshot import Snapshot
    from react.environments.wikipedia.sources import sources

    if out.suffix != ".sqlite":
        raise Mistake(f"--out {out}: must end in .sqlite, by which `pages` tells a snapshot")
    if out.exists() and not out.is_file():
        raise Mistake(f"--out {out}: is there, and is no file")
    given = sources(names)
    build_from(given, out)
    snapshot = Snapshot(out)
    if snapshot.facts["sources"] != signature(given):
        raise Mistake(f"--out {out}: is there, and was made of other sources (or these have changed since); remove it")
    facts = snapshot.facts
    differing = int(facts["differing_texts"])
    note = f"; {differing:,} titles came with more than one text: the longest is kept" if differing else ""
    counts = f"{int(facts['pages']):,} pages, {int(facts['names']):,} names"
    return f"{out}: {counts}, fingerprint {snapshot.fingerprint[:12]}{note}"


if __name__ == "__main__":
    main()
