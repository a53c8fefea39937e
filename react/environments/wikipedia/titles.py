"""When two spellings are one title.

`clean` is what Wikipedia itself takes for the same title; `key` also forgets letter case, accents and the kind of dash
or quote, which Wikipedia covers by redirects: `key("Bela_Bartok") == key("Béla Bartók")`.
"""

# ruff: noqa: RUF001
from __future__ import annotations

import html
import re
import unicodedata

from react.reading import one_line

# Pages are made lines as a model's words are.
tidy = one_line
# Marks of the direction of writing, which come along when a title is copied; MediaWiki strips them too.
_DIRECTION = re.compile("[\u200e\u200f\u202a-\u202e]")
_HTML_ENTITY = re.compile(r"&#?\w+;")
_OUTER_QUOTES = "\"'“”„‘’«» "
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("‘’ʻʼʹ′`", "'"),
        **dict.fromkeys("“”„«»″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        # Letters that Unicode does not take apart into a base and an accent.
        **{"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"},
    }
)


def clean(title: str) -> str:
    """The one spelling of a title: NFC, spaces for underscores, HTML entities read."""
    text = _DIRECTION.sub("", _HTML_ENTITY.sub(lambda entity: html.unescape(entity[0]), title))
    return unicodedata.normalize("NFC", tidy(text.replace("_", " ")))


def unquoted(title: str) -> tuple[str, str]:
    """`title` without the pair of quotes around it, and without any: titles have quotes of their own."""
    quoted = len(title) > 2 and title[0] in _OUTER_QUOTES and title[-1] in _OUTER_QUOTES
    return title[1:-1].strip() if quoted else title, title.strip(_OUTER_QUOTES).strip()


def key(title: str) -> str:
    """What all spellings of a clean title have in common."""
    if title.isascii():
        return title.lower().replace("`", "'")
    letters = unicodedata.normalize("NFKD", title.casefold().translate(_ALIKE))
    return tidy("".join(letter for letter in letters if not unicodedata.combining(letter)).casefold())


def without_qualifier(name: str) -> str:
    """`Mercury (planet)` without ` (planet)`."""
    base, found, _ = name.rpartition(" (")
    return base if found and name.endswith(")") and base else name
