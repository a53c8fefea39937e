"""Catalogues for tests: products in memory, searched as records of the original say, and files to build others of.

`webshop_tiny.json.gz` is 28 products of our own with every corner case, and what princeton-nlp/WebShop@64fa2a5 did with
them: for each step of a trace `text`, `text_rich`, `url`, what can be clicked, reward, and the nouns of its titles.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from react.environments.shop import Goal, Product
from react.environments.shop.build import asked, build
from react.environments.shop.goals import human, numbered, synthetic, weight
from react.environments.shop.products import products
from react.environments.shop.store import Store

REAL = Path(__file__).parents[2] / "shared" / "data" / "webshop"
real_data = pytest.mark.skipif(not REAL.exists(), reason="the real data are not there")
TINY = ("items_shuffle", "items_ins_v2", "items_human_ins")
PRODUCTS = 230


class Shelf:
    """A `Catalogue` in memory. What a search finds is in `found`, or are the products that share most words with it."""

    fingerprint = "shelf"

    def __init__(self, data: Mapping[str, Any], kind: str = "human") -> None:
        draw, self.skipped = Random(0), Counter[str]()
        known = data["items_ins_v2"]
        sold = list(products(data["items_shuffle"], known, draw, self.skipped))
        asked_for = data["items_human_ins"]
        made = (
            human(sold, asked_for, draw, self.skipped) if kind == "human" else weighed(sold, known, draw, self.skipped)
        )
        self.goals: Sequence[Goal] = [made[place] for place in numbered(len(made))]
        self.products = {product.asin: product for product in sold}
        self.facts = {"kind": kind, "products": str(len(self.products))}
        self.nouns = {product.title: data["nouns"][product.asin] for product in sold}
        self.found: dict[tuple[str, ...], list[str]] = {}

    def product(self, asin: str) -> Product | None:
        return self.products.get(asin)

    def search(self, keywords: Sequence[str]) -> list[str]:
        if tuple(keywords) in self.found:
            return self.found[tuple(keywords)]
        words = set(" ".join(keywords).lower().split())
        shared = {asin: len(words & set(product.title.lower().split())) for asin, product in self.products.items()}
        return sorted(filter(shared.__getitem__, shared), key=lambda asin: (-shared[asin], asin))[:50]


def weighed(sold: Sequence[Product], known: Mapping[str, Any], draw: Random, skipped: Counter[str]) -> list[Goal]:
    """Synthetic goals, with what each weighs among all of them."""
    found = synthetic(sold, known, draw, skipped)
    counts = Counter(attribute for goal in found for attribute in goal.attributes)
    return [replace(goal, weight=weight(goal.attributes, counts)) for goal in found]


@cache
def tiny() -> dict[str, Any]:
    with gzip.open(Path(__file__).with_name("webshop_tiny.json.gz")) as file:
        return dict(json.load(file))


@cache
def real() -> dict[str, Any]:
    """The 1,000 products and their traces, in the form of `tiny`."""
    names = {"items_shuffle": "items_shuffle_1000", "items_ins_v2": "items_ins_v2_1000"}
    names |= {"items_human_ins": "items_human_ins", "nouns": "ref_title_nouns_sm380"}
    data = {key: json.loads((REAL / f"{name}.json").read_text()) for key, name in names.items()}
    traces = [json.loads(path.read_text()) for path in sorted((REAL / "traces").glob("*.json"))]
    return {**data, "traces": traces}


@cache
def shelf(of: str, kind: str) -> Shelf:
    return Shelf(tiny() if of == "tiny" else real(), kind)


def steps(trace: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Those of a trace that the original survived."""
    return (step for step in trace["steps"] if "exception" not in step)


def recorded(trace: Mapping[str, Any]) -> dict[tuple[str, ...], list[str]]:
    """What each search of a trace found, as far as it was looked at."""
    found: dict[tuple[str, ...], list[str]] = {}
    for step in steps(trace):
        if "/search_results/" in step["url"]:
            words, number = tuple(step["session"]["keywords"]), step["session"]["page"]
            total = re.search(r"Total results: (\d+)", step["text"])
            hits = found.setdefault(words, ["?"] * int(total[1] if total else 0))
            clickables = step["available_actions"]["clickables"]
            asins = [name.upper() for name in clickables if name not in ("back to search", "next >", "< prev")]
            hits[(number - 1) * 10 : (number - 1) * 10 + len(asins)] = asins
    return found


def written(folder: Path, **values: Any) -> Path:
    """A folder with these files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in values.items():
        (folder / f"{name}.json").write_text(value if isinstance(value, str) else json.dumps(value))
    return folder


def item(number: int, **other: Any) -> dict[str, Any]:
    colours = [{"value": value} for value in ("red", "blue")]
    record = {
        "asin": f"B{number:04}",
        "name": f"Lamp {number} of tin",
        "full_description": "A lamp.",
        "category": "home",
    }
    record |= {"small_description": ["Bright"], "pricing": "$5.00 - $25.50" if number % 2 else "$7", "query": "Lamps"}
    return record | {"product_category": "Home", "customization_options": {"Color": colours}} | other


def official(folder: Path, count: int = PRODUCTS) -> Path:
    """The official files, with so many products."""
    items = [item(number) for number in range(count)]
    goal = {"attributes": ["bright"], "instruction": "Find me a bright lamp", "instruction_attributes": ["bright"]}
    human = {"instruction": "i want a lamp.", "instruction_attributes": ["bright"], "instruction_options": ["red"]}
    told = {one["asin"]: [human] for one in items[::3]}
    return written(folder, items_shuffle=items, items_ins_v2={one["asin"]: goal for one in items}, items_human_ins=told)


def named(name: str, asin: str) -> dict[str, Any]:
    """A product that is found by its name alone."""
    record: dict[str, Any] = {"asin": asin, "name": name, "full_description": "", "small_description": []}
    return record | {
        "pricing": "$5",
        "category": "c",
        "query": "q",
        "product_category": "a",
        "customization_options": "",
    }


def shop(folder: Path, names: list[str]) -> Store:
    """A catalogue of products with these names; their asins count down."""
    items = [named(name, f"P{len(names) - number:04}") for number, name in enumerate(names)]
    known = {items[0]["asin"]: {"attributes": ["x"], "instruction": "find", "instruction_attributes": ["x"]}}
    written(folder, items_shuffle=items, items_ins_v2=known)
    shutil.rmtree(folder / "made", ignore_errors=True)
    build(asked(folder), folder / "made")
    return Store(folder / "made")


def files(folder: Path) -> dict[str, bytes]:
    """The files of a whole catalogue."""
    assert Store(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
