"""What is trained, on what, and how; and how a batch is shared between processes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from react.config import setting
from react.mistakes import Mistake, at_least, choose
from react.notation import PARTS
from react.run_folder import folder_name
from train.weights import KINDS, LOSSES, resolve

FORMS = ("text", "tools")
METHODS = ("full", "lora", "qlora")
SCHEDULES = ("linear", "cosine", "constant", "constant_with_warmup")
DTYPES = ("auto", "float32", "bfloat16")
ATTENTION = ("auto", "eager", "sdpa", "flash_attention_2", "flash_attention_3")


@dataclass(frozen=True)
class Recipe:
    """One finetuning. `batch_size` is the one dial: sequences an optimizer step, over all processes."""

    PACE: ClassVar = frozenset(
        {"micro_batch", "attention", "gradient_checkpointing", "save_every", "logging_every", "report_to"}
    )

    name: str = setting("demo", "the run's folder is <output>/<name>")
    output: str = setting("runs/train", "where run folders lie")
    data: list[str] = setting([], "one or several trajectories.jsonl")
    environment: str = setting("hotpotqa", "a name in react/environments; it says how trajectories are written")
    method: str = setting("", f"write every record as {', '.join(PARTS)}; empty: as its own method")
    allow_unsolved: bool = setting(False, "train on trajectories that did not earn the full reward, too")
    form: str = setting("text", "text, or tools: chats with native calls, by the model's chat template")
    chat_template: str = setting("", "a Jinja file, for form tools: the student's chat template instead of the model's")
    loss: str = setting("whole", f"{', '.join(LOSSES)}: what of a trajectory is trained")
    weights: dict[str, Any] = setting({}, f"other weights than 1 in the loss, as JSON, for: {', '.join(KINDS)}")
    max_length: int = setting(2048, "tokens of the longest row; longer ones are left out and listed, never cut")
    packing: bool = setting(False, "fill sequences of max_length with several rows; batch_size then counts sequences")
    model: str = setting("smollm2", "smollm2 (embedded), a folder or a hub name")
    finetune: str = setting("full", f"{', '.join(METHODS)}; qlora is lora over weights kept in 4 bits")
    lora_r: int = setting(16, "rank of the adapter, on all linear layers")
    lora_alpha: int = setting(32, "scale of the adapter, times 1 / rank")
    batch_size: int = setting(64, "sequences of one optimizer step, over all processes")
    micro_batch: int = setting(0, "sequences that one process computes at once; 0: 1 on a CPU, up to 4 on a GPU")
    steps: int = setting(4000, "optimizer steps")
    learning_rate: float = setting(1e-5, "at its highest")
    schedule: str = setting("cosine", f"{', '.join(SCHEDULES)}")
    warmup_steps: int = setting(0, "steps until the learning rate is at its highest")
    weight_decay: float = setting(0.0, "of AdamW")
    max_grad_norm: float = setting(1.0, "gradients are clipped to this norm")
    seed: int = setting(0, "of the order of rows and of an adapter's first weights")
    dtype: str = setting("auto", "auto: bfloat16 arithmetic where the processor has it; float32; bfloat16")
    attention: str = setting("auto", f"{', '.join(ATTENTION)}; auto: FlashAttention 2 where it can be, else sdpa")
    gradient_checkpointing: bool = setting(False, "less memory, more time")
    save_every: int = setting(500, "steps between states to resume from; a state is kept until the next is whole")
    logging_every: int = setting(10, "steps between two entries of the loss curve")
    report_to: str = setting("tensorboard", "tensorboard, wandb, another of transformers' reporters, or none")
    act_every: int = setting(0, "steps between two panels that the student is asked; the best is kept; 0: the last is")
    act_tasks: int = setting(64, "tasks of that panel: of act_split, and no row comes from them")
    act_split: str = setting("train", "where they are from; what is reported later should be another split")
    act_method: str = setting("", "by which they are solved; empty: by that of the rows")
    act_max_tokens: int = setting(100, "of one completion of a student that acts")
    environment_options: dict[str, Any] = setting({}, "options of the environment in which it acts, as JSON")
    patience: int = setting(0, "end after so many panels without a better one than before; 0: never")

    def __post_init__(self) -> None:
        for name, values in {
            "form": FORMS,
            "finetune": METHODS,
            "schedule": SCHEDULES,
            "dtype": DTYPES,
            "attention": ATTENTION,
        }.items():
            choose(name, getattr(self, name), list(values))
        resolve(self.loss, self.weights)
        if self.method:
            choose("method to train", self.method, list(PARTS))
        at_least(1, self, "batch_size", "steps", "max_length", "save_every", "logging_every", "lora_r", "lora_alpha")
        at_least(1, self, "act_tasks", "act_max_tokens")
        at_least(0, self, "micro_batch", "warmup_steps", "weight_decay", "seed", "act_every", "patience")
        if self.chat_template and self.form != "tools":
            raise Mistake(f"chat_template is {self.chat_template!r}, and form is {self.form!r}: give form tools, too")
        if self.act_method:
            choose("method to act by", self.act_method, list(PARTS))
        if self.patience and not self.act_every:
            raise Mistake(f"patience is {self.patience}, but the student never acts: give act_every, too")
        folder_name(self.name)
        for name in ("learning_rate", "max_grad_norm"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be greater than 0")

    @property
    def folder(self) -> Path:
        return Path(self.output) / self.name

    def trained(self) -> dict[str, float]:
        """The weight in the loss of each kind of token that is trained."""
        return resolve(self.loss, self.weights)


@dataclass(frozen=True)
class Layout:
    """How one optimizer step is shared: `processes` x `micro_batch` x `accumulation` sequences."""

    processes: int
    micro_batch: int
    accumulation: int

    def __str__(self) -> str:
        whole = self.processes * self.micro_batch * self.accumulation
        return f"{whole} = {self.processes} processes x {self.micro_batch} at once x {self.accumulation} in turn"


def layout(recipe: Recipe, processes: int, at_once: int) -> Layout:
    """The layout of a step. `at_once` bounds `micro_batch` where the recipe leaves it open. Mistake if it is uneven."""
    share, rest = divmod(recipe.batch_size, processes)
    if rest or not share:
        raise Mistake(f"batch_size {recipe.batch_size} does not divide between {processes} processes")
    micro = recipe.micro_batch or max(size for size in range(1, min(at_once, share) + 1) if share % size == 0)
    if share % micro:
        raise Mistake(
            f"batch_size {recipe.batch_size} over {processes} processes is {share} each, "
            f"which does not divide into micro_batch {micro}"
        )
    return Layout(processes, micro, share // micro)


def order(lengths: list[int], recipe: Recipe) -> list[int]:
    """Row numbers in the order of the whole training: shuffled anew each epoch, every row once in each.

    Worked out beforehand, so that it depends on the seed alone and neither on the number of processes nor on where a
    run was resumed. Batches run on over the end of an epoch: each has `batch_size` rows. Within a batch rows are sorted
    by length, which changes no batch but keeps rows of like length together, where padding is small.
    """
    import random

    needed = recipe.steps * recipe.batch_size
    source = random.Random(recipe.seed)
    stream: list[int] = []
    while len(stream) < needed:
        epoch = list(range(len(lengths)))
        source.shuffle(epoch)
        stream += epoch
    batches = (stream[at : at + recipe.batch_size] for at in range(0, needed, recipe.batch_size))
    return [number for batch in batches for number in sorted(batch, key=lambda number: lengths[number])]
