"""What the stages of a build share (stages.py): what is wanted, what was drawn so far, what is known of each asin."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from react.environments.shop.sources import Data


@dataclass(frozen=True)
class Wanted:
    """What a catalogue is to be. `kind`: of its goals. `most`: so many records at the head of the products, 0: all."""

    data: Data
    kind: str
    seed: int = 0
    most: int = 0

    def signature(self) -> str:
        return repr((self.data.signatures(), self.kind, self.seed, self.most))


@dataclass
class Drawn:
    """What goes from one part of a build to the next: the state of the generator, and what was skipped so far."""

    draw: Random
    skipped: Counter[str] = field(default_factory=Counter)

    def saved(self) -> list[Any]:
        return [self.draw.getstate(), dict(self.skipped)]

    @property
    def told(self) -> str:
        """What was skipped, in words."""
        return ", ".join(f"{count:,} {reason}" for reason, count in sorted(self.skipped.items()) if count)

    @classmethod
    def again(cls, saved: Any, seed: int) -> Drawn:
        made = cls(Random(seed))
        if saved:
            (version, numbers, gauss), skipped = saved
            made.draw.setstate((version, tuple(numbers), gauss))
            made.skipped.update(skipped)
        return made


class Known(Mapping[str, Any]):
    """What is known of each asin, read when it is asked for."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __getitem__(self, asin: str) -> Any:
        try:
            row = self._database.execute("SELECT record FROM known WHERE asin = ?", (asin,)).fetchone()
        except UnicodeEncodeError:
            row = None
        if row is None:
            raise KeyError(asin)
        return json.loads(row[0])

    def only(self, asin: str) -> dict[str, Any]:
        """What is known of one."""
        try:
            return {asin: self[asin]}
        except KeyError:
            return {}

    def __iter__(self) -> Iterator[str]:
        return (asin for (asin,) in self._database.execute("SELECT asin FROM known"))

    def __len__(self) -> int:
        return number_of(self._database, "known")


def number_of(database: sqlite3.Connection, table: str) -> int:
    (count,) = database.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)
