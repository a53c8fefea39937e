"""How students learned: success and loss against training steps, where a run's model is a checkpoint made here.

Training leaves `losses.jsonl` beside a checkpoint and, where the student acted while it was trained, `curve.jsonl`.
They are read as files; what is no number in them is left out, and a run without them has no curve.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.runs import Run
from eval.sections import Section, words
from eval.statistics import Estimate, wilson
from eval.web.bars import HIGH, LEFT, LINE, TOP, axis
from eval.web.markup import Markup, joined, tag
from eval.web.tables import table

WIDE = 460.0
# What tells students apart without colours: how a line is drawn, and what its points are.
DASHES = (None, "7 4", "2 3", "9 3 2 3")
MARKS = ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M-4-4h8v8h-8z", "M0-5L5 4h-10z", "M0-5L5 0L0 5L-5 0z")


@dataclass(frozen=True)
class Learning:
    """A student's success on its panels, with 95% Wilson intervals, and its losses; both by training step."""

    name: str
    success: Mapping[int, Estimate]
    losses: Mapping[int, float]


def learning(runs: Sequence[Run], folders: Mapping[str, Path]) -> list[Learning]:
    """The curves of the students that were evaluated, each once."""
    trained = dict.fromkeys(found for run in runs if (found := _trained(run.model, folders[run.name])))
    read = [Learning(found.name, _success(found / "curve.jsonl"), _losses(found / "losses.jsonl")) for found in trained]
    return [one for one in read if one.success or one.losses]


def _trained(model: str, folder: Path) -> Path | None:
    """The folder of the training whose checkpoint a run played: as its path says, from here or from above the run."""
    with suppress(OSError, ValueError):
        for base in (Path(), *folder.resolve().parents):
            for found in (base / model).parent, base / model:
                if "/" in model and any((found / name).is_file() for name in ("losses.jsonl", "curve.jsonl")):
                    return found.resolve()
    return None


def _lines(path: Path) -> list[dict[str, Any]]:
    with suppress(OSError, ValueError, RecursionError):
        said = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        return [one for one in said if isinstance(one, dict) and type(one.get("step")) is int and one["step"] >= 0]
    return []


def _success(path: Path) -> dict[int, Estimate]:
    found = {}
    for one in _lines(path):
        share, n = one.get("success"), one.get("n")
        if isinstance(share, int | float) and 0 <= share <= 1 and type(n) is int and n > 0:
            found[one["step"]] = wilson(round(share * n), n)
    return found


def _losses(path: Path) -> dict[int, float]:
    said = {one["step"]: one.get("loss") for one in _lines(path)}
    return {step: loss for step, loss in said.items() if isinstance(loss, int | float) and 0 <= loss < math.inf}


def section(students: Sequence[Learning]) -> Markup:
    """The curves, with a legend and the same as a table; nothing where there are none."""
    if not students:
        return Markup()
    success = {one.name: one.success for one in students if one.success}
    losses = {one.name: {step: Estimate(*[loss] * 3) for step, loss in one.losses.items()} for one in students}
    drawn = [_drawing("success while it was trained", success, 1.0)] if success else []
    drawn += [_drawing("training loss", losses, _above(losses))] if any(losses.values()) else []
    legend = tag("ul", *(_key(at, one.name) for at, one in enumerate(students)), class_="legend", aria_label="Students")
    heading = tag("h2", "How the students learned", id="learning-title")
    rows = table(Section("", _rows(students)), "learning-title")
    beside = tag("details", tag("summary", "The curves as a table"), rows)
    panels = [tag("div", one, class_="scroll", role="group", tabindex=0, aria_label="Curves") for one in drawn]
    figure = tag("figure", tag("div", *panels, class_="panels"), legend, beside, aria_labelledby="learning-title")
    return tag("section", heading, figure, id="learning", aria_labelledby="learning-title")


def _rows(students: Sequence[Learning]) -> list[dict[str, str]]:
    """Every panel with the last loss by then; of a student without panels, every loss."""
    rows = []
    for one in students:
        for step in sorted(one.success or one.losses):
            before = [at for at in one.losses if at <= step]
            loss = f"{one.losses[max(before)]:.3f}" if before else "-"
            rows.append({"student": one.name, "step": str(step), "success": words(one.success.get(step)), "loss": loss})
    return rows


def _above(losses: Mapping[str, Mapping[int, Estimate]]) -> float:
    """A round number of quarters above all losses."""
    highest = max((loss.value for one in losses.values() for loss in one.values()), default=0.0)
    unit = 10.0 ** math.floor(math.log10(highest)) if highest else 1.0
    return next(unit * times for times in (1, 2, 4, 6, 8, 10) if unit * times >= highest)


def _drawing(measured: str, curves: Mapping[str, Mapping[int, Estimate]], top: float) -> Markup:
    last = max((step for curve in curves.values() for step in curve), default=0) or 1
    right, bottom = LEFT + WIDE, TOP + HIGH
    ticks = [
        tag("text", f"{step:,}", x=LEFT + WIDE * step / last, y=bottom + 16, text_anchor="middle", class_="small")
        for step in dict.fromkeys((0, last // 2, last))
    ]
    lines = [_curve(at, name, curve, top, last) for at, (name, curve) in enumerate(curves.items())]
    return tag(
        "svg",
        tag("title", f"{measured}, by training step"),
        axis(top, LEFT, right, measured),
        *ticks,
        tag("text", "training steps", x=(LEFT + right) / 2, y=bottom + 18 + LINE, text_anchor="middle", class_="small"),
        *lines,
        role="img",
        viewBox=f"0 0 {right + 24:.0f} {bottom + 40:.0f}",
        width=round(right + 24),
        height=round(bottom + 40),
    )


def _curve(at: int, name: str, curve: Mapping[int, Estimate], top: float, last: int) -> Markup:
    def place(step: int, value: float) -> str:
        return f"{LEFT + WIDE * step / last:.1f} {TOP + HIGH * (1 - value / top):.1f}"

    steps = sorted(curve)
    whiskers = "".join(f"M{place(n, curve[n].low)}L{place(n, curve[n].high)}" for n in steps)
    marks = [
        tag(
            "g",
            tag("title", f"{name}, step {step}: {curve[step].value:.3f}"),
            tag("path", d=MARKS[at % len(MARKS)], class_="mark"),
            transform=f"translate({place(step, curve[step].value)})",
        )
        for step in (steps if len(steps) < 60 else steps[:: len(steps) // 30])
    ]
    line = "M" + "L".join(place(step, curve[step].value) for step in steps)
    look = {"class_": f"curve c{at % 4}", "stroke_dasharray": DASHES[at % len(DASHES)]}
    drawn = tag("path", d=line, **look) if steps else ""
    return tag("g", tag("path", d=whiskers, class_="thin"), drawn, *marks, class_=f"c{at % 4}")


def _key(at: int, name: str) -> Markup:
    drawn = (
        tag("path", d="M0 7H36", class_=f"curve c{at % 4}", stroke_dasharray=DASHES[at % len(DASHES)]),
        tag("path", d=MARKS[at % len(MARKS)], class_="mark", transform="translate(18 7)"),
    )
    return tag("li", tag("svg", *drawn, width=36, height=14, aria_hidden="true", class_=f"c{at % 4}"), joined(name))
