"""How much memory of a GPU a finetuning takes, part by part.

Weights, gradients and optimizer states are counted as in ZeRO (Rajbhandari et al. 2020, arXiv 1910.02054, section 3.1):
16 bytes for each trained parameter, of which the ways of sharing spread a part over the GPUs. Activations are counted
as in Korthikanti et al. 2022 (arXiv 2205.05198, section 4), tensor by tensor, for layers with RMSNorm, grouped queries
and a gated perceptron as transformers computes them; tests compare the count with what autograd really keeps.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from train.recipe import Recipe
from train.shapes import Shape

SHARDINGS = ("none", "ddp", "zero2", "zero3", "fsdp2")
GIB = 2**30
_BUCKET = 5 * 10**8  # DeepSpeed's reduce_bucket_size, in elements
_LIVE = 10**9  # DeepSpeed's stage3_max_live_parameters
_TILE = 4096 * 32768  # TRL's projection on the vocabulary: tokens x entries at once
_NF4 = 4.127 / 8  # bytes: QLoRA, Dettmers et al. 2023 (arXiv 2305.14314, section 3), constants quantised too


@dataclass(frozen=True)
class Load:
    """What one GPU computes at once: `tokens` in rows of up to `length`; `masked`: in a form that needs a mask.

    `bf16` is whether it multiplies in bfloat16; `flash` whether attention is FlashAttention, which needs no mask.
    """

    sharding: str
    gpus: int
    tokens: int
    length: int
    bf16: bool = True
    flash: bool = False
    masked: bool = True


@dataclass(frozen=True)
class Memory:
    """Bytes on one GPU. `buffers` are what a way of sharing holds beside its shares."""

    weights: float
    gradients: float
    optimizer: float
    buffers: float
    activations: float
    logits: float

    @property
    def total(self) -> float:
        return sum(float(getattr(self, part.name)) for part in fields(self))


def memory(shape: Shape, recipe: Recipe, load: Load) -> Memory:
    """The parts at the fullest moment of a step."""
    return Memory(*states(shape, recipe, load), activations(shape, recipe, load), logits(shape, recipe, load))


def trained(shape: Shape, recipe: Recipe) -> int:
    """Parameters that are trained."""
    return shape.parameters if recipe.finetune == "full" else shape.adapter(recipe.lora_r)


def frozen_bytes(shape: Shape, recipe: Recipe, bf16: bool) -> float:
    """Of weights that are not trained: in bfloat16, or in 4 bits but for embeddings and norms."""
    if recipe.finetune == "full":
        return 0.0
    width = 2 if bf16 else 4
    if recipe.finetune == "lora":
        return width * shape.parameters
    return _NF4 * shape.linear + width * (shape.parameters - shape.linear)


def states(shape: Shape, recipe: Recipe, load: Load) -> tuple[float, float, float, float]:
    """Bytes of weights, gradients, optimizer states and buffers.

    Of each trained parameter: on one GPU or with DDP, 4 + 4 + 8 bytes (float32 weight, gradient, AdamW's two moments),
    DDP's buckets another 4, and under autocast a copy in bfloat16. ZeRO keeps 2 + 2 + 12 (weight and gradient in
    bfloat16; float32 weight and moments) and spreads the last two parts (ZeRO-2) or all (ZeRO-3) over the GPUs; FSDP2
    spreads 4 + 4 + 8. Gathered weights and buckets are counted at the libraries' defaults.
    """
    count, n = trained(shape, recipe), load.gpus
    frozen = frozen_bytes(shape, recipe, load.bf16)
    width = 2 if load.bf16 else 4
    if load.sharding == "zero2":
        return frozen + width * count, width * count / n, 12 * count / n, 2 * width * min(count, _BUCKET)
    if load.sharding == "zero3":
        gathered = max(min(shape.parameters, _LIVE), shape.vocabulary * shape.hidden, shape.layer)
        buckets = width * (gathered + min(count, _BUCKET))
        return (frozen + width * count) / n, width * count / n, 12 * count / n, buckets
    if load.sharding == "fsdp2":
        gathered = shape.embeddings + 2 * shape.layer
        return (frozen + 4 * count) / n, 4 * count / n, 8 * count / n, width * (gathered + min(count, shape.layer))
    cast = 2 * (count if recipe.finetune != "full" else shape.multiplied) if load.bf16 else 0
    buffers = float(cast + (4 * count if load.sharding == "ddp" else 0))
    if recipe.finetune == "qlora":
        buffers += width * max(into * out for into, out in shape.sides)  # one map at a time is unpacked
    return frozen + 4 * count, 4.0 * count, 8.0 * count, buffers


def activations(shape: Shape, recipe: Recipe, load: Load) -> float:
    """Bytes that are kept for the backward pass, and one layer's worth for what that computes with.

    With gradient checkpointing, each layer's input and, while one layer is computed again, all of that one (Korthikanti
    et al. 2022, section 4.4; Chen et al. 2016).
    """
    layer = layer_bytes(shape, recipe, load)
    residual = shape.hidden * (4 if autocast(load) or not load.bf16 else 2)
    if recipe.gradient_checkpointing:
        return float(load.tokens * (shape.layers * residual + 2 * layer))
    return float(load.tokens * (shape.layers + 1) * layer)


def autocast(load: Load) -> bool:
    """Whether float32 weights are cast for each multiplication. ZeRO and FSDP2 give layers bfloat16 weights."""
    return load.bf16 and load.sharding in ("none", "ddp")


def layer_bytes(shape: Shape, recipe: Recipe, load: Load) -> float:
    """Bytes that one layer keeps of one token."""
    h, f, q, k = shape.hidden, shape.intermediate, shape.queries, shape.keys
    adapted, gemma = recipe.finetune != "full", shape.family == "gemma3_text"
    width, cast = (2 if load.bf16 else 4), autocast(load)
    # An RMSNorm keeps its input and the inverse root in float32 and, if its weight is trained, what that multiplies.
    product = 0 if adapted else 4 * h if cast or gemma or not load.bf16 else 2 * h
    kept = shape.norms * (4 * h + 4 + product)
    if shape.normed_heads:
        kept += (q + k) * (4 + (0 if adapted else 4 if gemma or not load.bf16 else 2)) + 4 * (
            shape.heads + shape.kv_heads
        )
    # Inputs of query, key, value and of gate, up: autocast copies them for each of the five; else three and two share.
    kept += (5 if cast else 2) * width * h
    # Queries, keys and values as attention takes them, its output, the logarithms of its sums.
    keys = k if load.flash else q
    kept += width * (2 * q + 2 * keys) + 4 * shape.heads
    if adapted:
        kept += width * (q if cast else 0) + 7 * recipe.lora_r * width
    # Gate, its activation, up, and their product.
    kept += 4 * width * f
    if load.masked and not load.flash:
        kept += width * load.length
    return kept


def logits(shape: Shape, recipe: Recipe, load: Load) -> float:
    """Bytes around the output: TRL projects tile by tile and keeps no logits, but sums gradients in float32."""
    vocabulary = 4 * shape.vocabulary * shape.hidden if recipe.finetune == "full" else 0
    return float(vocabulary + 2 * 4 * shape.hidden * load.tokens + 2 * min(_TILE, load.tokens * shape.vocabulary))
