"""Porter's stemmer as Lucene has it: "An algorithm for suffix stripping" (1980) with its author's two later rules.

The two, `-bli` to `-ble` and `-logi` to `-log`, are those of https://tartarus.org/martin/PorterStemmer. Words of one or
two letters stay. Libraries have the algorithm without the two rules (Snowball), or take seconds to be imported (nltk,
with which a test compares this).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = {
    **dict.fromkeys(("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"), ""),
    **dict.fromkeys(("ou", "ism", "ate", "iti", "ous", "ive", "ize"), ""),
    **{"sion": "s", "tion": "t"},
}


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if len(word) <= 2:
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2, lambda stem: _measure(stem) > 0)
    word = _replaced(word, _STEP_3, lambda stem: _measure(stem) > 0)
    word = _replaced(word, _STEP_4, lambda stem: _measure(stem) > 1)
    return _without_e(word)


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """Without `-ed` or `-ing`; what is left is made a word again."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(word[: -len(suffix)]):
            return _mended(word[: -len(suffix)])
    return word


def _mended(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _doubled(word):
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _is_short(word) else word


def _replaced(word: str, rules: dict[str, str], condition: Callable[[str], bool]) -> str:
    """With the longest suffix of the rules replaced, if what stands before it is long enough."""
    for length in range(min(7, len(word)), 1, -1):
        new = rules.get(word[-length:])
        if new is not None:
            return word[:-length] + new if condition(word[:-length] + new * (new in "st")) else word
    return word


def _without_e(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _is_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _vowels(word: str) -> list[bool]:
    """Which letters are vowels: a, e, i, o, u, and y after a consonant."""
    found: list[bool] = []
    for letter in word:
        found.append(letter in "aeiou" or (letter == "y" and bool(found) and not found[-1]))
    return found


def _measure(word: str) -> int:
    """How many times a vowel is followed by a consonant."""
    vowels = _vowels(word)
    return sum(before and not after for before, after in pairwise(vowels))


def _has_vowel(word: str) -> bool:
    return any(_vowels(word))


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and not _vowels(word)[-1]


def _is_short(word: str) -> bool:
    """Whether it ends with consonant, vowel, consonant, the last not w, x or y."""
    return len(word) > 2 and _vowels(word)[-3:] == [False, True, False] and word[-1] not in "wxy"
