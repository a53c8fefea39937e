"""TRL's DPOTrainer on rows of our own: what the model wrote carries log-probability, and what it was given does not.

Imported only when training starts: it brings in torch, transformers and TRL.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
from trl import DPOTrainer  # type: ignore[attr-defined]
from trl.models.utils import prepare_deepspeed

from react.progress import Progress
from train.steady import Steady

SIDES = ("chosen", "rejected")


class PreferenceTrainer(Steady, DPOTrainer):  # type: ignore[misc, unused-ignore]
    """The mean over the pairs of a batch of -log sigmoid(beta x (how much more chosen is ahead of rejected than it was
    in the reference)) (Rafailov et al. 2023, arXiv 2305.18290, equation 7).

    TRL sums the log-probability of every token behind a prompt. Here a column of each side says which tokens count.
    What the reference says of a pair is computed once, by the weights of the start, before any of them changes: so no
    second model is held, and a run that is continued has the same reference.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, data_collator=both_sides, **kwargs)

    def _prepare_dataset(self, dataset: Any, *args: Any) -> Any:
        """Rows are tokens already."""
        return dataset

    def _precompute_ref_logps(self, dataset: Any, name: str, batch_size: int) -> Any:
        """Adds what the reference says of each pair, computed once a pair: the schedule has it once a pass.

        TRL's own hands it from process to process in a file, which of such a data set only the first one finds.
        """
        numbers = list(dataset["pair"])
        first = {number: numbers.index(number) for number in dict.fromkeys(numbers)}
        once = dataset.select(list(first.values()))
        loader = self.accelerator.prepare(DataLoader(once, batch_size=batch_size, collate_fn=self.data_collator))
        model: Any = self.ref_model or self.model
        if self.ref_model is None and self.is_deepspeed_enabled:
            model = prepare_deepspeed(model, self.accelerator)
        said: dict[str, list[float]] = {side: [] for side in SIDES}
        with Progress("reference: pair", len(once), shown=self.accelerator.is_main_process) as progress:
            for batch in loader:
                own = self.compute_ref_log_probs(model, batch)  # type: ignore[no-untyped-call]
                found = self.accelerator.gather_for_metrics(own)
                for side, values in zip(SIDES, found, strict=True):
                    said[side] += values.tolist()
                progress.advance(len(said["chosen"]))
        place = {number: at for at, number in enumerate(first)}
        for side, values in said.items():
            dataset = dataset.add_column(f"ref_{side}_logps", [values[place[number]] for number in numbers])
        return dataset


def both_sides(examples: list[dict[str, Any]]) -> dict[str, Any]:
    """A batch as DPOTrainer wants it: all chosen rows, then all rejected ones, padded on the right."""

    def padded(column: str) -> Any:
        rows = [torch.tensor(example[f"{side}_{column}"]) for side in SIDES for example in examples]
        return pad_sequence(rows, batch_first=True)

    lengths = torch.tensor([len(example[f"{side}_ids"]) for side in SIDES for example in examples])
    tokens = padded("ids")
    batch = {
        "input_ids": tokens,
        "attention_mask": (torch.arange(tokens.shape[1]) < lengths[:, None]).long(),
        "completion_mask": padded("mask"),
    }
    for key in (f"ref_{side}_logps" for side in SIDES):
        if key in examples[0]:
            batch[key] = torch.tensor([example[key] for example in examples])
    return batch
