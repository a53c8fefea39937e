"""What a purchase is worth (paper of WebShop, section 3; WebShop@64fa2a5 web_agent_site/engine/goal.py).

    reward = (attributes found + options matched + price kept) / (attributes + options + 1) * type

The type is 1 for a product of the kind meant, less for another. Attributes and options match by similarity, which the
paper's own numbers did not have yet: it came in September 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from thefuzz.fuzz import token_set_ratio

from react.environments.shop import Goal, Product

_SIMILAR = 85  # of 100; more than that is a match
_TITLE_WITHOUT_NOUNS = 0.2

# The first of them that is in an option's value stands for it: `dark blue` is blue, and `standard` is tan.
_COLOURS = (  # noqa: SIM905
    "alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown burgundy camel camo "
    "caramel champagne charcoal cheetah chestnut chocolate christmas coffee cognac copper coral cranberry cream "
    "crystal dark denim eggplant elephant espresso fuchsia gold granite grape graphite grass gray green grey heather "
    "indigo ivory ivy khaki lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha "
    "multicolor mushroom mustard natural navy nude olive orange peach pewter pink plum purple rainbow red rose royal "
    "rust sand sapphire seashell silver skull slate steel stone stonewash sunflower tan taupe teal tiger turquoise "
    "violet walnut wheat white wine yellow"
).split()


@dataclass(frozen=True, slots=True)
class Reward:
    """The parts of a reward. `title` is the share of the nouns of the goal's title that the product's has."""

    type: float
    title: float
    same_query: bool
    same_category: bool
    attributes: int
    options: int
    price: bool
    wanted: int  # attributes, options, and the price

    @property
    def total(self) -> float:
        # In this order: another one differs in the last bits, and full reward is exactly 1.0.
        return ((self.attributes + self.options + self.price) / self.wanted) * self.type


def reward(product: Product, goal: Goal, chosen: Mapping[str, str], nouns: Callable[[str], Sequence[str]]) -> Reward:
    """What it is worth to buy `product` with the options `chosen` for `goal`. `nouns` are those of a title."""
    same_query = product.query == goal.query
    same_category = len(_path(product.product_category) & _path(goal.product_category)) >= 2
    title = _title(nouns(product.title), nouns(goal.title))
    return Reward(
        type=_type(title, same_query or same_category),
        title=title,
        same_query=same_query,
        same_category=same_category,
        attributes=sum(_has(product, attribute) for attribute in goal.attributes),
        options=_matched(goal.options, list(chosen.values())),
        price=product.price <= goal.price_upper,
        wanted=len(goal.attributes) + len(goal.options) + 1,
    )


def _path(category: str) -> set[str]:
    return {name.strip() for name in category.split("\u203a")}


def _title(bought: Sequence[str], meant: Sequence[str]) -> float:
    """The nouns in common, each once, among those meant, with repeats."""
    return len(set(bought) & set(meant)) / len(meant) if meant else _TITLE_WITHOUT_NOUNS


def _type(title: float, related: bool) -> float:
    if title == 0:
        return 0.0
    if title < 0.1:
        return 0.1
    return 1.0 if related or title > 0.2 else 0.5


def _has(product: Product, wanted: str) -> bool:
    if any(token_set_ratio(attribute, wanted) > _SIMILAR for attribute in product.attributes):
        return True
    texts = (product.title, " ".join(product.bullets), product.description)
    return any(wanted in text.lower() for text in texts)


def _matched(wanted: Sequence[str] | Sequence[tuple[str, str]], chosen: Sequence[str]) -> int:
    values = [_plain(value) for value in chosen]
    return sum(any(token_set_ratio(value, _plain(option)) > _SIMILAR for value in values) for option in wanted)


def _plain(option: str | tuple[str, str]) -> str:
    """The colour of an option, or all of it. Of a name with a value only what is a colour as a whole counts as one."""
    return next((colour for colour in _COLOURS if colour in option), str(option))
