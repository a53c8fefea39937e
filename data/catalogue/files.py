"""The shop as files in the official formats, each gzipped, the same bytes for the same seed."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path

from data.catalogue.goals import SPLITS, Sent, goals, synthetic
from data.catalogue.products import Made, capital, products


def write(folder: Path, seed: int) -> None:
    """Products, attributes and instructions under the official names, and how many goals each split has, in the order
    in which goals are numbered (`splits.json`)."""
    made = products(seed)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "items_shuffle.json.gz", [_item(product) for product in made])
    _write(folder / "items_ins_v2.json.gz", {product.asin: _attributes(product, seed) for product in made})
    _write(folder / "items_human_ins.json.gz", {sent.product.asin: [_human(sent)] for sent in goals(made, seed)})
    (folder / "splits.json").write_text(json.dumps(SPLITS) + "\n", encoding="utf-8", newline="\n")


def _write(path: Path, content: Sequence[object] | dict[str, object]) -> None:
    """One entry a line."""
    if isinstance(content, dict):
        lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in content.items()]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
    else:
        text = "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in content) + "\n]\n"
    with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(text.encode())


def _item(product: Made) -> dict[str, object]:
    options = {
        capital(name): [{"value": capital(value)} for value in values] for name, values in product.options.items()
    }
    return {
        "asin": product.asin,
        "name": product.title,
        "pricing": product.pricing,
        "full_description": product.description,
        "small_description": list(product.bullets),
        "customization_options": options,
        "images": [f"{product.asin}.jpg"],
        "category": product.kind.category,
        "query": product.kind.query,
        "product_category": product.kind.path,
    }


def _attributes(product: Made, seed: int) -> dict[str, object]:
    """Two products in five have an instruction that is put together, as those of the official data."""
    chance = random.Random(f"{seed}/{product.asin}/synthetic")
    if chance.random() >= 0.4:
        return {"attributes": list(product.features)}
    instruction, named = synthetic(product, chance)
    return {"attributes": list(product.features), "instruction": instruction, "instruction_attributes": named}


def _human(sent: Sent) -> dict[str, object]:
    """An entry of the human instructions. Option values are those that the shop shows."""
    options = sent.wish.options
    return {
        "asin": sent.product.asin,
        "instruction": sent.instruction,
        "attributes": list(sent.product.features),
        "options": [f"{name}: {_shown(value)}" for name, value in options.items()],
        "instruction_attributes": list(sent.wish.features),
        "instruction_options": [_shown(value) for value in options.values()],
        "assignment_id": "",
        "worker_id": "",
    }


def _shown(value: str) -> str:
    """A value after the loading rules: `/` is ` | `."""
    return value.strip().replace("/", " | ").lower()
