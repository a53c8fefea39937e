"""What others reported for an environment, with its source and what differs from a run here: `reference.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

_FILE = Path(__file__).parent / "reference.yaml"


@dataclass(frozen=True)
class Reference:
    """One row of a published table. `values` are in percent, by the metric's name; `n` is 0 where it is not said."""

    environment: str
    method: str
    model: str
    condition: str
    values: Mapping[str, float]
    n: int
    source: str
    differs: str


@cache
def references(environment: str) -> Sequence[Reference]:
    """The published rows for an environment, none for one that nobody reported of."""
    said = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return [
        Reference(
            environment=environment,
            method=row,
            model=table["model"],
            condition=table["condition"],
            values=dict(zip(table["metrics"], values, strict=True)),
            n=table.get("n", 0),
            source=table["source"],
            differs=table["differs"],
        )
        for table in said.get(environment, [])
        for row, values in table["rows"].items()
    ]
