"""The shape of a model: how many parameters it has, and where they lie. Loads no weights, and no torch."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from react.mistakes import Mistake

# Decoders whose layers are attention and a gated perceptron, which is what the formulas are of.
FAMILIES = ("llama", "mistral", "qwen2", "qwen3", "smollm3", "gemma3_text")
TABLE = Path(__file__).with_name("shapes.yaml")


@dataclass(frozen=True)
class Shape:
    """A dense decoder. Sizes are those of its config.json; `source` says where they were read."""

    family: str
    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    tied: bool
    biased: bool = False
    source: str = ""

    @property
    def queries(self) -> int:
        """The width of all heads' queries."""
        return self.heads * self.head_dim

    @property
    def keys(self) -> int:
        """The width of all heads' keys, or values."""
        return self.kv_heads * self.head_dim

    @property
    def norms(self) -> int:
        """RMSNorms of width `hidden` in a layer."""
        return 4 if self.family == "gemma3_text" else 2

    @property
    def normed_heads(self) -> bool:
        """Whether queries and keys are normed by head."""
        return self.family in ("qwen3", "gemma3_text")

    @property
    def sides(self) -> tuple[tuple[int, int], ...]:
        """In and out of a layer's linear maps: query, key, value, output; gate, up, down."""
        h, f, q, k = self.hidden, self.intermediate, self.queries, self.keys
        return (h, q), (h, k), (h, k), (q, h), (h, f), (h, f), (f, h)

    @property
    def linear(self) -> int:
        """Parameters of the layers' linear maps: what QLoRA keeps in 4 bits."""
        return self.layers * sum(into * out for into, out in self.sides)

    @property
    def embeddings(self) -> int:
        """Parameters of the embedding, and of the output's own where they are not tied."""
        return self.vocabulary * self.hidden * (1 if self.tied else 2)

    @property
    def parameters(self) -> int:
        """All parameters."""
        biases = self.queries + 2 * self.keys if self.family == "qwen2" or self.biased else 0
        biases += self.hidden if self.biased else 0
        norms = self.norms * self.hidden + (2 * self.head_dim if self.normed_heads else 0)
        return self.linear + self.embeddings + self.layers * (biases + norms) + self.hidden

    @property
    def multiplied(self) -> int:
        """Parameters that a token is multiplied with: the linear maps and the output, and no look-up."""
        return self.linear + self.vocabulary * self.hidden

    @property
    def layer(self) -> int:
        """Parameters of one layer, about."""
        return self.linear // self.layers

    def adapter(self, rank: int) -> int:
        """Parameters of a LoRA on all linear maps of the layers: rank x (in + out) each (Hu et al. 2021, 4.1)."""
        return self.layers * rank * sum(into + out for into, out in self.sides)


def read_shape(config: dict[str, Any], source: str) -> Shape:
    """The shape that a config.json has. Mistake where the formulas are not of such a model."""
    family = config.get("model_type")
    if family not in FAMILIES:
        raise Mistake(
            f"{source}: a model of the type {family!r} cannot be planned for; there are: {', '.join(FAMILIES)}"
        )
    try:
        heads, hidden = config["num_attention_heads"], config["hidden_size"]
        return Shape(
            family=family,
            hidden=hidden,
            intermediate=config["intermediate_size"],
            layers=config["num_hidden_layers"],
            heads=heads,
            kv_heads=config.get("num_key_value_heads") or heads,
            head_dim=config.get("head_dim") or hidden // heads,
            vocabulary=config["vocab_size"],
            # Gemma's configs leave out what is so by default.
            tied=config.get("tie_word_embeddings", family == "gemma3_text"),
            biased=bool(config.get("attention_bias")),
            source=source,
        )
    except (KeyError, TypeError) as error:
        raise Mistake(f"{source}: no shape of a model can be read: {error}") from None


def shape_of(model: str) -> Shape:
    """The shape of a model: from its folder, the hub's cache, our table, or the hub; in this order.

    Mistake where none has it, or it is no model that the formulas are of.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return _from_file(folder / "config.json")
    if (cached := _cached(model)) is not None:
        return _from_file(cached)
    table = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    if model in table:
        return read_shape(table[model], f"train/{TABLE.name}")
    return _from_file(_downloaded(model, table))


def _from_file(path: Path) -> Shape:
    try:
        return read_shape(json.loads(path.read_text(encoding="utf-8")), str(path))
    except (OSError, ValueError) as error:
        if isinstance(error, Mistake):
            raise
        raise Mistake(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _cached(model: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    with suppress(ValueError):  # no name for the hub
        found = try_to_load_from_cache(model, "config.json")
        return Path(found) if isinstance(found, str) else None
    return None


def _downloaded(model: str, table: dict[str, Any]) -> Path:
    from huggingface_hub import hf_hub_download

    from react.environments._hub import connection_errors

    refused: tuple[type[Exception], ...] = (OSError, ValueError, *connection_errors())

    try:
        return Path(hf_hub_download(model, "config.json", etag_timeout=10))
    except refused as error:
        reason = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"
        raise Mistake(
            f"model {model!r}: no folder, and its config.json is not to be had from the hub ({reason}); "
            f"known without it are: {', '.join(sorted(table))}"
        ) from None
