"""python -m train.push --run runs/train/x --eval runs/eval/x --out FOLDER --push user/name: a student for others.

Puts the merged model, `adapter/` where there is one, tokenizer, generation settings, canary and card into one folder,
adds what `eval` found (the summaries of its runs) to the card, and puts it on the hub, private unless `--public`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from react import hub
from react.flags import Flags
from react.mistakes import Mistake, mistakes, naming
from react.models._checkpoint import find

_REPLACED = ("*.safetensors", "*.safetensors.index.json", "adapter/*")
_MARK = "tags: [react, agents, staract]"
_HEAD = "| run | model | method | shots | split, panel | n | | |\n|---|---|---|---|---|---|---|---|"


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    with mistakes(OSError, ValueError), ExitStack() as held:
        chosen = _parser().parse_args(args)
        if not (chosen.out or chosen.push):
            raise Mistake("nowhere to put it: give --out FOLDER, --push USER/NAME, or both")
        if chosen.push:
            hub.want_repository(chosen.push)
        out = chosen.out or Path(held.enter_context(tempfile.TemporaryDirectory())) / "student"
        gather(chosen.run, chosen.eval, out)
        if chosen.out:
            print(f"Written: {out}; README.md is the card")
        if chosen.push:
            words = "A student, and its card"
            at = hub.push(out, chosen.push, "model", public=chosen.public, replaced=_REPLACED, message=words)
            print(f"Pushed: {at}")


def _parser() -> argparse.ArgumentParser:
    parser = Flags(prog="python -m train.push", description=__doc__)
    parser.add_argument("--run", type=Path, required=True, metavar="FOLDER", help="a finished run of train.py")
    parser.add_argument("--eval", type=Path, nargs="+", default=[], metavar="FOLDER", help="runs of eval, for the card")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to put it")
    parser.add_argument("--push", default="", metavar="USER/NAME", help="put it on the hub, by your login's token")
    parser.add_argument("--public", action="store_true", help="for all to see; without it what is pushed is private")
    return parser


def gather(run: Path, evaluations: Sequence[Path], out: Path) -> None:
    """Writes the folder in one piece. Mistake where the run is not finished, or `out` holds other things."""
    source = run / "checkpoint"
    if not (run / "summary.json").is_file() or not source.is_dir():
        raise Mistake(f"{run} is no finished run of train.py: it has no summary.json and checkpoint/")
    if out.exists() and not _replaceable(out):
        raise Mistake(f"--out {str(out)!r} holds other things; give a new folder, or one that this command wrote")
    results = table(evaluations, find(str(source)).fingerprint()) if evaluations else ""
    partial = out.with_name(f"{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    with naming(partial):
        shutil.copytree(source, partial)
        if (run / "adapter").is_dir():
            shutil.copytree(run / "adapter", partial / "adapter")
    for card in partial.glob("**/README.md"):
        text = card.read_text(encoding="utf-8").rstrip()
        card.write_text(f"{text}\n\n## Evaluations\n\n{results}\n" if results else f"{text}\n", encoding="utf-8")
    if out.exists():
        shutil.rmtree(out)
    partial.replace(out)


def _replaceable(folder: Path) -> bool:
    card = folder / "README.md"
    ours = card.is_file() and _MARK in card.read_text("utf-8", "replace")
    return folder.is_dir() and (ours or not any(folder.iterdir()))


def table(evaluations: Sequence[Path], fingerprint: str) -> str:
    """What runs of `eval` came to, a line each. A model with the weights of `fingerprint` is the one of the card.

    A server does not say which weights it has: its models go by their names. Mistake where a folder is no such run, or
    none is of the student.
    """
    lines, known = [_HEAD], False
    for folder in evaluations:
        try:
            said: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
            panel, em, own = said["panel"], said["em"], said["model_fingerprint"] == fingerprint
            share = f"{em['value']:.3f} [{em['low']:.3f}, {em['high']:.3f}]" if em else "none"
            model = "**this one**" if own else f"`{said['model']}` ({said['backend']})"
            about = (
                said["name"],
                model,
                said["method"],
                said["shots"],
                f"{panel['split']}, {panel['name']}",
                said["n"],
            )
            failed = f"{said['n_failed']} failed" if said["n_failed"] else ""
            lines.append(f"| {' | '.join(map(str, about))} | {said['metric']} {share} | {failed} |")
        except (LookupError, TypeError, ValueError) as error:
            raise Mistake(f"{folder / 'summary.json'}: is no summary of eval ({error!r})") from None
        known |= own or said["backend"] == "server"
    if not known:
        raise Mistake(f"none of {', '.join(map(str, evaluations))} is of this student: its weights are others")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
