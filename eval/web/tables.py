"""Sections of a report as tables of a page: a caption, headings that say what they head, room to scroll."""

from __future__ import annotations

import re

from eval.sections import Section
from eval.web.markup import Markup, joined, tag

_NUMBER = re.compile(r"^(< ?|[+-])?[\d.,]+%?(\s|$)|^-?$")
_INTERVAL = re.compile(r"^(\S+ ?)(\[[^\]]+\])$")


def section(found: Section, name: str, *above: Markup) -> Markup:
    """A section with its heading, what stands above its table, the table, and the lines below it."""
    told = [tag("p", line, class_="below") for line in found.below]
    heading = tag("h2", found.title, id=f"{name}-title")
    return tag(
        "section", heading, *above, table(found, f"{name}-title"), *told, id=name, aria_labelledby=f"{name}-title"
    )


def table(found: Section, labelled: str) -> Markup:
    """The rows, of which the first column says what they are. It scrolls by itself where the page is narrow."""
    names = list(found.rows[0])
    numeric = {name for name in names if all(_NUMBER.match(row[name]) for row in found.rows)}
    look = {name: "number" if name in numeric else None for name in names}
    head = tag("tr", *(tag("th", name, scope="col", class_=look[name]) for name in names))
    rows = [
        tag(
            "tr",
            tag("th", row[names[0]], scope="row"),
            *(tag("td", _cell(row[name]), class_=look[name]) for name in names[1:]),
        )
        for row in found.rows
    ]
    inside = tag("table", tag("thead", head), tag("tbody", *rows), aria_labelledby=labelled)
    return tag("div", inside, class_="scroll", role="group", tabindex=0, aria_labelledby=labelled)


def _cell(text: str) -> Markup:
    """A value stands out from its interval."""
    if found := _INTERVAL.match(text):
        return joined(found[1], tag("span", found[2], class_="interval"))
    return joined(text)
