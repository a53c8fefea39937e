"""What a product has of what is wanted, as far as its pages have been read."""

# ruff: noqa: SIM905

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from react.environments.shop.analyzer import terms
from react.environments.shop.expert.reading import Item, Offer, Wish, Word

_COLORS = frozenset(
    "beige black blue brown charcoal clear copper coral cream crimson dark gold gray green grey ivory khaki lavender "
    "light maroon mint natural navy olive orange pastel peach pink purple rainbow red rose sage silver tan teal "
    "terracotta turquoise violet white wine yellow".split()
)
_SIZES = frozenset("small medium large x xl xx xxl twin queen king full regular short pack count wide".split())


@dataclass(frozen=True)
class Fit:
    """A product against a wish: which options to choose, and the words that nothing that was read accounts for."""

    chosen: tuple[str, ...]
    missing: tuple[Word, ...]
    price: tuple[float, float]
    affordable: bool


def ranked(offers: Sequence[Offer], wish: Wish) -> list[Offer]:
    """Offers that can be paid, those first whose titles say most of what is wanted; doubtful prices last."""
    able = [offer for offer in offers if offer.price[0] < wish.bound]
    return sorted(able, key=lambda offer: (offer.price[1] >= wish.bound, -len(named(offer, wish))))


def named(offer: Offer, wish: Wish) -> list[Word]:
    """The words of a wish that a title says."""
    return [word for word in wish.words if offer.terms.issuperset(word.terms)]


def fit(item: Item, wish: Wish, details: str) -> Fit:
    """`details` are the parts of the item that were read, besides its page."""
    chosen = tuple(value for _, values in item.options if (value := _choice(values, wish)))
    have = {*terms(item.title), *terms(details), *(term for value in chosen for term in terms(value))}
    missing = tuple(word for word in wish.words if not have.issuperset(word.terms))
    return Fit(chosen, missing, item.price, item.price[1] < wish.bound)


def optional(word: Word) -> bool:
    """Whether a word names what is chosen rather than described: a color, a size, a number."""
    return word.text in _COLORS or any(term in _SIZES for term in word.terms) or any(map(str.isdigit, word.text))


def _choice(values: Sequence[str], wish: Wish) -> str:
    """The value that the instruction names: the longest that stands in it, else the one that has most of its words."""
    said = _plain(wish.text)
    whole = [value for value in values if re.search(rf"(?<![\w.-]){re.escape(_plain(value))}(?![\w-]|\.\d)", said)]
    if whole:
        return max(whole, key=len)
    wanted = {term for word in wish.words for term in word.terms}
    shares = [(len(wanted.intersection(of)) / max(len(of), 1), value) for value in values if (of := set(terms(value)))]
    best = max(shares, key=lambda share: share[0], default=(0.0, ""))
    return best[1] if best[0] >= 0.5 else ""


def _plain(text: str) -> str:
    """`8 ounce (pack of 2)` and `8 ounce, pack of 2` are one."""
    return " ".join(re.sub(r"[(),|]", " ", text.lower()).split())
