"""Scores by the number of samples, after the paper's figure 2: a curve a method, a line for each without samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.figure import COLOURS, INK, STYLE, dress
from eval.statistics import Estimate
from react.methods import METHODS

MARKS = "osD"
BESIDE = 0.22


def draw(
    curves: Mapping[str, Sequence[Estimate]], lines: Mapping[str, Estimate], heading: str, metric: str, path: Path
) -> None:
    """One PNG. A curve's first value is that of one sample. The methods stand a little beside one another, so that
    their intervals do; lines, which are drawn over the curves, have no room for theirs."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import MaxNLocator

    with pyplot.rc_context(STYLE):
        figure, ax = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
        for place, (method, ems) in enumerate(curves.items()):
            beside = BESIDE * (place - (len(curves) - 1) / 2)
            samples, values = [n + beside for n in range(1, len(ems) + 1)], [em.value for em in ems]
            around = [[em.value - em.low for em in ems], [em.high - em.value for em in ems]]
            look: dict[str, Any] = {"color": COLOURS[method], "zorder": 3}
            ax.errorbar(samples, values, around, fmt="none", elinewidth=0.9, alpha=0.6, **look)
            mark = MARKS[place % len(MARKS)]
            ax.plot(samples, values, marker=mark, markersize=4, label=METHODS[method].title, **look)
        for method, em in lines.items():
            look = {"color": COLOURS[method], "zorder": 5, "label": METHODS[method].title}
            ax.axhline(em.value, linestyle=(0, (4, 4)), linewidth=1.6, **look)
        ax.set_title(heading, loc="left", fontsize=11, color=INK, pad=10)
        ax.set_xlabel("samples that vote")
        ax.set_ylabel("exact match" if metric == "EM" else metric)
        highs = [em.high for ems in curves.values() for em in ems]
        dress(ax, max([*highs, *(em.value for em in lines.values())]))
        ax.set_ylim(bottom=-0.03 * ax.get_ylim()[1])  # what is 0 is seen
        ax.set_xlim(0.5, max(map(len, curves.values())) + 0.5)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        figure.legend(loc="outside right upper", frameon=False, handlelength=1.5, fontsize=10)
        figure.savefig(path, dpi=160, metadata={"Software": None})
        pyplot.close(figure)
