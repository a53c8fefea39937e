"""A shopper of WebShop's text environment: what can be clicked, and where it leads (forms `text` and `text_rich`)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from react.environments.shop import views
from react.environments.shop.pages import SUBS, Page, Pages, Piece, Place

# A name, and an argument behind the last bracket but what can close it; what follows that is ignored.
_ACTION = re.compile(r"(.+)\[(.+)\]")


class Came(NamedTuple):
    """What an action brought. Not `valid`: nothing happened."""

    reward: float
    done: bool
    valid: bool


class Visit:
    """One session with one goal. It goes on after a purchase, as there: whoever counts one must stop."""

    def __init__(self, pages: Pages, session: str) -> None:
        self._pages = pages
        self._session = session
        self._seen: set[str] = set()
        self._open(Place())

    @property
    def place(self) -> Place:
        return self._place

    @property
    def page(self) -> Page:
        return self._page

    @property
    def url(self) -> str:
        return views.url(self._place, self._session)

    @property
    def text(self) -> str:
        return views.text(self._page)

    @property
    def rich(self) -> str:
        return views.rich(self._page, self.url, self._seen)

    def clickables(self) -> dict[str, Piece]:
        """What can be clicked, by what has to be said for it: buttons, then products, then options."""
        pieces = self._page.pieces
        named = {piece.text.lower(): piece for kind in ("button", "product") for piece in pieces if piece.kind == kind}
        return named | {piece.text: piece for piece in pieces if piece.kind == "option"}

    def act(self, action: str) -> Came:
        """`search[...]` on any page, `click[...]` of what can be clicked; anything else changes nothing."""
        match = _ACTION.match(action)
        name, argument = (match[1], match[2].lower()) if match else (action, "")
        if name == "search" and argument:
            return self._open(Place("results", tuple(argument.split(" "))))
        if name == "click" and argument != "search" and (piece := self.clickables().get(argument)):
            return self._open(self._clicked(argument, piece))
        return Came(0.0, False, False)

    def _open(self, place: Place) -> Came:
        self._place, self._page = place, self._pages.read(place)
        if place.page == "index":
            self._seen.clear()
        elif place.page == "item":
            self._seen.add(place.asin)
        return Came(self._page.score or 0.0, place.page == "done", True)

    def _clicked(self, said: str, piece: Piece) -> Place:
        """Where a click leads. On an item an option that is called like a button does what the button does."""
        here = self._place
        if said == "back to search":
            return Place()
        if here.page == "results":
            turned = {"next >": 1, "< prev": -1}.get(said, 0)
            if turned and piece.kind == "button":
                return replace(here, number=here.number + turned)
            return replace(here, page="item", asin=piece.text)
        if here.page == "sub":
            return replace(here, page="item", sub="")
        if said == "< prev":
            return Place("results", here.keywords, here.number)
        if said == "buy now":
            return replace(here, page="done")
        if sub := next((sub for sub in SUBS if sub.lower() == said), ""):
            return replace(here, page="sub", sub=sub)
        return replace(here, options=here.chosen(piece.name, said))
