"""A report as tables of text, for whatever writes them: Markdown (`eval.page`), LaTeX (`eval.latex`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval import kinds
from eval.compare import CLAIMS, Pair
from eval.measures import SHARES
from eval.paired import Comparison
from eval.pools import Pool
from eval.rates import Row
from eval.rates import words as rate_words
from eval.record import Report
from eval.reference import Reference
from eval.runs import Run
from eval.statistics import Estimate
from eval.summary import counted
from react.methods import METHODS

Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Section:
    """One table, and what is said below it, a line each."""

    title: str
    rows: Rows
    below: Sequence[str] = ()


def sections(report: Report) -> list[Section]:
    """The tables of a report in their order; empty ones are left out. Of the first the title is the page's."""
    runs = report.runs
    found = [
        *_runs(runs),
        Section("Several runs of one cell", [_pooled(pool, runs) for pool in report.pools]),
        _went(report.rates),
        Section("By kind of task, with the average and the best of several runs", kinds.rows(runs)),
        *_claims(report.pairs),
        *(_published(name, report.references) for name in dict.fromkeys(row.environment for row in report.references)),
    ]
    return [section for section in found if section.rows]


def _runs(runs: Sequence[Run]) -> list[Section]:
    """A table for each environment, whose metric has a name of its own."""
    names = list(dict.fromkeys(run.environment for run in runs))
    found = []
    for name in names:
        here = [run for run in runs if run.environment == name]
        found.append(Section(f"Runs in {name}", [_row(run, here) for run in here], [panels(here)]))
    return found


def _went(rates: Sequence[Row]) -> Section:
    """The metrics that are shares; none where no run has any."""
    names = [name for name in SHARES if any(row.metrics[name] for row in rates)]
    rows = [
        {"run": row.run, "method": METHODS[row.method].title}
        | {name: rate_words(name, row.metrics[name]) for name in names}
        for row in (rates if names else ())
    ]
    told = "What each share is of: docs/metrics.md; by kind of task, with tokens, cost and latency: eval.metrics"
    return Section("How the runs went about it", rows, [told])


def panels(runs: Sequence[Run]) -> str:
    """Each panel with its hash, and whose it is where there are several."""
    found: dict[str, list[str]] = {}
    for run in runs:
        data = f" ({run.panel_data})" if run.panel_data else ""
        panel = f"{run.panel} of {run.environment} {run.split}{data}, hash {run.tasks_fingerprint}"
        found.setdefault(panel, []).append(run.name)
    told = [panel + (f" ({', '.join(names)})" if len(found) > 1 else "") for panel, names in found.items()]
    return "Panel: " + "; ".join(told)


def metric(runs: Sequence[Run]) -> str:
    """What the share of solved tasks is called; of runs of several environments, all that it is called."""
    return " / ".join(sorted({run.metric for run in runs}))


def _row(run: Run, runs: Sequence[Run]) -> dict[str, str]:
    return {
        "run": run.name,
        "method": METHODS[run.method].title,
        "condition": run.source,
        "model": run.actor,
        "n": str(run.n),
        "failed": str(run.n_failed),
        **({"score": words(run.score, 1)} if any(other.score for other in runs) else {}),
        metric(runs): words(run.em),
        **({"F1": words(run.f1)} if any(other.f1 for other in runs) else {}),
        "mean steps": f"{run.steps:.1f}",
        "mean tokens in/out": f"{run.prompt_tokens:.0f} / {run.completion_tokens:.0f}",
        "ends": counted(run.ends),
    }


def _where(environment: str, all: Sequence[str]) -> dict[str, str]:
    return {"environment": environment} if len(set(all)) > 1 else {}


def _pooled(pool: Pool, runs: Sequence[Run]) -> dict[str, str]:
    run, found = pool.runs[0], pool.spread
    return {
        "runs": ", ".join(one.name for one in pool.runs),
        **_where(run.environment, [other.environment for other in runs]),
        "method": METHODS[run.method].title,
        "of": pool.what,
        "items": str(len(pool.solved)),
        **({"score": words(pool.score, 1)} if any(other.score for other in runs) else {}),
        f"mean {metric(runs)}": words(pool.em),
        "SD between runs": f"{found.deviation:.3f}",
        "least to highest": f"{found.low:.3f} to {found.high:.3f}",
    }


def _claims(pairs: Sequence[Pair]) -> list[Section]:
    found = []
    for kind, (title, _) in CLAIMS.items():
        here = [pair for pair in pairs if pair.kind == kind]
        scored = any(pair.score for pair in here)
        environments = [pair.environment for pair in pairs]
        found.append(Section(title, [_tested(pair, scored, environments) for pair in here]))
    return found


def _tested(pair: Pair, scored: bool, environments: Sequence[str]) -> dict[str, str]:
    result, score = pair.result, pair.score
    names = ("prompted", "finetuned") if pair.kind == "conditions" else ("first", "second")
    methods = dict.fromkeys(METHODS[name].title for name in (pair.first_method, pair.second_method))
    return {
        **_where(pair.environment, environments),
        "method": " / ".join(methods),
        names[0]: f"{pair.first} {result.first:.3f}",
        names[1]: f"{pair.second} {result.second:.3f}",
        "n pairs": str(result.n) if result.n == pair.asked else f"{result.n} of {pair.asked}",
        f"only {names[0]} / only {names[1]}": f"{result.only_first} / {result.only_second}",
        "difference": signed(result.change, 3),
        "p": p_value(result.p),
        "p (Holm)": p_value(pair.p),
        "detectable": _detectable(result.detectable, 3),
        "detectable (Holm)": _detectable(pair.detectable, 3),
        "test": result.test,
        **(_scores(score, pair) if scored else {}),
    }


def _scores(score: Comparison | None, pair: Pair) -> dict[str, str]:
    return {
        "score, difference": signed(score.change, 1) if score else "-",
        "score, p (Holm)": p_value(pair.score_p) if score else "-",
        "score, detectable (Holm)": _detectable(pair.score_detectable, 1),
    }


def _detectable(difference: float | None, digits: int) -> str:
    return "-" if difference is None else f"{difference:.{digits}f}"


def _published(environment: str, rows: Sequence[Reference]) -> Section:
    """The rows that others reported, in percent, and below what differs for each source."""
    here = [row for row in rows if row.environment == environment]
    metrics = list(dict.fromkeys(metric for row in here for metric in row.values))
    notes = list(dict.fromkeys((row.source, row.differs) for row in here))
    numbers = {note: str(number) for number, note in enumerate(notes, 1)}
    table = [
        {
            "method": row.method,
            "model": row.model,
            "condition": row.condition,
            **{metric: f"{row.values[metric]}" if metric in row.values else "" for metric in metrics},
            "n": str(row.n or ""),
            "source": numbers[row.source, row.differs],
        }
        for row in here
    ]
    below = [f"{numbers[note]}: {note[0]}. {note[1]}" for note in notes]
    return Section(f"Reference numbers for {environment}, in percent, not measured here", table, below)


def p_value(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def words(estimate: Estimate | None, digits: int = 3) -> str:
    return " ".join(_numbers(estimate, f".{digits}f")) if estimate else "-"


def signed(estimate: Estimate | None, digits: int) -> str:
    return " ".join(_numbers(estimate, f"+.{digits}f")) if estimate else "-"


def _numbers(estimate: Estimate, form: str) -> tuple[str, str]:
    return f"{estimate.value:{form}}", f"[{estimate.low:{form}}, {estimate.high:{form}}]"
