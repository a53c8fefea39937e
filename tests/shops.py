"""Catalogues for tests: products in memory, searched as records of the original say.

`webshop_tiny.json.gz` is 28 products of our own with every corner case, and what princeton-nlp/WebShop@64fa2a5 did with
them: for each step of a trace `text`, `text_rich`, `url`, what can be clicked, reward, and the nouns of its titles.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from react.environments.shop import Goal, Product
from react.environments.shop.goals import human, numbered, synthetic, weight
from react.environments.shop.products import products

REAL = Path(__file__).parents[2] / "shared" / "data" / "webshop"
real_data = pytest.mark.skipif(not REAL.exists(), reason="the real data are not there")


class Shelf:
    """A `Catalogue` in memory. What a search finds is in `found`, or are the products that share most words with it."""

    fingerprint = "shelf"

    def __init__(self, data: Mapping[str, Any], kind: str = "human") -> None:
        draw, self.skipped = Random(0), Counter[str]()
        known = data["items_ins_v2"]
        sold = list(products(data["items_shuffle"], known, draw, self.skipped))
        written = data["items_human_ins"]
        made = human(sold, written, draw, self.skipped) if kind == "human" else weighed(sold, known, draw, self.skipped)
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
