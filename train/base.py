"""The model that a student starts from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from react.mistakes import Mistake
from react.models._checkpoint import EMBEDDED, HUB_NAME, find
from train.recipe import Recipe


def open_base(name: str) -> tuple[str, Any]:
    """Where the base model's checkpoint is, and its tokenizer. Mistake if there is none."""
    from transformers import AutoTokenizer

    found = find(name)
    if found.adapter:
        raise Mistake(f"model {name!r} is an adapter; a student starts from whole weights: give a merged checkpoint")
    try:
        return str(found.folder), AutoTokenizer.from_pretrained(found.folder)
    except (OSError, ValueError) as error:
        raise _no_tokenizer(name, str(found.folder), error) from None


def open_tokenizer(name: str) -> Any:
    """The base model's tokenizer alone, without the weights of one on the hub. Mistake if there is none."""
    from transformers import AutoTokenizer

    if Path(name).expanduser().exists() or not (name != EMBEDDED and HUB_NAME.fullmatch(name)):
        return open_base(name)[1]
    try:
        return AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise _no_tokenizer(name, "the hub", error) from None


def _no_tokenizer(name: str, place: str, error: Exception) -> Mistake:
    reason = str(error).strip().split("\n")[0]
    return Mistake(f"model {name!r}: {place} has no tokenizer that can be read: {reason}")


def gpu() -> bool:
    """Whether there is a GPU to train on."""
    import torch

    return torch.cuda.is_available()


def bfloat16(recipe: Recipe) -> bool:
    """Whether to multiply in bfloat16. A CPU without instructions for it takes several times as long as in float32."""
    import torch

    if recipe.dtype != "auto":
        return recipe.dtype == "bfloat16"
    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    probes = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, probe, lambda: False)() for probe in probes)


def keep_memory() -> None:
    """Lets glibc keep freed memory. Mapping large blocks anew is up to a tenth of a step on a CPU."""
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        for option in (-1, -3):  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
            mallopt(option, 2**31 - 1)


def load_model(base: str, recipe: Recipe) -> Any:
    """The student before training. Weights that are trained are kept in float32: bfloat16 would lose small updates."""
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    frozen = recipe.finetune == "lora" and bfloat16(recipe) and gpu()
    return AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16 if frozen else torch.float32)
