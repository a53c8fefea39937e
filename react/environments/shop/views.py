"""The forms in which WebShop's text environment shows a page.

WebShop@64fa2a5 web_agent_site/envs/web_agent_text_env.py:

text        what can be seen, joined by ` [SEP] `
text_rich   a line each, with what can be clicked and what has been marked
"""

from __future__ import annotations

import json
from collections.abc import Collection

from react.environments.shop.pages import Page, Piece, Place

BASE = "http://127.0.0.1:3000"


def text(page: Page) -> str:
    """The observation form `text`."""
    return " [SEP] ".join(piece.text.strip() for piece in page.shown)


def rich(page: Page, url: str, seen: Collection[str]) -> str:
    """The observation form `text_rich`.

    An option is marked where its value stands in quotes in the URL, as there, whatever it is the value of; a product
    where it is one of those `seen`.
    """
    lines, clicked = [], []
    for piece in page.shown:
        if piece.kind == "option" and f'"{piece.text}"' in url:
            clicked.append(f"You have clicked {piece.text}.\n")
            lines.append(f"  [clicked button] {piece.text} [clicked button_]\n")
        else:
            lines.append(_line(piece, piece.kind == "product" and piece.text in seen))
    return "".join([*reversed(clicked), *lines])


def _line(piece: Piece, seen: bool) -> str:
    if piece.kind == "text":
        return f"{piece.text}\n"
    before = {"button": "", "option": "  ", "product": "\n"}[piece.kind]
    clicked = "clicked " if seen else ""
    return f"{before}[{clicked}button] {piece.text} [{clicked}button_]\n"


def url(place: Place, session: str) -> str:
    """The address of a page, as the text environment writes it: the options of an item alone are JSON."""
    options = dict(place.options)
    words = "+".join(place.keywords)
    match place.page:
        case "index":
            return f"{BASE}/{session}"
        case "results":
            return f"{BASE}/search_results/{session}/{words}/{place.number}"
        case "item":
            return f"{BASE}/item_page/{session}/{place.asin}/{words}/{place.number}/{json.dumps(options)}"
        case "sub":
            return f"{BASE}/item_sub_page/{session}/{place.asin}/{words}/{place.number}/{place.sub}/{options}"
        case "done":
            return f"{BASE}/done/{session}/{place.asin}/{options}"
