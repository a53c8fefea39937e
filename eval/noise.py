"""python -m eval.noise runs/eval/*: what runs lose where tool outputs are replaced; see docs/robustness.md.

Each run with noise is compared with the one that differs from it in noise alone, task by task. Prints the table, and
writes it to `noise.md`, `noise.csv` and `noise.json` in `runs/report`.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from eval.job import EvalConfig
from eval.page import table
from eval.paired import Comparison, compare, holm
from eval.runs import Run, RunError, Unfinished, read
from eval.sections import p_value, signed
from react.methods import METHODS
from react.mistakes import mistakes
from react.models import ModelConfig
from react.noise import MARK, OPTIONS, split
from react.run_folder import put
from react.scene import Scene

# In what a run and the one that it is compared with may differ beside noise.
_FREE = {"name", "output", "environment_fingerprint"} | EvalConfig.PACE | Scene.PACE | ModelConfig.PACE


@dataclass(frozen=True)
class Loss:
    """A run with noise beside the `clean` one. `result` is from clean to noisy; `p` is corrected for all of them.

    `replaced` is how many outputs of an episode were, on average. `score` is there where rewards come in parts.
    """

    clean: Run
    noisy: Run
    replaced: float
    result: Comparison
    score: Comparison | None
    p: float = 1.0

    @property
    def relative(self) -> float | None:
        """The change as a share of what the clean run solved; None where that is nothing."""
        return self.result.change.value / self.result.first if self.result.first else None


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m eval.noise", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="RUN", help="run folders, such as runs/eval/*")
    parser.add_argument("--output", type=Path, default=Path("runs/report"), help="folder to write to: %(default)s")
    chosen = parser.parse_args(args)
    with mistakes(RunError, OSError):
        found, warnings = losses(chosen.folders)
        write(chosen.output, found)
    print(table([row(loss, found) for loss in found]))
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"Written: {chosen.output / 'noise.md'}, noise.csv, noise.json")


def losses(folders: Sequence[Path]) -> tuple[list[Loss], list[str]]:
    """Each finished run with noise beside its clean one, and warnings. RunError where there is no such pair."""
    runs, warnings = [], []
    for folder in folders:
        try:
            runs.append((read(folder), *_settings(folder)))
        except Unfinished as error:
            warnings.append(f"{error}; left out")
    clean: dict[str, Run] = {}
    for run, alike, _ in runs:
        if not run.noise:
            clean.setdefault(f"{run.environment_fingerprint} {alike}", run)
    found = []
    for run, alike, replaced in runs:
        if not run.noise:
            continue
        one = clean.get(f"{run.environment_fingerprint.partition(MARK)[0]} {alike}")
        result = one and compare(one.solved, run.solved)
        if not one or not result:
            warnings.append(f"{run.name}: no run differs from it in noise alone, with tasks in common; left out")
            continue
        scored = compare(one.rewards, run.rewards) if one.score and run.score else None
        found.append(Loss(one, run, replaced, result, scored))
    if not found:
        said = "; ".join(["no run with noise has one beside it that differs from it in noise alone", *warnings])
        raise RunError(said)
    corrected = holm([loss.result.p for loss in found])
    found = [replace(loss, p=p) for loss, p in zip(found, corrected, strict=True)]
    return sorted(found, key=_place), warnings


def _place(loss: Loss) -> tuple[object, ...]:
    run, (noise, _) = loss.noisy, split(loss.noisy.options)
    return (run.environment, not run.shots, run.model, list(METHODS).index(run.method), noise.noise_kind, noise.noise)


def _settings(folder: Path) -> tuple[str, float]:
    """What two runs that differ in noise alone have in common, and how many outputs of an episode were replaced."""
    try:
        said = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
        options = said.pop("environment_options")
        kept = {key: value for key, value in said.items() if key not in _FREE}
        kept["environment_options"] = {key: value for key, value in options.items() if key not in OPTIONS}
        noise = json.loads((folder / "summary.json").read_text(encoding="utf-8")).get("noise")
        return json.dumps(kept, sort_keys=True), float(noise["replaced"]["mean"]) if noise else 0.0
    except (OSError, ValueError, LookupError, TypeError, AttributeError, yaml.YAMLError) as error:
        told = " ".join(str(error).split())
        raise RunError(f"{folder}: its settings cannot be read: {type(error).__name__}: {told}") from None


def row(loss: Loss, found: Sequence[Loss]) -> dict[str, str]:
    """A row of the table; score and environment where any of `found` has one, or another."""
    run, result, (noise, _) = loss.noisy, loss.result, split(loss.noisy.options)
    environment = {"environment": run.environment} if len({one.noisy.environment for one in found}) > 1 else {}
    scored = any(one.score for one in found)
    score = {"score, change": signed(loss.score.change.times(100), 1) if loss.score else "-"} if scored else {}
    seed = f", seed {noise.noise_seed}" if noise.noise_seed else ""
    return {
        "run": run.name,
        **environment,
        "method": METHODS[run.method].title,
        "model": run.played,
        "condition": loss.clean.source,
        "noise": f"{noise.noise:g} {noise.noise_kind}{seed}",
        "replaced": f"{loss.replaced:.1f}",
        "n": str(result.n),
        "clean": f"{result.first:.3f}",
        "noisy": f"{result.second:.3f}",
        "change": signed(result.change, 3),
        "relative": "-" if loss.relative is None else f"{100 * loss.relative:+.1f}%",
        **score,
        "only clean / only noisy": f"{result.only_first} / {result.only_second}",
        "p": p_value(result.p),
        "p (Holm)": p_value(loss.p),
    }


def write(output: Path, found: Sequence[Loss]) -> None:
    """The table, as Markdown and CSV, and the numbers for other programs."""
    output.mkdir(parents=True, exist_ok=True)
    rows = [row(loss, found) for loss in found]
    put(output / "noise.md", f"# What replaced tool outputs cost\n\n{table(rows)}\n")
    put(output / "noise.json", json.dumps([_record(loss) for loss in found], indent=2, ensure_ascii=False) + "\n")
    with (output / "noise.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _record(loss: Loss) -> dict[str, Any]:
    run, (noise, _) = loss.noisy, split(loss.noisy.options)
    return {
        **{"run": run.name, "clean": loss.clean.name, "environment": run.environment, "method": run.method},
        **{"model": run.model, "shots": run.shots, **asdict(noise), "replaced": loss.replaced},
        **{"relative": loss.relative, "p_corrected": loss.p, "result": asdict(loss.result)},
        "score": asdict(loss.score) if loss.score else None,
    }


if __name__ == "__main__":
    main()
