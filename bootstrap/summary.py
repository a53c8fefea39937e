"""What a collection says of itself: counts of the whole run, whatever number of starts it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bootstrap import reasons
from bootstrap.budget import Account
from bootstrap.collect import Work
from bootstrap.job import BootstrapConfig
from bootstrap.merge import CALLS
from bootstrap.schedule import Ledger
from bootstrap.select import Selection, number_of
from react.mistakes import plain
from react.trajectory import Trajectory

COUNTS = ("calls", "bad_calls", "repaired_calls", "prompt_tokens", "completion_tokens")


@dataclass
class Counts:
    """What all tries together came to. `failed`: the slots that the infrastructure broke, by task id and number."""

    attempts: int = 0
    hinted: int = 0
    rewards: float = 0.0
    tasks: set[str] = field(default_factory=set)
    ends: Counter[str] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    errors: set[str] = field(default_factory=set)
    failed: set[tuple[str, int]] = field(default_factory=set)

    def add(self, tried: Trajectory) -> None:
        """One more; what the infrastructure failed is counted apart."""
        if tried.end == "failed":
            self.failures[plain(tried.error.partition(":")[0])] += 1
            self.errors = set(sorted({*self.errors, tried.error})[:3])
            self.failed.add((tried.task.id, number_of(tried)))
            return
        self.attempts += 1
        self.hinted += bool(tried.provenance.get("hinted"))
        self.rewards += tried.reward
        self.tasks.add(tried.task.id)
        self.ends[tried.end] += 1
        self.totals.update({key: int(tried.provenance.get(key, 0)) for key in COUNTS})


def counted(tries: Iterable[Trajectory], counts: Counts) -> Iterator[Trajectory]:
    """`tries` as they come, each added to `counts`."""
    for tried in tries:
        counts.add(tried)
        yield tried


def summarize(
    job: BootstrapConfig, selection: Selection, counts: Counts, work: Work, ledger: Ledger, account: Account
) -> dict[str, Any]:
    """Of the whole run, whatever number of starts and ranks it took."""
    kept = len(selection.kept)
    failing = [number for id, number in counts.failed if id in work.places and ledger.wants((work.places[id], number))]
    return {
        "name": job.name,
        "model": work.teacher.plain.model.name,
        "kept": kept,
        "kept_hinted": sum(bool(row.provenance.get("hinted")) for row in selection.kept),
        "target": job.target,
        "complete": kept >= job.target,
        "tasks_tried": len(counts.tasks),
        "attempts": counts.attempts,
        "attempts_hinted": counts.hinted,
        "yield": (kept + selection.spare) / max(counts.attempts, 1),
        **reasons.summarized(selection),
        "ends": dict(counts.ends),
        "kinds": dict(Counter(row.task.kind for row in selection.kept)),
        **({"short": ledger.short()} if job.strata else {}),
        "n_failed": counts.failures.total(),
        "n_failing": len(failing),
        "failures": dict(counts.failures),
        "failure_examples": sorted(counts.errors),
        **counts.totals,
        "spent": account.summary,
        "spent_on_unfinished": account.spent.calls - counts.totals["calls"],
        "budget_used_up": account.used_up,
        "calls_made_now": account.spent.calls - account.before.calls,
        "seconds_now": account.seconds,
    }


def doubts(summary: Mapping[str, Any]) -> list[str]:
    """What of a summary does not agree with the record of calls."""
    if summary["spent_on_unfinished"] >= 0:
        return []
    lost = f"the attempts took {summary['calls']:,} calls, and {CALLS} holds {summary['spent']['calls']:,}"
    return [f"{lost}: some of it was lost, and what was spent is more than it says"]


def told(job: BootstrapConfig, summary: dict[str, Any]) -> str:
    """The summary as a person reads it."""
    short = "" if summary["complete"] else f" (of {summary['target']:,}: {_why(summary)})"
    scored = f", score {summary['score']:.1f}" if "score" in summary else ""
    hinted = ""
    if summary["attempts_hinted"]:
        hinted = f" ({summary['kept_hinted']:,} by a hint, in {summary['attempts_hinted']:,} hinted attempts)"
    tried = f"{summary['attempts']:,} attempts at {summary['tasks_tried']:,} tasks"
    worth = summary["kept"] + sum(summary["spare"].values())
    lines = [
        f"{summary['kept']:,} kept{short}{hinted}, from {tried}"
        f" ({worth:,} worth keeping, yield {summary['yield']:.1%}{scored}).",
        f"Kinds kept: {_counts(summary['kinds'])}.",
        *reasons.told(summary),
        *reasons.compared(summary["compared_with"]),
        *(_short(job.strata, summary["short"]) if summary.get("short") else []),
        *(_failed(summary) if summary["n_failed"] else []),
        f"Written: {job.folder / 'trajectories.jsonl'}; each attempt that is not in it, and why: left_out.jsonl",
    ]
    return "\n".join(map(plain, lines))


def _why(summary: Mapping[str, Any]) -> str:
    """What kept a run from its target."""
    if summary["budget_used_up"]:
        return "the budget is spent"
    return "tries failed" if summary["n_failing"] else "no more tasks to try"


def _counts(of: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name or 'of no kind'}" for name, count in of.items()) or "none"


def _failed(summary: dict[str, Any]) -> list[str]:
    said = f"Infrastructure failures: {_counts(summary['failures'])}, such as {summary['failure_examples'][0]}"
    if not summary["n_failing"]:
        return [f"{said}; none of them is open."]
    other = "; others may then be kept" if summary["complete"] else ""
    return [f"{said}; {summary['n_failing']:,} tries are open. The same command makes them again{other}."]


def _short(by: str, strata: dict[str, tuple[int, int]]) -> list[str]:
    lack = ", ".join(f"{name or 'of no kind'} {has:,} of {share:,}" for name, (has, share) in strata.items())
    return [f"Short of the quota by {by}: {lack}."]
