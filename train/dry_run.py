"""The plan of a training, printed before it or in its stead; and the refusal to start what cannot fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from react.mistakes import Mistake
from train.base import bfloat16
from train.plan import (
    GPUS,
    USUAL,
    Machine,
    Rows,
    Wish,
    machine_of,
    offloaded,
    plan,
    plans,
    sharding_here,
)
from train.plan_text import describe, verdict
from train.recipe import Recipe
from train.records import read_records
from train.shapes import shape_of


def show(recipe: Recipe, wish: Wish, processes: int, lengths: Callable[[], list[int]]) -> str:
    """The plan as text. `lengths` makes the rows' lengths; where it cannot, max_length bounds them.

    Needs no GPU, no weights, and no network for the models of shapes.yaml. Under `accelerate launch` it is that of the
    launch alone, else that of all ways of sharing.
    """
    shape, machine = shape_of(recipe.model), machine_of(wish.gpu) if wish.gpu else here() or machine_of(USUAL)
    rows, why = measure(recipe, lengths)
    flash = wants_flash(recipe)
    sharding = sharding_here()
    gpus = wish.gpus or (processes if processes > 1 else _most(recipe.batch_size))
    found = plans(recipe, shape, rows, gpus, machine, flash)
    if sharding != "none":
        found = [it for it in found if it.sharding == sharding] or [
            plan(recipe, shape, rows, sharding, gpus, machine, flash)
        ]
    lines = list(describe(recipe, shape, rows, found, wish, flash))
    if why:
        lines.insert(2, f"  {why}")
    return "\n".join([*lines, verdict(recipe, shape, rows, found, flash)])


def refuse(recipe: Recipe, wish: Wish, processes: int, lengths: Sequence[int]) -> None:
    """Mistake with the plan's numbers where this launch cannot fit on the GPU that is here. Nothing without a GPU.

    Nor where `wish.insist`, where a part is kept outside of the GPU, or where no plan can be made of such a model.
    """
    sharding, machine = sharding_here(), here()
    if machine is None or wish.insist or offloaded():
        return
    try:
        shape = shape_of(recipe.model)
    except Mistake:
        return
    recipe = recipe if bfloat16(recipe) else replace(recipe, dtype="float32")  # an older GPU
    rows, flash = counted(lengths), wants_flash(recipe)
    found = plan(recipe, shape, rows, sharding, processes, machine, flash)
    if not found.fits:
        words = [*describe(recipe, shape, rows, [found], wish, flash), verdict(recipe, shape, rows, [found], flash)]
        raise Mistake("\n".join(["this training does not fit; --insist true starts it all the same", *words]))


def measure(recipe: Recipe, lengths: Callable[[], list[int]]) -> tuple[Rows, str]:
    """What is known of the rows, and why no more is."""
    bound = Rows(1, recipe.max_length, recipe.max_length, bound=True)
    if not recipe.data:
        return bound, "no data is named"
    if missing := [path for path in recipe.data if not Path(path).is_file()]:
        return bound, f"{missing[0]} is not there yet"
    try:
        return counted(lengths()), ""
    except Mistake as mistake:
        records = sum(1 for _ in read_records(recipe))
        return bound, f"{records:,} trajectories, whose tokens cannot be counted: {mistake}"


def counted(lengths: Sequence[int]) -> Rows:
    """Rows of these lengths."""
    return Rows(len(lengths), sum(lengths), max(lengths))


def wants_flash(recipe: Recipe) -> bool:
    """Whether attention will be FlashAttention: asked for, or `auto` where it is installed and a GPU is here."""
    if recipe.attention != "auto":
        return recipe.attention.startswith("flash")
    return find_spec("flash_attn") is not None and here() is not None


def here() -> Machine | None:
    """The GPU of this process; None without one."""
    if find_spec("torch") is None:
        return None
    import torch

    if not torch.cuda.is_available():
        return None
    about = torch.cuda.get_device_properties(0)
    return Machine(about.name, float(about.total_memory), speed_of(about.name, about.total_memory))


def speed_of(name: str, memory: float) -> float:
    """FLOP/s of a GPU that calls itself `name`, by the table; 0 where it has none such."""
    said = re.sub(r"[^a-z0-9]", "", name.lower())
    known = [key for key in GPUS if key.split("-")[0] in said]
    nearest = min(known, key=lambda key: abs(machine_of(key).memory - memory), default=None)
    return machine_of(nearest).speed if nearest else 0.0


def _most(batch_size: int, wanted: int = 8) -> int:
    """As many of the GPUs of a usual computer as the batch divides between."""
    return max(count for count in range(1, wanted + 1) if batch_size % count == 0)
