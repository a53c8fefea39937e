"""Porter's stemmer as Lucene has it: "An algorithm for suffix stripping" (1980) with its author's two later rules.

The two, `-bli` to `-ble` and `-logi` to `-log`, are those of https://tartarus.org/martin/PorterStemmer. Words of one or
two letters stay. Libraries have the algorithm without the two rules (Snowball), or take seconds to be imported (nltk,
with which a test compares this).
"""

from __future__ import annotations

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
_FORMS = {code: "v" if chr(code) in "aeiou" else "c" for code in range(128)}


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if len(word) <= 2 or not word[-1].isalpha():  # every rule is about a letter at the end
        return word
    word = _past(_plural(word))
    if word.endswith("y") and "v" in _form(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2, 1)
    word = _replaced(word, _STEP_3, 1)
    word = _replaced(word, _STEP_4, 2)
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
        if word.endswith(suffix) and "v" in _form(word[: -len(suffix)]):
            return _mended(word[: -len(suffix)])
    return word


def _mended(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _doubled(word):
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _is_short(word) else word


def _replaced(word: str, rules: dict[str, str], least: int) -> str:
    """With the longest suffix of the rules replaced, if the measure of what stands before it is at least `least`."""
    for length in range(min(7, len(word)), 1, -1):
        new = rules.get(word[-length:])
        if new is not None:
            before = word[:-length] + new * (new in "st")  # of -sion and -tion the s and the t stay, and count
            return word[:-length] + new if _measure(before) >= least else word
    return word


def _without_e(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _is_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _form(word: str) -> str:
    """A `v` for each vowel (a, e, i, o, u, and y after a consonant) and a `c` for each other letter."""
    if word.isascii() and "y" not in word:
        return word.translate(_FORMS)
    form = ""
    for letter in word:
        form += "v" if letter in "aeiou" or (letter == "y" and form[-1:] == "c") else "c"
    return form


def _measure(word: str) -> int:
    """How many times a vowel is followed by a consonant."""
    return _form(word).count("vc")


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _form(word)[-1] == "c"


def _is_short(word: str) -> bool:
    """Whether it ends with consonant, vowel, consonant, the last not w, x or y."""
    return len(word) > 2 and _form(word)[-3:] == "cvc" and word[-1] not in "wxy"
