"""Reads a checkpoint into memory: safetensors only, no code from elsewhere, an adapter merged."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def dtype_of(name: str, device: torch.device) -> torch.dtype:
    """`auto` is float32 on a CPU, where bfloat16 is several times slower, and bfloat16 elsewhere."""
    if name == "auto":
        return torch.float32 if device.type == "cpu" else torch.bfloat16
    if name not in DTYPES:
        raise ValueError(f"unknown dtype {name!r}; there are: auto, {', '.join(DTYPES)}")
    return DTYPES[name]


def read(
    folder: str, tokenizer: str, adapter: str, dtype: torch.dtype
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Model and tokenizer, ready to run."""
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
        folder, dtype=dtype, attn_implementation="eager", use_safetensors=True, local_files_only=True
    )
    if adapter:
        model = _merged(model, adapter)
    words: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(tokenizer, local_files_only=True)
    return model, words


def _merged(model: PreTrainedModel, adapter: str) -> PreTrainedModel:
    from peft import PeftModel

    if not (Path(adapter) / "adapter_model.safetensors").is_file():
        raise ValueError(f"adapter {adapter!r} has no adapter_model.safetensors")
    merged: PreTrainedModel = PeftModel.from_pretrained(model, adapter).merge_and_unload()
    return merged
