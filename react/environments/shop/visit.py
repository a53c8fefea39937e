"""A shopper of WebShop's text environment: what can be clicked, and where it leads.

    search[...]      on any page
    click[...]       what can be clicked on this one: a button, a product, an option; letter case does not count

Whatever else is said changes nothing, and shows the page again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from react.environments.shop import views
from react.environments.shop.pages import SUBS, Page, Pages, Piece, Place, Told, spelt

# A name, and an argument behind the last bracket but what can close it; what follows that is ignored.
_ACTION = re.compile(r"(.+)\[(.+)\]")
VIEWS = ("text", "text_rich")


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


class Visitor:
    """A `Shopper` who sees pages in one of the `VIEWS`.

    `careful`: white space in what is clicked does not matter, and an action with words behind it is none.
    """

    def __init__(self, pages: Pages, session: str, form: str, *, careful: bool = True) -> None:
        self._visit = Visit(pages, session)
        self._form = form
        self._careful = careful
        self.first = self._text()

    @property
    def place(self) -> Place:
        return self._visit.place

    def act(self, action: str) -> Told:
        """See `Shopper`."""
        came = self._visit.act(self._spelt(action)) if self._says(action) else Came(0.0, False, False)
        return Told(self._text(), came.done, came.reward if came.done else None, came.valid)

    def _text(self) -> str:
        return self._visit.text if self._form == "text" else self._visit.rich

    def _says(self, action: str) -> bool:
        """Whether it is an action and nothing more: words behind it may take it back, and a purchase cannot be."""
        return not self._careful or _ACTION.fullmatch(action) is not None

    def _spelt(self, action: str) -> str:
        if not self._careful:
            return action
        match, names = _ACTION.match(action), self._visit.clickables()
        if not match or match[1] != "click" or match[2].lower() in names:
            return action
        return f"click[{spelt(match[2].lower(), names)}]"
