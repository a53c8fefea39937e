"""What a collection says of itself: counts of the whole run, whatever number of starts it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from bootstrap import reasons
from bootstrap.budget import Metered
from bootstrap.job import BootstrapConfig
from bootstrap.schedule import Ledger
from bootstrap.select import Selection
from react.completions import Recorded
from react.journal import Journal

COUNTS = ("calls", "bad_calls", "repaired_calls", "prompt_tokens", "completion_tokens")


def summarize(
    job: BootstrapConfig, selection: Selection, journal: Journal, model: Recorded, ledger: Ledger, meter: Metered
) -> dict[str, Any]:
    """Counts of the whole run, whatever number of starts it took; what the infrastructure failed is counted apart."""
    ends: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    errors = set()
    totals: Counter[str] = Counter()
    tasks = set()
    hinted = 0
    for tried in journal.read():
        if tried.end == "failed":
            failures[tried.error.partition(":")[0]] += 1
            errors.add(tried.error)
            continue
        ends[tried.end] += 1
        tasks.add(tried.task.id)
        hinted += bool(tried.provenance.get("hinted"))
        totals.update({key: int(tried.provenance.get(key, 0)) for key in COUNTS})
    kept, attempts = len(selection.kept), sum(ends.values())
    return {
        "name": job.name,
        "model": model.name,
        "kept": kept,
        "kept_hinted": sum(bool(row.provenance.get("hinted")) for row in selection.kept),
        "target": job.target,
        "complete": kept >= job.target,
        "tasks_tried": len(tasks),
        "attempts": attempts,
        "attempts_hinted": hinted,
        "yield": (kept + selection.spare) / max(attempts, 1),
        **reasons.summarized(selection),
        "ends": dict(ends),
        "kinds": dict(Counter(row.task.kind for row in selection.kept)),
        **({"short": ledger.short()} if job.strata else {}),
        "n_failed": sum(failures.values()),
        "n_failing": len(ledger.failing),
        "failures": dict(failures),
        "failure_examples": sorted(errors)[:3],
        **totals,
        "spent": meter.summary(),
        "budget_used_up": meter.used_up,
        "calls_made_now": model.calls,
        "calls_from_record_now": model.answered,
    }


def score(journal: Journal) -> float:
    """100 times the mean reward of all attempts, where rewards come in parts (WebShop)."""
    rewards = [tried.reward for tried in journal.read() if tried.end != "failed"]
    return round(100 * sum(rewards) / max(len(rewards), 1), 2)


def told(job: BootstrapConfig, summary: dict[str, Any]) -> str:
    """The summary as a person reads it."""
    why = "the budget is spent" if summary["budget_used_up"] else "no more tasks to try"
    short = "" if summary["complete"] else f" (of {summary['target']}: {why})"
    scored = f", score {summary['score']:.1f}" if "score" in summary else ""
    hinted = ""
    if summary["attempts_hinted"]:
        hinted = f" ({summary['kept_hinted']} by a hint, in {summary['attempts_hinted']} hinted attempts)"
    lines = [
        f"{summary['kept']} kept{short}{hinted}, from {summary['attempts']} attempts at {summary['tasks_tried']} tasks"
        f" (yield {summary['yield']:.1%}{scored}).",
        f"Kinds kept: {_counts(summary['kinds'])}.",
        *reasons.told(summary),
        *(_short(summary["short"]) if summary.get("short") else []),
        *(_failed(summary) if summary["n_failed"] else []),
        f"Written: {job.folder / 'trajectories.jsonl'}; each attempt that is not in it, and why: left_out.jsonl",
    ]
    return "\n".join(lines)


def _counts(of: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name or 'of no kind'}" for name, count in of.items()) or "none"


def _failed(summary: dict[str, Any]) -> list[str]:
    said = f"Infrastructure failures: {_counts(summary['failures'])}, such as {summary['failure_examples'][0]}"
    if not summary["n_failing"]:
        return [f"{said}; all were tried again, and came to their end."]
    return [f"{said}; {summary['n_failing']} are open. The same command tries them again."]


def _short(strata: dict[str, tuple[int, int]]) -> list[str]:
    lack = ", ".join(f"{name or 'of no kind'} {has:,} of {share:,}" for name, (has, share) in strata.items())
    return [f"Short of the quota: {lack}."]
