"""How a training ends when it is told to: by Ctrl-C, by a scheduler that wants the machine, with its launcher."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ONE_REQUEST = 5.0  # seconds


class Interruption(TrainerCallback):
    """On Ctrl-C, SIGTERM or SIGHUP to any process, all save the last finished step and end.

    They do not finish the step under way: a launcher waits half a minute for its processes and then kills them, and a
    step can take longer. Its rows are computed again. A second signal ends at once; not one of the first seconds, since
    a scheduler tells all processes, and a launcher among them passes it on to those that know.
    """

    def __init__(self) -> None:
        self.asked = 0  # the signal, by any process's number
        self.stopped = False
        self._saved, self._since = 0, 0.0
        heard = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]  # nohup ignores one
        self._former = {number: signal.signal(number, self._ask) for number in heard}
        follow_launcher()

    @property
    def status(self) -> int:
        """The exit status of a program that was ended so."""
        return 128 + self.asked

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if not self.asked:
            self.asked, self._since = number, time.monotonic()
        elif time.monotonic() - self._since > ONE_REQUEST:
            self.restore()
            signal.raise_signal(number)

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
        return self.on_substep_end(args, state, control)

    def on_substep_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl:
        asked = _anywhere(self.asked, args.device)
        if asked and state.global_step < state.max_steps:
            self.asked = asked
            self.stopped = control.should_training_stop = True
            # Never over a state that is there: a kill would leave half of it.
            control.should_save = state.global_step > self._saved
        return control


def _anywhere(number: int, device: torch.device) -> int:
    """The signal that any process got, or 0: all must come to the same end, or the others would wait for ever."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return number
    together = torch.tensor(number, device=device)
    torch.distributed.all_reduce(together, op=torch.distributed.ReduceOp.MAX)
    return int(together.item())


def follow_launcher() -> None:
    """Has this process told when its launcher is gone, where that passes no signal on: `accelerate launch` of one
    process dies of SIGTERM itself, and the training would go on, unseen, on a machine that it was to leave.
    """
    parent = Path(f"/proc/{os.getppid()}/cmdline")
    if sys.platform != "linux" or "RANK" in os.environ or not parent.exists():
        return
    if any(Path(os.fsdecode(word)).name == "accelerate" for word in parent.read_bytes().split(b"\0")):
        ctypes.CDLL(None).prctl(1, int(signal.SIGTERM), 0, 0, 0)  # PR_SET_PDEATHSIG
