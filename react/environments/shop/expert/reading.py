"""What a shopper reads: an instruction, and the pages of the notebook's form (`shop.notebook`)."""

# ruff: noqa: RUF001, SIM905

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from react.environments.shop.analyzer import terms

_PRICE = re.compile(r",? and price lower than ([\d.]+) dollars")
_WORD = re.compile(r"[^\W_](?:[\w.'’%&/+-]*[\w%+])?")
# What people wrap around what they want, and say beside it.
_TALK = frozenset(
    "about after again also am any anyone ask been before best better birthday bought broke buy can cannot cheap "
    "color colored colour come comes coming could dad do does dollars don't each everyday everyone everywhere "
    "fancy find flavor flavored friend from get give go good got great had has have having he hello help her here "
    "hey hi his holidays hope how i i'd i'll i'm i've interested it's its just kind less life like likes look "
    "looked looking looks love made make makes matters may me might moving must my name need needed needs new "
    "next nice nothing old once one ones only order our pair partner pick please prefer preferably present price "
    "purchase quality really roommate scent search searching sell she shop shopping should show since sister "
    "sister's size sized smells so some something stuff style suitable than thank thanks them think tired told "
    "too try trying under up us use very want wanted wants we week what where which who winter within would you "
    "your".split()
)
_NO_TALK = {("travel", "size"), ("to", "use"), ("easy", "use")}


@dataclass(frozen=True)
class Word:
    """A word of an instruction that says something of the thing: where it stands, and its terms (`shop.analyzer`)."""

    text: str
    start: int
    end: int
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Wish:
    """An instruction: its text without the price, the words that count, in their order, and what may be paid."""

    text: str
    words: tuple[Word, ...]
    bound: float

    def phrases(self, words: Collection[Word]) -> list[str]:
        """Words as they stand together: `leak proof and easy to clean`, `24 ounce`."""
        found: list[tuple[int, int]] = []
        for word in self.words:
            if word not in words:
                continue
            if found and re.fullmatch(r"\s+(?:(?:to|and)\s+)?", self.text[found[-1][1] : word.start]):
                found[-1] = (found[-1][0], word.end)
            else:
                found.append((word.start, word.end))
        return [self.text[start:end] for start, end in found]


def read_wish(instruction: str) -> Wish:
    """What an instruction asks for. Without a price that it names, any will do."""
    text = " ".join(instruction.lower().split())
    price = _PRICE.search(text)
    text = _PRICE.sub("", text)
    words: list[Word] = []
    before = ""
    for match in _WORD.finditer(text):
        word = Word(match[0], match.start(), match.end(), tuple(terms(match[0])))
        if word.terms and (word.text not in _TALK or (before, word.text) in _NO_TALK):
            words.append(word)
        before = word.text
    return Wish(text, tuple(words), float(price[1]) if price else math.inf)


@dataclass(frozen=True)
class Offer:
    """A product among results."""

    asin: str
    title: str
    price: tuple[float, float]  # the two ends, or the same twice

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(self.title))


@dataclass(frozen=True)
class Item:
    """The page of a product."""

    title: str
    price: tuple[float, float]
    options: tuple[tuple[str, tuple[str, ...]], ...]


_OFFER = re.compile(r"\[(\w{10})\]\s+(\S[^\n]*?)\s*\n\s*(\$[\d.]+(?: to \$[\d.]+)?)")
_OPTIONS = re.compile(r"(?m)^\s*(\S[^\[\n]*?) (\[[^\n]*\])\s*$")
_ITEM = re.compile(r"(?m)^\s*(\S[^\n]*?)\s*\n\s*Price: (\$[\d.]+(?: to \$[\d.]+)?)")


def read_results(page: str) -> list[Offer]:
    """The products that a page of results shows; none where it is no such page."""
    return [Offer(asin, title, _price(tag)) for asin, title, tag in _OFFER.findall(page)]


def read_item(page: str) -> Item | None:
    """The product that a page is about; None where it is about none."""
    if not (found := _ITEM.search(page)):
        return None
    options = [(name, _values(said)) for name, said in _OPTIONS.findall(page[: found.start()])]
    return Item(found[1], _price(found[2]), tuple(options))


def _values(said: str) -> tuple[str, ...]:
    """`[blue][[green]]` -> blue, green: the one that is chosen has two brackets."""
    values = said[1:-1].split("][")
    return tuple(value.removeprefix("[").removesuffix("]") if value.startswith("[") else value for value in values)


def _price(tag: str) -> tuple[float, float]:
    ends = [float(end) for end in re.findall(r"[\d.]+", tag)]
    return ends[0], ends[-1]
