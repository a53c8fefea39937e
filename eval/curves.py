"""Scores by the number of samples, after the paper's figure 2: a curve a method, a line for each without samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from eval.figure import COLOURS, INK, STYLE, dress
from eval.statistics import Estimate
from react.methods import METHODS


def draw(
    curves: Mapping[str, Sequence[Estimate]], lines: Mapping[str, Estimate], heading: str, metric: str, path: Path
) -> None:
    """One PNG. A curve's first value is that of one sample; the bands are intervals, which lines have no room for."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import MaxNLocator

    with pyplot.rc_context(STYLE):
        figure, ax = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
        for method, ems in curves.items():
            samples = range(1, len(ems) + 1)
            colour, title = COLOURS[method], METHODS[method].title
            ax.fill_between(samples, [em.low for em in ems], [em.high for em in ems], color=colour, alpha=0.1, lw=0)
            ax.plot(samples, [em.value for em in ems], color=colour, marker="o", markersize=3.5, label=title)
        for method, em in lines.items():
            ax.axhline(em.value, color=COLOURS[method], linestyle="--", linewidth=1.3, label=METHODS[method].title)
        ax.set_title(heading, loc="left", fontsize=11, color=INK, pad=10)
        ax.set_xlabel("samples that vote")
        ax.set_ylabel("exact match" if metric == "EM" else metric)
        highs = [em.high for ems in curves.values() for em in ems]
        dress(ax, max([*highs, *(em.value for em in lines.values())]))
        ax.set_xlim(0.5, max(map(len, curves.values())) + 0.5)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        figure.legend(loc="outside right upper", frameon=False, handlelength=1.5, fontsize=10)
        figure.savefig(path, dpi=160, metadata={"Software": None})
        pyplot.close(figure)
