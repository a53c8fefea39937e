"""What stands in a `summary.json`, which somebody may have changed by hand: a value of its type, or a FieldError."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from eval.statistics import Estimate


class FieldError(ValueError):
    """A field that is missing or of another type; the message names it."""


def at(summary: Any, *keys: str) -> Any:
    """What stands under `keys`. FieldError where nothing does."""
    for i, key in enumerate(keys):
        if not isinstance(summary, dict):
            raise wrong(summary, keys[:i], "a JSON object")
        if key not in summary:
            raise FieldError(f"has no {'.'.join(keys[: i + 1])!r}")
        summary = summary[key]
    return summary


def wrong(value: Any, keys: Sequence[str], wanted: str) -> FieldError:
    said = repr(value)
    return FieldError(f"{'.'.join(keys)!r} is {said if len(said) < 80 else said[:80] + '...'}; it must be {wanted}")


def text(summary: Any, *keys: str) -> str:
    if not isinstance(value := at(summary, *keys), str):
        raise wrong(value, keys, "a text")
    return value


def mapping(summary: Any, *keys: str) -> dict[str, Any]:
    if not isinstance(value := at(summary, *keys), dict):
        raise wrong(value, keys, "a JSON object")
    return value


def number(summary: Any, *keys: str) -> float:
    value, most = at(summary, *keys), sys.float_info.max
    if isinstance(value, bool) or not isinstance(value, int | float) or not -most <= value <= most:
        raise wrong(value, keys, "a finite number")
    return float(value)


def count(summary: Any, *keys: str) -> int:
    value = at(summary, *keys)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= sys.maxsize:
        raise wrong(value, keys, "a whole number, and not negative")
    return value


def estimate(summary: Any, key: str) -> Estimate | None:
    if at(summary, key) is None:
        return None
    value, low, high = (number(summary, key, part) for part in ("value", "low", "high"))
    if not low <= value <= high:
        raise wrong(at(summary, key), (key,), "a value between its `low` and its `high`")
    return Estimate(value, low, high)
