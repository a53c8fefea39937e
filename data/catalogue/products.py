"""A kind of things -> its products: some alike in all but one respect, so that a shopper has to read."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.catalogue.tables import Feature, Kind, features, kinds

EACH = 18  # products of a kind
_ASIN = "0123456789BCDFGHJKLMNPQRSTVWXYZ"
_BRANDS = (
    "Aldermoor", "Brixley", "Callunet", "Dovetrie", "Elmsgarth", "Fennivale", "Garrowbee", "Hearthlyn", "Ivorell",
    "Junipry", "Kestwyn", "Larkmoor", "Mossbeck", "Northpyne", "Oakhalm", "Pellworth", "Quillan", "Rooksby",
    "Saltmere", "Thistlon", "Umberly", "Vennick", "Wrenfold", "Yarrowin", "Zephrel", "Ambrook", "Birchwyn",
    "Coppendale", "Drumlin", "Eskermoor", "Foxtarn", "Glenhavn", "Harrowell", "Inglemere", "Jasperlin", "Kirkbrae",
    "Lindelow", "Marlowick", "Nettlemoor", "Orchidan", "Pinefold", "Quarryn", "Ravelston", "Sorrelby", "Tamwick",
    "Ullswyn", "Vellamore", "Whitlow",
)  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A product: what its page says, and what is true of it. Options have the values that the shop will show."""

    kind: Kind
    asin: str
    title: str
    description: str
    bullets: tuple[str, ...]
    pricing: str | None
    features: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]


def products(seed: int) -> list[Made]:
    """All products, shuffled as the official ones are."""
    taken: set[str] = set()
    made = [product for kind in kinds() for product in _of(kind, random.Random(f"{seed}/{kind.query}"), taken)]
    random.Random(f"{seed}/order").shuffle(made)
    return made


def _of(kind: Kind, chance: random.Random, taken: set[str]) -> list[Made]:
    brands = chance.sample(_BRANDS, EACH - 4)  # some brands make two
    return [_product(kind, brand, _asin(chance, taken), chance) for brand in [*brands, *brands[:4]]]


def _asin(chance: random.Random, taken: set[str]) -> str:
    while (asin := "B0" + "".join(chance.choices(_ASIN, k=8))) in taken:
        pass
    taken.add(asin)
    return asin


def _product(kind: Kind, brand: str, asin: str, chance: random.Random) -> Made:
    has = chance.sample(kind.features, chance.choice((4, 5, 5, 6)))
    extras, uses = chance.sample(kind.extras, 2), chance.sample(kind.uses, 2)
    noun = chance.choice(kind.nouns)
    return Made(
        kind,
        asin,
        title=_title(brand, noun, [features()[name] for name in has[: chance.choice((1, 2, 2))]], extras, uses, chance),
        description=_description(brand, noun, has, uses, chance),
        bullets=_bullets([features()[name] for name in has], extras, uses, chance),
        pricing=_pricing(kind.price, chance),
        features=tuple(has),
        options={name: _some(values, chance) for name, values in kind.options.items()},
    )


def _title(
    brand: str, noun: str, praised: Sequence[Feature], extras: Sequence[str], uses: Sequence[str], chance: random.Random
) -> str:
    """Brand, thing, and what is praised first, in one of the orders that shops have."""
    before = [capital(one.name) for one in praised if one.asked == "is"]
    after = [f"{one.asked} {capital(one.name)}" for one in praised if one.asked != "is"]
    small, _, rest = uses[0].partition(" ")
    use = f"{small} {capital(rest)}"
    forms = (
        [" ".join([brand, *before[:1], noun, *after[:1]]), *before[1:], *after[1:], extras[0], use],
        [" ".join([brand, noun, *after[:1]]), *before, *after[1:], *extras],
        [" ".join([brand, *before, noun, extras[0]]), *after, use],
    )
    return ", ".join(chance.choice(forms))


def _bullets(
    has: Sequence[Feature], extras: Sequence[str], uses: Sequence[str], chance: random.Random
) -> tuple[str, ...]:
    said = [chance.choice(one.sentences) for one in has]
    aside = chance.choice(_ASIDE).format(extra=extras[1], use=uses[1])
    said.insert(chance.randrange(1, len(said) + 1), aside[:1].upper() + aside[1:])
    return tuple(said)


_ASIDE = (
    "{extra}, made {use}.",
    "Good {use}, and it makes a fine present.",
    "{extra}. If anything is wrong, write to us and we will replace it.",
    "Bought most often {use}.",
)


def _description(brand: str, noun: str, has: Sequence[str], uses: Sequence[str], chance: random.Random) -> str:
    """A few sentences, which praise what the title may not; a page in eight has none."""
    if chance.random() < 0.125:
        return ""
    named = " and ".join(chance.sample(has, 2))
    forms = (
        f"{brand} makes one thing at a time, and well. This {noun.lower()} was drawn {uses[0]}. {capital(named)}.",
        f"Our {noun.lower()} {uses[0]} and {uses[1]}. What buyers name first: {named}.",
        f"{noun} by {brand}, {uses[1]}. In short: {named}. Please compare the options before you buy.",
        f"Why this {noun.lower()}? Because of what it is praised for: {named}. Made {uses[0]}.",
    )
    return chance.choice(forms)


def _pricing(bounds: tuple[float, float], chance: random.Random) -> str | None:
    """One price, now and then a range, hardly ever none; cheap things are more common than dear ones."""
    low, high = bounds
    kind = chance.random()
    price = low + (high - low) * chance.random() ** 1.6
    if kind < 0.01:
        return None
    if kind < 0.12:
        return f"{_cents(price, chance)} to {_cents(price * chance.uniform(1.1, 1.4), chance)}"
    return _cents(price, chance)


def _cents(price: float, chance: random.Random) -> str:
    return f"${int(price)}.{chance.choice(('99', '99', '95', '49', '00', '90'))}"


def _some(values: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    """A few of the values, in their order."""
    wanted = min(len(values), chance.choice((2, 3, 4, 4, 5)))
    return tuple(values[i] for i in sorted(chance.sample(range(len(values)), wanted)))


def capital(text: str) -> str:
    """Each word with a capital, the small ones aside: `Easy to Clean`."""
    words = (
        word if word in ("to", "and", "for", "with", "the", "a", "of") else word[:1].upper() + word[1:]
        for word in text.split(" ")
    )
    return " ".join(words)
