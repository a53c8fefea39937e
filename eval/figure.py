"""Prompted against finetuned in one picture, after the paper's figure 3: methods as colours, conditions as groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.pools import merged
from eval.runs import Run
from eval.statistics import hundredths
from react.methods import METHODS

# Okabe and Ito's colours, which stay apart for colour-blind readers and, by their lightness, in grey print.
COLOURS = {
    "standard": "#B4B4B4",
    "cot": "#E69F00",
    "cot_sc": "#D55E00",
    "act": "#56B4E9",
    "react": "#0072B2",
    "react_im": "#F0E442",
    "cot_sc_to_react": "#CC79A7",
    "react_to_cot_sc": "#009E73",
}
INK, FAINT = "#222222", "#DDDDDD"
STYLE: dict[Any, Any] = {"font.size": 11, "font.family": "sans-serif", "text.color": INK, "axes.edgecolor": INK}
STYLE["text.parse_math"] = False  # names are text, whatever stands in them
UNIT = 0.72  # inches; what follows is in units of so many
BAR = 0.8
GAP = 0.9  # between models; between conditions there is twice that
SPACE = 0.3  # between labels
LEAST = 3.2  # of a panel


@dataclass
class Cluster:
    """Bars that stand together: the methods of one condition and one model (finetuned: on one kind of data).

    `prompt` says which prompt they had, or that they are the average or the best of several.
    """

    condition: str
    model: str
    data: str = ""
    prompt: str = ""
    runs: dict[str, Run] = field(default_factory=dict)


def draw(runs: Sequence[Run], path: Path) -> None:
    """One panel for each environment, in one PNG. Runs without a finished episode have no bar."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = [run for run in runs if run.em]
    names = sorted({run.environment for run in runs})
    grouped = [clusters([run for run in shown if run.environment == name]) for name in names]
    headings = [title(name, [run for run in shown if run.environment == name]) for name in names]
    with pyplot.rc_context(STYLE):
        rooms = [max(LEAST, _middles(group)[1]) for group in grouped]
        if any(_wide(heading) > room for heading, room in zip(headings, rooms, strict=True)):
            headings = [heading.replace(", n = ", "\nn = ") for heading in headings]
        rooms = [max(_wide(heading), room) for heading, room in zip(headings, rooms, strict=True)]
        figure, axes = pyplot.subplots(
            1,
            len(names),
            squeeze=False,
            figsize=(max(5.6, UNIT * sum(rooms) + 0.9 * len(names)), 4.0),
            width_ratios=rooms,
            layout="constrained",
        )
        for ax, group, heading, room in zip(axes[0], grouped, headings, rooms, strict=True):
            _panel(ax, group, heading, room)
        _legend(figure, shown)
        figure.savefig(path, dpi=160, metadata={"Software": None})
        pyplot.close(figure)


def clusters(runs: Sequence[Run]) -> list[Cluster]:
    """Prompted before finetuned, a model at a time. The students of one base model stand together, a method each."""
    found: list[Cluster] = []
    for run, prompt in merged(runs):
        model = run.played if run.shots else str(run.trained_on.get("model", ""))
        for cluster in found:
            same = (cluster.condition, cluster.model, cluster.prompt) == (run.condition, model, prompt)
            there = next(iter(cluster.runs.values()))
            if same and run.method not in cluster.runs and _where(there) == _where(run):
                break
        else:
            data = "" if run.shots else run.data.rpartition("/")[2]
            found.append(cluster := Cluster(run.condition, model, data, prompt))
        cluster.runs[run.method] = run
    return found


def _where(run: Run) -> tuple[str, ...]:
    """What bars that stand together have in common: in another state of the environment a method is another one."""
    return run.environment_fingerprint, run.tasks_fingerprint, run.split


def labels(group: Sequence[Cluster]) -> list[str]:
    """What stands under each cluster; the data, and the names of runs, only where it takes them to tell two apart."""
    kinds = Counter((cluster.condition, cluster.model) for cluster in group if not cluster.prompt)
    plain = [_label(cluster, kinds[cluster.condition, cluster.model] > 1) for cluster in group]
    return [
        label if plain.count(label) == 1 else "\n".join([label, *sorted(run.name for run in cluster.runs.values())])
        for label, cluster in zip(plain, group, strict=True)
    ]


def _label(cluster: Cluster, with_data: bool) -> str:
    data = f"on {cluster.data}" if cluster.data and with_data else ""
    return "\n".join(filter(None, (cluster.condition, cluster.model, cluster.prompt, data)))


def title(environment: str, runs: Sequence[Run]) -> str:
    """What is shown, of how many questions."""
    counts = sorted({run.n for run in runs}) or [0]
    n = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    splits = " and ".join(sorted({run.split for run in runs}))
    return f"{environment}, {splits}, n = {n}, 95% intervals"


def _wide(text: str) -> float:
    """The room that the longest line of a text takes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=STYLE["font.family"], size=STYLE["font.size"])
    points = (text_to_path.get_text_width_height_descent(line, font, False)[0] for line in text.split("\n"))
    return max(points) / 72 / UNIT


def _middles(group: Sequence[Cluster]) -> tuple[list[float], float]:
    """Where each cluster stands, so that neither bars nor labels touch, and the room that all of them take."""
    end, found = 0.0, []
    for before, cluster, label in zip([None, *group], group, labels(group), strict=False):
        end += GAP if before and before.condition != cluster.condition else 0.0
        room = max(len(cluster.runs) * BAR + GAP, _wide(label) + SPACE)
        found.append(end + room / 2)
        end += room
    return found, end


def _panel(ax: Any, group: Sequence[Cluster], heading: str, room: float) -> None:
    middles, end = _middles(group)
    for middle, cluster in zip(middles, group, strict=True):
        methods = [method for method in METHODS if method in cluster.runs]
        for i, method in enumerate(methods):
            _bar(ax, middle + (i - (len(methods) - 1) / 2) * BAR, method, cluster.runs[method])
    ax.set_xticks(middles, labels(group))
    ax.set_title(heading, loc="left", fontsize=11, color=INK, pad=10)
    metrics = {run.metric for cluster in group for run in cluster.runs.values()}
    ax.set_ylabel(" / ".join("exact match" if metric == "EM" else metric for metric in sorted(metrics)))
    ax.set_xlim((end - room) / 2, (end + room) / 2)
    highs = [run.em.high for cluster in group for run in cluster.runs.values() if run.em]
    dress(ax, max(highs, default=1.0))


def _bar(ax: Any, x: float, method: str, run: Run) -> None:
    assert run.em
    around = [[run.em.value - run.em.low], [run.em.high - run.em.value]]
    ax.bar(x, run.em.value, 0.92 * BAR, color=COLOURS[method], zorder=2)
    ax.errorbar(x, run.em.value, yerr=around, color=INK, capsize=3, linewidth=1.1, zorder=3)
    ax.annotate(
        hundredths(run.em.value).removeprefix("0"),
        (x, run.em.high),
        xytext=(0, 4),
        textcoords="offset points",
        ha="center",
        fontsize=10,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
    )


def dress(ax: Any, highest: float) -> None:
    """Faint lines for a scale from 0 to a little above `highest`, and no frame."""
    from matplotlib.ticker import MaxNLocator

    ax.set_ylim(0, min(1.08, highest * 1.12))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="both", length=0)
    ax.grid(axis="y", color=FAINT, linewidth=0.8, zorder=0)
    ax.set_axisbelow(True)


def _legend(figure: Any, runs: Sequence[Run]) -> None:
    from matplotlib.patches import Patch

    there = {run.method for run in runs}
    patches = [Patch(color=COLOURS[method], label=METHODS[method].title) for method in METHODS if method in there]
    if patches:
        widest = 0.55 + 0.1 * max(len(str(patch.get_label())) for patch in patches)  # inches, at this size
        columns = min(len(patches), int(figure.get_figwidth() / widest))
        figure.legend(
            handles=patches, loc="outside upper right", ncols=columns, frameon=False, handlelength=1, fontsize=11
        )
