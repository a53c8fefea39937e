"""A record of the official files -> Product. The rules are those of WebShop@64fa2a5 web_agent_site/engine/engine.py.

    {"asin": "B07HRFSNL4", "name": "Nautica Men's ...", "full_description": "...", "small_description": ["...", ...],
     "pricing": "$16.05 - $40.98", "customization_options": {"Color": [{"value": "Black", ...}, ...], "Size": null},
     "category": "fashion", "query": "Men's Dress Shirts", "product_category": "...", ...}

What the original would break on is skipped and counted, so that one bad record costs a catalogue one product.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from random import Random
from typing import Any

from react.environments.shop import Product

Record = Mapping[str, Any]

UNPRICED = 100.0  # what costs nothing in the data
_LONGEST_ASIN = 10
_NO_ATTRIBUTES = ("DUMMY_ATTR",)
_NOT_OF_A_NUMBER = re.compile(r"[^\d.]")


class Malformed(ValueError):
    """A record that is no product, or no instruction; the message names the field and what is wrong with it."""


def products(
    records: Iterable[Record],
    known: Mapping[str, Record],
    draw: Random,
    skipped: Counter[str],
    seen: set[str] | None = None,
) -> Iterator[Product]:
    """The products of `records` in their order, the first of each asin.

    `known` is what `items_ins_v2` says of each asin. A product with a range of prices takes one number from `draw`, in
    this order, so that the same seed prices the same catalogue alike. `skipped` counts, by reason, what is left out.
    `seen` are the asins that came before these records.
    """
    seen = set() if seen is None else seen
    for record in records:
        asin = record.get("asin") if isinstance(record, Mapping) else None
        if not isinstance(asin, str) or asin == "nan" or not 0 < len(asin) <= _LONGEST_ASIN or not asin.isprintable():
            skipped["no asin"] += 1
        elif asin in seen:
            skipped["asin seen before"] += 1
        else:
            seen.add(asin)
            try:
                yield product(record, known.get(asin), draw)
            except Malformed as error:
                skipped[f"malformed {error.args[0].split(':')[0]}"] += 1


def product(record: Record, known: Record | None, draw: Random) -> Product:
    """One record, and what `items_ins_v2` says of it (None: nothing). Malformed if it is no product."""
    prices, tag = listed(record.get("pricing"))
    made = Product(
        asin=_text(record, "asin"),
        title=_text(record, "name"),
        description=_text(record, "full_description"),
        bullets=_bullets(record.get("small_description")),
        prices=prices,
        tag=tag,
        price=prices[0],
        options=_options(record.get("customization_options")),
        attributes=_NO_ATTRIBUTES if known is None else texts(known, "attributes"),
        category=_text(record, "category"),
        query=_text(record, "query").lower().strip(),
        product_category=_text(record, "product_category"),
    )
    return made if len(prices) == 1 else _priced(made, draw)


def _priced(product: Product, draw: Random) -> Product:
    return replace(product, price=draw.uniform(*product.prices))


def listed(pricing: object) -> tuple[tuple[float, ...], str]:
    """The prices that a listing names (at most the first two), and how a page shows them."""
    if pricing is None or pricing == "":
        return (UNPRICED,), f"${UNPRICED}"
    if not isinstance(pricing, str) or "$" not in pricing:
        raise Malformed(f"pricing: {str(pricing)[:80]!r} names no price in dollars")
    try:
        found = [float(Decimal(_NOT_OF_A_NUMBER.sub("", part))) for part in pricing.split("$")[1:]]
    except InvalidOperation:
        raise Malformed(f"pricing: {pricing[:80]!r} is no number of dollars") from None
    if not all(map(math.isfinite, found[:2])):
        raise Malformed(f"pricing: {pricing[:80]!r} is more than any number")
    return tuple(found[:2]), " to ".join(f"${price}" for price in found[:2])


def _text(record: Record, field: str) -> str:
    value = record.get(field)
    if not isinstance(value, str):
        raise Malformed(f"{field}: must be a text, not {str(value)[:80]!r}")
    return whole(value)


def whole(text: str) -> str:
    """The text, which can be stored and shown. Malformed where it has half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Malformed("text: half a surrogate pair") from None
    return text


def texts(record: Record, field: str) -> tuple[str, ...]:
    """A field that is a list of texts. Malformed if it is not, or if what has it is no record."""
    value = record.get(field) if isinstance(record, Mapping) else None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Malformed(f"{field}: must be a list of texts, not {str(value)[:80]!r}")
    return tuple(map(whole, value))


def _bullets(value: object) -> tuple[str, ...]:
    return texts({"small_description": [value] if isinstance(value, str) else value}, "small_description")


def _options(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Names in lower case with their values. Of names that differ in case alone the last one's values stay."""
    if not value:
        return ()
    if not isinstance(value, Mapping):
        raise Malformed(f"customization_options: must be names with values, not {str(value)[:80]!r}")
    named: dict[str, tuple[str, ...]] = {}
    for name, contents in value.items():
        if contents is None:
            continue
        if not isinstance(contents, list) or not all(isinstance(entry, Mapping) for entry in contents):
            raise Malformed(f"customization_options: {name!r} must be a list of values, not {str(contents)[:80]!r}")
        whole(name)
        values = texts({"customization_options": [entry.get("value") for entry in contents]}, "customization_options")
        named[name.lower()] = tuple(value.strip().replace("/", " | ").lower() for value in values)
    return tuple(named.items())
