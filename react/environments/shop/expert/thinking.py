"""When an expert of the shop thinks, and in which words; sparse, as the paper's thoughts for acting are (section 4).

It says which results may fit and why one is opened first, what a page does not tell yet, what a product lacks, and why
one is bought. `Silent` is Act.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Protocol

from react.environments.shop.expert.judging import Fit, named
from react.environments.shop.expert.reading import Offer, Wish, Word


class Voice(Protocol):
    """What is thought at each occasion; empty where nothing is."""

    def results(self, wish: Wish, offers: Sequence[Offer]) -> str:
        """Before the first of `offers`, the best first, is opened; without any, before another search."""
        ...

    def unsure(self, wish: Wish, missing: Sequence[Word]) -> str:
        """The page of an item says nothing of some words; its features come next."""
        ...

    def turned_down(self, wish: Wish, fit: Fit, *, again: bool) -> str:
        """An item lacks something. `again`: another search comes next, else another result."""
        ...

    def bought(self, wish: Wish, fit: Fit) -> str:
        """An item is bought next, with its options."""
        ...


class Silent:
    """No thoughts."""

    def results(self, wish: Wish, offers: Sequence[Offer]) -> str:
        return ""

    def unsure(self, wish: Wish, missing: Sequence[Word]) -> str:
        return ""

    def turned_down(self, wish: Wish, fit: Fit, *, again: bool) -> str:
        return ""

    def bought(self, wish: Wish, fit: Fit) -> str:
        return ""


class Sparse:
    """The paper's thoughts."""

    def __init__(self, seed: str) -> None:
        self._chance = random.Random(seed)

    def _say(self, *forms: str) -> str:
        return self._chance.choice(forms)

    def results(self, wish: Wish, offers: Sequence[Offer]) -> str:
        below = f"below {_dollars(wish.bound)}" if wish.bound < math.inf else "on sale"
        if not offers:
            return self._say(
                f"None of these is what I look for {below}. I search with other words.",
                f"Nothing here fits {below}. Other words may find more.",
            )
        first, others = offers[0], _listed([offer.asin for offer in offers])
        what = _listed(wish.phrases(named(first, wish)))
        if len(offers) == 1:
            return self._say(f"Only {first.asin} is {below}, and it says {what}. I check it.")
        return self._say(
            f"{others} are {below}. {first.asin} says {what}, so I check it first.",
            f"{first.asin} says {what} and is {below}. I check it first.",
            f"Of those {below}, {first.asin} is closest: {what}. I open it.",
        )

    def unsure(self, wish: Wish, missing: Sequence[Word]) -> str:
        lacks = _listed(wish.phrases(missing), "or")
        return self._say(
            f"The page does not say {lacks}. I look at its features.",
            f"I do not see {lacks} here, so I read the features.",
        )

    def turned_down(self, wish: Wish, fit: Fit, *, again: bool) -> str:
        next_ = (
            self._say("I go back to search for that.", "I search again, with other words.")
            if again
            else self._say("I go back and check another one.", "I look at the next one.")
        )
        if not fit.affordable:
            return f"It may cost {_dollars(fit.price[1])}, which is more than {_dollars(wish.bound)}. {next_}"
        lacks = _listed(wish.phrases(fit.missing), "or")
        return self._say(f"It does not say {lacks}. {next_}", f"I do not find {lacks} here. {next_}")

    def bought(self, wish: Wish, fit: Fit) -> str:
        chosen = f"I choose {_listed(fit.chosen)} and buy it." if fit.chosen else "I buy it."
        if fit.missing:
            lacks = _listed(wish.phrases(fit.missing), "or")
            return self._say(
                f"It does not say {lacks}, but nothing fits better. {chosen}", f"This is the closest. {chosen}"
            )
        return self._say(
            f"It has all that is asked for and costs {_dollars(fit.price[1])}. {chosen}",
            f"This fits, for {_dollars(fit.price[1])}. {chosen}",
            f"Everything is here, and {_dollars(fit.price[1])} is within the price. {chosen}"
            if wish.bound < math.inf
            else f"Everything is here. {chosen}",
        )


def _dollars(price: float) -> str:
    return f"${price:.2f}".removesuffix(".00")


def _listed(parts: Sequence[str], word: str = "and") -> str:
    """`a, b and c`; parts that hold the word are listed with commas alone."""
    if len(parts) < 2:
        return "".join(parts)
    joint = ", " if any(f" {word} " in part for part in parts) else f" {word} "
    return f"{', '.join(parts[:-1])}{joint}{parts[-1]}"
