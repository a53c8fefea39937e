"""Products -> what shoppers are sent for: one instruction for each of many products, so that splits share none."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from data.catalogue.products import Made
from data.catalogue.tables import features
from data.catalogue.wording import Wish, asked

# In the order in which goals are numbered (shuffled, WebShop's seed 233); the last few are for worked examples.
SPLITS = {"test": 100, "dev": 100, "train": 597, "exemplars": 3}


@dataclass(frozen=True)
class Sent:
    """A product that somebody is sent for, by what is asked of it."""

    product: Made
    wish: Wish
    instruction: str


def goals(made: Sequence[Made], seed: int) -> list[Sent]:
    """Equally many of each kind of things, as far as that goes, in the order of the products."""
    wanted = sum(SPLITS.values())
    of_kind: dict[str, list[Made]] = {}
    for product in made:
        of_kind.setdefault(product.kind.query, []).append(product)
    turns = [product for row in zip(*of_kind.values(), strict=True) for product in row][:wanted]
    chosen = {product.asin for product in turns}
    return [_sent(product, random.Random(f"{seed}/{product.asin}")) for product in made if product.asin in chosen]


def _sent(product: Made, chance: random.Random) -> Sent:
    wanted = tuple(chance.sample(product.features, chance.choices((1, 2, 3), (3, 5, 2))[0]))
    names = [name for name in product.options if chance.random() < 0.8] or list(product.options)[:1]
    wish = Wish(product.kind.said, wanted, {name: chance.choice(product.options[name]) for name in names})
    return Sent(product, wish, asked(wish, chance))


def synthetic(product: Made, chance: random.Random) -> tuple[str, list[str]]:
    """`Find me leak proof, insulated water bottles with stainless steel`, and the attributes that it names."""
    named = sorted(chance.sample(product.features, 3))
    by = {how: [name for name in named if features()[name].asked == how] for how in ("is", "with", "for")}
    tails = [f"{how} {', '.join(by[how])}" for how in ("with", "for") if by[how]]
    before = ", ".join(by["is"])
    return " ".join(filter(None, ["Find me", before, product.kind.query, *tails])), named
