"""Success by kind of task, for environments whose tasks are of kinds that the field reports (paper, table 3).

| run or prompts                  | method | put  | clean | ... | all  |
|---------------------------------|--------|------|-------|
| alfworld_demo                   | ReAct  | .50  | .25   |
| average of 6 prompts of smollm2 | ReAct  | .10  | .05   |
| best of 6 prompts of smollm2    | ReAct  | .25  | .25   |

Runs of one cell, as with several prompt sets or seeds, make two rows, as in the paper. The best is taken of each kind
by itself, and of all tasks: that is how the rows of table 3 can be read, whose parts come to more than their whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from eval.pools import groups, what
from eval.runs import Run
from eval.statistics import hundredths
from react import environments
from react.methods import METHODS


def rows(runs: Sequence[Run]) -> list[dict[str, str]]:
    """The rows of the table; empty where no run's environment says KINDS."""
    found = []
    for environment in dict.fromkeys(run.environment for run in runs):
        kinds = environments.says(environment, "KINDS", ()) if environment in environments.names() else ()
        for group in groups([run for run in runs if run.environment == environment and run.em]) if kinds else []:
            found += _rows(group, kinds)
    return found


def _rows(group: Sequence[Run], kinds: Sequence[str]) -> list[dict[str, str]]:
    if len(group) == 1:
        return [_row(group[0].name, group, kinds, fmean)]
    told = f"of {what(group)} of {group[0].model}"
    return [_row(f"average {told}", group, kinds, fmean), _row(f"best {told}", group, kinds, max)]


def _row(
    name: str, group: Sequence[Run], kinds: Sequence[str], of: Callable[[Sequence[float]], float]
) -> dict[str, str]:
    shares = {kind: [run.by_kind[kind] for run in group if kind in run.by_kind] for kind in kinds}
    shares["all"] = [run.em.value for run in group if run.em]
    return {"run or prompts": name, "method": METHODS[group[0].method].title, **_written(shares, of)}


def _written(shares: Mapping[str, Sequence[float]], of: Callable[[Sequence[float]], float]) -> dict[str, str]:
    return {kind: hundredths(of(values)) if values else "-" for kind, values in shares.items()}
