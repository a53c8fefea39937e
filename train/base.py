"""The model that a student starts from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from react.mistakes import Mistake
from react.models._checkpoint import EMBEDDED, HUB_NAME, find
from train.recipe import Recipe


def open_base(name: str, template: str = "") -> tuple[str, Any]:
    """Where the base model's checkpoint is, and its tokenizer. Mistake if there is none.

    `template` is a file with the chat template that the student is to have instead of its base's.
    """
    found = find(name)
    if found.adapter:
        raise Mistake(f"model {name!r} is an adapter; a student starts from whole weights: give a merged checkpoint")
    return str(found.folder), _dressed(_tokenizer(name, found.folder, str(found.folder)), template)


def fingerprint_of(name: str) -> str:
    """Changes with any weight of the model. Mistake if there is none."""
    return find(name).fingerprint()


def open_tokenizer(name: str, template: str = "") -> Any:
    """The base model's tokenizer alone, without the weights of one on the hub. Mistake if there is none."""
    if name == EMBEDDED or not HUB_NAME.fullmatch(name) or Path(name).exists():
        return open_base(name, template)[1]
    return _dressed(_tokenizer(name, name, "the hub"), template)


def _dressed(tokenizer: Any, template: str) -> Any:
    """The tokenizer with the chat template of that file, which is saved with the student."""
    if template:
        tokenizer.chat_template = Path(template).read_text(encoding="utf-8")
    return tokenizer


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


def attention(recipe: Recipe) -> str:
    """How attention is computed, in transformers' words. Mistake where it cannot be.

    Packed rows do not see one another in any of these: FlashAttention is given where each begins, and the others a mask
    that transformers makes of the positions. FlashAttention computes in 16 bits, on a GPU.
    """
    from transformers.utils.import_utils import is_flash_attn_2_available, is_flash_attn_3_available

    able = gpu() and bfloat16(recipe)
    there = {"flash_attention_2": is_flash_attn_2_available, "flash_attention_3": is_flash_attn_3_available}
    if recipe.attention == "auto":
        return "flash_attention_2" if able and is_flash_attn_2_available() else "sdpa"
    if recipe.attention in there and not (able and there[recipe.attention]()):
        lacking = "its package is not installed" if able else "it needs a GPU and bfloat16"
        raise Mistake(f"attention is {recipe.attention!r}, and {lacking}; there are: auto, sdpa, eager")
    return recipe.attention


def load_model(base: str, recipe: Recipe) -> Any:
    """The student before training. Weights that are trained are kept in float32: bfloat16 would lose small updates.

    With `qlora` the layers' linear maps are in 4 bits: NF4, its constants quantised too (Dettmers et al. 2023).
    """
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    frozen = recipe.finetune != "full" and bfloat16(recipe) and gpu()
    more = quantised(recipe) if recipe.finetune == "qlora" else {}
    dtype = torch.bfloat16 if frozen else torch.float32
    return AutoModelForCausalLM.from_pretrained(base, dtype=dtype, attn_implementation=attention(recipe), **more)


def quantised(recipe: Recipe) -> dict[str, Any]:
    """How `from_pretrained` puts weights in 4 bits, on the device of this process. Mistake without bitsandbytes."""
    import torch
    from transformers import BitsAndBytesConfig
    from transformers.utils.import_utils import is_bitsandbytes_available

    if not is_bitsandbytes_available():
        raise Mistake("finetune is 'qlora', and bitsandbytes is not installed: pip install -e '.[qlora]'")
    config = BitsAndBytesConfig(  # type: ignore[no-untyped-call]
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16 if bfloat16(recipe) else torch.float32,
    )
    return {"quantization_config": config, "device_map": {"": torch.cuda.current_device() if gpu() else "cpu"}}
