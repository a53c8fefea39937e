"""HTML and SVG in which no text is markup: what is not made here is escaped, and what cannot be seen is spelled out."""

from __future__ import annotations

import re
from html import escape

# Control characters but tab and line feed, and what turns or hides text; the page's script knows the same.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_EMPTY = {"line", "path", "rect", "circle", "polyline", "br", "col"}


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def shown(text: str) -> str:
    """Text with a visible spelling of what is not seen, or would turn the text around: `\\u202e`."""
    return _UNSEEN.sub(lambda found: rf"\u{ord(found[0]):04x}", text)


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An element. Children that are no Markup become text; `class_` is `class`, and `stroke_width` `stroke-width`."""
    said = "".join(_attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    if name in _EMPTY and not children:
        return Markup(f"<{name}{said}/>")
    return Markup(f"<{name}{said}>{joined(*children)}</{name}>")


def joined(*children: str) -> Markup:
    """Children side by side."""
    return Markup("".join(one if isinstance(one, Markup) else escape(shown(one), quote=False) for one in children))


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    said = number(value) if isinstance(value, float) else shown(str(value))
    return f" {name}" if value is True else f' {name}="{escape(said)}"'


def number(value: float) -> str:
    """A length with at most two digits behind the point."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
