"""The trained student as folders that transformers and vLLM load."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from train.recipe import Recipe


def export(trainer: Any, tokenizer: Any, base: str, recipe: Recipe, folder: Path | None = None) -> None:
    """`checkpoint/`, and with LoRA `adapter/` too, into the run's folder or another one.

    All processes take part; a kill leaves no half folder. The training may go on afterwards.
    """
    folder = folder or recipe.folder
    kept = folder / ("checkpoint" if recipe.finetune == "full" else "adapter")
    partial = kept.with_suffix(".partial")
    set_ends(trainer.accelerator.unwrap_model(trainer.model), tokenizer)
    trainer.save_model(str(partial))
    trainer.accelerator.wait_for_everyone()
    if not trainer.accelerator.is_main_process:
        return
    (partial / "training_args.bin").unlink(missing_ok=True)  # holds the paths of the machine
    with whole_weights(trainer.args):
        if recipe.finetune != "full":
            name_base(partial, recipe.model)
            merge(base, partial, tokenizer, folder / "checkpoint")
        else:
            keep_dtype(base, partial)
    publish(partial, kept)


@contextmanager
def whole_weights(args: Any) -> Iterator[None]:
    """ZeRO-3 would read models shared out over all processes, and wait for the others, which do not read any."""
    from transformers.integrations.deepspeed import set_hf_deepspeed_config, unset_hf_deepspeed_config

    unset_hf_deepspeed_config()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if shared := getattr(args, "hf_deepspeed_config", None):
            set_hf_deepspeed_config(shared)  # type: ignore[no-untyped-call]


def set_ends(model: Any, tokenizer: Any) -> None:
    """Makes generation end at the EOS that the student was trained with, beside those of its base."""
    ends = model.generation_config.eos_token_id
    ends = [ends] if isinstance(ends, int) else list(ends or [])
    ends = [tokenizer.eos_token_id, *(end for end in ends if end != tokenizer.eos_token_id)]
    model.generation_config.eos_token_id = ends if len(ends) > 1 else ends[0]


def name_base(folder: Path, name: str) -> None:
    """Names the base as the recipe does, so that the adapter can be moved to a machine that has it elsewhere."""
    path = folder / "adapter_config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["base_model_name_or_path"] = name
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def own_dtype(base: str) -> Any:
    """The number format of the base's own weights."""
    import torch
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(base).dtype or torch.float32


def merge(base: str, adapter: Path, tokenizer: Any, folder: Path) -> None:
    """The base with the adapter's weights added in."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base, dtype=own_dtype(base)), str(adapter))
    merged = model.merge_and_unload()
    set_ends(merged, tokenizer)
    partial = folder.with_suffix(".partial")
    merged.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    publish(partial, folder)


def keep_dtype(base: str, folder: Path) -> None:
    """Saves a model that was trained in float32 in its base's number format, and tied weights once.

    ZeRO-2 and FSDP2 save the output beside the embedding that it is tied to.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    twice = AutoConfig.from_pretrained(folder).tie_word_embeddings and "lm_head.weight" in saved(folder)
    if own_dtype(base) != torch.float32 or twice:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=own_dtype(base))
        for old in folder.glob("model*.safetensors*"):
            old.unlink()
        model.save_pretrained(folder)


def saved(folder: Path) -> set[str]:
    """The names of the weights in a checkpoint."""
    from safetensors import safe_open

    names: set[str] = set()
    for file in folder.glob("model*.safetensors"):
        with safe_open(file, framework="pt") as weights:
            names.update(weights.keys())
    return names


def publish(partial: Path, folder: Path) -> None:
    """Puts a whole folder where an older one may stand."""
    if folder.exists():
        shutil.rmtree(folder)
    partial.replace(folder)
