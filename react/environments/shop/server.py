"""A running server of WebShop itself (`python -m web_agent_site.app` of WebShop@64fa2a5) as the source of pages.

Pages are asked for by GET, as ReAct's notebook does, with all parts of an address quoted. A slash cannot be sent in one
even so: it is a blank, which for the search is the same. A session is known by its name, whose last part is the number
of the goal, and has to see the first page before another.

What the server does not answer, or answers with anything but the page that was asked for, is a failure of the
infrastructure and no observation.
"""

from __future__ import annotations

import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import quote, urlsplit

from react._http import Broken, Lines
from react.environments.shop.pages import SCORE, Page, Piece, Place
from react.mistakes import Mistake

GOALS = 12_087  # of the full products; WebShop@64fa2a5 always has the instructions of people
_TRIES = 4
_TIMEOUT = 60.0  # seconds for one whole answer
_BASE = 0.5  # seconds: the first wait; each is twice the one before
_LARGEST = 8 * 2**20  # bytes of a page


class ShopError(Exception):
    """The server gave no page: a failure of the infrastructure, never an observation.

    It is no OSError: that would say that the files of the run itself cannot be written.
    """


class Server:
    """A server at `url`, for any number of threads. Nothing is sent before the first page is read. Mistake: no URL."""

    def __init__(self, url: str, timeout: float = _TIMEOUT, sleep: Callable[[float], None] = time.sleep) -> None:
        self.url = _normal(url)
        self._timeout, self._sleep = timeout, sleep
        self._lines = Lines(self.url)

    def session(self, goal: int, asks: str = "") -> Session:
        """A new session with the goal of that number; its pages have to ask for `asks`, if that is not empty."""
        return Session(self, f"fixed_{uuid.uuid4().hex}_{goal}", asks)

    def instruction(self, goal: int) -> str:
        """What the goal of that number asks for."""
        return instruction(self.session(goal).read(Place()))

    def get(self, path: str) -> str:
        """The HTML at a path, tried again where that may help. Raises ShopError."""
        for number in range(_TRIES):
            try:
                return self._get(path)
            except Broken as error:
                if number + 1 == _TRIES:
                    raise ShopError(f"{self.url}: {error} (tried {_TRIES} times)") from None
                self._sleep(_BASE * 2.0**number)
        raise AssertionError("unreachable")

    def _get(self, path: str) -> str:
        url, headers = f"{self.url}/{path}", {"Accept": "text/html"}
        answer = self._lines.exchange("GET", url, headers, None, self._timeout, _LARGEST)
        if answer.status in (408, 429) or answer.status >= 500:
            raise Broken(f"status {answer.status}")
        if answer.status != 200:
            raise ShopError(f"{self.url}: status {answer.status}")
        return answer.body.decode("utf-8", "replace")

    def close(self) -> None:
        """Closes the connections that nobody uses now, and the others when they are answered."""
        self._lines.close()


class Session:
    """`Pages` of a server, for one shopper."""

    def __init__(self, server: Server, name: str, asks: str) -> None:
        self._server = server
        self._name = name
        self._asks = asks

    def read(self, place: Place) -> Page:
        pieces = _pieces(self._server.get(_path(place, self._name)))
        if not _is(place, pieces):
            raise ShopError(f"{self._server.url}: what came is no {place.page} page of WebShop")
        page = Page(pieces, _score(pieces, self._server.url) if place.page == "done" else None)
        if self._asks and place.page != "done" and (asks := instruction(page)) != self._asks:
            goal = self._name.rpartition("_")[2]
            raise ShopError(f"{self._server.url}: goal {goal} is {asks!r} now; was the server started again?")
        return page


def instruction(page: Page) -> str:
    """What a page says that is asked for; the page after a purchase does not."""
    texts = [piece.text for piece in page.shown if piece.kind == "text"]
    return next((text for label, text in pairwise(texts) if label.startswith("Instruction:")), "")


def _normal(url: str) -> str:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0  # `port` raises
    except ValueError:
        known = False
    if not known or parts.query or parts.fragment or parts.username or not re.fullmatch(r"[!-~]+", url):
        raise Mistake(f"webshop: `server` is {url!r}; it must be an address like http://127.0.0.1:3000")
    return url.rstrip("/")


def _path(place: Place, session: str) -> str:
    query, options = _query(" ".join(place.keywords)), str(dict(place.options)).replace("/", " ")
    number = str(place.number)
    parts = {
        "index": (session,),
        "results": ("search_results", session, query, number),
        "item": ("item_page", session, place.asin, query, number, options),
        "sub": ("item_sub_page", session, place.asin, query, number, place.sub, options),
        "done": ("done", session, place.asin, options),
    }[place.page]
    return "/".join(quote(part, safe="", errors="replace") for part in parts)


def _query(said: str) -> str:
    """A query in one part of an address. What could be taken for something else there is a list of one text."""
    query = said.replace("/", " ")
    return str([query]) if query.startswith("[") or query in ("", ".", "..") else query


def _is(place: Place, pieces: Iterable[Piece]) -> bool:
    """Whether the page has what a page of its kind always has."""
    has = {(piece.kind, piece.text) for piece in pieces}
    if place.page == "results":
        start = f"Page {place.number} (Total results: "
        return any(kind == "text" and text.startswith(start) for kind, text in has)
    sign = {"index": "Search", "item": "Buy Now", "sub": "< Prev"}
    return ("text", SCORE) in has if place.page == "done" else ("button", sign[place.page]) in has


def _score(pieces: tuple[Piece, ...], url: str) -> float:
    """What stands behind the last title of a score: nothing that a product says stands after it."""
    texts = [piece.text for piece in Page(pieces).shown]
    at = max(at for at, text in enumerate(texts) if text == SCORE)
    try:
        score = float(texts[at + 1])
    except (ValueError, IndexError):
        raise ShopError(f"{url}: a purchase without a score") from None
    if not 0.0 <= score <= 1.0:
        raise ShopError(f"{url}: a score of {score}, which must be from 0 to 1")
    return score


def _pieces(html: str) -> tuple[Piece, ...]:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end_text()
    return tuple(reader.pieces)


_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_UNSEEN = {"style", "script", "head", "title"}


class _Reader(HTMLParser):
    """The visible texts of a page, each with the part that its element gives it."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[Piece] = []
        self._open: list[tuple[str, str]] = [("", "")]
        self._depths: Counter[str] = Counter()
        self._text: list[str] = []
        self._name = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.end_text()
        if tag not in _VOID:
            self._depths[tag] += 1
            self._open.append((tag, dict(attrs).get("class") or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.end_text()

    def handle_endtag(self, tag: str) -> None:
        self.end_text()
        if self._depths[tag]:
            while (closed := self._open.pop()[0]) != tag:
                self._depths[closed] -= 1
            self._depths[tag] -= 1

    def handle_comment(self, data: str) -> None:
        self.end_text()

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def end_text(self) -> None:
        """Makes a piece of the text since the last border of an element."""
        text, self._text = "".join(self._text), []
        tag, style = self._open[-1]
        if not text or tag in _UNSEEN:
            return
        if tag == "button":
            self.pieces.append(Piece("button", text))
        elif tag == "label":
            self.pieces.append(Piece("option", text, self._name))
        elif style.split() == ["product-link"]:
            self.pieces.append(Piece("product", text))
        else:
            self.pieces.append(Piece("text", text))
            self._name = text if text.strip() else self._name
