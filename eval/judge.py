"""python -m eval.judge sheet runs/eval/*: why trajectories succeeded or failed, judged by people (paper, table 2).

    python -m eval.judge sheet runs/eval/a runs/eval/b --each 50 --out runs/judge/sheet
    python -m eval.judge model --sheet runs/judge/sheet/sheet.json --backend server --model ...
    python -m eval.judge agree runs/judge/sheet/sheet.json judge-ann.json judge-ben.json

`sheet` draws trajectories of every method and outcome and writes `index.html`, which a person opens in a browser, and
`sheet.json`. `model` asks a model for the same judgements. `agree` prints what each judge found, the first opinion that
is formed from the record among them, and how far they agree. See docs/metrics.md.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from eval.agreement import told
from eval.rates import finished
from eval.record import expanded
from eval.runs import RunError
from eval.sheet import AUTOMATIC, read, read_judgements, sample, write
from react.mistakes import Mistake, mistakes
from react.trajectory import RecordError


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    given = sys.argv[1:] if args is None else list(args)
    if given[:1] == ["model"]:
        from eval.judge_model import main as ask

        return ask(given[1:])
    chosen = _parser().parse_args(given)
    with mistakes(RunError, RecordError, OSError, sqlite3.Error):
        if chosen.command == "sheet":
            make(chosen.folders, chosen.each, chosen.seed, chosen.out)
        else:
            print(compared(chosen.sheet, chosen.judges))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m eval.judge", description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    sheet = commands.add_parser("sheet", help="draw trajectories, and write the page on which people judge them")
    sheet.add_argument("folders", nargs="+", type=Path, metavar="RUN", help="run folders, such as runs/eval/*")
    sheet.add_argument("--each", type=_count, default=50, help="of every method and outcome: %(default)s")
    sheet.add_argument("--seed", type=int, default=0, help="of the draw: %(default)s")
    sheet.add_argument("--out", type=Path, default=Path("runs/judge/sheet"), help="folder to write to: %(default)s")
    agree = commands.add_parser("agree", help="what the judges found, and how far they agree")
    agree.add_argument("sheet", type=Path, help="sheet.json")
    agree.add_argument("judges", nargs="*", type=Path, metavar="JUDGE", help="judgements: downloads, or of a model")
    commands.add_parser("model", help="ask a model for judgements; `model --help` has its flags", add_help=False)
    return parser


def _count(text: str) -> int:
    if (count := int(text)) < 1:
        raise ValueError
    return count


def make(folders: Sequence[Path], each: int, seed: int, out: Path) -> None:
    """Writes the sheet, and says what is in it."""
    sheet = sample(finished(list(expanded(folders))), each, seed)
    if (there := out / "sheet.json").exists() and read(there).fingerprint != sheet.fingerprint:
        raise Mistake(f"{out} holds another sheet, which people may be judging: choose another --out, or remove it")
    write(out, sheet)
    strata = [(item.method, item.outcome) for item in sheet.items]
    for method, outcome in sorted(set(strata)):
        print(f"{method}, {outcome}: {strata.count((method, outcome))}")
    print(f"Written: {out / 'index.html'}, sheet.json. Open the page in a browser; each judge hands in the download.")


def compared(path: Path, judges: Sequence[Path]) -> str:
    """What the first opinion and each judge found, and their agreement. Mistake where two have one name."""
    sheet = read(path)
    found = {AUTOMATIC: sheet.opinions}
    for judge in judges:
        name, judged = read_judgements(judge, sheet)
        if name in found:
            raise Mistake(f"{judge}: there is a judge {name!r} already")
        found[name] = judged
    return told(sheet.items, found)


if __name__ == "__main__":
    main()
