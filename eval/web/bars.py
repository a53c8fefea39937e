"""The paper's figure 3 as SVG: a bar a method, a group a model, prompted beside finetuned; readable without colours.

A method is told by its short name under the bar, its pattern, its lightness and its colour; intervals are whiskers.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from itertools import groupby

from eval.figure import COLOURS, Cluster, clusters, labels, title
from eval.runs import Run
from eval.sections import Section, metric, words
from eval.statistics import hundredths
from eval.web.markup import Markup, joined, tag
from eval.web.tables import table
from react.methods import METHODS

# What stands under a bar, and what its pattern draws in a square of 8.
SHORT = {
    "standard": "Std",
    "cot": "CoT",
    "cot_sc": "SC",
    "act": "Act",
    "react": "ReAct",
    "react_im": "IM",
    "cot_sc_to_react": "SC\u2192R",
    "react_to_cot_sc": "R\u2192SC",
}
PATTERNS = {
    "standard": "",
    "cot": "M-2 2L2 -2M0 8L8 0M6 10L10 6",
    "cot_sc": "M0 8L8 0M0 0L8 8",
    "act": "M2 1.2v1.6M6 5.2v1.6M1.2 2h1.6M5.2 6h1.6",
    "react": "",
    "react_im": "M0 2H8M0 6H8",
    "cot_sc_to_react": "M-2 6L2 10M0 0L8 8M6 -2L10 2",
    "react_to_cot_sc": "M2 0V8M6 0V8",
}
BAR, GAP, HIGH, LINE, LETTER = 36.0, 30.0, 230.0, 15.0, 6.7
LEFT, TOP = 44.0, 24.0


def figures(runs: Sequence[Run]) -> Markup:
    """A figure for each environment, with its legend and the same as a table; nothing where no run has a bar."""
    shown = [(name, [run for run in runs if run.environment == name and run.em]) for name in _names(runs)]
    found = [_figure(at, name, some) for at, (name, some) in enumerate(shown, 1)]
    return joined(_patterns(), *found)


def _names(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(run.environment for run in runs if run.em))


def _figure(at: int, name: str, runs: Sequence[Run]) -> Markup:
    groups = _by_size(clusters(runs))
    told = title(name, runs)
    caption = tag("figcaption", tag("strong", told, id=f"caption-{at}"), _legend(runs))
    drawn = tag(
        "div",
        _drawing(at, groups, metric(runs), told),
        class_="scroll",
        role="group",
        tabindex=0,
        aria_labelledby=f"caption-{at}",
    )
    rows = Section(told, _rows(groups, metric(runs)))
    beside = tag("details", tag("summary", "The figure as a table"), table(rows, f"caption-{at}"))
    return tag("figure", caption, drawn, beside, aria_labelledby=f"caption-{at}")


def _by_size(groups: Sequence[Cluster]) -> list[Cluster]:
    """Within a condition from the smallest model to the largest, as the paper has them, where all names say a size."""
    found: list[Cluster] = []
    for _, some in groupby(groups, lambda cluster: cluster.condition):
        there = list(some)
        sizes = [size(cluster.model) for cluster in there]
        found += sorted(there, key=lambda cluster: size(cluster.model) or 0.0) if all(sizes) else there
    return found


def size(model: str) -> float | None:
    """The parameters that a model's name says, in millions: 1.5B, 135M."""
    found = re.findall(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z])", model.lower())
    return float(found[-1][0]) * (1000 if found[-1][1] == "b" else 1) if found else None


def _rows(groups: Sequence[Cluster], measured: str) -> list[dict[str, str]]:
    return [
        {
            "condition": cluster.condition,
            "model": label.replace("\n", ", ").removeprefix(f"{cluster.condition}, "),
            "method": METHODS[method].title,
            measured: words(run.em),
            "n": str(run.n),
        }
        for cluster, label in zip(groups, labels(groups), strict=True)
        for method, run in _in_order(cluster)
    ]


def _in_order(cluster: Cluster) -> list[tuple[str, Run]]:
    return [(method, cluster.runs[method]) for method in METHODS if method in cluster.runs]


def _lines(label: str) -> list[str]:
    """A label, with long names broken."""
    return [line for part in label.split("\n") for line in textwrap.wrap(part, 26) or [""]]


def _drawing(at: int, groups: Sequence[Cluster], measured: str, told: str) -> Markup:
    under = [_lines(label) for label in labels(groups)]
    rooms = [
        max(len(cluster.runs) * BAR, LETTER * max(map(len, lines))) + GAP
        for cluster, lines in zip(groups, under, strict=True)
    ]
    highest = max(run.em.high for cluster in groups for run in cluster.runs.values() if run.em)
    top = next(step for step in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0) if step >= min(1.0, highest))
    bottom = TOP + HIGH
    parts, x, before = [], LEFT + 6, ""
    for cluster, lines, room in zip(groups, under, rooms, strict=True):
        if before and before != cluster.condition:
            parts.append(tag("line", x1=x + 8, x2=x + 8, y1=TOP, y2=bottom, class_="faint"))
            x += 16
        before = cluster.condition
        parts.append(_cluster(cluster, lines, x + room / 2, top))
        x += room
    width, height = max(x + 6, 320.0), bottom + 24 + LINE * max(map(len, under))
    described = (
        f"Bars with intervals: {measured} by method, a group for each model. The numbers are in the table below."
    )
    return tag(
        "svg",
        tag("title", f"{measured} of the methods, prompted and finetuned: {told}", id=f"figure-{at}"),
        tag("desc", described, id=f"figure-{at}-told"),
        axis(top, LEFT, width - 6, measured),
        *parts,
        role="img",
        aria_labelledby=f"figure-{at}",
        aria_describedby=f"figure-{at}-told",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=round(width),
        height=round(height),
    )


def axis(top: float, left: float, right: float, measured: str, high: float = HIGH) -> Markup:
    """Faint lines with their values from 0 to `top`, and what is measured above them."""
    values = [top * i / 4 for i in range(5)]
    lines = [
        tag("line", x1=left, x2=right, y1=y, y2=y, class_="axis" if not value else "faint")
        for value in values
        for y in [TOP + high * (1 - value / top)]
    ]
    texts = [
        tag("text", f"{value:.4g}", x=left - 6, y=TOP + high * (1 - value / top) + 4, text_anchor="end", class_="small")
        for value in values
    ]
    heading = "exact match" if measured == "EM" else measured
    return joined(*lines, *texts, tag("text", heading, x=4, y=12, class_="small"))


def _cluster(cluster: Cluster, lines: Sequence[str], middle: float, top: float) -> Markup:
    there = _in_order(cluster)
    bars = [_bar(middle + (i - (len(there) - 1) / 2) * BAR, method, run, top) for i, (method, run) in enumerate(there)]
    under = [
        tag("text", line, x=middle, y=TOP + HIGH + 32 + LINE * i, text_anchor="middle", class_=None if i else "strong")
        for i, line in enumerate(lines)
    ]
    return joined(*bars, *under)


def _bar(x: float, method: str, run: Run, top: float) -> Markup:
    assert run.em
    em, bottom = run.em, TOP + HIGH

    low, value, high = (bottom - HIGH * share / top for share in (em.low, em.value, em.high))
    frame = {"x": x - 15, "y": value, "width": 30.0, "height": bottom - value}
    whisker = f"M{x:.1f} {low:.1f}V{high:.1f}m-5 0h10M{x - 5:.1f} {low:.1f}h10"
    return tag(
        "g",
        tag("title", f"{run.name}: {METHODS[method].title} {words(em)}, n = {run.n}"),
        tag("rect", **frame, fill=COLOURS.get(method, "#888888")),
        tag("rect", **frame, fill=f"url(#pattern-{method})", class_="bar"),
        tag("path", d=whisker, class_="halo"),
        tag("path", d=whisker, class_="whisker"),
        tag("text", hundredths(em.value).removeprefix("0"), x=x, y=high - 6, text_anchor="middle", class_="value"),
        tag("text", SHORT.get(method, method), x=x, y=bottom + 14, text_anchor="middle", class_="small"),
    )


def _patterns() -> Markup:
    found = [
        tag(
            "pattern",
            tag("path", d=path, stroke="#000", stroke_width=1.4, stroke_opacity=0.75, fill="none"),
            id=f"pattern-{method}",
            width=8,
            height=8,
            patternUnits="userSpaceOnUse",
        )
        for method, path in PATTERNS.items()
    ]
    return tag("svg", tag("defs", *found), width=0, height=0, aria_hidden="true", class_="patterns")


def _legend(runs: Sequence[Run]) -> Markup:
    there = [method for method in METHODS if any(run.method == method for run in runs)]
    box = {"x": 0.5, "y": 0.5, "width": 21.0, "height": 13.0}
    items = [
        tag(
            "li",
            tag(
                "svg",
                tag("rect", **box, fill=COLOURS.get(method, "#888888")),
                tag("rect", **box, fill=f"url(#pattern-{method})", class_="bar"),
                width=22,
                height=14,
                aria_hidden="true",
            ),
            tag("span", SHORT[method], class_="short") if SHORT.get(method, "") != METHODS[method].title else "",
            METHODS[method].title,
        )
        for method in there
    ]
    return tag("ul", *items, class_="legend", aria_label="Methods")
