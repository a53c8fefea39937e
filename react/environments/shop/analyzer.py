"""Text -> the terms it is searched by, as Anserini's DefaultEnglishAnalyzer has them (pyserini 0.17 to 0.22).

    words       Lucene's StandardTokenizer: the word borders of Unicode (UAX #29), a token for each ideograph and emoji
    's          goes
    letters     lower case
    stop words  33, go
    stems       Porter's (stemmer.py)

Which characters are emoji is that of Unicode 11 to 12.1: later versions took stars, notes and hands out. A character of
a script that is younger than Lucene's tables may be read otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

import regex

from react.environments.shop.stemmer import stem

_STOPS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
))  # fmt: skip
_LONGEST = 255  # a longer token is cut into pieces; Lucene's own limit
_WINDOW = 8 * _LONGEST  # is looked at at once: a text without white space would be read anew for each of its tokens
_CACHED = 1 << 18

_PICTOGRAPHS = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3\u23f8-\u23fa"
    "\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705\u2708-\u2712\u2714"
    "\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767\u2795-\u2797\u27a1"
    "\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f0ff"
    "\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f23c-\U0001f23f"
    "\U0001f249-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6ff\U0001f774-\U0001f77f"
    "\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f\U0001f888-\U0001f88f"
    "\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001fffd"
)


def _words() -> regex.Pattern[str]:
    """The grammar of UAX #29 as Lucene's StandardTokenizerImpl.jflex reads it; the longest match at each place."""
    extend = r"[\p{WB=Format}\p{WB=Extend}\p{WB=ZWJ}]*+"
    letter = rf"(?:[\p{{WB=ALetter}}\p{{WB=Hebrew_Letter}}]{extend})"
    digit = rf"(?:[\p{{WB=Numeric}}\uff10-\uff19]{extend})"
    kana = rf"(?:\p{{WB=Katakana}}{extend})"
    low_line = rf"(?:\p{{WB=ExtendNumLet}}{extend})"
    # The colon is named because Unicode 15.1 moved it.
    in_word = rf"(?:[:\p{{WB=MidLetter}}\p{{WB=MidNumLet}}']{extend})"
    in_number = rf"(?:[\p{{WB=MidNum}}\p{{WB=MidNumLet}}']{extend})"
    hebrew = r"(?<=\p{WB=Hebrew_Letter})"
    letters = rf"{letter}(?:(?:{low_line}*|{in_word}|{hebrew}\"(?=\p{{WB=Hebrew_Letter}})){letter})*(?:{hebrew}')?"
    digits = rf"{digit}(?:(?:{low_line}*|{in_number}){digit})*"
    part = rf"(?:{kana}(?:{low_line}*{kana})*|(?:{digits}|{letters})+)"
    # A token begins no run of low lines in its middle, where a long run would be tried again from each of them.
    word = rf"(?<!\p{{WB=ExtendNumLet}}){low_line}*{part}(?:{low_line}+{part})*{low_line}*"

    mark = r"[\p{WB=Format}\p{WB=Extend}\p{WB=ZWJ}--[\ufe0e\ufe0f]]*"
    pictograph = rf"(?:(?:\p{{Emoji_Modifier_Base}}{mark})?[\U0001f3fb-\U0001f3ff]|[{_PICTOGRAPHS}]){mark}\ufe0f?"
    tag = r"(?:[\U000e0020-\U000e007e]+\U000e007f)"
    emoji = rf"(?<!\u200d)\u200d*{pictograph}(?:(?:(?<=\u200d)|\u200d+){pictograph})*{tag}?"
    key_cap = rf"[#*]{mark}\ufe0f?\u20e3{mark}"
    flag = rf"(?:\p{{WB=Regional_Indicator}}{extend}){{2}}"
    thai = rf"(?:\p{{LB=SA}}{extend})+"
    ideograph = rf"[\p{{Script=Han}}\p{{Script=Hiragana}}]{extend}"
    return regex.compile("|".join((word, emoji, key_cap, flag, thai, ideograph)), regex.VERSION1)


_WORD = _words()


def terms(text: str) -> list[str]:
    """The terms of a text in their order; one that is there twice is twice in the list."""
    return list(chain.from_iterable(map(_of_chunk, text.split())))


@lru_cache(_CACHED)
def _of_chunk(chunk: str) -> tuple[str, ...]:
    """The terms of a text without white space, which no token spans: most of a catalogue's have been seen before."""
    lowered = (_without_s(token).lower() for token in _tokens(chunk))
    return tuple(stem(token) for token in lowered if token not in _STOPS)


def _tokens(chunk: str) -> Iterator[str]:
    at = 0
    while at < len(chunk):
        end = at + _WINDOW
        found = _WORD.search(chunk, at, end)
        if end < len(chunk) and (not found or found.start() > max(at, end - 2 * _LONGEST)):
            at = found.start() if found else end - _LONGEST  # what begins here may end behind the window
            continue
        if not found:
            return
        if found.end() - found.start() > _LONGEST:
            at = found.end()
            found = _WORD.match(chunk, found.start(), found.start() + _LONGEST)
            if not found:
                continue  # low lines without end before a letter: no word of such a length begins there
        yield found[0]
        at = found.end()


def _without_s(token: str) -> str:
    return token[:-2] if token[-1:] in "sS" and token[-2:-1] in ("'", "\u2019", "\uff07") else token
