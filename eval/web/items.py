"""All that was tried, as the page's browser reads it: every text once, and lists of numbers that point to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eval.failures import CLASSES, opinion, outcome
from eval.rates import mishap_of
from eval.runs import Run, last
from eval.sections import Section
from react.methods import METHODS
from react.trajectory import ENDS, Trajectory

LABELS = ["", *(label for labels in CLASSES.values() for label in labels)]
OUTCOMES = ["success", "failure", "failed"]
COUNTED = ("calls", "prompt_tokens", "completion_tokens", "invalid_actions")


@dataclass
class Texts:
    """Every text once, by the number under which it is kept."""

    numbers: dict[str, int] = field(default_factory=dict)

    def at(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


@dataclass(frozen=True)
class Browsed:
    """`data` for the page, and how often each class of failure and success was seen, by run."""

    data: Mapping[str, Any]
    classes: Mapping[str, Counter[str]]


def browsed(runs: Sequence[Run], tries_of: Mapping[str, Sequence[Trajectory]]) -> Browsed:
    """All last tries of the runs, those too that the infrastructure failed, in the order of the runs."""
    texts, items, tries = Texts(), Items(), []
    classes: dict[str, Counter[str]] = {}
    for place, run in enumerate(runs):
        mishap, seen = mishap_of(run.environment), classes.setdefault(run.name, Counter())
        for tried in last(tries_of[run.name]):
            failed = tried.end == "failed"
            found = None if failed else opinion(tried, mishap)
            label = found.label if found else ""
            said = (LABELS.index(label), found.step if found else 0, texts.at(found.reason if found else ""))
            kind = "failed" if failed else outcome(tried)
            seen[kind if failed else label] += 1
            head = (place, items.at(run.environment, tried, texts), OUTCOMES.index(kind), ENDS.index(tried.end))
            counts = (int(tried.provenance.get(name, -1)) for name in COUNTED)
            tail = (tried.reward, texts.at(tried.answer), texts.at(tried.error), *counts)
            parts = (texts.at(part) for step in tried.steps for part in (step.thought, step.action, step.observation))
            tries.append([*head, *said, *tail, *parts])
    names = {"outcomes": OUTCOMES, "ends": ENDS, "labels": LABELS}
    return Browsed(
        {**names, "runs": [_run(run) for run in runs], "items": items.rows, "tries": tries, "texts": [*texts.numbers]},
        classes,
    )


@dataclass
class Items:
    """The items of all runs, each once: one id may stand for several questions."""

    rows: list[list[Any]] = field(default_factory=list)
    numbers: dict[tuple[str, str, str, str], int] = field(default_factory=dict)
    ids: Counter[str] = field(default_factory=Counter)

    def at(self, environment: str, tried: Trajectory, texts: Texts) -> int:
        task = tried.task
        key = (environment, task.id, task.question, task.answer)
        if key not in self.numbers:
            self.numbers[key] = len(self.rows)
            self.ids[task.id] += 1
            name = task.id if self.ids[task.id] == 1 else f"{task.id} ({self.ids[task.id]})"
            self.rows.append([name, texts.at(task.question), texts.at(task.answer), texts.at(task.kind)])
        return self.numbers[key]


def _run(run: Run) -> dict[str, str]:
    return {
        "name": run.name,
        "method": METHODS[run.method].title,
        "model": run.actor,
        "condition": run.condition,
        "source": run.source,
        "environment": f"{run.environment} ({run.split})",
    }


def classes(runs: Sequence[Run], seen: Mapping[str, Counter[str]]) -> Section:
    """How often each class was the first opinion, as a table: counts, with their share of all finished episodes."""
    labels = [label for label in [*LABELS[1:], ""] if any(one[label] for one in seen.values())]
    rows = [
        {"run": run.name, "method": METHODS[run.method].title, "n": str(run.n)}
        | {label or "no opinion": _share(seen[run.name][label], run.n) for label in labels}
        for run in runs
    ]
    told = "A first opinion, from the words of the record alone, in the classes of the paper's table 2: docs/metrics.md"
    return Section("Why they succeeded and failed", rows if labels else [], [told])


def _share(count: int, n: int) -> str:
    return f"{count} ({100 * count / n:.0f}%)" if n else "-"
