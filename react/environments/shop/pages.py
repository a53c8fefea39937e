"""What stands on a page of the shop: pieces of text, each with the part that it plays there.

The pages are those of WebShop@64fa2a5 (`web_agent_site/templates`), as their visible text nodes in order. A page says
nothing that is not in its `Place`, the goal and the catalogue.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from react.environments.shop import PER_PAGE, Catalogue, Goal, Product
from react.reading import one_line

SCORE = "Your score (min 0.0, max 1.0)"
SUBS = ("Description", "Features", "Reviews", "Attributes")
_BLANK = " \n\t\f\r"  # what an HTML page holds between words

Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a shopper is: a page, and what it was opened with. `number` counts the pages of results from 1.

    `options` are those chosen so far, names with values in the order in which each was first chosen.
    """

    page: Literal["index", "results", "item", "sub", "done"] = "index"
    keywords: tuple[str, ...] = ()
    number: int = 1
    asin: str = ""
    options: Options = ()
    sub: str = ""

    def chosen(self, name: str, value: str) -> Options:
        """The options with one more, or one changed."""
        return tuple({**dict(self.options), name: value}.items())


@dataclass(frozen=True, slots=True)
class Piece:
    """A text on a page. All but a `text` can be clicked; `name` is what an option is one of."""

    kind: Literal["text", "button", "product", "option"]
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """The pieces of a page in order; empty where there is none. `score` is the reward of the purchase that it shows."""

    pieces: tuple[Piece, ...]
    score: float | None = None

    @property
    def shown(self) -> Iterator[Piece]:
        """The pieces that can be seen. White space is one blank where it is not a line break, which is nothing."""
        for piece in self.pieces:
            if piece.text.strip(_BLANK):
                yield piece
            elif piece.text and "\n" not in piece.text:
                yield Piece(piece.kind, " ", piece.name)


class Pages(Protocol):
    """Where pages come from, for one shopper with one goal."""

    def read(self, place: Place) -> Page: ...


@dataclass(frozen=True, slots=True)
class Told:
    """What an action brought. `score` where something was bought and the shop said what it was worth."""

    text: str
    done: bool = False
    score: float | None = None
    valid: bool = True


class Shopper(Protocol):
    """One who acts in the shop. `first` is what is seen before any action."""

    first: str

    @property
    def place(self) -> Place: ...

    def act(self, action: str) -> Told:
        """Carries out one action. A thought is none: whoever hears it answers it."""
        ...


def spelt(said: str, names: Iterable[str]) -> str:
    """`said` as one of `names` has it, if they differ in white space, or what is shown as such, alone: a model says of
    several blanks one, and of a control character what it saw in its place."""
    line = one_line(said)
    return next((name for name in names if one_line(name) == line), said)


Judge = Callable[[Product, Goal, Mapping[str, str]], float]


class Local:
    """`Pages` out of a catalogue. For one thread: the last search is kept."""

    def __init__(self, catalogue: Catalogue, goal: Goal, judge: Judge, *, attributes: bool = False) -> None:
        self._catalogue = catalogue
        self._goal = goal
        self._judge = judge
        self._attributes = attributes
        self._found: tuple[tuple[str, ...], list[str]] = ((), [])

    def read(self, place: Place) -> Page:
        if place.page == "done":
            score = self._judge(self._product(place.asin), self._goal, dict(place.options))
            return Page(tuple(_done(place, score)), score)
        return Page(tuple(self._pieces(place)))

    def _pieces(self, place: Place) -> Iterator[Piece]:
        if place.page == "index":
            yield from _texts("WebShop", "Instruction: ", self._goal.instruction)
            yield Piece("button", "Search")
            return
        yield from _texts("Instruction:", self._goal.instruction)
        yield Piece("button", "Back to Search")
        if place.page == "results":
            yield from self._results(place)
            return
        yield Piece("button", "< Prev")
        product = self._product(place.asin)
        yield from _sub(product, place.sub) if place.page == "sub" else _item(product, self._attributes)

    def _results(self, place: Place) -> Iterator[Piece]:
        hits = self._search(place.keywords)
        yield Piece("text", f"Page {place.number} (Total results: {len(hits)})")
        if place.number > 1:
            yield Piece("button", "< Prev")
        yield Piece("button", "Next >")
        for asin in hits[(place.number - 1) * PER_PAGE : place.number * PER_PAGE]:
            product = self._product(asin)
            yield Piece("product", asin)
            yield from _texts(product.title, product.tag)

    def _search(self, keywords: tuple[str, ...]) -> list[str]:
        if self._found[0] != keywords:
            self._found = keywords, self._catalogue.search(keywords)
        return self._found[1]

    def _product(self, asin: str) -> Product:
        product = self._catalogue.product(asin)
        if product is None:
            raise LookupError(f"the catalogue has no product {asin!r}")
        return product


def _texts(*texts: str) -> Iterator[Piece]:
    return (Piece("text", text) for text in texts)


def _buttons(names: Iterable[str]) -> Iterator[Piece]:
    return (Piece("button", name) for name in names)


def _item(product: Product, attributes: bool) -> Iterator[Piece]:
    for name, values in product.options:
        yield Piece("text", name)
        yield from (Piece("option", value, name) for value in values)
    yield from _texts(product.title, f"Price: {product.tag}", "Rating: N.A.")
    yield from _buttons(SUBS if attributes else SUBS[:3])
    yield Piece("button", "Buy Now")


def _sub(product: Product, sub: str) -> Iterator[Piece]:
    if sub == "Description":
        yield from _texts(product.description)
    elif sub == "Features":
        yield from _texts(*(f" {bullet}" for bullet in product.bullets))
    elif sub == "Attributes":
        yield from _texts(*(f" {attribute}" for attribute in product.attributes))
        yield from _texts(product.category, product.query, product.product_category)


def _done(place: Place, score: float) -> Iterator[Piece]:
    """The page after a purchase, with the fields of a study that stay empty (WebShop@64fa2a5 done_page.html)."""
    yield from _texts("Thank you for shopping with us!", "Your code: ", "None", " (Paste it in your MTurk interface.)")
    yield from _texts("Purchased", "asin", place.asin, "options", _json(dict(place.options)))
    yield from _texts("attrs", "None", "category", "None", "query", "None", "product category", "None")
    yield from _texts("Target", "asin", "options", "attrs", "price upper", "instuction text")  # so spelled there
    yield from _texts("category", "product category", "query", "Goal ", "None")
    yield from _texts("Reward", SCORE, str(score), "Reward Details ", "None")


def _json(value: Mapping[str, str]) -> str:
    """JSON as Flask writes it into a page."""
    told = json.dumps(value, sort_keys=True)
    return "".join(f"\\u{ord(letter):04x}" if letter in "<>&'" else letter for letter in told)
