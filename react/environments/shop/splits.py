"""Which goals are for what: ranges of their numbers.

The official data: the first 500 are the test goals, the next 1,000 dev, the others train (WebShop@64fa2a5
baseline_models/env.py). Other data may say how many of each there are, in order: `{"test": 100, "dev": 100, ...}`.
"""

from __future__ import annotations

import json

_OFFICIAL = {"test": 500, "dev": 1000, "train": 10**9}


def of(told: str, count: int) -> dict[str, range]:
    """The splits of `count` goals that have any; `told` is what the data says of it, as JSON. ValueError: not so."""
    sizes = json.loads(told) if told else _OFFICIAL
    if not isinstance(sizes, dict) or not all(type(size) is int and size >= 0 for size in sizes.values()):
        raise ValueError(f"splits must be names with numbers of goals, not {str(told)[:80]!r}")
    if told and sum(sizes.values()) > count:
        raise ValueError(f"splits of {sum(sizes.values()):,} goals, and there are {count:,}")
    found, first = {}, 0
    for name, size in sizes.items():
        found[name] = range(first, min(first + size, count))
        first += size
    return {name: numbers for name, numbers in found.items() if numbers}
