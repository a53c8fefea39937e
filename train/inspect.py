"""python -m train.inspect --config configs/train/demo_expert.yaml: what a student would be trained on, token by token.

Takes the settings of `train.py`, and trains nothing. First what the rows are made of and what was left out, then one
row (`--row N`), or those of one task (`--task ID`): number, id, mask, span, weight and text of each token. In colour on
a terminal, unless `NO_COLOR` is set.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from react.config import parse, setting
from react.mistakes import LOADING, Mistake, mistakes
from react.tokens import Text
from train.base import open_tokenizer
from train.dataset import LeftOut, Row
from train.recipe import Recipe
from train.records import notes, reasons
from train.sft import read_rows
from train.weights import KINDS

_COLOURS = {
    "task": "white",
    "cue": "blue",
    "thought": "magenta",
    "action": "green",
    "stop": "yellow",
    "observation": "cyan",
    "end": "red",
}
_LISTED = 10


@dataclass(frozen=True)
class View:
    """Which row is shown."""

    row: int = setting(0, "number of the row to show, from 0")
    task: str = setting("", "show the rows of the task with this id instead")


def main(args: list[str] | None = None) -> None:
    """The command."""
    with mistakes(*LOADING):
        recipe, view = parse((Recipe, View), __doc__ or "", args)
        tokenizer = open_tokenizer(recipe.model, recipe.chat_template)
        rows, left_out = read_rows(recipe, tokenizer)
        shown = chosen(rows, left_out, view)
    _print([*summary(rows, left_out, recipe), *(line for row in shown for line in table(row, tokenizer, recipe))])


def _print(lines: Sequence[tuple[str, str]]) -> None:
    from rich.console import Console
    from rich.text import Text as Styled

    console = Console(highlight=False, soft_wrap=True)
    for words, style in lines:
        console.print(Styled(words, style))


def chosen(rows: list[Row], left_out: list[LeftOut], view: View) -> list[Row]:
    """The rows to show. Mistake where there are none such, with the reason if they were left out."""
    if not view.task:
        if not 0 <= view.row < len(rows):
            raise Mistake(f"row is {view.row}; there are the rows 0 to {len(rows) - 1}")
        return [rows[view.row]]
    if found := [row for row in rows if row.id == view.task]:
        return found
    if out := next((out for out in left_out if out.id == view.task), None):
        raise Mistake(f"task {view.task} was left out: {inert(_why(out))}")
    close = difflib.get_close_matches(view.task, [row.id for row in rows], n=3)
    hint = f"; did you mean {', '.join(close)}?" if close else ""
    raise Mistake(f"there is no task {view.task!r} in {len(rows)} rows{hint}")


def summary(rows: list[Row], left_out: list[LeftOut], recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Lines, each with its style: rows, tokens by kind, what was left out."""
    weights, lengths = recipe.trained(), sorted(len(row.tokens) for row in rows)
    counts = Counter(kind for row in rows for kind in row.kinds)
    longest = max(rows, key=lambda row: len(row.tokens))
    yield f"{len(rows)} rows of {', '.join(recipe.data)}, tokens of {recipe.model}", "bold"
    yield f"{sum(lengths):,} tokens; a row has {lengths[0]} to {lengths[-1]}, median {lengths[len(lengths) // 2]}", ""
    room = f"max_length is {recipe.max_length}"
    yield f"longest: row {rows.index(longest)}, {inert(longest.id)}, {lengths[-1]} tokens; {room}", ""
    trained = sum(count for kind, count in counts.items() if weights.get(kind))
    yield f"loss `{recipe.loss}`: {trained:,} tokens carry it", ""
    for kind in [*sorted(counts.keys() - set(KINDS)), *KINDS]:
        if counts[kind]:
            yield f"  {kind:<12}{counts[kind]:>10,} tokens   weight {weights.get(kind, 0):g}", style(kind, weights)
    for note, count in notes(rows).items():
        yield f"{count} rows {note}", "yellow"
    yield f"left out: {reasons(left_out) or 'none'}", ""
    for out in left_out[:_LISTED]:
        yield f"  {inert(f'{out.id}: {_why(out)}')}", "yellow"
    if len(left_out) > _LISTED:
        yield f"  and {len(left_out) - _LISTED} more", "yellow"


def table(row: Row, tokenizer: Any, recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Lines, each with its style: one for each token of a row. `+` marks what is trained."""
    weights, words = recipe.trained(), Text(tokenizer)
    yield "", ""
    yield f"{inert(row.id)}: {len(row.tokens)} tokens", "bold"
    for note in row.notes:
        yield note, "yellow"
    yield f"{'':>5} {'id':>7} mask span         weight token", "dim"
    for at, (token, kind) in enumerate(zip(row.tokens, row.kinds, strict=True)):
        weight = weights.get(kind, 0.0)
        mark, much = ("+", f"{weight:g}") if weight else ("-", "")
        yield (
            f"{at:>5} {token:>7} {mark:<4} {kind:<12} {much:>6} {_seen(token, words, tokenizer)}",
            style(kind, weights),
        )


def style(kind: str, weights: dict[str, float]) -> str:
    """The colour of a kind of tokens; pale where they are not trained."""
    return _COLOURS.get(kind, "") if weights.get(kind) else "dim"


def _seen(token: int, words: Text, tokenizer: Any) -> str:
    """A token as what it adds to a text, in quotes; by its name where that is none, or half a character."""
    added = words.decode([token])
    return repr(added) if added and "\ufffd" not in added else inert(str(tokenizer.convert_ids_to_tokens(token)))


def _why(out: LeftOut) -> str:
    return f"{out.reason}: {out.detail}" if out.detail else out.reason


def inert(value: str) -> str:
    """Text from outside, whose control characters are shown and do nothing."""
    return repr(value)[1:-1] if not value.isprintable() else value


if __name__ == "__main__":
    main()
