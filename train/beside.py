"""What lies beside the weights of a student: how it is to generate, and its canary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from react.models._checkpoint import GENERATION
from react.notation import PARTS, Notation
from train import canary
from train.dataset import Notations, Row
from train.recipe import Recipe


def leave_beside(
    recipe: Recipe, base: str, tokenizer: Any, rows: Sequence[Row], methods: Iterable[str], notations: Notations
) -> dict[str, Any]:
    """Writes both for rows of these `methods`, and returns what the summary says of it."""
    if recipe.form == "tools":
        # A turn ends at a token, and a canary's prompts are texts.
        write_stops(recipe.folder / "checkpoint", [], recipe.act_max_tokens)
        return {"stops": [], "canary": 0}
    stops = stops_of(notations(method) for method in methods if method in PARTS)
    write_stops(recipe.folder / "checkpoint", stops, recipe.act_max_tokens)
    return {"stops": stops, "canary": canary.write(recipe, base, rows, tokenizer)}


def stops_of(notations: Iterable[Notation]) -> list[str]:
    """Where a turn ends, whatever its number: `\\nObservation ` for `\\nObservation 1:`, `\\nObservation 2:`, ..."""
    pairs = [pair for one in notations for pair in zip(one.stops(1), one.stops(2), strict=True)]
    same = [takewhile(lambda letters: letters[0] == letters[1], zip(*pair, strict=False)) for pair in pairs]
    return list(dict.fromkeys("".join(one for one, _ in letters) for letters in same))


def write_stops(folder: Path, stops: list[str], max_tokens: int) -> None:
    """How the student is to generate, in a file of its own.

    In `generation_config.json` a stop string would make `generate` and pipelines raise where no tokenizer is handed to
    them (transformers 5.24); vLLM reads no stop strings from it. Both read the ends there (`set_ends`).
    """
    from transformers import GenerationConfig

    own = GenerationConfig.from_pretrained(folder)
    ends = {key: getattr(own, key) for key in ("eos_token_id", "bos_token_id", "pad_token_id")}
    settings = {**ends, "do_sample": False, "max_new_tokens": max_tokens, "stop_strings": stops or None}
    config = GenerationConfig(**settings)  # type: ignore[no-untyped-call]
    config.save_pretrained(folder, config_file_name=GENERATION)
