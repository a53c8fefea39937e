"""Whether a record is one that its run made: what lies in a run's files from elsewhere would count as its own.

A run writes into each record of which task it is, by which method, and what it depends on beside the settings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react import trajectory
from react.trajectory import RecordError, Task, Trajectory


@dataclass(frozen=True)
class Own:
    """What the records of a run have in common: `says` of it in their provenance. `model` is empty where unknown."""

    tasks: Mapping[str, Task]
    method: str
    model: str
    says: Mapping[str, Any]

    @staticmethod
    def of(tasks: Sequence[Task], method: str, model: str, environment: str, prints: Mapping[str, Any]) -> Own:
        """Of a run over `tasks`; `prints` are its fingerprints, by their names."""
        return Own({task.id: task for task in tasks}, method, model, {"environment": environment, **prints})

    def checked(self, record: Trajectory, place: str) -> Trajectory:
        """`record`. RecordError names `place` and what is not this run's there."""
        if foreign := self._foreign(record):
            raise RecordError(f"{place}: not a record of this run: {foreign}; remove the line, or begin another run")
        return record

    def read(self, path: Path) -> Iterator[Trajectory]:
        """As `trajectory.read`, each record `checked`."""
        for number, record in enumerate(trajectory.read(path), 1):
            yield self.checked(record, f"{path}:{number}")

    def _foreign(self, record: Trajectory) -> str:
        said = {
            "method": record.method,
            "model": record.model,
            **{key: record.provenance.get(key) for key in self.says},
        }
        ours = {"method": self.method, "model": self.model or record.model, **self.says}
        if differs := next((key for key in ours if said[key] != ours[key]), ""):
            return f"its {differs} is {said[differs]!r}, and the run's {ours[differs]!r}"
        task = self.tasks.get(record.task.id)
        if task is None:
            return f"its task {record.task.id!r} is none that the run tries"
        return "" if task == record.task else _changed(task, record.task)


def _changed(task: Task, other: Task) -> str:
    """In what `other` differs from `task`, which may hold tuples where JSON has lists; empty if in nothing."""
    ours, theirs = (json.loads(json.dumps(vars(one), default=vars)) for one in (task, other))
    key = next((key for key in ours if ours[key] != theirs[key]), "")
    return f"the {key} of task {task.id!r} is {theirs[key]!r}, and the run's {ours[key]!r}" if key else ""
