"""The tables of the shop: kinds of products, and features with the sentences that say them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import yaml

_HERE = Path(__file__).parent
Asked = Literal["is", "with", "for"]


@dataclass(frozen=True)
class Feature:
    """An attribute, how one asks for it (that *is* dimmable, *with* a usb port, *for* small spaces), and bullets."""

    name: str
    asked: Asked
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """Things that are searched for by one `query`, and told apart by features, extras, uses and options."""

    category: str
    query: str
    path: str
    nouns: tuple[str, ...]
    said: str
    price: tuple[float, float]
    features: tuple[str, ...]
    extras: tuple[str, ...]
    uses: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]


@cache
def features() -> dict[str, Feature]:
    """All features by name."""
    table = yaml.safe_load((_HERE / "features.yaml").read_text(encoding="utf-8"))
    return {
        name: Feature(name, asked, tuple(said.split(" | ")))
        for asked, named in table.items()
        for name, said in named.items()
    }


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds, by category."""
    table = yaml.safe_load((_HERE / "kinds.yaml").read_text(encoding="utf-8"))
    pools = table.pop("pools")
    return tuple(_kind(category, query, said, pools) for category, of in table.items() for query, said in of.items())


def _kind(category: str, query: str, said: Mapping[str, object], pools: Mapping[str, str]) -> Kind:
    given = dict(said)
    options = given.pop("options")
    price = given.pop("price")
    assert isinstance(options, dict) and isinstance(price, list)
    path, called = str(given.pop("path")), str(given.pop("said"))
    parts = {key: _listed(str(value)) for key, value in given.items()}
    values = {name: _listed(pools[text[1:-1]] if text.startswith("<") else text) for name, text in options.items()}
    return Kind(category, query, path, said=called, price=(price[0], price[1]), options=values, **parts)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split(", "))
