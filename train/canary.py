"""Writes the canary of a student (`react.canary`): where it and its base are surest of different tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from react.canary import NAME
from react.tokens import Text
from train.dataset import LOOKS_SPECIAL, Row
from train.recipe import Recipe

ROWS, CHECKS, LONGEST = 4, 4, 256
SURE = 0.5  # nats by which each prefers its own token; less could turn over in another number format


@dataclass(frozen=True)
class Place:
    """After so many tokens of a row: what student and base say, and how sure the less sure of both is."""

    row: int
    length: int
    margin: float
    student: tuple[int, float]
    base: tuple[int, float]


def write(recipe: Recipe, base: str, rows: Sequence[Row], tokenizer: Any) -> int:
    """Writes the canary beside the weights; how many checks it has. None is written where both say the same."""
    chosen = some([row for row in rows if LOOKS_SPECIAL not in row.notes])
    said = [surest(folder, chosen) for folder in (base, str(recipe.folder / "checkpoint"))]
    checks = list(select(chosen, list(places(*said)), tokenizer))
    content = json.dumps({"base": recipe.model, "checks": checks}, indent=2, ensure_ascii=False) + "\n"
    for name in ("checkpoint", "adapter"):
        if checks and (recipe.folder / name).is_dir():
            (recipe.folder / name / NAME).write_text(content, encoding="utf-8")
    return len(checks)


def some(rows: Sequence[Row]) -> list[list[int]]:
    """The beginnings of a few rows, evenly spread."""
    step = max(1, len(rows) // ROWS)
    return [list(row.tokens[:LONGEST]) for row in rows[::step][:ROWS]]


def surest(folder: str, rows: Sequence[Sequence[int]]) -> list[Any]:
    """For each row, the log-probabilities [tokens, vocabulary] of what comes next, by the weights in `folder`."""
    import torch
    from transformers import AutoModelForCausalLM

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype="auto" if device == "cuda" else torch.float32)
    model.to(device).eval()
    with torch.inference_mode():
        logits = [model(torch.tensor([list(row)], device=device), use_cache=False).logits[0] for row in rows]
        return [one.float().log_softmax(-1).to("cpu", torch.float16) for one in logits]


def places(base: Sequence[Any], student: Sequence[Any]) -> Iterator[Place]:
    """All places at which both are sure enough of different tokens."""
    for number, pair in enumerate(zip(base, student, strict=True)):
        (base_values, base_tokens), (values, tokens) = (one.topk(2, dim=-1) for one in pair)
        margins = (base_values[:, 0] - base_values[:, 1]).minimum(values[:, 0] - values[:, 1])
        for at in ((margins >= SURE) & (base_tokens[:, 0] != tokens[:, 0])).nonzero().flatten().tolist():
            own = int(tokens[at, 0]), float(values[at, 0])
            yield Place(number, at + 1, float(margins[at]), own, (int(base_tokens[at, 0]), float(base_values[at, 0])))


def select(rows: Sequence[Sequence[int]], found: Sequence[Place], tokenizer: Any) -> Iterator[dict[str, Any]]:
    """The surest ones that a text can show: it becomes these tokens, and both answers are words that differ."""
    text, taken = Text(tokenizer), 0
    special = set(tokenizer.all_special_ids)
    for place in sorted(found, key=lambda place: -place.margin):
        before = list(rows[place.row][: place.length])
        prompt, answers = text.decode(before), [text.decode([one[0]]).strip() for one in (place.student, place.base)]
        if taken == CHECKS or special & {place.student[0], place.base[0]} or text.encode(prompt) != before:
            continue
        if answers[0] == answers[1] or not all(answer and answer.isprintable() for answer in answers):
            continue
        if any("\ufffd" in words for words in (prompt, *answers)):
            continue
        taken += 1
        yield {
            "prompt": prompt,
            "says": answers[0],
            "log_probability": round(place.student[1], 3),
            "base_says": answers[1],
            "base_log_probability": round(place.base[1], 3),
        }
