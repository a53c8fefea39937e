"""A plan (`train.plan`) in words: what the training takes, in lines, and whether it fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from train.memory import GIB, Memory, trained
from train.plan import Plan, Rows, Wish, flops, remedies, seen
from train.recipe import Recipe
from train.shapes import Shape

PARTS = tuple(part.name for part in fields(Memory))


def describe(recipe: Recipe, shape: Shape, rows: Rows, found: Sequence[Plan], wish: Wish, flash: bool) -> Iterator[str]:
    """The plan in lines."""
    tokens, mean = seen(recipe, rows)
    machine, widest = found[0].machine, max(found, key=lambda it: it.shared.processes)
    count, share = trained(shape, recipe), trained(shape, recipe) / shape.parameters
    counts = f"{_short(shape.parameters)} parameters, {_short(count)} trained"
    yield f"{recipe.model}: {counts} ({recipe.finetune}, {share:.2%})"
    yield f"  shape: {shape.source}"
    kind = "sequences" if recipe.packing else "rows"
    if rows.bound:
        yield f"data: no rows to measure; counted with max_length, {recipe.max_length:,} tokens each, which is a bound"
        epochs = ""
    else:
        yield f"data: {rows.count:,} rows, {rows.tokens:,} tokens, the longest {rows.longest:,}"
        epochs = f", {tokens / rows.tokens:.1f} epochs"
    bound = "at most " if rows.bound or recipe.packing else ""
    yield (
        f"training: {recipe.steps:,} steps of {recipe.batch_size} {kind}, {bound}{_short(tokens)} tokens{epochs}; "
        f"attention {'flash' if flash else 'sdpa'}, gradient checkpointing {_on(recipe.gradient_checkpointing)}"
    )
    yield f"one step: {widest.shared}"
    yield f"GPU: {machine.name}, {machine.memory / GIB:.1f} GiB, of which {machine.room / GIB:.1f} can be had"
    yield ""
    yield f"{'GiB on each GPU':<16}" + "".join(f"{part:>12}" for part in (*PARTS, "total"))
    for it in found:
        name = f"{it.sharding}, {it.shared.processes} GPU" + "s" * (it.shared.processes > 1)
        sizes = [*(getattr(it.memory, part) for part in PARTS), it.memory.total]
        cells = "".join(f"{size / GIB:>12.1f}" for size in sizes)
        yield f"{name:<16}{cells}  {'fits' if it.fits else 'does not fit'}"
    yield ""
    yield _time(recipe, shape, tokens, mean, found, wish)


def _time(recipe: Recipe, shape: Shape, tokens: float, mean: float, found: Sequence[Plan], wish: Wish) -> str:
    work = tokens * flops(recipe, shape, mean)
    said = f"work: {work:.2g} FLOPs"
    if not found[0].machine.speed:
        return f"{said}; how fast this GPU is, is not known"
    many = sorted({it.shared.processes for it in found})
    each = [f"{_hours(work / (it * found[0].machine.speed * wish.mfu))} on {it} GPU{'s' * (it > 1)}" for it in many]
    peak = f"{found[0].machine.speed / 1e12:.0f} TFLOP/s"
    return f"{said}; at {wish.mfu:.0%} of the peak ({peak}) about {', '.join(each)}"


def verdict(recipe: Recipe, shape: Shape, rows: Rows, found: Sequence[Plan], flash: bool) -> str:
    """Whether it fits, and what would."""
    fitting = [it for it in found if it.fits]
    if fitting:
        return f"fits: {', '.join(f'{it.sharding} on {it.shared.processes}' for it in fitting)}"
    machine, gpus = found[0].machine, max(it.shared.processes for it in found)
    others = remedies(recipe, shape, rows, gpus, machine, flash)
    return "\n".join(["does not fit; it would with", *(f"  {it}" for it in others or ["a smaller model"])])


def _short(number: float) -> str:
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if number >= size:
            return f"{number / size:.3g} {letter}"
    return f"{number:,.0f}"


def _hours(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} seconds"


def _on(flag: bool) -> str:
    return "on" if flag else "off"
