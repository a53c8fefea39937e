"""The report as text: tables that read well in a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from eval.paired import detectable
from eval.record import Report
from eval.runs import Run
from eval.sections import metric, sections

NOTES = """\
A run without exemplars counts as finetuned. EM (of claims: accuracy; of games and shops: success rate) is the share
of tasks with the full reward, with its 95% Wilson interval; F1 a mean, and the score, where rewards come in parts,
100 times the mean reward, both with Wilson's interval for as many tasks as would vary so much (F1 and score: where
all tasks have the same, Wilson's). Episodes that the infrastructure failed are in no score. Runs of one cell (other
prompts, other seeds) count an item once, with its mean over the runs; how far the runs are apart is said beside.
Pairs are the tasks that both sides finished: the difference (second minus first) with Tango's 95% score interval, and
the exact McNemar test; of means (scores, several runs) with Student's t, and the test of exchanged signs. All p
values in this report are corrected together (Holm). *Detectable* is the smallest true difference that the test finds
in 80 of 100 such comparisons, given n and how much the pairs differ (Connor 1987); none where so few pairs differ
that no test would: alone, and as the first of all claims here, where Holm's correction asks the most. Steps and
tokens are means over the episodes. docs/evaluation.md has the formulas and their sources."""


def tables(report: Report) -> str:
    """The rows, what they were measured on, the paired tests, and what others reported."""
    parts: list[str] = []
    for at, section in enumerate(sections(report)):
        alone = not at and len({run.environment for run in report.runs}) == 1  # the page's title says it
        parts += [table(section.rows)] if alone else [f"{section.title}:", table(section.rows)]
        if section.below:
            parts.append("  \n".join(section.below))
    return "\n\n".join(parts) + "\n"


def page(report: Report) -> str:
    """`report.md`."""
    runs = report.runs
    title = " and ".join(sorted({f"{run.environment} ({run.split})" for run in runs}))
    parts = [
        f"# Prompted against finetuned: {title}",
        f"![{metric(runs)} of the methods, prompted and finetuned](figure.png)",
    ]
    if report.warnings:
        parts.append("\n".join(f"> **Warning:** {warning}" + "  " for warning in report.warnings))
    return "\n\n".join([*parts, tables(report).strip(), _power(runs), NOTES]) + "\n"


def _power(runs: Sequence[Run]) -> str:
    n = max(run.n for run in runs)
    smallest = detectable(n) if n else None
    if smallest is None:
        return f"With {n} tasks no difference can be shown."
    return f"With {n} tasks, and half of the pairs differing, the smallest detectable difference is {smallest:.3f}."


def table(rows: Sequence[dict[str, str]]) -> str:
    """A Markdown table with columns of even width. A bar in a text would end its cell."""
    names = list(rows[0])
    lines = [names, *([row[name].replace("|", "\\|") for name in names] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )
