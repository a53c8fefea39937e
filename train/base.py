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
    found = find(name)
    if found.adapter:
        raise Mistake(f"model {name!r} is an adapter; a student starts from whole weights: give a merged checkpoint")
    return str(found.folder), _tokenizer(name, found.folder, str(found.folder))


def open_tokenizer(name: str) -> Any:
    """The base model's tokenizer alone, without the weights of one on the hub. Mistake if there is none."""
    if name == EMBEDDED or not HUB_NAME.fullmatch(name) or Path(name).exists():
        return open_base(name)[1]
    return _tokenizer(name, name, "the hub")


def _tokenizer(name: str, place: str | Path, called: str) -> Any:
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(place)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise Mistake(f"model {name!r}: {called} has no tokenizer that can be read: {reason}") from None


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
