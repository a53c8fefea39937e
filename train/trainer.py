"""TRL's SFTTrainer, taught what every trainer here is (`train.steady`), weights of tokens, a cheap loss off the GPU.

Imported only when training starts: it brings in torch, transformers and TRL.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
from trl import SFTTrainer  # type: ignore[attr-defined]

from train.steady import Steady
from train.weights import IGNORED


class StudentTrainer(Steady, SFTTrainer):  # type: ignore[misc, unused-ignore]
    """Mean loss over all trained tokens of the whole batch, whatever its layout.

    With a column `weights`, the weighted mean: the sum of weight times loss by the sum of weights. So it is the plain
    mean where all weights are the same.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.data_collator = Weighted(self.data_collator)
        # Ours and TRL's loss divide by `num_items_in_batch`; the model need not know of it.
        self.model_accepts_loss_kwargs = True
        forward = inspect.signature(self.accelerator.unwrap_model(self.model).forward).parameters
        plain = not self.aux_loss_enabled and "logits_to_keep" in _parameters(self.model, forward)
        self._lean = plain and self.args.device.type == "cpu"

    def compute_loss(
        self,
        model: Any,
        inputs: dict[str, Any],
        return_outputs: bool = False,
        num_items_in_batch: Any = None,
    ) -> Any:
        """TRL's loss; the weighted one where there are weights, on every device.

        On a CPU, TRL (1.16) projects every position on the vocabulary, this one the trained ones.
        """
        weights = inputs.pop("weights", None)
        if return_outputs or not (self._lean or weights is not None):
            return super().compute_loss(model, inputs, return_outputs, num_items_in_batch)  # type: ignore[no-untyped-call]
        labels = inputs.pop("labels")
        weights = labels.ne(IGNORED).float() if weights is None else weights
        each, columns, extra = (self._lean_losses if self._lean else self._losses)(model, inputs, labels)
        weights = weights[:, columns]
        count = weights.sum() if num_items_in_batch is None else num_items_in_batch
        whole = num_items_in_batch is not None
        # DDP takes the mean of the gradients over processes.
        processes = self.accelerator.num_processes if whole else 1
        steps = self.current_gradient_accumulation_steps if whole else 1
        return (each * weights).sum() / count * processes + extra / steps

    def _losses(self, model: Any, inputs: dict[str, Any], labels: Any) -> tuple[Any, Any, Any]:
        """The loss of each token [rows, columns], which columns these are, and what a mixture of experts adds."""
        inputs["use_cache"] = False
        if self.aux_loss_enabled:
            inputs["output_router_logits"] = True
        outputs = model(**inputs, labels=labels, fused_lm_head=True)
        extra = self.router_aux_loss_coef * outputs.aux_loss if self.aux_loss_enabled else 0.0
        return -outputs.log_probs, slice(1, None), extra

    def _lean_losses(self, model: Any, inputs: dict[str, Any], labels: Any) -> tuple[Any, Any, Any]:
        """The same, of the columns alone in which a token is trained. Not of a mixture."""
        keep = (labels[:, 1:] != IGNORED).any(dim=0).nonzero().squeeze(-1)
        logits = model(**inputs, use_cache=False, logits_to_keep=keep).logits.float()
        targets = labels[:, keep + 1]
        each = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="none"
        )
        return each.view(targets.shape), keep + 1, 0.0

    def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: torch.device) -> tuple[list[Any], Any]:
        """The micro-batches of one step, and the sum of the weights of all their tokens, over all processes."""
        batches, count = super().get_batch_samples(epoch_iterator, num_batches, device)
        if batches and "weights" in batches[0]:
            total = sum(batch["weights"][:, 1:].sum() for batch in batches).to(device)
            count = self.accelerator.gather(total).sum()
        return batches, count


class Weighted:
    """A collator of TRL's that knows a column of weights: padded like the labels, and 0 where nothing is trained."""

    def __init__(self, collator: Any) -> None:
        self._collator = collator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._collator, name)

    def __call__(self, examples: list[dict[str, Any]]) -> dict[str, Any]:
        batch: dict[str, Any] = self._collator(examples)
        if "weights" in examples[0]:
            labels = batch["labels"]
            given = [torch.tensor(example["weights"]) for example in examples]
            rows = [torch.cat(given)] if len(labels) != len(given) else given
            weights = torch.zeros(labels.shape)
            for at, row in enumerate(rows):
                weights[at, : len(row)] = row
            batch["weights"] = weights.masked_fill(labels == IGNORED, 0)
        return batch


def _parameters(model: Any, forward: Any) -> Any:
    """The named parameters of a model's forward, through a peft wrapper that hides them."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else None
    return inspect.signature(inner.forward).parameters if inner is not None else forward
