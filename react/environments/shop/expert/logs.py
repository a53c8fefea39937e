"""The log of a person who shopped -> what was done.

A log is JSON lines, a page each (WebShop's `human_trajs`), shortened::

    {"page": "index", "goal": {"asin": "B096FSTFLS", "instruction_text": "i am looking for a teal ..., and price ..."}}
    {"page": "search_results", "goal": ..., "content": {"keywords": ["teal", "strap"], "page": 1, ...}}
    {"page": "item_page", "goal": ..., "content": {"asin": "B096FSTFLS", "options": {"color": "teal"}, ...}}
    {"page": "done", "goal": ..., "content": {...}, "reward": 1.0}
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

_MOST_TURNS = 100  # of pages: 50 products are found, of a category many more
_LONGEST_QUERY = 4000


class Unfollowable(ValueError):
    """A log in which no action leads from a page to the next; the message says where."""


@dataclass(frozen=True)
class _Seen:
    """A page that somebody saw."""

    page: str
    keywords: tuple[str, ...] = ()
    number: int = 1
    asin: str = ""
    options: tuple[tuple[str, str], ...] = ()
    sub: str = ""


def actions(pages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What leads from each page to the next. Unfollowable where nothing does, as after a browser's own way back."""
    try:
        seen = [_seen(page) for page in pages]
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
        raise Unfollowable("a page without what such a page has") from None
    return [action for before, after in itertools.pairwise(seen) for action in _way(before, after)]


def _seen(page: Mapping[str, Any]) -> _Seen:
    content = page.get("content") or {}
    keywords = content.get("keywords") or ()
    if isinstance(keywords, str):  # as it stands in the address: "['teal', 'strap']"
        if len(keywords) > _LONGEST_QUERY:
            raise ValueError("a query that nobody can have written")
        keywords = re.findall(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", keywords)
        keywords = [one or other for one, other in keywords]
    options = tuple((str(name), str(value)) for name, value in (content.get("options") or {}).items())
    sub = unquote(str(page.get("url", ""))).split("/")[-2] if page["page"] == "item_sub_page" else ""
    asin, number = str(content.get("asin", "")), int(content.get("page") or 1)
    return _Seen(str(page["page"]), tuple(map(str, keywords)), number, asin, options, sub)


def _way(before: _Seen, after: _Seen) -> list[str]:
    if before == after:
        return []
    if after.page == "index":
        return ["click[Back to Search]"]
    if after.page == "search_results":
        return _to_results(before, after)
    if not after.asin:
        raise Unfollowable(f"a page {after.page!r} of no product")
    way = _to_item(before, after)
    if after.page == "item_sub_page":
        way.append(f"click[{after.sub}]")
    elif after.page == "done":
        way.append("click[Buy Now]")
    elif after.page != "item_page":
        raise Unfollowable(f"a page {after.page!r}")
    return way


def _to_results(before: _Seen, after: _Seen) -> list[str]:
    same = before.keywords == after.keywords
    if same and before.page == "search_results":
        turns = after.number - before.number
        if abs(turns) > _MOST_TURNS:
            raise Unfollowable(f"page {after.number} of results")
        return ["click[Next >]" if turns > 0 else "click[< Prev]"] * abs(turns)
    if same and before.page in ("item_page", "item_sub_page") and before.number == after.number:
        return ["click[< Prev]"] * (1 + (before.page == "item_sub_page"))
    if after.number != 1:
        raise Unfollowable(f"page {after.number} of results out of nowhere")
    back = [] if before.page == "index" else ["click[Back to Search]"]
    return [*back, f"search[{' '.join(after.keywords)}]"]


def _to_item(before: _Seen, after: _Seen) -> list[str]:
    """To the page of an item with its options."""
    if before.page in ("item_page", "item_sub_page"):
        back = ["click[< Prev]"] if before.page == "item_sub_page" else []
        if before.asin == after.asin:
            return back + _choices(before.options, after.options)
        before, way = _Seen("search_results", before.keywords, before.number), [*back, "click[< Prev]"]
    else:
        way = []
    if before.page != "search_results" or (before.keywords, before.number) != (after.keywords, after.number):
        raise Unfollowable(f"{after.asin} is opened where it was not found")
    return [*way, f"click[{after.asin}]", *_choices((), after.options)]


def _choices(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[str]:
    if not dict(before).keys() <= dict(after).keys():
        raise Unfollowable("an option is taken back")
    return [f"click[{value}]" for name, value in after if dict(before).get(name) != value]


def read_log(path: Path) -> list[Mapping[str, Any]]:
    """The pages of a log. ValueError names the file, the line and what is wrong there."""
    pages = []
    for number, line in enumerate(_lines(path), 1):
        try:
            page = json.loads(line)
            said = page["goal"]["instruction_text"], page["page"]
        except (ValueError, LookupError, TypeError, RecursionError):
            said = None, None
        if not all(isinstance(one, str) for one in said):
            raise ValueError(f"{path}:{number}: not a page of a log: no `page`, or no `goal` with an instruction")
        pages.append(page)
    return pages


def _lines(path: Path) -> list[str]:
    """The lines of a log. A text in one may hold what breaks lines elsewhere, such as U+2028."""
    try:
        text = path.read_text(encoding="utf-8").rstrip("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8: {error}") from None
    return text.split("\n") if text else []
