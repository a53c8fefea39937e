"""The report as text: tables that read well in a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from eval import kinds
from eval.compare import Pair
from eval.runs import Run
from eval.statistics import Estimate, detectable
from eval.summary import counted
from react import environments
from react.methods import METHODS

NOTES = """\
A run without exemplars counts as finetuned. EM (of claims: accuracy; of games and shops: success rate) is the share of
tasks with the full reward, with its 95% Wilson interval; F1 the mean with Student's t; the score, where rewards come in
parts, 100 times the mean reward, with an interval from a bootstrap over tasks (F1 and score: where all tasks have the
same, Wilson's). Episodes that the infrastructure failed are in no score. Pairs are
the tasks that both runs finished: the difference (finetuned minus prompted) with a 95% interval from a bootstrap over
pairs (10,000 resamples; where all pairs differ alike, from Wilson's for the share that may not), and the exact McNemar
test, its p value corrected for the number of pairs of runs here (Holm). *Detectable* is the smallest true difference
that the test finds in 80 of 100 such comparisons, given n and the share of pairs that differ (Connor 1987); none where
so few pairs differ that no test would. Steps and tokens are means over the episodes."""


def tables(runs: Sequence[Run], pairs: Sequence[Pair]) -> str:
    """The rows, what they were measured on, and the paired tests."""
    parts = [table([_row(run, runs) for run in runs]), _panels(runs)]
    if by_kind := kinds.rows(runs):
        parts += ["By kind of task, with the average and the best of several prompts:", table(by_kind)]
    if pairs:
        scored = any(pair.score for pair in pairs)
        parts += ["Prompted against finetuned:", table([_tested(pair, scored) for pair in pairs])]
    parts += published(runs)
    return "\n\n".join(parts) + "\n"


def published(runs: Sequence[Run]) -> list[str]:
    """What others reported for the environments of these runs: numbers to stand beside, not measured here."""
    parts = []
    for environment in sorted({run.environment for run in runs} & {*environments.names()}):
        if said := environments.says(environment, "PUBLISHED"):
            where, rows = said
            parts.append(f"Reference numbers for {environment}, not measured here ({where}):")
            parts.append(
                table([{"method": row, "score": f"{s:.1f}", "SR": f"{sr:.1f}%"} for row, (s, sr) in rows.items()])
            )
    return parts


def _panels(runs: Sequence[Run]) -> str:
    """Each panel with its hash, and whose it is where there are several."""
    found: dict[str, list[str]] = {}
    for run in runs:
        data = f" ({run.panel_data})" if run.panel_data else ""
        panel = f"{run.panel} of {run.environment} {run.split}{data}, hash {run.tasks_fingerprint}"
        found.setdefault(panel, []).append(run.name)
    told = [panel + (f" ({', '.join(names)})" if len(found) > 1 else "") for panel, names in found.items()]
    return "Panel: " + "; ".join(told)


def page(runs: Sequence[Run], pairs: Sequence[Pair], warnings: Sequence[str]) -> str:
    """`report.md`."""
    title = " and ".join(sorted({f"{run.environment} ({run.split})" for run in runs}))
    scores = _metric(runs)
    parts = [
        f"# Prompted against finetuned: {title}",
        f"![{scores} of the methods, prompted and finetuned](figure.png)",
    ]
    if warnings:
        parts.append("\n".join(f"> **Warning:** {warning}" + "  " for warning in warnings))
    return "\n\n".join([*parts, tables(runs, pairs).strip(), _power(runs), NOTES]) + "\n"


def _power(runs: Sequence[Run]) -> str:
    n = max(run.n for run in runs)
    smallest = detectable(n) if n else None
    if smallest is None:
        return f"With {n} tasks no difference can be shown."
    return f"With {n} tasks, and half of the pairs differing, the smallest detectable difference is {smallest:.3f}."


def _row(run: Run, runs: Sequence[Run]) -> dict[str, str]:
    several = {"environment": run.environment} if len({other.environment for other in runs}) > 1 else {}
    return {
        "run": run.name,
        **several,
        "method": METHODS[run.method].title,
        "condition": run.source,
        "model": run.actor,
        "n": str(run.n),
        "failed": str(run.n_failed),
        **({"score": words(run.score, 1)} if any(other.score for other in runs) else {}),
        _metric(runs): words(run.em),
        **({"F1": words(run.f1)} if any(other.f1 for other in runs) else {}),
        "mean steps": f"{run.steps:.1f}",
        "mean tokens in/out": f"{run.prompt_tokens:.0f} / {run.completion_tokens:.0f}",
        "ends": counted(run.ends),
    }


def _metric(runs: Sequence[Run]) -> str:
    return " / ".join(sorted({run.metric for run in runs}))


def _tested(pair: Pair, scored: bool) -> dict[str, str]:
    result = pair.result
    found = "-" if result.detectable is None else f"{result.detectable:.3f}"
    return {
        "method": METHODS[pair.method].title,
        "prompted": f"{pair.prompted} {result.first:.3f}",
        "finetuned": f"{pair.finetuned} {result.second:.3f}",
        "n pairs": str(result.n),
        "only prompted / only finetuned": f"{result.only_first} / {result.only_second}",
        "difference": signed(result.change, 3),
        **({"score, difference": signed(pair.score, 1)} if scored else {}),
        "p": p_value(result.p),
        "p (Holm)": p_value(pair.p),
        "detectable": found,
    }


def p_value(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def words(estimate: Estimate | None, digits: int = 3) -> str:
    return " ".join(_numbers(estimate, f".{digits}f")) if estimate else "-"


def signed(estimate: Estimate | None, digits: int) -> str:
    return " ".join(_numbers(estimate, f"+.{digits}f")) if estimate else "-"


def _numbers(estimate: Estimate, form: str) -> tuple[str, str]:
    return f"{estimate.value:{form}}", f"[{estimate.low:{form}}, {estimate.high:{form}}]"


def table(rows: Sequence[dict[str, str]]) -> str:
    """A Markdown table with columns of even width. A bar in a text would end its cell."""
    names = list(rows[0])
    lines = [names, *([row[name].replace("|", "\\|") for name in names] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )
