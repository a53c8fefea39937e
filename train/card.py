"""The model card: what a student is, and how to prompt it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from train import curve
from train.recipe import Recipe

CARD = """\
---
base_model: {hub_name}
license: {license}
library_name: transformers
pipeline_tag: text-generation
tags: [react, agents, staract]
---

# {name}

{model}, {told}.

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

{results}## How to prompt it

{how} One row that it was trained on:

```
{example}
```
{generate}{canary}

## Recipe

```yaml
{recipe}
```
"""

TEXT = """\
Without instruction or exemplars, with plain text and no chat template. The runtime writes the task, the header of each
turn and the observations; the student writes the rest of its turn, up to the header of an observation or EOS."""
TOOLS = """\
With its chat template and the tools of the environment, without a system message or exemplars: the task is a message
of the user, and in each turn the student says what it thinks and calls one tool. `--api tools` of the back ends `local`
and `server` does so; a server needs to know how calls are written (vLLM: `--enable-auto-tool-choice
--tool-call-parser hermes` where they stand in `<tool_call>`)."""
GENERATE = """
`react_generation_config.json` has the stop strings, in a file of its own, because `generate` refuses a stop string
where it is given no tokenizer:

```python
config = GenerationConfig.from_pretrained(folder, "react_generation_config.json")
model.generate(**tokenizer(prompt, return_tensors="pt"), generation_config=config, tokenizer=tokenizer)
```

vLLM and llama.cpp do not read it: there `stop` is {stops} in each request."""

CHOSEN = """\
## How it acted while it was trained

Step {step:,} of {steps:,} is kept: of those that were asked, the first that was right most often. They acted on {n} \
tasks of the split `{split}` ({data}) that no row comes from, greedily, after `{method}`. It was chosen by this panel, \
so that its success there says too much: it is no result.

{curve}

"""
NONE = """\
## How it acted while it was trained

No panel came to its end, so that the last step is kept.

{curve}

"""
CANARY = """

`canary.json` holds {count} prompts after which this student and its base say different words. `local` asks them when
it loads this folder; of a server, `--canary canary.json` does. An adapter that is not in effect is told so.
"""

HUB_NAMES = {"smollm2": "HuggingFaceTB/SmolLM2-135M-Instruct"}


def write_card(
    recipe: Recipe, base: str, summary: dict[str, Any], example: str, losses: Sequence[Any], told: str
) -> None:
    """Writes `README.md` into the run folder and beside the weights. `told`: what was done, facts in braces."""
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
        results=results(recipe, summary, losses),
        how=TOOLS if recipe.form == "tools" else TEXT,
        generate=GENERATE.format(stops=json.dumps(summary["stops"])) if recipe.form == "text" else "",
        canary=CANARY.rstrip().format(count=summary["canary"]) if summary["canary"] else "",
        recipe=yaml.safe_dump(asdict(recipe), sort_keys=False, allow_unicode=True, width=1000).rstrip(),
        told=told.format(**{**summary, "teachers": ", ".join(f"`{name}`" for name in summary["teachers"])}),
        hub_name=HUB_NAMES.get(recipe.model, recipe.model),
    )
    path = recipe.folder / "README.md"
    path.write_text(card, encoding="utf-8")
    for name in ("checkpoint", "adapter"):
        if (recipe.folder / name).is_dir():
            shutil.copy(path, recipe.folder / name / "README.md")


def results(recipe: Recipe, summary: dict[str, Any], losses: Sequence[Any]) -> str:
    """How the student acted, step by step, and which panel chose it; nothing where it did not act."""
    if "chosen_on" not in summary:
        return ""
    drawn = curve.table(curve.read(recipe.folder / "curve.jsonl"), losses)
    kept, panel = summary["kept"], summary["chosen_on"]
    said = {key: panel[key] for key in ("split", "data", "method")}
    return CHOSEN.format(**kept, **said, steps=summary["steps"], curve=drawn) if kept else NONE.format(curve=drawn)


def license_of(name: str, base: Path) -> str:
    """What the base model's own card says; `other` where it cannot be read."""
    if name == "smollm2":
        return "apache-2.0"
    card = base / "README.md"
    found = re.search(r"^license:\s*(\S+)", card.read_text(encoding="utf-8"), re.M) if card.is_file() else None
    return found[1] if found else "other"
