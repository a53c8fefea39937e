"""All attempts of a run -> what is kept, what is not and why, and the summary: as files, and as words at the end."""

from __future__ import annotations

import json
import sys

from bootstrap import reasons
from bootstrap.budget import Account
from bootstrap.collect import Work
from bootstrap.job import BootstrapConfig
from bootstrap.merge import ATTEMPTS
from bootstrap.schedule import Ledger, by_id
from bootstrap.screen import Screened
from bootstrap.select import Wanted, select
from bootstrap.summary import Counts, counted, doubts, summarize, told
from react import trajectory
from react.rollout import Outage
from react.run_folder import put

SPENT = 3  # the exit status of a run that its budget ended


def conclude(
    job: BootstrapConfig, scored: bool, screened: Screened, work: Work, account: Account, outage: Outage | None
) -> None:
    """Selects and writes. Raises Outage, or exits with `SPENT`, where the run ended before it was over.

    `scored`: rewards come in parts (WebShop), and their mean is told.
    """
    attempts = job.folder / ATTEMPTS
    wanted = Wanted(screened.order, by_id(work.schedule, work.tasks), refused=screened.refused)
    selection = select(lambda: work.own.read(attempts), job.rules, wanted)
    trajectory.write(job.folder / "trajectories.jsonl", selection.kept)
    reasons.write(job.folder / "left_out.jsonl", selection.left_out)
    counts, ledger = Counts(), Ledger(work.schedule)
    work.settle(ledger, counted(work.own.read(attempts), counts))
    summary = summarize(job, selection, counts, work, ledger, account) | {"compared_with": screened.compared}
    if scored:
        summary["score"] = round(100 * counts.rewards / max(counts.attempts, 1), 2)
    put(job.folder / "summary.json", json.dumps(summary, indent=2) + "\n")
    for line in [*reasons.warned(selection.left_out), *doubts(summary)]:
        print(f"warning: {line}", file=sys.stderr)
    print(told(job, summary))
    if outage:
        raise Outage(f"{outage}. Put it right; the same command then tries them again, and goes on")
    if account.used_up and not ledger.over:
        spent = account.budget.told(account.spent)
        print(f"Stopped: {account.used_up} is spent ({spent}). The same command with more of it goes on.")
        raise SystemExit(SPENT)
    if summary["n_failing"] and not summary["complete"]:
        raise Outage(f"{job.name} is not complete, and attempts failed; the same command tries them again")
