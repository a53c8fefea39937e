"""Attempts -> pairs of a solved and a failed one at the same task, as rows that differ in nothing but their tokens.

A side is the row that `train.sft` would make of the attempt. What carries log-probability are the kinds of tokens that
the model wrote: thoughts, actions, stops and the end; the task, headers and observations are context.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react.mistakes import Mistake
from react.trajectory import Trajectory
from train.dataset import LeftOut, Notations, Row, Rules, rows_of
from train.preference import Preference
from train.tokens import Unfit, Words

# Provenance that counts calls whose text is not, word for word, what the record has.
OTHER_WORDS = ("bad_calls", "repaired_calls", "cut_calls")


@dataclass(frozen=True)
class Attempt:
    """A row, and where it comes from."""

    row: Row
    model: str
    number: int
    end: str
    reward: float

    def said(self) -> dict[str, Any]:
        """What tells it from the others at its task."""
        return {"model": self.model, "attempt": self.number, "end": self.end, "reward": self.reward}


@dataclass(frozen=True)
class Pair:
    """A solved attempt, and a failed one at the same task. Beside them, what is asked of any row."""

    chosen: Attempt
    rejected: Attempt

    @property
    def id(self) -> str:
        return self.chosen.row.id

    @property
    def text(self) -> str:
        return self.chosen.row.text

    @property
    def tokens(self) -> tuple[int, ...]:
        """Those of both sides, which are computed together."""
        return self.chosen.row.tokens + self.rejected.row.tokens

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.chosen.row.notes + self.rejected.row.notes))


def build(
    records: Iterable[Trajectory], notations: Notations, tokenizer: Any, recipe: Preference
) -> tuple[list[Pair], list[LeftOut]]:
    """The pairs, task by task in the order of the records, and which attempts and tasks were left out."""
    words = Words(tokenizer)
    rules = Rules(recipe.max_length, recipe.method, True, recipe.environment, recipe.trained())
    sides: dict[tuple[str, str], tuple[dict[str, Attempt], dict[str, Attempt]]] = {}
    left_out: list[LeftOut] = []
    for record in records:
        task = record.task
        by_text = sides.setdefault((task.id, task.question), ({}, {}))
        try:
            attempt = _attempt(record, notations, words, rules, recipe.repaired)
        except Unfit as unfit:
            left_out.append(LeftOut(task.id, unfit.reason, unfit.detail, unfit.tokens))
            continue
        by_text[not record.solved].setdefault(attempt.row.text, attempt)
    pairs: list[Pair] = []
    for (id, _), (solved, failed) in sides.items():
        unlike = [attempt for text, attempt in failed.items() if text not in solved]  # another page was shown
        if not (solved and unlike):
            side = "solved" if not solved else "failed"
            left_out.append(LeftOut(id, f"no {side} attempt", f"{len(solved)} solved, {len(unlike)} failed"))
        pairs += choose_pairs(list(solved.values()), unlike, recipe.pairs, random.Random(f"{recipe.seed}/{id}"))
    return pairs, left_out


def choose_pairs(
    solved: Sequence[Attempt], failed: Sequence[Attempt], most: int, source: random.Random
) -> Iterator[Pair]:
    """Up to `most` different pairs, after a shuffle of both sides; none is in two pairs more than another of its side.

    Round by round each side goes on by one; after a whole common period one side is shifted against the other.
    """
    some, others = (source.sample(side, len(side)) for side in (solved, failed))
    period = math.lcm(len(some), len(others))
    for i in range(min(most, len(some) * len(others))):
        yield Pair(some[i % len(some)], others[(i + i // period) % len(others)])


def _attempt(record: Trajectory, notations: Notations, words: Words, rules: Rules, repaired: bool) -> Attempt:
    """One side of pairs. Unfit says why an attempt can be none."""
    said = record.provenance
    if record.end == "failed":
        raise Unfit("infrastructure", record.error)
    if record.end == "out_of_budget":
        raise Unfit("out of budget", "its cap ended it, or wrote the beginning of its last action")
    if said.get("hinted"):
        raise Unfit("hinted", "it was written with the answer told")
    odd = [f"{said[name]} {name}" for name in OTHER_WORDS if said.get(name)]
    if form := said.get("form"):
        odd.append(f"{form} instead of text")  # calls of tools
    if odd and not repaired:
        raise Unfit("not word for word", ", ".join(odd))
    rows = rows_of(record, notations, words, rules)
    if len(rows) > 1:
        raise Unfit("in several rows", f"{words.name} has tokens over a border")
    return Attempt(rows[0], record.model, int(said.get("attempt", 0)), record.end, record.reward)


def want(pairs: Sequence[Pair], left_out: Sequence[LeftOut], said: str) -> None:
    """Mistake where there is no pair; `said` are the reasons, counted."""
    if not pairs:
        raise Mistake(f"no task has a solved and a failed attempt: {said}; {left_out[0].id}: {left_out[0].detail}")


def note(folder: Path, pairs: Sequence[Pair]) -> None:
    """Lists in `pairs.jsonl` which attempts are paired."""
    lines = ({"id": it.id, "chosen": it.chosen.said(), "rejected": it.rejected.said()} for it in pairs)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "pairs.jsonl").write_text(text, encoding="utf-8")
