"""What is counted of trajectories while they are written as a data set: for its card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bootstrap.formats import spoken
from react.notation import text
from react.trajectory import Trajectory


@dataclass
class Tally:
    """What is counted of the records while they are written."""

    rows: int = 0
    solved: int = 0
    steps: int = 0
    values: dict[str, Counter[str]] = field(default_factory=dict)
    beside: Counter[str] = field(default_factory=Counter)
    sample: str = ""

    def add(self, record: Trajectory, environment: str, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Counts one record, and in which formats its steps stand beside it."""
        if not self.rows:
            notation, _ = spoken(environment, record)
            self.sample = text(notation.spans(record.task, record.steps))
        self.rows += 1
        self.solved += record.solved
        self.steps += len(record.steps)
        self.beside.update(format for format, row in rows.items() if row["steps"] is not None)
        said = {"environment": environment, "method": record.method, "model": record.model, "kind": record.task.kind}
        said |= {key: str(value) for key, value in record.provenance.items() if key.endswith("fingerprint")}
        said |= {key: str(record.provenance[key]) for key in ("judged_by", "source") if key in record.provenance}
        said |= {"hinted": "yes"} if record.provenance.get("hinted") else {}
        for key, value in said.items():
            self.values.setdefault(key, Counter())[value] += 1
