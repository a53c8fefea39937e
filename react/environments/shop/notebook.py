"""The client of ReAct's notebook: its page form, three products a page, and its actions (ReAct@6bdb3a1 WebShop.ipynb).

    search[...]                  on the first page alone
    click[Back to Search]        on results, an item, or a part of one
    click[B07HRFSNL4]            an item among the ten results, though only three are shown
    click[blue]                  an option of the item: it says so, and shows no page
    click[Description]           or Features, Reviews, Attributes: a part of the item; `click[< Prev]` leads back
    click[Buy Now]               the end

Letter case counts. What is not possible here is an `Invalid action!`, but a click of anything else on the first page or
on a part of an item, which shows the page again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

from react.environments.shop.pages import SCORE, SUBS, Page, Pages, Place, Told, spelt

INVALID = "Invalid action!"
_SHOWN = 3  # products of a page
_CLICK = "You have clicked {}."
_NO_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Client:
    """One session. `careful` is where it differs from the notebook's.

    There, what holds `#`, `?` or `/`, and a query that begins with `[`, gets lost on its way to the server: the page is
    empty, and what is bought brings nothing. An option with a quote in it is never marked as chosen, another one is
    where a query quotes it, and a product without options has those of the one before. Careful, all that is said
    arrives, what is chosen is marked, white space in an option does not matter, and a query without a word and a
    bracket that does not close are invalid.
    """

    def __init__(self, pages: Pages, *, careful: bool = True) -> None:
        self._pages = pages if careful else _Careless(pages)
        self._careful = careful
        self.options: dict[str, str] = {}  # what can be chosen, each with what it is an option of
        self._asins: set[str] = set()
        self._chosen = ""  # the option, where the last action was to choose one
        self.first = self._open(Place()).text

    @property
    def place(self) -> Place:
        return self._place

    def act(self, action: str) -> Told:
        """See `Shopper`."""
        name, bracket, rest = action.partition("[")
        if not bracket or name not in ("search", "click") or (self._careful and not rest.endswith("]")):
            return Told(INVALID, valid=False)
        said = rest[:-1]
        place = self._searched(said) if name == "search" else self._clicked(said)
        if place is None:
            return Told(INVALID, valid=False)
        told = self._open(place)
        return replace(told, text=_CLICK.format(self._chosen)) if self._chosen else told

    def _searched(self, query: str) -> Place | None:
        if self._place.page != "index" or (self._careful and not query.strip()):
            return None
        self._chosen = ""
        return Place("results", (query,))

    def _clicked(self, said: str) -> Place | None:
        """Where a click leads; None: it is not possible."""
        here = self._place
        self._chosen = ""
        if said == "Buy Now":
            return replace(here, page="done") if here.page == "item" else None
        if said == "Back to Search":
            return Place() if here.page != "index" else None
        if said == "< Prev" and here.page == "sub":
            return replace(here, page="item", sub="")
        if said == "< Prev" and here.page == "item":
            return Place("results", here.keywords)
        if said in ("Next >", "< Prev"):
            return None
        if said in SUBS:
            return replace(here, page="sub", sub=said) if here.page == "item" else None
        if here.page == "results":
            return replace(here, page="item", asin=said) if said in self._asins else None
        if here.page == "item":
            said = spelt(said, self.options) if self._careful and said not in self.options else said
            if said not in self.options:
                return None
            self._chosen = said
            return replace(here, options=here.chosen(self.options[said], said))
        return here

    def _open(self, place: Place) -> Told:
        self._place, page = place, self._pages.read(place)
        if place.page == "done":
            said = f"{SCORE}: {page.score}" if page.score is not None else ""
            return Told(said, done=True, score=page.score)
        self._note(page)
        return Told("".join(self._written(page)))

    def _note(self, page: Page) -> None:
        """Keeps what can be clicked here, or all that could be before if nothing can, as the notebook does."""
        asins = {piece.text for piece in page.shown if piece.kind == "product"}
        options = {piece.text: piece.name for piece in page.shown if piece.kind == "option"}
        if self._place.page == "index":
            self._asins, self.options = set(), {}
        self._asins = asins or self._asins
        if options or (self._careful and self._place.page == "item"):
            self.options = options

    def _written(self, page: Page) -> Iterator[str]:
        """A page as it is shown: without instruction, and without the fourth product and those after it."""
        texts, products, since = 0, 0, 0
        for piece in page.shown:
            if not piece.text.strip(" \n"):
                continue
            if piece.kind == "product":
                products, since = products + 1, 0
            shown = products <= _SHOWN or (piece.kind != "product" and (piece.kind != "text" or since > 2))
            if piece.kind == "text":
                texts += 1
                shown = shown and (texts > 2 or self._place.page == "index")
            since += 1
            if shown and piece.kind == "option":
                yield f"[[{piece.text}]]" if self._marked(piece.text, piece.name) else f"[{piece.text}]"
            elif shown:
                yield f"\n{piece.text} " if piece.kind == "text" else f"\n[{piece.text}] "

    def _marked(self, value: str, name: str) -> bool:
        if self._careful:
            return dict(self._place.options).get(name) == value
        return f"'{value}'" in f"{self._place.keywords[0]}/1/{dict(self._place.options)}"


class _Careless:
    """Pages as they arrive where nothing is quoted in their addresses."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def read(self, place: Place) -> Page:
        if not _arrives(str(dict(place.options))):
            return Page(())
        if place.page != "results":
            return self._pages.read(place)
        keywords = _keywords(place.keywords[0])
        return self._pages.read(replace(place, keywords=keywords)) if keywords else Page(())


def _arrives(part: str) -> bool:
    return part not in ("", ".", "..") and not re.search("[#?/]", part)


def _keywords(query: str) -> tuple[str, ...]:
    """What the server takes for keywords; none where its page is an error."""
    if not _arrives(query):
        return ()
    query = query if _NO_ESCAPE.search(query) else unquote(query)
    if not query.startswith("["):
        return (query,)
    try:
        listed = ast.literal_eval(query)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return ()
    return tuple(listed) if isinstance(listed, list) and all(isinstance(word, str) for word in listed) else ()
