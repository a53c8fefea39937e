"""A wiki as it is now, through its API; or as it was, from a recording of what that answered.

An entity is sought as Wikipedia's own "go" does: the page of that very title (MediaWiki follows redirects and
variants of the language), else the wiki's near match (another letter case, accents, quotes), else none. A page that is
found by its title costs one request, everything else a second one, which also brings the similar titles.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from react.environments.wikipedia import Page
from react.environments.wikipedia.api import WikiError
from react.environments.wikipedia.markup import paragraphs
from react.environments.wikipedia.reading import Position, Read, digest, signature
from react.environments.wikipedia.recording import Recording
from react.environments.wikipedia.sentences import split
from react.environments.wikipedia.titles import clean, tidy, without_qualifier

# Another value whenever other questions are asked, or something else is made of the same answers.
BEHAVIOUR = "1"
_SHOWN = 5  # ReAct@6bdb3a1 wikienv.py
_LONGEST_TITLE = 255  # bytes; MediaWiki's own limit
_LONGEST_SEARCH = 200  # letters; CirrusSearch refuses 300
_NO_TITLE = re.compile(r"[\[\]{}|#<>]")
# Words alone: quotes, `-`, `~`, `insource:` and the like are commands to the search engine.
_WORDS = re.compile(r"\w[\w'’.&+#-]*")  # noqa: RUF001
_HEADING = re.compile(r"(={1,6})[^=].*\1")

_SITE = {"action": "query", "meta": "siteinfo", "siprop": "general"}
_PAGE = {
    "action": "query",
    "prop": "extracts|pageprops",
    "redirects": "1",
    "converttitles": "1",
    "explaintext": "1",
    "exsectionformat": "wiki",
    "exlimit": "1",
    "ppprop": "disambiguation",
}
_SEARCH = {"list": "search", "srwhat": "text", "srnamespace": "0", "srinfo": "", "srprop": ""}


@dataclass(frozen=True)
class Found:
    """What one answer says: the page it holds, if any, and the titles that were searched for."""

    title: str = ""
    text: str = ""
    disambiguation: bool = False
    searched: tuple[str, ...] = ()


class MediaWiki:
    """A `Wikipedia` that is asked through a `Recording`. Opening it is the first question: ValueError if it is no wiki.

    The fingerprint says which wiki is asked, and how: for a live one that its endpoint is the same, not that its pages
    are (they change from day to day; the recording says when each was read). A recording that is opened without its
    wiki has the fingerprint of its content. `find` and `similar` raise WikiError where there is no answer.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.fingerprint = hashlib.sha256(f"mediawiki\n{BEHAVIOUR}\n{recording.identity}".encode()).hexdigest()
        try:
            recording.ask(_SITE, _site, tries=2)
        except WikiError as error:
            raise ValueError(f"no MediaWiki API answers: {error}") from None
        self._find = lru_cache(256)(self._find_anew)
        self._similar = lru_cache(256)(self._similar_anew)

    def find(self, entity: str) -> Page | None:
        """The article or disambiguation page that "go" opens for `entity`. None where it is no title at all."""
        return self._find(clean(entity))

    def similar(self, entity: str) -> list[str]:
        """Up to five titles: what the disambiguation page `entity` links to, then what a search for its words gives."""
        return list(self._similar(clean(entity)))

    def close(self) -> None:
        self._recording.close()

    def _find_anew(self, name: str) -> Page | None:
        if not _is_title(name):
            return None
        found = self._recording.ask({**_PAGE, "titles": name}, read_named)
        if not found.title:
            found = self._recording.ask(_near(name), read)
        return self._page(found) if found.title else None

    def _page(self, found: Found) -> Page | None:
        """None where a page has no text to observe."""
        texts = _without_headings(found.text)
        if not texts:
            asked = {"action": "parse", "page": found.title, "prop": "text", "redirects": "1"}
            quiet = {"disableeditsection": "1", "disabletoc": "1", "disablelimitreport": "1"}
            texts = self._recording.ask({**asked, **quiet}, lambda answer: paragraphs(answer["parse"]["text"]))
        lines = [line for text in texts if (line := tidy(text))]
        if not lines:
            return None
        # Where the wiki does not mark disambiguation pages they are told by these words, as ReAct@6bdb3a1 wikienv.py
        # does; not by those of the whole text, in which an article may speak of anything.
        disambiguation = found.disambiguation or "may refer to:" in lines[0]
        return Page(clean(found.title), tuple(tuple(split(line)) for line in lines), disambiguation=disambiguation)

    def _similar_anew(self, name: str) -> tuple[str, ...]:
        page = self._find(name)
        if page is not None and page.disambiguation:
            titles = self._referred(page)
        else:
            titles = self._recording.ask(asked, read).searched if (asked := _near(name)) else ()
        return tuple(title for title in dict.fromkeys(titles) if page is None or title != page.title)[:_SHOWN]

    def _referred(self, page: Page) -> Iterable[str]:
        """What a disambiguation page links to, in the order in which its lines open with it, then mention it."""
        links = {"action": "query", "generator": "links", "titles": page.title, "prop": "info"}
        limits = {"gplnamespace": "0", "gpllimit": "max"}
        linked, searched = self._recording.ask({**links, **limits, **_search(without_qualifier(page.title))}, _linked)
        lines = [" ".join(paragraph) for paragraph in page.paragraphs]
        opening = (max((title for title in linked if line.startswith(title)), key=len, default="") for line in lines)
        text = "\n".join(lines)
        mentioned = sorted((title for title in linked if title in text), key=lambda title: (text.index(title), title))
        return [title for title in (*opening, *mentioned, *searched) if title]


def _is_title(name: str) -> bool:
    return bool(name) and len(name.encode()) <= _LONGEST_TITLE and not _NO_TITLE.search(name)


def _near(name: str) -> dict[str, str]:
    """The question for the page nearest to `name`, and for titles like it. Empty where there is nothing to ask."""
    near = {**_PAGE, "generator": "search", "gsrwhat": "nearmatch", "gsrnamespace": "0", "gsrsearch": name}
    searched = _search(name)
    if _is_title(name):
        return {**near, **searched}
    return {"action": "query", **searched} if searched else {}


def _search(name: str) -> dict[str, str]:
    words = " ".join(_WORDS.findall(name))[:_LONGEST_SEARCH].strip()
    return {**_SEARCH, "srsearch": words, "srlimit": str(_SHOWN + 1)} if words else {}


def _without_headings(text: str) -> list[str]:
    return [line for line in map(str.strip, text.splitlines()) if line and not _HEADING.fullmatch(line)]


@dataclass(frozen=True)
class Recorded:
    """A recording as a `Source` of a snapshot: its pages, each with the name that it was found by."""

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
        with closing(Recording(self.path)) as recording:
            wiki, names = MediaWiki(recording), recording.asked("titles")
            for number, name in enumerate(names[start.record :], start.record + 1):
                with suppress(WikiError):  # a run that was stopped may know a title, and not yet its text
                    if page := wiki.find(name):
                        done = self.size * number // len(names)
                        yield Read(f"{self.path}: {name!r}", _record(page, name), Position(0, number), done)


def _record(page: Page, name: str) -> dict[str, Any]:
    text = "\n".join(" ".join(paragraph) for paragraph in page.paragraphs)
    kind = "disambiguation" if page.disambiguation else "article"
    return {"title": page.title, "text": text, "redirects": [name], "kind": kind}


def _site(answer: Mapping[str, Any]) -> str:
    generator = answer["query"]["general"]["generator"]
    if not str(generator).startswith("MediaWiki"):
        raise ValueError(f"the site is made by {generator!r}, not by MediaWiki")
    return str(generator)


def read(answer: Mapping[str, Any]) -> Found:
    """An answer to a query for one page. ValueError, TypeError or KeyError where it is none."""
    query = _query(answer)
    searched = _searched(query)
    for page in _pages(query):
        text = page.get("extract", "")
        if not isinstance(text, str):
            raise ValueError(f"`extract` is no text: {text!r}")
        marks = page.get("pageprops", {})
        if not isinstance(marks, dict):
            raise ValueError(f"`pageprops` is no object: {marks!r}")
        return Found(page["title"], text, "disambiguation" in marks, searched)
    return Found(searched=searched)


def read_named(answer: Mapping[str, Any]) -> Found:
    """As `read`, of a query that names a title: MediaWiki says of it at least that there is no such page.

    Only of a title of another wiki, and of redirects in a circle, it tells where they lead, and gives no `pages`.
    """
    query = _query(answer)
    if not query.get("pages", query.get("interwiki") or query.get("redirects")):
        raise ValueError("nothing is said of the title that was asked for")
    return read(answer)


def _linked(answer: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    query = _query(answer)
    return tuple(sorted(clean(page["title"]) for page in _pages(query))), _searched(query)


def _query(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    if "errors" in answer:
        raise ValueError(f"errors: {answer['errors']!r}")
    query = answer.get("query", {})
    if not isinstance(query, dict) or not {"query", "batchcomplete"} & set(answer):
        raise ValueError("neither `query` nor `batchcomplete` is in it")
    return query


def _pages(query: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The articles that there are. Talk, user and special pages are none, nor are titles of other wikis."""
    pages = query.get("pages", [])
    if not isinstance(pages, list):
        raise ValueError("`pages` is no list: MediaWiki 1.25 or later is needed")
    for page in pages:
        if not isinstance(page["title"], str):
            raise ValueError(f"`title` is no text: {page['title']!r}")
        if "invalid" not in page and type(page["ns"]) is not int:
            raise ValueError(f"`ns` is no whole number: {page['ns']!r}")
        if page.get("ns") == 0 and clean(page["title"]) and not {"missing", "invalid", "special"} & set(page):
            yield page


def _searched(query: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(title for one in query.get("search", []) if (title := clean(one["title"])))
