"""A ZIM file, Kiwix's archive of a whole wiki -> records. It is read with libzim: `pip install "staract[zim]"`.

Paragraphs and items of lists become paragraphs, in their order; tables, notes and what is not shown do not. Entries
that lead to another one are its redirects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from react.environments.wikipedia.reading import Position, Read, digest, signature
from react.environments.wikipedia.titles import tidy

MAGIC = b"ZIM\x04"
_BLOCKS = frozenset(("p", "li", "dd", "dt", "blockquote"))
_SKIPPED = frozenset(("style", "script", "table", "figure", "nav", "noscript", "math", "svg", "button", "footer"))
# Footnote marks, "[edit]", notes about other pages of the same name, links to sister projects.
_SKIPPED_CLASSES = frozenset(
    ("reference", "mw-editsection", "hatnote", "noprint", "navbox", "reflist", "references", "mw-empty-elt", "toc")
)
_VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"))
_LARGEST = 1 << 26
_CHAIN = 8


@dataclass(frozen=True)
class Zim:
    """The articles of a ZIM file."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def signature(self) -> str:
        return signature([self.path])

    def digest(self) -> bytes:
        return digest([self.path])

    def read(self, start: Position) -> Iterator[Read]:
        archive, size = _opened(self.path), self.size
        count = archive.all_entry_count
        for number in range(start.record, count):
            try:
                record = _record(archive._get_entry_by_id(number))
            except (RuntimeError, ValueError) as error:
                raise ValueError(f"{self.path}, entry {number}: cannot be read: {error}") from None
            if record:
                after = Position(0, number + 1)
                yield Read(f"{self.path}, entry {number}", record, after, size * (number + 1) // count)


def _opened(path: Path) -> Any:
    try:
        from libzim.reader import Archive
    except ImportError:
        raise ValueError(f'{path}: a ZIM file is read with libzim: pip install "staract[zim]"') from None
    try:
        return Archive(path)
    except RuntimeError as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None


def _record(entry: Any) -> dict[str, Any] | None:
    """An article; or a page of which only a redirect is known here; or nothing, for pictures and such."""
    target = entry
    for _ in range(_CHAIN):
        if not target.is_redirect:
            break
        target = target.get_redirect_entry()
    else:
        return None
    item = target.get_item()
    if not item.mimetype.startswith("text/html"):
        return None
    if target is not entry:
        return {"title": _title(target), "text": "", "redirects": [_title(entry)]}
    if item.size > _LARGEST:
        raise ValueError(f"a page of {item.size:,} bytes")
    return {"title": _title(entry), "text": "\n".join(paragraphs(bytes(item.content).decode(errors="replace")))}


def _title(entry: Any) -> str:
    return str(entry.title or entry.path.rpartition("/")[2])


def paragraphs(html: str) -> list[str]:
    """The text of the paragraphs and items of lists, each one line, in their order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end()
    return reader.found


class _Reader(HTMLParser):
    """Knows which elements are open, where one is open that is not text, and the paragraph under way."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._words: list[str] = []
        self._open: list[str] = []
        self._hidden = 0  # the depth at which the outermost element began that is not text; 0 outside of all

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.end()
        if tag in _VOID:
            self._words.append(" ")
            return
        if tag == "p" and self._open[-1:] == ["p"]:
            self._open.pop()  # its end may be left out
        self._open.append(tag)
        classes = next((value or "" for name, value in attrs if name == "class"), "").split()
        if not self._hidden and (tag in _SKIPPED or not _SKIPPED_CLASSES.isdisjoint(classes)):
            self._hidden = len(self._open)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self._words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass
            if len(self._open) < self._hidden:
                self._hidden = 0
        if tag in _BLOCKS:
            self.end()

    def handle_data(self, data: str) -> None:
        if not self._hidden and not _BLOCKS.isdisjoint(self._open):
            self._words.append(data)

    def end(self) -> None:
        """The paragraph under way is whole."""
        if text := tidy("".join(self._words)):
            self.found.append(text)
        self._words.clear()
