"""What a finetuning takes before it starts: memory on each GPU, FLOPs, time, tokens; and whether it fits.

Memory is counted, and not measured; time is as good as the share of its peak that a GPU is said to reach.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from react.config import setting
from react.mistakes import Mistake, at_least, choose
from train.memory import GIB, SHARDINGS, Load, Memory, memory, trained
from train.recipe import Layout, Recipe, layout
from train.shapes import Shape

# GiB that the driver shows, and dense bfloat16 TFLOP/s (sums in float32) of the makers' data sheets.
GPUS = {
    "rtx3090-24": (24.0, 71.0),
    "rtx4090-24": (24.0, 165.2),
    "rtx5090-32": (31.8, 209.5),
    "l4-24": (22.5, 121.0),
    "a10g-24": (22.5, 70.0),
    "l40s-48": (45.0, 362.0),
    "a100-40": (39.5, 312.0),
    "a100-80": (79.3, 312.0),
    "h100-80": (79.6, 989.0),
    "h200-141": (140.4, 989.0),
    "b200-180": (179.1, 2250.0),
    "mi300x-192": (191.5, 1307.0),
}
USUAL = "h100-80"
OUTSIDE = 1.5 * GIB  # the driver's context, libraries, communication
FRAGMENTED = 0.05  # of the memory, lost between blocks
AT_ONCE = 4  # rows that a GPU computes at once where the recipe leaves it open
WHOLE_ONLY = "finetune is 'qlora', whose weights are whole on each GPU: launch it with configs/accelerate/ddp.yaml"


@dataclass(frozen=True)
class Wish:
    """What is asked of the plan. It is no part of the run, and its folder knows nothing of it."""

    dry_run: bool = setting(False, "print what the training would take and whether it fits, and train nothing")
    gpu: str = setting("", f"the GPU to plan for: {', '.join(GPUS)}; empty: the one that is here, else {USUAL}")
    gpus: int = setting(0, "how many of them to plan for; 0: the processes of this launch, or 8 where it is one")
    mfu: float = setting(0.4, "the share of its peak that a GPU reaches, of all that is computed")
    insist: bool = setting(False, "start although the plan says that it does not fit")

    def __post_init__(self) -> None:
        if self.gpu:
            choose("gpu", self.gpu, list(GPUS))
        at_least(0, self, "gpus")
        if not 0 < self.mfu <= 1:
            raise ValueError(f"mfu is {self.mfu}; it must be greater than 0 and at most 1")


@dataclass(frozen=True)
class Machine:
    """A kind of GPU: bytes of memory, and FLOP/s; 0 where its speed is not known."""

    name: str
    memory: float
    speed: float

    @property
    def room(self) -> float:
        """Bytes that a training can have."""
        return self.memory * (1 - FRAGMENTED) - OUTSIDE


@dataclass(frozen=True)
class Rows:
    """Of the data: how many rows, tokens in all and of the longest. With `bound` none is known: each is the longest."""

    count: int
    tokens: int
    longest: int
    bound: bool = False


@dataclass(frozen=True)
class Plan:
    """One way of sharing the training between GPUs, and what each of them then holds."""

    sharding: str
    shared: Layout
    machine: Machine
    memory: Memory

    @property
    def fits(self) -> bool:
        return self.memory.total <= self.machine.room


def machine_of(name: str) -> Machine:
    """A GPU of the table."""
    gib, teraflops = GPUS[name]
    return Machine(name, gib * GIB, teraflops * 1e12)


def sharding_here(environment: Mapping[str, str] = os.environ) -> str:
    """How `accelerate launch` shares this training out, by what it tells its processes."""

    def said(name: str) -> bool:
        return environment.get(name, "").lower() == "true"

    if said("ACCELERATE_USE_DEEPSPEED"):
        return "zero3" if environment.get("ACCELERATE_DEEPSPEED_ZERO_STAGE", "2") == "3" else "zero2"
    if said("ACCELERATE_USE_FSDP"):
        return "fsdp2"
    return "ddp" if int(environment.get("WORLD_SIZE", "1")) > 1 else "none"


def offloaded(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this launch keeps a part in the computer's own memory, which these estimates know nothing of."""
    places = ("ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE", "ACCELERATE_DEEPSPEED_OFFLOAD_PARAM_DEVICE")
    there = any(environment.get(place, "none") not in ("none", "") for place in places)
    return there or environment.get("FSDP_OFFLOAD_PARAMS", "").lower() == "true"


def plan(recipe: Recipe, shape: Shape, rows: Rows, sharding: str, gpus: int, machine: Machine, flash: bool) -> Plan:
    """The plan for one way of sharing. Mistake where it cannot be: a batch that does not divide, QLoRA shared out."""
    if recipe.finetune == "qlora" and sharding not in ("none", "ddp"):
        raise Mistake(f"this launch is {sharding}, and {WHOLE_ONLY}")
    shared = layout(recipe, gpus, AT_ONCE)
    longest = recipe.max_length if recipe.packing else rows.longest
    tokens = shared.micro_batch * longest
    load = Load(
        sharding,
        gpus,
        tokens,
        tokens if recipe.packing else longest,  # packed rows are one long row
        bf16=recipe.dtype != "float32",
        flash=flash,
        masked=recipe.packing or shared.micro_batch > 1,
    )
    return Plan(sharding, shared, machine, memory(shape, recipe, load))


def plans(recipe: Recipe, shape: Shape, rows: Rows, gpus: int, machine: Machine, flash: bool) -> list[Plan]:
    """All ways of sharing that there are: on one GPU, and on `gpus` of them."""
    found = []
    for sharding in SHARDINGS:
        many = 1 if sharding == "none" else gpus
        if sharding == "none" or (many > 1 and (recipe.finetune != "qlora" or sharding == "ddp")):
            found.append(plan(recipe, shape, rows, sharding, many, machine, flash))
    return found


def flops(recipe: Recipe, shape: Shape, length: float) -> float:
    """FLOPs of one token in a row of `length`, all that are computed.

    Forward, 2 for each parameter that it is multiplied with (Kaplan et al. 2020, arXiv 2001.08361, table 1) and
    4 x layers x width x length for attention (Chowdhery et al. 2022, arXiv 2204.02311, appendix B). Backward twice
    that, or once for weights that are not trained; gradient checkpointing computes the layers' forward again.
    """
    weights, attention = 2.0 * shape.multiplied, 4.0 * shape.layers * shape.queries * length
    total = weights + attention + (2 if recipe.finetune == "full" else 1) * weights + 2 * attention
    if recipe.finetune != "full":
        total += 6 * trained(shape, recipe)
    return total + (2 * shape.linear + attention if recipe.gradient_checkpointing else 0)


def seen(recipe: Recipe, rows: Rows) -> tuple[float, float]:
    """Tokens of the whole training, and the mean length of what a token sees."""
    mean = rows.tokens / rows.count
    each = recipe.max_length if recipe.packing else mean
    return recipe.steps * recipe.batch_size * each, mean


def remedies(recipe: Recipe, shape: Shape, rows: Rows, gpus: int, machine: Machine, flash: bool) -> list[str]:
    """Changes after which it fits, each by itself, from the least: `recipe change: on what`."""
    small = {"micro_batch": 1, "gradient_checkpointing": True}
    changes: list[dict[str, Any]] = [{"micro_batch": 1}, {"gradient_checkpointing": True}, small]
    changes += [
        {"finetune": kind, **small} for kind in ("lora", "qlora") if recipe.finetune == "full" or kind == "qlora"
    ]
    found = []
    for change in changes:
        if all(getattr(recipe, key) == value for key, value in change.items()):
            continue
        if fitting := _fitting(replace(recipe, **change), shape, rows, gpus, machine, flash):
            words = " ".join(f"--{key} {str(value).lower()}" for key, value in change.items())
            found.append(f"{words}: {fitting}")
            if len(change) == 1:
                break
    more = (2**power for power in range(1, 11) if 2**power > gpus)
    fitting_more = ((many, _fitting(recipe, shape, rows, many, machine, flash)) for many in more)
    return found + [f"{many} GPUs: {fitting}" for many, fitting in fitting_more if fitting][:1]


def _fitting(recipe: Recipe, shape: Shape, rows: Rows, gpus: int, machine: Machine, flash: bool) -> str:
    """The ways of sharing in which it fits; none where the batch does not divide so."""
    try:
        return ", ".join(it.sharding for it in plans(recipe, shape, rows, gpus, machine, flash) if it.fits)
    except Mistake:
        return ""
