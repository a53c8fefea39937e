"""Texts as words: what two texts have in common, whatever their case, accents, punctuation and way to write numbers.

words("The Eiffel Tower's 1,063 feet")      ["eiffel", "tower", "s", "1063", "feet"]
words("one thousand five hundred")          ["1500"]
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

# Scripts that part no words, so that each letter is one: Thai to Myanmar, Hangul's parts, kana, Han.
_ALONE = "\u0e01-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005\u3041-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(rf"\d+(?:[.,]\d+)*|[{_ALONE}]|[^\W\d_{_ALONE}]+")
# Greek and Cyrillic letters in the shape of Latin ones, which hide in Latin words.
_SHAPES = str.maketrans(
    "\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7"
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0458\u04bb\u0501",
    "abehikvoptuxabekmhopctyxsijhd",
)
_LETTERS = re.compile(r"[^\W\d_]+")
_ARTICLES = frozenset(("a", "an", "the"))
_TEENS = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = {word: value for value, word in enumerate(_TEENS)} | {word: 20 + 10 * n for n, word in enumerate(_TENS)}
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9}
# "One of the two" counts nothing: numbers below this stay words.
_LEAST = 4


def words(text: str) -> list[str]:
    """The words of `text`, folded: one text for all ways to write it. Without articles, unless there is nothing else.

    Where a script parts no words (Han, kana, Hangul, Thai), each letter is one. A number is one word, however it is
    grouped or spelled: 1,500 is 1500, and holds no 500. Alone, zero to three stay as they are.
    """
    found = [word.replace(",", "") for word in _WORD.findall(fold(text))]
    if not _UNITS.keys().isdisjoint(found):
        found = list(_counted(found))
    return [word for word in found if word not in _ARTICLES] or found


def holds(text: str, answer: str) -> bool:
    """Whether `text` states `answer`: its words in a row."""
    return f" {' '.join(words(answer))} " in f" {' '.join(words(text))} "


def fold(text: str) -> str:
    """`text` without case, accents, compatibility forms (full width, ligatures) and marks that cannot be seen.

    A letter of another alphabet in a Latin word is the Latin one that it looks like.
    """
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.upper().casefold())
    seen = "".join(c for c in letters if not unicodedata.combining(c) and unicodedata.category(c) != "Cf")
    return seen if seen.isascii() else _LETTERS.sub(_latin, seen)


def _latin(word: re.Match[str]) -> str:
    """A word that has Latin letters, in these alone where others only look like them."""
    return word[0].translate(_SHAPES) if re.search("[a-z]", word[0]) else word[0]


def shingles(found: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """The runs of `size` words; all of them as one run where they are fewer, nothing where there are none."""
    size = min(size, len(found))
    return (tuple(found[start : start + size]) for start in range(len(found) - size + 1 if size else 0))


def _counted(found: Sequence[str]) -> Iterator[str]:
    """The words with what they count in digits."""
    at = 0
    while at < len(found):
        end = _end_of_number(found, at)
        if end == at:
            yield found[at]
        for value in _values(found[at:end]):
            yield _TEENS[value] if value < _LEAST else str(value)
        at = max(end, at + 1)


def _end_of_number(found: Sequence[str], start: int) -> int:
    end = start
    while end < len(found):
        inside = end > start
        if found[end] in _UNITS or (inside and found[end] in _SCALES):
            end += 1
        elif (
            inside and found[end] == "and" and found[end - 1] in _SCALES and "".join(found[end + 1 : end + 2]) in _UNITS
        ):
            end += 2
        else:
            break
    return end


def _values(spelled: Sequence[str]) -> Iterator[int]:
    """The number that the words make; several where they cannot be one: "ten seven"."""
    total = part = 0  # of thousands and more; below a thousand
    for place, word in enumerate(spelled):
        if word == "hundred":
            part = 100 * (part or 1)
        elif word in _SCALES:
            total, part = total + _SCALES[word] * (part or 1), 0
        elif word != "and":
            value = _UNITS[word]
            if 10 <= part < 100 and value >= 10:
                part = 100 * part + value  # a year: nineteen fifty
            elif part % 100 == 0 or (part % 10 == 0 and part % 100 > 10 and 0 < value < 10):
                part += value
            else:
                yield total + part
                total, part = 0, value
        if place == len(spelled) - 1:
            yield total + part
