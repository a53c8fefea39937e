"""accelerate launch train.py --config configs/train/demo_expert.yaml: finetunes a student on a teacher's trajectories.

Writes into `runs/train/<name>/`: `checkpoint/` (an ordinary transformers folder; with LoRA the merged model, beside
`adapter/`), `README.md`, `losses.jsonl`, `left_out.jsonl`, `config.yaml`, and last `summary.json`. The same command
continues a stopped run; Ctrl-C saves the last finished step first.
"""

from __future__ import annotations

from typing import Any

from react.mistakes import Mistake
from react.trajectory import RecordError
from train.chats import Chats
from train.course import arrange, common, run
from train.dataset import LeftOut, Row, Rules, build
from train.recipe import Layout, Recipe
from train.records import callings, notations, note_left_out, read_records, reasons
from train.way import Way


def main(args: list[str] | None = None) -> None:
    """The command."""
    run(SFT, __doc__ or "", args)


def read_rows(recipe: Recipe, tokenizer: Any) -> tuple[list[Row], list[LeftOut]]:
    """The rows of all data files. Mistake where none is left."""
    records = list(read_records(recipe))
    if not records:
        raise RecordError(f"{', '.join(recipe.data)}: no trajectories")
    rules = Rules(recipe.max_length, recipe.method, recipe.allow_unsolved, recipe.environment, recipe.trained())
    chats = Chats.of(tokenizer, callings(recipe.environment)) if recipe.form == "tools" else None
    rows, left_out = build(records, notations(recipe.environment), tokenizer, rules, chats)
    if not rows:
        first = left_out[0]
        said = f"{reasons(left_out)}; {first.id}: {first.detail}"
        raise Mistake(f"none of {len(records)} trajectories can be trained on: {said}")
    return rows, left_out


def schedule(rows: list[Row], recipe: Recipe, steps: int = 0) -> tuple[Any, dict[str, Any]]:
    """All sequences of the training, or of its first `steps`, in order; and what is in them: rows, passes, tokens."""
    from datasets import Dataset, disable_progress_bars

    disable_progress_bars()
    trained = recipe.trained()
    columns: dict[str, list[Any]] = {
        "input_ids": [list(row.tokens) for row in rows],
        "labels": [row.labels(trained) for row in rows],
    }
    if len(set(trained.values())) > 1:
        columns["weights"] = [row.weights(trained) for row in rows]
    data = Dataset.from_dict(columns)
    if recipe.packing:
        from trl import pack_dataset  # type: ignore[attr-defined]

        data = pack_dataset(data, recipe.max_length, "bfd")
    lengths = [len(tokens) for tokens in data["input_ids"]]
    inside = [len(rows) for rows in data["seq_lengths"]] if recipe.packing else [1] * len(lengths)
    return arrange(data, lengths, inside, recipe, steps)


def arguments(recipe: Recipe, shared: Layout) -> Any:
    """The recipe in TRL's words. `max_length` stays unset: TRL would cut rows silently, and ours fit already."""
    words = common(recipe, shared)
    from trl import SFTConfig  # type: ignore[attr-defined]

    return SFTConfig(**words, max_length=None, padding_free=recipe.packing)


def _trainer() -> Any:
    """The class."""
    from train.trainer import StudentTrainer

    return StudentTrainer


SFT = Way(
    recipe=Recipe,
    unit="rows",
    told="finetuned on trajectories of the teacher {teachers}, after Yao et al. 2022\n(arXiv 2210.03629, section 3.2)",
    derived=lambda recipe: {},
    read=read_rows,
    note=note_left_out,
    facts=lambda recipe, rows: {},
    schedule=schedule,
    arguments=arguments,
    trainer=_trainer,
    rows=lambda rows: rows,
)
