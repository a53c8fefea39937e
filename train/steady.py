"""What every trainer here is taught beside its loss: whole states, going on exactly, and saying how far it is.

Imported only when training starts: it brings in torch and transformers.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import shutil
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from react.mistakes import naming
from react.progress import Progress

WHOLE = "whole.json"  # written last, so a checkpoint without it was cut short by a kill


@dataclass(frozen=True)
class Sitting:
    """What a run has behind it when a state is saved, beside what transformers keeps."""

    seconds: float = 0.0  # of training
    loss: float = 0.0  # the sum over the steps since the curve's last entry
    logged: int = 0  # the step of that entry


class Steady(Trainer):
    """Stands before a trainer of TRL's among the bases of ours.

    A run that was stopped goes on as if it had not been: nothing of a step under way is kept, neither its losses nor
    what chance it had drawn.
    """

    def __init__(self, *args: Any, before: Sitting | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if getattr(model := self.accelerator.unwrap_model(self.model), "is_loaded_in_4bit", False):
            # TRL makes the adapter of such a model bfloat16, in which AdamW would lose small updates.
            for weight in model.parameters():
                weight.data = weight.data.float() if weight.requires_grad else weight.data
        self.before = before or Sitting()
        self._began = time.monotonic() - self.before.seconds
        self._logged, self._unlogged = self.before.logged, torch.tensor(self.before.loss, device=self.args.device)
        self._computed, self._step_loss = 0, torch.zeros_like(self._unlogged)

    @property
    def seconds(self) -> float:
        """How long this run has trained, former sittings included."""
        return time.monotonic() - self._began

    def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: torch.device) -> tuple[list[Any], Any]:
        """The micro-batches of one step, of which none is computed yet."""
        self._computed, self._step_loss = 0, torch.zeros_like(self._step_loss)
        return super().get_batch_samples(epoch_iterator, num_batches, device)

    def training_step(self, model: Any, inputs: dict[str, Any], num_items_in_batch: Any = None) -> torch.Tensor:
        """TRL's. What dropout draws follows from the seed and from where a micro-batch stands in the whole training.

        So it depends on no stop before it, and not on the number of processes.
        """
        turn = self.state.global_step * self.args.gradient_accumulation_steps + self._computed
        place = turn * self.args.world_size + self.args.process_index  # as accelerate deals micro-batches out
        torch.manual_seed(random.Random(f"{self.args.seed}/{place}").getrandbits(63))
        loss: torch.Tensor = super().training_step(model, inputs, num_items_in_batch)
        self._computed += 1
        self._step_loss += loss
        if self._computed == self.args.gradient_accumulation_steps:
            self._unlogged += self._step_loss
        return loss

    def _mean_unlogged(self) -> float:
        """The sum of the losses of all steps since the curve's last entry: the mean over all processes."""
        return float(self.accelerator.gather(self._unlogged).mean())

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """TRL's, with the mean loss of all steps since the last entry, former sittings' included."""
        if "loss" in logs:
            logs = {**logs, "loss": self._mean_unlogged() / (self.state.global_step - self._logged)}
            self._logged, self._unlogged = self.state.global_step, torch.zeros_like(self._unlogged)
        super().log(logs, start_time)

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the card of a student is `train.card`'s."""

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """The state of the last step. The one before goes only when this one is whole: there is always one."""
        folder = Path(self.args.output_dir or "") / f"checkpoint-{self.state.global_step}"
        try:
            super()._save_checkpoint(model, trial)
        except Exception as error:
            try:
                full(folder, error)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            raise
        sitting = Sitting(round(self.seconds, 1), self._mean_unlogged(), self._logged)
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_main_process:
            settle(folder)
            (folder / WHOLE).write_text(json.dumps(asdict(sitting)) + "\n", encoding="utf-8")
            for older in set(folder.parent.glob("checkpoint-*")) - {folder}:
                shutil.rmtree(older)


def full(folder: Path, error: Exception) -> None:
    """OSError with the disk's own reason where it takes no more. torch and safetensors make others of that."""
    with naming(folder):
        if number := re.search(r"\(os error (\d+)\)", str(error)):
            raise OSError(int(number[1]), os.strerror(int(number[1])))
        (folder / "more").write_bytes(bytes(2**16))


def settle(folder: Path) -> None:
    """Waits until all files are on the disk: the state before them is about to go, and power may."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())


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


def former(checkpoint: Path | None) -> Sitting:
    """What a run that continues from `checkpoint` has behind it."""
    return Sitting(**json.loads((checkpoint / WHOLE).read_text(encoding="utf-8"))) if checkpoint else Sitting()


class Tidy(TrainerCallback):
    """Gives freed memory back where the C library keeps it: glibc, on a CPU.

    There rows of ever other lengths leave gaps in the heap, which grows by a few hundred megabytes a step. Given back
    after each step, page faults can take as long as the next one computes. So it is done when the process has grown
    by a quarter over the most that one step left of a heap without gaps.
    """

    def __init__(self) -> None:
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
        self._most, self._trimmed = 0, False

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if not self._trim or args.device.type != "cpu":
            return
        held = resident()
        if self._trimmed:
            self._most = max(self._most, held)
        self._trimmed = held > 1.25 * self._most
        if self._trimmed:
            self._trim(0)


def resident() -> int:
    """Bytes of this process in memory, as Linux counts them."""
    pages = Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


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
