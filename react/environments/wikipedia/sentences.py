"""Where sentences end.

A border is white space after `.`, `!` or `?` (and closing quotes or brackets) before anything but a lower-case letter,
unless the stop belongs to an abbreviation. Some abbreviations never end a sentence (`Dr.`), others may (`U.S.`, `Inc.`,
an initial): they do before a word that opens sentences far more often than it continues a name.
"""

# ruff: noqa: RUF001, SIM905
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from react.environments.wikipedia.titles import tidy

_BORDER = re.compile(
    r"""(?<![.!?…])(?P<stop>[.!?…]++)
        (?:["'”’»)\]]|\[\d{1,3}\])*+        # closing quotes and brackets, footnote marks
        [ ](?=["'“‘«(\[{–—-]*+(?P<next>[^ ]{1,40}))
    """,
    re.VERBOSE,
)
_OPENING = "\"'“”‘«([{–—-"
_NEVER = frozenset(
    "adm alt approx bp brig c ca capt cdr cf cmdr col comdr cpl dr e.g ed eds esp feat fig figs fr ft gen gov hon i.e "
    "lit lt maj messrs mme mlle mr mrs ms mt mts nr op pl pp pres prof pvt rep rev rt sen sgt ss st ste sts supt v viz "
    "vol vols vs a.k.a né née pron trans transl".split()
)
_NEVER_BEFORE_NUMBERS = frozenset(
    "art b ch chap d jan feb mar apr jun jul aug sep sept oct nov dec no nos p para sec".split()
)
_SELDOM = frozenset(
    "assn ave bros blvd cie co corp dept dist div est al etc inc intl jr ltd plc pty rd sq sr univ yahoo".split()
)
_OPENERS = frozenset(
    "a after all also although among an and as at because before both but by despite due during each following for "
    "from he her his however i if in initially it its later many most next on once one originally other our over she "
    "since some such that the their then there these they this those though through to today under until upon we "
    "what when where which while who with".split()
)
_DOTTED = re.compile(r"(?:\w{1,2}\.)+\w{1,2}")


def split(text: str) -> list[str]:
    """The sentences of a text, paragraphs apart. Each is one line; joined by spaces they are the tidied text."""
    return [sentence for line in text.splitlines() for sentence in _split_line(tidy(line))]


def pieces(paragraphs: Iterable[Sequence[str]]) -> list[str]:
    """Paragraphs of sentences, as ReAct@6bdb3a1 wikienv.py cut them: at every `. `, abbreviations too.

    A `.` is put behind each piece, so that a paragraph ends in `..`. Paragraphs of one or two words are left out.
    """
    texts = [" ".join(sentences) for sentences in paragraphs]
    cut = [piece.strip() for text in texts if len(text.split(" ")) > 2 for piece in text.strip().split(". ")]
    return [f"{piece}." for piece in cut if piece]


def _split_line(line: str) -> list[str]:
    sentences, start = [], 0
    for match in _BORDER.finditer(line):
        word = line[line.rfind(" ", start, match.start()) + 1 or start : match.start()]
        if _ends(word, match["stop"], match["next"], first=match.start() == start + len(word)):
            sentences.append(line[start : match.end() - 1])
            start = match.end()
    return [*sentences, line[start:]] if line[start:] else sentences


def _ends(word: str, stop: str, following: str, first: bool) -> bool:
    """Whether `word` and its `stop` end a sentence before `following`. `first`: they are all of it so far."""
    if following[0].islower():
        return False
    if stop not in (".", "!"):
        return True
    word = word.strip(_OPENING + ")]’»").lower()
    if stop == "." and (word in _NEVER or (following[0].isdigit() and word in _NEVER_BEFORE_NUMBERS)):
        return False
    if first and stop == "." and len(word) <= 2 and (word.isdigit() or len(word) == 1):
        return False  # the number or letter of a list's item, or the initial of a name
    if word in _SELDOM or (stop == "." and (len(word) == 1 or _DOTTED.fullmatch(word))):
        return following.rstrip(",").lower() in _OPENERS
    return True
