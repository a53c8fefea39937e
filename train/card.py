"""The model card: what a student is, and how to prompt it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from train.recipe import Recipe

CARD = """\
---
base_model: {hub_name}
license: {license}
tags: [react, agents, staract]
---

# {name}

{model}, finetuned on trajectories of the teacher {teachers}, after Yao et al. 2022
(arXiv 2210.03629, section 3.2).

| | |
|---|---|
| base model | {model}, licence: {license} |
| data | {data}; fingerprint {data_fingerprint} |
| rows | {rows_seen} of {rows} trained on; left out: {left_out} |
| environment | {environment} |
| finetuning | {finetuning}, {steps} steps of {batch_size} ({epochs} epochs, {tokens_seen:,} tokens), seed {seed} |
| optimizer | AdamW, learning rate {learning_rate:g} ({schedule}, {warmup_steps} warm-up), decay {weight_decay:g} |
| loss | `{loss}`{weights}; the last was {final_loss:.3f} |
| number format | {dtype}, {layout} |

## How to prompt it

Without instruction or exemplars, with plain text and no chat template. The runtime writes the task, the header of each
turn and the observations; the student writes the rest of its turn, up to the header of an observation or EOS. One row
that it was trained on:

```
{example}
```
"""


HUB_NAMES = {"smollm2": "HuggingFaceTB/SmolLM2-135M-Instruct"}


def write_card(recipe: Recipe, base: str, summary: dict[str, Any], example: str) -> None:
    """Writes `README.md` into the run folder and beside the weights."""
    lora = f"LoRA r {recipe.lora_r}, alpha {recipe.lora_alpha}, all linear layers"
    how = {"full": "all weights", "lora": lora, "qlora": f"{lora}, over a base in 4 bits (NF4)"}
    card = CARD.format(
        **{key: getattr(recipe, key) for key in ("name", "model", "environment", "batch_size", "seed", "loss")},
        **{key: getattr(recipe, key) for key in ("learning_rate", "schedule", "warmup_steps", "weight_decay")},
        **{key: summary[key] for key in ("data_fingerprint", "rows", "rows_seen", "steps", "epochs", "tokens_seen")},
        **{key: summary[key] for key in ("final_loss", "dtype", "layout")},
        data=", ".join(recipe.data),
        weights=f" with weights {recipe.weights}" if recipe.weights else "",
        left_out=", ".join(f"{count} {reason}" for reason, count in summary["rows_left_out"].items()) or "none",
        finetuning=how[recipe.finetune],
        license=license_of(recipe.model, Path(base)),
        example=example,
        teachers=", ".join(f"`{name}`" for name in summary["teachers"]),
        hub_name=HUB_NAMES.get(recipe.model, recipe.model),
    )
    path = recipe.folder / "README.md"
    path.write_text(card, encoding="utf-8")
    for name in ("checkpoint", "adapter"):
        if (recipe.folder / name).is_dir():
            shutil.copy(path, recipe.folder / name / "README.md")


def license_of(name: str, base: Path) -> str:
    """What the base model's own card says; `other` where it cannot be read."""
    if name == "smollm2":
        return "apache-2.0"
    card = base / "README.md"
    found = re.search(r"^license:\s*(\S+)", card.read_text(encoding="utf-8"), re.M) if card.is_file() else None
    return found[1] if found else "other"
