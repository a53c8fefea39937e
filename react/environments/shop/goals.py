"""What shoppers are sent for: instructions with a price bound, in the order in which WebShop numbers them.

Human instructions are those that people wrote for a product; synthetic ones are put together from a product's
attributes, one for every combination of its options (WebShop@64fa2a5 web_agent_site/engine/goal.py). The original
draws the bounds without a seed; here they follow from one, after the prices of the products and from the same numbers.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product as combinations
from random import Random
from typing import Any, TypeGuard

from react.environments.shop import Goal, Product
from react.environments.shop.products import Malformed, Record, texts, whole

UNBOUNDED = 1_000_000
_BOUNDS = range(10, 1000, 10)
_CANDIDATES = 4
_MOST_COMBINATIONS = 1_000_000  # of one product's options: more are no goals but a way to fill the disk
_ORDER = 233  # the seed of the order; it depends on the number of goals alone


def numbered(count: int) -> list[int]:
    """Which of so many goals, in the order in which they were made, has each number."""
    order = [*range(count)]
    Random(_ORDER).shuffle(order)
    return order


def human(
    products: Iterable[Product], written: Mapping[str, Sequence[Record]], draw: Random, skipped: Counter[str]
) -> list[Goal]:
    """The instructions that people wrote, in the order of the products. One that asks for no attribute is no goal.

    `written` is what `items_human_ins` says of each asin. `draw` has drawn the prices before. `skipped` counts
    instructions that are left out, by reason.
    """
    found: list[Goal] = []
    sold: set[str] = set()
    for product in products:
        sold.add(product.asin)
        for entry in written.get(product.asin, ()):
            if asked := _asked(entry, skipped, "instruction_attributes", "instruction_options"):
                instruction, (attributes, options) = asked
                upper, text = bound(product.price, draw)
                found.append(_goal(product, instruction.strip(".") + text, attributes, options, upper))
    _orphans(sum(len(of) for asin, of in written.items() if asin not in sold), skipped)
    return found


def _asked(entry: Record, skipped: Counter[str], *fields: str) -> tuple[str, list[tuple[str, ...]]] | None:
    """An instruction and these fields of it, of which the first must have something. None, and counted: it is none."""
    try:
        instruction, found = _told(entry), [texts(entry, field) for field in fields]
    except Malformed:
        skipped["malformed instruction"] += 1
        return None
    if not found[0]:
        skipped["instruction without attributes"] += 1
        return None
    return instruction, found


def _orphans(count: int, skipped: Counter[str]) -> None:
    if count:
        skipped["instruction without a product"] += count


def synthetic(
    products: Iterable[Product], known: Mapping[str, Record], draw: Random, skipped: Counter[str]
) -> list[Goal]:
    """The instructions that were put together, each with every combination of the product's options.

    `known` is what `items_ins_v2` says of each asin, `draw` and `skipped` are as in `human`. All weigh 1: what a goal
    weighs is known when all are made (`weight`).
    """
    found: list[Goal] = []
    sold: set[str] = set()
    for product in products:
        sold.add(product.asin)
        entry: Record = known.get(product.asin, {})
        asked = _asked(entry, skipped, "instruction_attributes") if _asks(entry) else None
        if not asked:
            continue
        bounded = bound(product.price, draw)
        if math.prod(len(values) for _, values in product.options) > _MOST_COMBINATIONS:
            skipped["instruction with too many combinations of options"] += 1
            continue
        instruction, (attributes,) = asked
        found += _combined(product, instruction, attributes, *bounded)
    _orphans(sum(_asks(entry) for asin, entry in known.items() if asin not in sold), skipped)
    return found


def _combined(
    product: Product, instruction: str, attributes: tuple[str, ...], upper: float, text: str
) -> Iterator[Goal]:
    """A goal for every combination of the product's options, in the order of their names."""
    named = sorted(product.options)
    for values in combinations(*(values for _, values in named)):
        options = tuple(zip((name for name, _ in named), values, strict=True))
        told = ", and ".join(f"{name}: {value}" for name, value in options)
        whole = f"{instruction} with {told}{text}" if told else f"{instruction}{text}"
        yield _goal(product, whole, attributes, options, upper)


def _asks(entry: object) -> bool:
    return isinstance(entry, Mapping) and "instruction" in entry


def weight(attributes: Sequence[str], counts: Mapping[str, int]) -> float:
    """A goal weighs as much as its attributes are rare, on average. `counts`: of how many goals each is."""
    return sum(1.0 / counts[attribute] for attribute in attributes) / len(attributes)


def bound(price: float, draw: Random) -> tuple[float, str]:
    """What a product of this price may cost, and how the instruction says so: nothing where there is no bound."""
    above = [candidate for candidate in _BOUNDS if candidate > price][:_CANDIDATES]
    if len(above) < 2:
        return float(UNBOUNDED), ""
    upper = float(max(draw.sample(above, 2)))
    return upper, f", and price lower than {upper:.2f} dollars"


def ready(product: Product, entry: Record) -> Goal:
    """A goal that comes with its bound: a row of axon-rl/webshop_instructions. Malformed if it is none."""
    upper, weighs, wanted = entry.get("price_upper"), entry.get("weight"), entry.get("goal_options")
    if not _is_number(upper) or not (weighs is None or _is_number(weighs)):
        raise Malformed(f"price_upper: must be a number, not {str(upper)[:80]!r}; weight {str(weighs)[:80]!r} as well")
    options: tuple[Any, ...] = texts(entry, "goal_options") if isinstance(wanted, list) else ()
    if isinstance(wanted, Mapping):
        options = tuple(
            zip(map(whole, wanted), texts({"goal_options": [*wanted.values()]}, "goal_options"), strict=True)
        )
    told = _told({"instruction": entry.get("instruction_text")})
    made = _goal(product, told, texts(entry, "attributes"), options, float(upper))
    return made if weighs is None else replace(made, weight=float(weighs))


def _is_number(value: object) -> TypeGuard[float]:
    """Whether it is one that a float can be: JSON has others."""
    return isinstance(value, int | float) and abs(value) <= sys.float_info.max


def _told(entry: Record) -> str:
    instruction: Any = entry.get("instruction") if isinstance(entry, Mapping) else None
    if not isinstance(instruction, str) or not instruction.strip():
        raise Malformed(f"instruction: must be a text, not {str(instruction)[:80]!r}")
    return whole(instruction)


def _goal(
    product: Product,
    instruction: str,
    attributes: tuple[str, ...],
    options: tuple[str, ...] | tuple[tuple[str, str], ...],
    upper: float,
) -> Goal:
    return Goal(
        asin=product.asin,
        instruction=instruction,
        attributes=attributes,
        options=options,
        price_upper=upper,
        weight=1.0,
        category=product.category,
        query=product.query,
        title=product.title,
        product_category=product.product_category,
    )
