"""python -m eval.rounds runs/rounds/demo: the rounds of a bootstrap in one table: what was kept, what it taught.

Reads the folders that `python -m bootstrap.rounds` makes, as far as they are there, and writes `rounds.md`,
`rounds.csv` and `rounds.png` beside them.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eval.page import table
from eval.paired import Comparison, compare, holm
from eval.runs import Run, RunError, Unfinished, read
from eval.sections import p_value, signed, words
from react.mistakes import mistakes

NOTES = """\
Round 0 is the base model, prompted. *Tries* are attempts that the infrastructure did not fail, *yield* the share of
them that is worth keeping; of the kept, so many needed a *hint*. *Rows* are the trajectories on which the student was
trained, from the base model. The score has its 95% Wilson interval. Differences are over the tasks that both runs
finished, with Tango's 95% score interval, and the p value of the exact McNemar test, corrected for all
tests in this table (Holm)."""


@dataclass(frozen=True)
class Round:
    """One row. What is not there yet is empty; round 0 collects and trains nothing."""

    number: int
    collected: Mapping[str, Any] = field(default_factory=dict)
    trained: Mapping[str, Any] = field(default_factory=dict)
    run: Run | None = None
    to_first: Comparison | None = None
    to_last: Comparison | None = None


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m eval.rounds", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="a folder of rounds, such as runs/rounds/demo")
    folder = parser.parse_args(args).folder
    with mistakes(RunError, OSError):
        rounds = compared(found(folder))
        said = told(rounds)
        write(folder, rounds, said)
    print(f"\n{said}\n\nWritten: {folder / 'rounds.md'}, rounds.csv, rounds.png")


def found(folder: Path) -> list[Round]:
    """The rounds of a folder, until the first of which nothing is there. RunError where there is none."""
    rounds: list[Round] = []
    while True:
        number = len(rounds)
        collected, trained = (_summary(folder / kind / f"round{number}") for kind in ("bootstrap", "train"))
        one = Round(number, collected, trained)
        place = folder / "eval" / f"round{number}"
        if (place / "summary.json").is_file():
            one = replace(one, run=_run(place))
        if not (one.collected or one.run):
            break
        rounds.append(one)
    if not rounds:
        raise RunError(f"{folder}: no rounds; they are made by: python -m bootstrap.rounds --config FILE")
    return rounds


def _run(folder: Path) -> Run | None:
    try:
        return read(folder)
    except Unfinished:
        return None


def _summary(folder: Path) -> dict[str, Any]:
    path = folder / "summary.json"
    if not path.is_file():
        return {}
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunError(f"{path}: not JSON: {error}") from None
    if not isinstance(said, dict):
        raise RunError(f"{path}: must hold a JSON object")
    return said


def compared(rounds: Sequence[Round]) -> list[Round]:
    """Each student with the base model and with the student before; p values corrected for all of that."""
    first, done = rounds[0].run, list(rounds)
    for at, one in enumerate(rounds[1:], 1):
        last = rounds[at - 1].run
        done[at] = replace(
            one,
            to_first=compare(first.solved, one.run.solved) if first and one.run else None,
            # Of round 1 that is the same pair.
            to_last=compare(last.solved, one.run.solved) if last and one.run and at > 1 else None,
        )
    tests = [(at, key) for at, one in enumerate(done) for key in ("to_first", "to_last") if getattr(one, key)]
    corrected = holm([getattr(done[at], key).p for at, key in tests])
    for (at, key), p in zip(tests, corrected, strict=True):
        done[at] = replace(done[at], **{key: replace(getattr(done[at], key), p=p)})
    return done


def told(rounds: Sequence[Round]) -> str:
    """The table, and on what it was measured."""
    run = next((one.run for one in rounds if one.run), None)
    rows = table([_row(one, run.metric if run else "EM") for one in rounds])
    return f"{rows}\n\n{_panel(run)}" if run else rows


def _panel(run: Run) -> str:
    data = f" ({run.panel_data})" if run.panel_data else ""
    return f"Panel: {run.n} of {run.environment} {run.split}{data}, hash {run.tasks_fingerprint}"


def _row(one: Round, metric: str) -> dict[str, str]:
    collected, trained = one.collected, one.trained
    kept = collected.get("kept", 0)
    return {
        "round": str(one.number),
        "teacher": _teacher(one),
        "kept of tasks": f"{kept} of {collected['tasks_tried']}" if collected else "",
        "tries": str(collected["attempts"]) if collected else "",
        "yield": f"{collected['yield']:.1%}" if collected else "",
        "by a hint": f"{collected['kept_hinted']} ({collected['kept_hinted'] / max(kept, 1):.0%})" if collected else "",
        "rows": _rows(trained),
        "steps": str(trained.get("steps", "")),
        "loss": f"{trained['final_loss']:.3f}" if trained else "",
        f"{metric} [95%]": words(one.run.em) if one.run else "",
        "against round 0": _tested(one.to_first),
        "against the round before": "as left" if one.number == 1 and one.to_first else _tested(one.to_last),
    }


def _teacher(one: Round) -> str:
    if one.number > 1:
        return f"student {one.number - 1}"
    return str(one.collected.get("model", "")) if one.number else "(the base model, prompted)"


def _rows(trained: Mapping[str, Any]) -> str:
    """How many were trained on; where a short training did not come to all of them, of how many."""
    rows, seen = trained.get("rows", ""), trained.get("rows_seen", "")
    return str(rows) if seen in ("", rows) else f"{seen} of {rows}"


def _tested(found: Comparison | None) -> str:
    return f"{signed(found.change, 3)}, p {p_value(found.p)}" if found else ""


def write(folder: Path, rounds: Sequence[Round], said: str) -> None:
    """The page, its figure, and the numbers for other programs."""
    picture = "\n\n![Score and kept trajectories by round](rounds.png)" if any(one.run for one in rounds) else ""
    if picture:
        draw(rounds, folder / "rounds.png")
    (folder / "rounds.md").write_text(f"# Rounds: {folder.name}\n\n{said}{picture}\n\n{NOTES}\n", encoding="utf-8")
    rows = [_numbers(one) for one in rounds]
    with (folder / "rounds.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _numbers(one: Round) -> dict[str, Any]:
    of_collected = ("model", "kept", "kept_hinted", "tasks_tried", "attempts", "attempts_hinted", "yield")
    values: dict[str, Any] = {"round": one.number}
    values |= {f"collected.{key}": one.collected.get(key, "") for key in of_collected}
    values |= {f"trained.{key}": one.trained.get(key, "") for key in ("rows", "rows_seen", "steps", "final_loss")}
    em = one.run.em if one.run else None
    values |= {"n": one.run.n if one.run else ""}
    values |= {f"em.{key}": getattr(em, key, "") for key in ("value", "low", "high")}
    for name, result in (("to_round_0", one.to_first), ("to_round_before", one.to_last)):
        change = result.change if result else None
        values |= {f"{name}.{key}": getattr(change, key, "") for key in ("value", "low", "high")}
        values |= {f"{name}.{key}": getattr(result, key, "") for key in ("n", "only_first", "only_second", "p")}
    return values


def draw(rounds: Sequence[Round], path: Path) -> None:
    """Score with its interval over kept trajectories, by round."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from eval.figure import STYLE

    with pyplot.rc_context(STYLE):
        figure, (above, below) = pyplot.subplots(2, 1, figsize=(6.0, 5.0), sharex=True, layout="constrained")
        _scores(above, rounds)
        _kept(below, [one for one in rounds if one.collected])
        below.set_xlabel("round (0: the base model, prompted)")
        below.set_xticks([one.number for one in rounds])
        figure.savefig(path, dpi=160, metadata={"Software": None})
        pyplot.close(figure)


def _scores(ax: Any, rounds: Sequence[Round]) -> None:
    from eval.figure import COLOURS, INK, dress

    scored = [(one.number, one.run, one.run.em) for one in rounds if one.run and one.run.em]
    ems = [em for _, _, em in scored]
    around = [[em.value - em.low for em in ems], [em.high - em.value for em in ems]]
    numbers, values = [number for number, _, _ in scored], [em.value for em in ems]
    ax.errorbar(numbers, values, around, marker="o", capsize=3, color=COLOURS["react"], zorder=3)
    dress(ax, max((em.high for em in ems), default=1.0))
    for _, run, _ in scored[:1]:
        ax.set_ylabel("exact match" if run.metric == "EM" else run.metric)
        heading = f"{run.environment}, {run.split}, n = {run.n}, 95% intervals"
        ax.set_title(heading, loc="left", fontsize=11, color=INK, pad=10)


def _kept(ax: Any, rounds: Sequence[Round]) -> None:
    from matplotlib.ticker import MaxNLocator

    from eval.figure import COLOURS, dress

    at, kept = [one.number for one in rounds], [one.collected["kept"] for one in rounds]
    ax.bar(at, kept, 0.5, color=COLOURS["react"], zorder=2)
    hinted = [one.collected["kept_hinted"] for one in rounds]
    if any(hinted):
        ax.bar(at, hinted, 0.5, color=COLOURS["act"], zorder=3, label="by a hint")
        ax.legend(frameon=False, fontsize=10)
    dress(ax, 1.0)
    ax.set_ylim(0, 1.12 * max([*kept, 1]))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    ax.set_ylabel("kept")


if __name__ == "__main__":
    main()
