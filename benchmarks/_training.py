"""One training of a random model, step by step as it is told: ours, a loop written by hand, or bare multiplications.

Ours is `train.course.train`, with all that a launch of one process has. The loop by hand has what any loop must do to
learn the same: the same micro-batches, padded; the output's projection of trained tokens alone; the mean loss over all
of them; gradients clipped; AdamW, fused; a cosine; the loss read after each step. It logs nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, Protocol

import torch
from torch.nn.functional import cross_entropy
from transformers import AutoConfig, AutoModelForCausalLM, TrainerCallback

import train.interruption  # with what follows: now, and not while time is measured
import train.trainer  # noqa: F401
from train.base import attention, bfloat16, gpu, keep_memory, open_tokenizer
from train.course import adapter
from train.course import train as ours_of
from train.dataset import Row
from train.recipe import Recipe, layout
from train.sft import SFT, arguments, read_rows, schedule
from train.shapes import Shape
from train.weights import IGNORED


class Turn(Protocol):
    """What a training waits for before its first step, and calls after each of them with its tokens."""

    def begin(self) -> None: ...

    def __call__(self, tokens: int) -> None: ...


class Told:
    """Each step is begun when the other end says so, and its seconds and tokens are sent there.

    Seconds of the process's CPU, which a busy machine distorts less; with a GPU, of the clock.
    """

    def __init__(self, other: Connection) -> None:
        self._other = other
        self._clock = time.perf_counter if gpu() else time.process_time

    def _now(self) -> float:
        if gpu():
            torch.cuda.synchronize()
        return self._clock()

    def begin(self) -> None:
        self._other.send(None)
        self._other.recv()
        self._began = self._now()

    def __call__(self, tokens: int) -> None:
        self._other.send((self._now() - self._began, tokens))
        self._other.recv()
        self._began = self._now()


def child(kind: str, recipe: Recipe, shape: Shape, other: Connection) -> None:
    """A process: waits, trains, and sends the losses at the end."""
    with suppress(EOFError, KeyboardInterrupt):
        if not gpu():
            torch.set_num_threads(1)
        turn = Told(other)
        if kind == "peak":
            return multiply(recipe, turn)
        words = open_tokenizer(recipe.model)
        rows = read_rows(recipe, words)[0]
        other.send((ours if kind == "ours" else by_hand)(recipe, shape, words, rows, turn))


def random_model(shape: Shape, recipe: Recipe) -> Any:
    """A model of the shape with random weights, as `train.base.load_model` would load one. The same each time."""
    sizes = asdict(shape)
    config = AutoConfig.for_model(
        sizes["family"],
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        vocab_size=shape.vocabulary,
        tie_word_embeddings=shape.tied,
        pad_token_id=0,
        **({"attention_bias": True} if shape.biased else {}),
    )
    frozen = recipe.finetune != "full" and bfloat16(recipe) and gpu()
    dtype = torch.bfloat16 if frozen else torch.float32
    torch.manual_seed(0)
    with torch.device(device()):
        return AutoModelForCausalLM.from_config(  # type: ignore[no-untyped-call]
            config, dtype=dtype, attn_implementation=attention(recipe)
        )


def device() -> str:
    return "cuda" if gpu() else "cpu"


def step_tokens(rows: list[Row], recipe: Recipe) -> list[int]:
    """The tokens of each step, padding left out."""
    lengths = [len(tokens) for tokens in schedule(rows, recipe)[0]["input_ids"]]
    return [sum(lengths[at : at + recipe.batch_size]) for at in range(0, len(lengths), recipe.batch_size)]


class Stepping(TrainerCallback):
    """Joins a training as what looks how a student acts does: the last of all callbacks."""

    def __init__(self, turn: Turn, tokens: Sequence[int]) -> None:
        self._turn, self._tokens = turn, tokens

    def join(self, trainer: Any, stopped: Callable[[], bool], aside: Callable[[str], None]) -> None:
        trainer.add_callback(self)

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._turn.begin()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        control.should_save = False  # the last step would be: a save is no part of a step
        self._turn(self._tokens[state.global_step - 1])


def ours(recipe: Recipe, shape: Shape, words: Any, rows: list[Row], turn: Turn) -> list[float]:
    """The losses of all steps of a training as `train.py` does it. What follows a step (its log) is of the next one."""
    settings = arguments(recipe, layout(recipe, 1, at_once=1))
    if not gpu():
        keep_memory()
    model = random_model(shape, recipe)
    trainer, _ = ours_of(recipe, settings, model, words, rows, Stepping(turn, step_tokens(rows, recipe)), SFT)
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


def by_hand(recipe: Recipe, shape: Shape, words: Any, rows: list[Row], turn: Turn) -> list[float]:
    """The same of the loop by hand. It does not pack."""
    if not gpu():
        keep_memory()
    model = random_model(shape, recipe)
    if lora := adapter(recipe):
        from peft import get_peft_model

        model = get_peft_model(model, lora)
    model.train()
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(trained, recipe.learning_rate, weight_decay=recipe.weight_decay, fused=True)
    slower = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 0.5 * (1 + math.cos(math.pi * step / recipe.steps))
    )
    tokens, batches, losses = step_tokens(rows, recipe), micro_batches(rows, recipe, words.pad_token_id), []
    turn.begin()
    for step in range(recipe.steps):
        these = list(islice(batches, recipe.batch_size // recipe.micro_batch))
        count = sum(int((labels[:, 1:] != IGNORED).sum()) for _, _, labels in these)
        loss = torch.zeros((), device=device())
        for batch in these:
            part = loss_of(model, batch, bfloat16(recipe)) / count
            part.backward()  # type: ignore[no-untyped-call]
            loss += part.detach()
        torch.nn.utils.clip_grad_norm_(trained, recipe.max_grad_norm)
        optimizer.step()
        slower.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        turn(tokens[step])
    return losses


def loss_of(model: Any, batch: tuple[torch.Tensor, torch.Tensor, torch.Tensor], low: bool) -> torch.Tensor:
    """The sum over all trained tokens."""
    inputs, mask, labels = (part.to(device(), non_blocking=True) for part in batch)
    keep = (labels[:, 1:] != IGNORED).any(dim=0).nonzero().squeeze(-1)
    with torch.autocast(device(), torch.bfloat16, enabled=low):
        logits = model(input_ids=inputs, attention_mask=mask, use_cache=False, logits_to_keep=keep).logits
    return cross_entropy(
        logits.float().flatten(0, 1), labels[:, keep + 1].flatten(), ignore_index=IGNORED, reduction="sum"
    )


def micro_batches(
    rows: list[Row], recipe: Recipe, pad: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Tokens, mask and labels, padded on the right to the longest row of each micro-batch."""
    data = schedule(rows, recipe)[0]
    pairs = [(torch.tensor(row["input_ids"]), torch.tensor(row["labels"])) for row in data]
    padded = torch.nn.utils.rnn.pad_sequence
    for at in range(0, len(pairs), recipe.micro_batch):
        inputs, labels = map(list, zip(*pairs[at : at + recipe.micro_batch], strict=True))
        mask = padded([torch.ones_like(row) for row in inputs], batch_first=True)
        yield padded(inputs, batch_first=True, padding_value=pad), mask, padded(labels, True, IGNORED)


def multiply(recipe: Recipe, turn: Turn) -> None:
    """Square matrices, in the arithmetic of the training; FLOPs take the place of tokens."""
    side, often, dtype = (8192, 20, torch.bfloat16) if gpu() else (1536, 1, torch.float32)
    one, other = (torch.randn(side, side, device=device()).to(dtype if bfloat16(recipe) else None) for _ in range(2))
    turn.begin()
    while True:
        for _ in range(often):
            one @ other
        turn(2 * side**3 * often)
