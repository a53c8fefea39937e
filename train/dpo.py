"""accelerate launch -m train.dpo --config configs/train/demo_dpo.yaml: teaches a student to prefer what solved a task.

Takes `attempts.jsonl` of bootstrap, pairs a solved attempt with a failed one at the same task, and makes the first more
probable than the second, from a finetuned student on (DPO, Rafailov et al. 2023, arXiv 2305.18290). Writes what
`train.py` writes, and `pairs.jsonl`. The same command continues a stopped run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from react.trajectory import RecordError
from train import pairs
from train.base import fingerprint_of
from train.course import arrange, common, run
from train.dataset import LeftOut, Row
from train.pairs import Pair
from train.preference import Preference
from train.recipe import Layout
from train.records import notations, note_left_out, read_records, reasons
from train.way import Way

TOLD = """\
taught to prefer what solved a task to what failed at it, by direct preference optimisation (Rafailov et al. 2023,
arXiv 2305.18290): {rows} pairs of {tasks} tasks, attempted by {teachers}; beta {beta:g}. The reference is where it
started, and where that was finetuned on trajectories, this is imitation and then preference"""


def main(args: list[str] | None = None) -> None:
    """The command."""
    run(DPO, __doc__ or "", args)


def read(recipe: Preference, tokenizer: Any) -> tuple[list[Pair], list[LeftOut]]:
    """The pairs of all data files. Mistake where there is none."""
    records = list(read_records(recipe))
    if not records:
        raise RecordError(f"{', '.join(recipe.data)}: no attempts")
    found, left_out = pairs.build(records, notations(recipe.environment), tokenizer, recipe)
    pairs.want(found, left_out, reasons(left_out))
    return found, left_out


def note(folder: Path, found: list[Pair], left_out: list[LeftOut]) -> None:
    """Lists both: what is paired, and what is not."""
    pairs.note(folder, found)
    note_left_out(folder, found, left_out, "pairs")


def facts(recipe: Preference, found: list[Pair]) -> dict[str, Any]:
    """What the summary says beside what it says of any training."""
    return {"tasks": len({pair.id for pair in found}), "beta": recipe.beta}


def schedule(found: list[Pair], recipe: Preference, steps: int = 0) -> tuple[Any, dict[str, Any]]:
    """All pairs of the training, or of its first `steps`, in order; and what is in them."""
    from datasets import Dataset, disable_progress_bars

    disable_progress_bars()
    trained = recipe.trained()
    columns: dict[str, list[Any]] = {"pair": list(range(len(found)))}
    for side, rows in (("chosen", [it.chosen.row for it in found]), ("rejected", [it.rejected.row for it in found])):
        columns[f"{side}_ids"] = [list(row.tokens) for row in rows]
        columns[f"{side}_mask"] = [[int(weight > 0) for weight in row.weights(trained)] for row in rows]
    return arrange(Dataset.from_dict(columns), [len(it.tokens) for it in found], [1] * len(found), recipe, steps)


def arguments(recipe: Preference, shared: Layout) -> Any:
    """The recipe in TRL's words."""
    words = common(recipe, shared)
    from trl import DPOConfig  # type: ignore[attr-defined]

    return DPOConfig(
        **words,
        beta=recipe.beta,
        loss_type=["sigmoid"],
        max_length=None,  # TRL would cut rows silently, and ours fit already
        precompute_ref_log_probs=True,
        precompute_ref_batch_size=shared.micro_batch,
    )


def trainer() -> Any:
    """The class."""
    from train.preferring import PreferenceTrainer

    return PreferenceTrainer


def rows_to_say(found: list[Pair]) -> list[Row]:
    """The rows of what the student is to write."""
    return [pair.chosen.row for pair in found]


DPO = Way(
    recipe=Preference,
    unit="pairs",
    told=TOLD,
    derived=lambda recipe: {"reference_fingerprint": fingerprint_of(recipe.model)},
    read=read,
    note=note,
    facts=facts,
    schedule=schedule,
    arguments=arguments,
    trainer=trainer,
    rows=rows_to_say,
    curve=("rewards/accuracies", "rewards/margins"),
)

if __name__ == "__main__":
    main()
