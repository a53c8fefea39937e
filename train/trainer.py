"""TRL's SFTTrainer, taught four things: weights of tokens, a cheap loss off the GPU, whole checkpoints, stopping.

Imported only when training starts: it brings in torch, transformers and TRL.
"""

from __future__ import annotations

import ctypes
import inspect
import json
import shutil
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from trl import SFTTrainer  # type: ignore[attr-defined]

from react.progress import Progress
from train.weights import IGNORED

WHOLE = "whole.json"  # written last, so a checkpoint without it was cut short by a kill


class StudentTrainer(SFTTrainer):  # type: ignore[misc, unused-ignore]
    """Mean loss over all trained tokens of the whole batch, whatever its layout.

    With a column `weights`, the weighted mean: the sum of weight times loss by the sum of weights. So it is the plain
    mean where all weights are the same.
    """

    def __init__(self, *args: Any, seconds_before: float = 0.0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.data_collator = Weighted(self.data_collator)
        if getattr(model := self.accelerator.unwrap_model(self.model), "is_loaded_in_4bit", False):
            # TRL makes the adapter of such a model bfloat16, in which AdamW would lose small updates.
            for weight in model.parameters():
                weight.data = weight.data.float() if weight.requires_grad else weight.data
        # Ours and TRL's loss divide by `num_items_in_batch`; the model need not know of it.
        self.model_accepts_loss_kwargs = True
        forward = inspect.signature(self.accelerator.unwrap_model(self.model).forward).parameters
        plain = not self.aux_loss_enabled and "logits_to_keep" in _parameters(self.model, forward)
        self._lean = plain and self.args.device.type == "cpu"
        self._began = time.monotonic() - seconds_before
        self.seconds_before = seconds_before

    @property
    def seconds(self) -> float:
        """How long this run has trained, former sittings included."""
        return time.monotonic() - self._began

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

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the card of a student is `train.card`'s."""

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """The state of the last step. The one before goes only when this one is whole: there is always one."""
        super()._save_checkpoint(model, trial)  # type: ignore[no-untyped-call]
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_main_process:
            folder = Path(self.args.output_dir or "") / f"checkpoint-{self.state.global_step}"
            (folder / WHOLE).write_text(json.dumps({"seconds": round(self.seconds, 1)}) + "\n", encoding="utf-8")
            for older in set(folder.parent.glob("checkpoint-*")) - {folder}:
                shutil.rmtree(older)


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


def latest(folder: Path) -> Path | None:
    """The last whole checkpoint to resume from."""
    whole = [path.parent for path in folder.glob(f"checkpoint-*/{WHOLE}")]
    return max(whole, key=step_of, default=None)


def step_of(checkpoint: Path) -> int:
    """The step after which it was made."""
    return int(checkpoint.name.rpartition("-")[2])


def discard_partial(folder: Path) -> list[Path]:
    """Removes the checkpoints that a kill cut short, and says which."""
    cut = sorted(path for path in folder.glob("checkpoint-*") if not (path / WHOLE).exists())
    for path in cut:
        shutil.rmtree(path)
    return cut


def seconds_of(checkpoint: Path | None) -> float:
    """How long the run had trained when the checkpoint was made."""
    return float(json.loads((checkpoint / WHOLE).read_text(encoding="utf-8"))["seconds"]) if checkpoint else 0.0


class Interruption(TrainerCallback):
    """On Ctrl-C or SIGTERM to any process, all save the last finished step and end. A second signal ends at once.

    They do not finish the step under way: a launcher waits half a minute for its processes and then kills them, and a
    step can take longer. Its rows are computed again.
    """

    def __init__(self) -> None:
        self.asked = False
        self.stopped = False
        self._saved = 0
        self._former = {number: signal.signal(number, self._ask) for number in (signal.SIGINT, signal.SIGTERM)}

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        self.restore()

    def restore(self) -> None:
        """Gives the signals back."""
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def on_train_begin(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        self._saved = state.global_step

    def on_save(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        self._saved = state.global_step

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl:
        control = self.on_substep_end(args, state, control)
        control.should_log |= self.stopped
        return control

    def on_substep_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl:
        if _anywhere(self.asked, args.device) and state.global_step < state.max_steps:
            self.stopped = control.should_training_stop = True
            # Never over a state that is there: a kill would leave half of it.
            control.should_save = state.global_step > self._saved
        return control


def _anywhere(flag: bool, device: torch.device) -> bool:
    """Whether `flag` is set in any process: all must come to the same end, or the others would wait for ever."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return flag
    together = torch.tensor(int(flag), device=device)
    torch.distributed.all_reduce(together, op=torch.distributed.ReduceOp.MAX)
    return bool(together.item())


class Tidy(TrainerCallback):
    """Gives freed memory back after each step where the C library keeps it: glibc, on a CPU.

    There rows of ever other lengths leave gaps in the heap, which grows by a few hundred megabytes a step.
    """

    def __init__(self) -> None:
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if self._trim and args.device.type == "cpu":
            self._trim(0)


class Shown(TrainerCallback):
    """Steps, rate and time left, with the last loss. Only the first process shows them."""

    def __init__(self, title: str) -> None:
        self._title, self._note, self._step = title, "", 0
        self._progress: Progress | None = None

    def on_train_begin(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            self._progress = Progress(self._title, state.max_steps)
            self._progress.begin(state.global_step)
            self._step = state.global_step

    def aside(self, words: str) -> None:
        """Shows what is done between two steps."""
        if self._progress:
            self._progress.advance(self._step, words)

    def on_log(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        entry = state.log_history[-1] if state.log_history else {}
        if "loss" in entry:
            self._note = f"loss {entry['loss']:.3f}"
            if self._progress:
                self._progress.advance(state.global_step, self._note)

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        self._step = state.global_step
        if state.global_step == state.max_steps:
            control.should_log = True  # whatever `logging_every` is
        if self._progress and not control.should_log:  # else the loss of this step is about to come
            self._progress.advance(state.global_step, self._note)

    def on_train_end(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if self._progress:
            self._progress.__exit__(None, None, None)
