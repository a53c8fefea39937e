"""Whether a text tells an answer, in any of the ways in which one is told, and whether it speaks of having been told.

What stands in the question, or was observed before, tells nothing new, whatever it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bootstrap.wording import fold, words

_GIVEN = "given|provided|stated|told|revealed|supplied"
_CITED = re.compile(
    r"\b(?:hint(?:s|ed|ing)?|clues?|parenthes[ei]s|brackets?)\b"
    rf"|\b(?:{_GIVEN}|expected|correct|known|right|gold|target) answers?\b"
    rf"|\banswers? (?:is|was|are|were|has been|have been) (?:already )?(?:{_GIVEN}|known)\b"
    r"|\b(?:i|we)(?:['\u2019](?:ve|m|re)| have| was| were| am| are)?(?: been)? (?:already )?(?:told|given)\b"
    r"|\b(?:already|i|we) know the answer\b|\banswer key\b"
    rf"|\bas (?:{_GIVEN}|indicated|suggested|mentioned|noted) (?:in|by) the (?:question|task|claim|prompt)\b",
    re.IGNORECASE,
)
# What the question is said to say: honest where it says so, without the answer.
_SAID = re.compile(
    r"\b(?:question|task|claim|prompt) (?:already )?(?:says|tells|gives|states|contains|includes|mentions)\b"
    r"([^.!?\n]*)",
    re.IGNORECASE,
)
_POINTING = frozenset(("it", "so", "this", "that", "me", "us", "answer", "label", "verdict"))
# "It has three": one to three are told only so, as they are otherwise in every second sentence.
_COUNTED = re.compile(r"\b(?:is|are|be|was|were|has|have|had|exactly|answer:?) (one|two|three)\b", re.IGNORECASE)
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
    if any(not known.holds(found[0]) for found in _CITED.finditer(text)):
        return True
    for found in _SAID.finditer(text):
        said = words(found[1])
        if not said or (set(said[:3]) & _POINTING and len(said) < 3) or {"answer", "label", "verdict"} & set(said):
            return True
        if answer and states(found[1], answer, known):
            return True
    return False


def states(text: str, answer: str, known: Text, any_case: bool = False) -> bool:
    """Whether `text` tells `answer`, in a form that is not known.

    Forms: its words in a row, inflected or run together ("NewYork"), a number in words or digits; a proper name or a
    number in it (capitalised in `text` too, unless `any_case`); its initials, or words that it is the initials of.
    """
    return bool(answer.strip()) and any(not known.holds(form) for form in _forms(text, answer, any_case))


def _forms(text: str, answer: str, any_case: bool) -> Iterator[str]:
    said, wanted = words(text), words(answer)
    yield from _in_a_row(said, wanted)
    yield from _run_together(said, "".join(wanted))
    if "".join(wanted) in _DIGIT or "".join(wanted) in _DIGIT.values():
        number = _DIGIT.get("".join(wanted), "".join(wanted))
        yield from (found[1] for found in _COUNTED.finditer(text) if found[1].lower() == number)
    yield from _named(text, answer, any_case)
    yield from _abbreviated(text, answer)


def _in_a_row(said: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    stems = [_stem(word) for word in wanted]
    for start in range(len(said) - len(wanted) + 1):
        if [_stem(word) for word in said[start : start + len(wanted)]] == stems:
            yield " ".join(said[start : start + len(wanted)])


def _stem(word: str) -> str:
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
    parts = {fold(part) for part in _CAPITAL.findall(_bare(answer))}
    parts = {part for part in parts if len(part) > 2 or part.isdigit()} - _GENERIC
    there = words(text) if any_case else [fold(word) for word in _CAPITAL.findall(_bare(text))]
    yield from (word for word in there if word in parts)


def _abbreviated(text: str, answer: str) -> Iterator[str]:
    for short, long in ((answer, text), (text, answer)):
        for capitals in re.findall(r"\b(?:[A-Z]\.?){3,}(?!\w)", _bare(short)):
            letters = capitals.replace(".", "").lower()
            if short is answer and letters != "".join(words(answer)):
                continue  # an abbreviation in a longer name
            initials = re.findall(r"\b[A-Z]\w*", _bare(long))
            for start in range(len(initials) - len(letters) + 1):
                row = initials[start : start + len(letters)]
                if "".join(word[0] for word in row).lower() == letters and (
                    short is answer or len(row) == len(initials)
                ):
                    yield " ".join(row) if short is answer else capitals


def _bare(text: str) -> str:
    """Without accents, with its case."""
    return text if text.isascii() else "".join(fold(c).upper() if c.isupper() else fold(c) for c in text)
