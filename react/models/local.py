"""The `local` back end: a transformers model in worker processes of its own, one for each core or GPU.

    model = load(ModelConfig(model="smollm2"))
    model.complete(Request("Question: ...\nThought 1:", stop=("\nObservation 1:",)))     # from many threads at once

Requests of one session go to the worker that already knows the episode so far, others to the least busy one. A
completion does not depend on what else is running, but for the last bits of floating-point sums. With `--api tools` a
prompt is a chat, rendered by the model's own chat template; calls are read in what it writes (`react.chat_template`).
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

from react import native
from react.canary import listen
from react.chat_template import calls_in
from react.mistakes import choose
from react.models import Completion, ModelConfig, ModelError, Request
from react.models._checkpoint import Checkpoint, find
from react.models._process import Worker
from react.models._worker import Setup
from react.ranks import placed_here

SESSIONS = 10_000
WORKING_MEMORY = 3 << 29
DTYPES = ("auto", "float32", "bfloat16", "float16")


def load(config: ModelConfig) -> LocalModel:
    """Starts the workers and returns when all have loaded the model. ValueError: what is wrong with it."""
    choose("dtype", config.dtype, DTYPES)
    if config.workers < 0 or config.batch < 0:
        raise ValueError(f"workers {config.workers} and batch {config.batch} must be 0 (automatic) or more")
    _kind(config)
    checkpoint = find(config.model, config.adapter)
    devices = _devices(config, checkpoint)
    sharers = len(devices) * placed_here()[1]
    setups = [
        Setup(
            folder=str(checkpoint.folder),
            tokenizer=str(checkpoint.tokenizer),
            adapter=str(checkpoint.adapter or ""),
            dtype=config.dtype,
            device=device,
            threads=max(1, _cores() // sharers),
            batch=config.batch,
            sharers=sharers,
            calls=config.calls,
        )
        for device in devices
    ]
    name = f"{config.model}+{config.adapter}" if config.adapter else config.model
    model = LocalModel(name, checkpoint.fingerprint(), setups)
    if canary := config.canary or checkpoint.canary:
        try:
            listen(model, Path(canary))
        except BaseException:
            model.close()
            raise
    return model


def fingerprint(config: ModelConfig) -> str:
    """That of the checkpoint."""
    return find(config.model, config.adapter).fingerprint()


def _kind(config: ModelConfig) -> str:
    """`cpu`, `cuda` or one GPU's name. ValueError: there is none such."""
    if config.device not in ("auto", "cpu") and config.device.split(":")[0] != "cuda":
        choose("device", config.device, ("auto", "cpu", "cuda", "cuda:N"))
    if config.device == "auto":
        return "cuda" if _gpus() else "cpu"
    if config.device != "cpu" and not _gpus():
        raise ValueError(f"device {config.device!r}: torch sees no GPU; there is: cpu")
    return config.device


def _devices(config: ModelConfig, checkpoint: Checkpoint) -> list[str]:
    """One entry for each worker: every visible GPU, or as many on the CPU as there are cores and memory for copies.

    Of several ranks on this machine (`react.ranks`) each has its share of all three.
    """
    kind = _kind(config)
    rank, ranks = placed_here()
    if kind == "cpu":
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        fit = int(memory * 0.8) // (2 * checkpoint.size + WORKING_MEMORY)
        return ["cpu"] * (config.workers or max(1, min(_cores(), fit) // ranks))
    if kind != "cuda":
        return [kind] * (config.workers or 1)
    there = _gpus()
    gpus = range(there)[rank % there :: ranks]
    return [f"cuda:{gpus[i % len(gpus)]}" for i in range(config.workers or len(gpus))]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _gpus() -> int:
    """How many GPUs torch may use. Without a driver's device file there is none, and torch need not be imported."""
    if not any(os.path.exists(place) for place in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")):
        return 0
    import torch

    return torch.cuda.device_count()


class LocalModel:
    """Workers behind one `complete`."""

    def __init__(self, name: str, fingerprint: str, setups: list[Setup]) -> None:
        self.name, self.fingerprint = name, fingerprint
        self._calls = any(setup.calls for setup in setups)
        self._lock = threading.Lock()
        self._homes: OrderedDict[str, Worker] = OrderedDict()
        self._closed = False
        self._workers = [Worker(setup, i) for i, setup in enumerate(setups)]
        try:
            for worker in self._workers:
                worker.wait()
        except BaseException:
            self.close()
            raise

    def complete(self, request: Request) -> list[Completion]:
        """`request.n` completions. ModelError when the worker died over it, ContextFull when the prompt has no room."""
        if request.n < 1 or request.max_tokens < 1:
            raise ValueError(f"n {request.n} and max_tokens {request.max_tokens} must be 1 or more")
        if self._closed:
            raise ModelError(f"model {self.name!r} is closed")
        said = self._worker(request.session).ask(request)
        if not (self._calls and native.is_chat(request.prompt)):  # a canary's prompts are texts
            return said
        return [replace(one, text=native.reply(*calls_in(one.text))) for one in said]

    def close(self) -> None:
        """Ends the workers; what is in flight fails with ModelError."""
        self._closed = True
        for worker in self._workers:
            worker.close()

    def _worker(self, session: str) -> Worker:
        """Where the session's episode is known, or else the one with the least to do."""
        with self._lock:
            home = self._homes.get(session)
            if home is None or home.dead:
                alive = [worker for worker in self._workers if not worker.dead] or self._workers
                home = min(alive, key=lambda worker: (worker.load, worker.served))
            home.served += 1
            if session:
                self._homes[session] = home
                self._homes.move_to_end(session)
                while len(self._homes) > SESSIONS:
                    self._homes.popitem(last=False)
            return home
