"""The paragraphs and list items of a rendered wiki page, for wikis that do not give plain text themselves."""

# ruff: noqa: SIM905
from __future__ import annotations

from html.parser import HTMLParser

_BLOCKS = ("p", "li", "dd", "dt", "blockquote")
# What stands around a text: notes, tables (infoboxes among them), contents, formulas as pictures' source.
_SKIPPED = frozenset("style script table figure math noscript template title".split())
_SKIPPED_CLASSES = frozenset(
    "reference references reflist mw-editsection noprint toc hatnote navbox metadata mw-empty-elt".split()
)
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


def paragraphs(page: str) -> list[str]:
    """The text of each paragraph and list item of a page in HTML, in order; each is one line, and none is empty."""
    reader = _Reader()
    reader.feed(page.replace("<![", "&lt;!["))  # of which html.parser raises AssertionError where it knows none
    reader.close()
    reader.end_block()
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._text: list[str] = []
        self._blocks = 0
        self._skipping = ""  # the name of the element that is skipped, and how many of that name are open in it
        self._depth = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if self._skipping:
            self._depth += tag == self._skipping
        elif tag in _VOID:
            self._text.append(" " if tag == "br" else "")
        elif tag in _SKIPPED or not _SKIPPED_CLASSES.isdisjoint((dict(attributes).get("class") or "").split()):
            self._skipping, self._depth = tag, 1
        elif tag in _BLOCKS:
            self.end_block()
            self._blocks += 1

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            self._depth -= tag == self._skipping
            self._skipping = self._skipping if self._depth else ""
        elif tag in _BLOCKS:
            self.end_block()
            self._blocks = max(self._blocks - 1, 0)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.handle_starttag(tag, attributes)

    def handle_data(self, data: str) -> None:
        if self._blocks and not self._skipping:
            self._text.append(data)

    def end_block(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text:
            self.found.append(text)
