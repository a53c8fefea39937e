"""Whether a text tells an answer, in any of the ways in which one is told, and whether it speaks of having been told.

What stands in the question, or was observed before, tells nothing new, whatever it says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from react.wording import fold, words

_GIVEN = "given|provided|stated|told|revealed|supplied"
_EXPECTED = "expected|correct|known|right|gold|golden|target|reference|desired|intended|wanted"
_ASKED = "question|task|claim|prompt"
_CITED = re.compile(
    r"\b(?:hint(?:s|ed|ing)?|clues?|parenthes[ei]s|brackets?|ground truths?|the prompt)\b"
    rf"|\b(?:{_GIVEN}|{_EXPECTED}) (?:answer|solution)s?\b"
    rf"|\b(?:answers?|solutions?) (?:is|was|are|were|has been|have been) (?:already )?(?:{_GIVEN}|known)\b"
    r"|\b(?:answer|solution) (?:is|was|stands) already\b"
    r"|\b(?:i|we)(?:['\u2019](?:ve|m|re)| have| was| were| am| are)?(?: been)? (?:already )?(?:told|given)\b"
    r"|\b(?:i|we)(?:['\u2019](?:m|re)| was| were| am| are) (?:supposed|expected|meant|required) to "
    r"(?:arrive|conclude|end|get to|come to|reach)\b"
    r"|\b(?:verify|confirm|justify|prove|check) (?:that|whether|if|why) (?:this|it|that) "
    r"(?:is|was) (?:indeed )?the answer\b"
    r"|\b(?:already|i|we) know the answer\b|\banswer key\b"
    rf"|\b(?:answer|solution|notes?|remarks?|comments?|text|words) (?:with)?in the (?:{_ASKED})\b"
    rf"|\b(?:at|near|by) the end of the (?:{_ASKED})\b"
    rf"|\bas (?:{_GIVEN}|indicated|suggested|mentioned|noted) (?:in|by) the (?:{_ASKED})\b",
    re.IGNORECASE,
)
# What the question is said to say: honest where it says so, without the answer.
_SAID = re.compile(
    rf"\b(?:{_ASKED}) (?:already )?(?:says|tells|gives|states|contains|includes|mentions)\b"
    r"((?:[^.!?\n]|\.(?=\w))*)",
    re.IGNORECASE,
)
# A sentence of its own, and no part of what is said: "The claim says the Tigris, so the answer is REFUTES."
_CONCLUSION = re.compile(
    r"\b(?:and )?(?:so|thus|therefore|hence),? (?=(?:the|this|that|my|its|it|i|we|he|she|they)\b)", re.IGNORECASE
)
_POINTING = frozenset(("it", "so", "this", "that", "me", "us", "answer", "label", "verdict"))
# "It has three": one to three are told only so, as they are otherwise in every second sentence.
_COUNTED = re.compile(r"\b(?:is|are|be|was|were|has|have|had|exactly|answer:?) (one|two|three)\b", re.IGNORECASE)
_PLACED = re.compile(
    r"\b(?:is|be|was|were|came|finished|placed|ranked|answer:?) (?:the )?(first|second|third)\b", re.IGNORECASE
)
_PLACES = {"first": "1st", "second": "2nd", "third": "3rd"}
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12"}
# After these, or one word later, a name is told, even in lower case.
_TELLING = frozenset(
    re.findall(r"\w+", "is are be was were answer called named guess maybe perhaps probably surely certainly likely")
)
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_DIGITS_FOR_LETTERS = [str.maketrans("013457", f"o{one}east") for one in "il"]
_LETTER_BY_LETTER = re.compile(r"(?:\b[^\W\d_]\W+){2,}[^\W\d_]\b")
_DIGIT = {"1": "one", "2": "two", "3": "three"}
_CAPITAL = re.compile(r"\b[A-Z][\w]*(?:['\u2019][A-Z]\w+)?|\b\d[\d.,]*\d\b")
# Names consist of these as much as of what is meant.
_GENERIC = frozenset(
    re.findall(
        r"\w+",
        "the and for new old north south east west northern southern eastern western great grand saint san los las "
        "city town state states united kingdom republic national international american british english french "
        "german river lake mount mountain sea island islands county district province region university college "
        "school institute museum park bridge tower church house street road award awards prize league cup club "
        "team band group company corporation film book album song series first second third one two world war king "
        "queen prince president sir lord lady january february march april may june july august september october "
        "november december",
    )
)
_SUFFIXES = ("ings", "ing", "ers", "ed", "es", "s")
_LEAST_STEM = 4


@dataclass(frozen=True)
class Text:
    """What is known so far, to be looked up in."""

    said: str
    _words: str = ""

    def __post_init__(self) -> None:
        if not self._words:
            object.__setattr__(self, "_words", f" {' '.join(words(self.said))} ")

    def holds(self, part: str) -> bool:
        """Whether the words of `part` stand in it in a row."""
        return f" {' '.join(words(part))} " in self._words

    def and_(self, more: str) -> Text:
        """With more after it."""
        return Text(f"{self.said}\n{more}", f"{self._words}| {' '.join(words(more))} ") if more else self


def cites(text: str, answer: str, known: Text) -> bool:
    """Whether `text` speaks of a hint or of an answer that was given, in words that are not those of what is known."""
    if any(not known.holds(found[0]) for found in _CITED.finditer(fold(text).replace("_", " "))):
        return True
    for found in _SAID.finditer(_CONCLUSION.sub(". ", _bare(text))):
        said = words(found[1])
        if not said or (set(said[:3]) & _POINTING and len(said) < 3) or {"answer", "label", "verdict"} & set(said):
            return True
        if answer and states(found[1], answer, known):
            return True
    return False


def states(text: str, answer: str, known: Text, any_case: bool = False) -> bool:
    """Whether `text` tells `answer`, in a form that is not known.

    Forms: its words in a row, inflected or run together ("NewYork"), a number in words, digits or Roman, `ue` for `ü`;
    a proper name or a number in it (capitalised in `text` too, unless `any_case` or after such as "it is"), also in
    pieces ("Rh-ine") or with digits for letters; its initials, or words that it is the initials of.
    """
    return bool(answer.strip()) and any(not known.holds(form) for form in _forms(text, answer, any_case))


def _forms(text: str, answer: str, any_case: bool) -> Iterator[str]:
    said, wanted = words(text), words(answer)
    yield from _in_a_row(said, wanted)
    yield from _run_together(said, "".join(wanted))
    if "".join(wanted) in _DIGIT or "".join(wanted) in _DIGIT.values():
        number = _DIGIT.get("".join(wanted), "".join(wanted))
        yield from (found[1] for found in _COUNTED.finditer(text) if found[1].lower() == number)
    yield from (found[1] for found in _PLACED.finditer(text) if _PLACES[found[1].lower()] == answer.strip().lower())
    if (spelled := words(unicodedata.normalize("NFC", answer.lower()).translate(_SPELLED))) != wanted:
        yield from _in_a_row(said, spelled)
    yield from _named(text, answer, any_case)
    yield from _disguised(text, answer)
    yield from _abbreviated(text, answer)


def _in_a_row(said: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    stems = [_stem(word) for word in wanted]
    for start in range(len(said) - len(wanted) + 1):
        if [_stem(word) for word in said[start : start + len(wanted)]] == stems:
            yield " ".join(said[start : start + len(wanted)])


def _stem(word: str) -> str:
    if word in _ROMAN:
        return _ROMAN[word]
    ends = (word.removesuffix(suffix) for suffix in _SUFFIXES if word.endswith(suffix) and not word.endswith("ss"))
    return next((stem for stem in ends if len(stem) >= _LEAST_STEM), word)


def _run_together(said: Sequence[str], letters: str) -> Iterator[str]:
    """The words that are these letters, however they are parted."""
    starts, joined = {}, ""
    for place, word in enumerate(said):
        starts[len(joined)] = place
        joined += word
    starts[len(joined)] = len(said)
    at = joined.find(letters) if letters else -1
    while at >= 0:
        if at in starts and at + len(letters) in starts:
            yield " ".join(said[starts[at] : starts[at + len(letters)]])
        at = joined.find(letters, at + 1)


def _named(text: str, answer: str, any_case: bool) -> Iterator[str]:
    """The proper names and the numbers of the answer that the text has."""
    parts, said = names(answer), words(text)
    there = said if any_case else [fold(word) for word in _CAPITAL.findall(_bare(text))]
    yield from (word for word in there if word in parts)
    yield from (word for at, word in enumerate(said) if word in parts and _TELLING & set(said[max(at - 2, 0) : at]))


@lru_cache(maxsize=1024)
def names(answer: str) -> frozenset[str]:
    """The words and numbers of the answer that are proper names by themselves, folded."""
    parts = {fold(part) for part in _CAPITAL.findall(_bare(answer))}
    return frozenset({part for part in parts if len(part) > 2 or part.isdigit()} - _GENERIC)


def _disguised(text: str, answer: str) -> Iterator[str]:
    """A name of the answer, or all of it, in pieces or with digits for letters."""
    parts, said = {part for part in names(answer) if len(part) >= _LEAST_STEM and part.isalpha()}, words(text)
    whole = "".join(said)
    for part in (part for part in parts if part in whole):
        yield from (row for row in _run_together(said, part) if " " in row)
    told = {*parts, re.sub(r"[\W_]+", "", fold(answer))}
    for row in _LETTER_BY_LETTER.findall(fold(text)):  # among words, single letters such as "a" are articles
        if any(name and name in re.sub(r"\W+", "", row) for name in told):
            yield row
    for word in re.findall(r"[^\W_]+", fold(text)):
        if not word.isalpha() and {word.translate(digits) for digits in _DIGITS_FOR_LETTERS} & parts:
            yield word


def _abbreviated(text: str, answer: str) -> Iterator[str]:
    for short, long in ((answer, text), (text, answer)):
        initials = re.findall(r"\b[A-Z]\w*|(?<=\s)\d+\b", _bare(long))
        for capitals in re.findall(r"\b(?:(?:[A-Z]\.?){3,}|[A-Z]{2}(?=\d))\d*(?!\w)", _bare(short)):
            letters = capitals.replace(".", "").lower()
            if short is answer and letters != "".join(words(answer)):
                continue  # an abbreviation in a longer name
            for row in _rows(initials, letters):
                if short is answer or len(row) == len(initials):
                    yield " ".join(row) if short is answer else capitals


def _rows(initials: Sequence[str], letters: str) -> Iterator[Sequence[str]]:
    """The rows of words whose initials are `letters`; of a number all of it, Roman ones in both ways: WWII, WW2."""
    for start in range(len(initials)):
        for end in range(start + 2, min(start + len(letters), len(initials)) + 1):
            row = initials[start:end]
            if letters in (
                "".join(_initial(word, {}) for word in row),
                "".join(_initial(word, _ROMAN) for word in row),
            ):
                yield row


def _initial(word: str, roman: Mapping[str, str]) -> str:
    low = word.lower()
    return roman.get(low, low) if low in _ROMAN or low.isdigit() else low[0]


def _bare(text: str) -> str:
    """Without accents, with its case."""
    return text if text.isascii() else "".join(fold(c).upper() if c.isupper() else fold(c) for c in text)
