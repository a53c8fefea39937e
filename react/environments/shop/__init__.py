"""The shop of WebShop (arXiv 2207.01206): search products, read their pages, choose options, buy; without its server.

products  a record of the official files -> Product
goals     instructions with price bounds -> Goals in the order in which they are numbered
splits    which goals are for what
pages     where a shopper is -> what stands there
views     a page -> the text environment's `text` and `text_rich`
visit     its actions, and what can be clicked
notebook  the page form and the actions of ReAct's notebook
reward    what a purchase is worth for a goal; nouns, those of a title
server    a running original server instead
goods     what an environment has goals and pages from: a catalogue or such a server

sources, stages, building, goal_stage, indexing, rows     data -> a catalogue on disk: build
store, index, analyzer, stemmer, seal                     a catalogue that is read, searched, and known to be whole

Everything is that of princeton-nlp/WebShop@64fa2a5 to the letter, and checked against records of it. Texts of products
are scraped from a shop: nothing in them is evaluated, and none of them is trusted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

PER_PAGE = 10  # results; WebShop@64fa2a5 web_agent_site/engine/engine.py
MOST_RESULTS = 50


@dataclass(frozen=True, slots=True)
class Product:
    """One thing that can be bought.

    `prices` are those listed: one, or the two ends of a range, and never none. `tag` is how a page shows them. `price`
    is what it costs, drawn from the range once, when the catalogue is built. `options` are names with their values, in
    the order of the page; both may be there more than once. `category`, `query` and `product_category` (names joined by
    U+203A) are never shown, but judged by.
    """

    asin: str
    title: str
    description: str
    bullets: tuple[str, ...]
    prices: tuple[float, ...]
    tag: str
    price: float
    options: tuple[tuple[str, tuple[str, ...]], ...]
    attributes: tuple[str, ...]
    category: str
    query: str
    product_category: str


@dataclass(frozen=True, slots=True)
class Goal:
    """What a shopper is sent for. `instruction` ends with the price, where the price has a bound.

    `options` are values where a person wrote the instruction, names with values where it was put together. `weight` is
    its share where goals are drawn. `category`, `query`, `title` and `product_category` are of the product meant.
    """

    asin: str
    instruction: str
    attributes: tuple[str, ...]
    options: tuple[str, ...] | tuple[tuple[str, str], ...]
    price_upper: float
    weight: float
    category: str
    query: str
    title: str
    product_category: str


class Catalogue(Protocol):
    """Products, their index, and what shoppers are sent for. Safe to share between threads."""

    @property
    def fingerprint(self) -> str:
        """Changes when any answer below could change."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """What is known of how it was built: source, seed, kind of goals, numbers of products, goals and what was
        skipped; `splits` where the data names its own."""
        ...

    @property
    def goals(self) -> Sequence[Goal]:
        """In the order in which they are numbered: `fixed_0` is the first."""
        ...

    def product(self, asin: str) -> Product | None: ...

    def search(self, keywords: Sequence[str]) -> list[str]:
        """Up to 50 asins, the best first.

        The first keyword may be `<c>` or `<q>`: then all asins of that category (`keywords[1]`) or query (the others,
        joined by blanks and stripped), in the order of the data, however many; none where nothing follows `<c>`. After
        `<a>` none: the original's text environment breaks on it. After `<r>` 50 at random, for the same keywords always
        the same.
        """
        ...
