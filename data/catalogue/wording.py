"""What is wanted -> an instruction as one of many people would write it: tidy, hasty, chatty, polite."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.catalogue.tables import Asked, features

_MASS = {"shampoo", "herbal tea", "dried fruit", "pasta sauce", "hot sauce", "cat food"}
_PAIRS = {"hiking shoes", "yoga pants", "house slippers", "headphones"}
_NO_ARTICLE = {"adjustable straps", "side pockets", "long sleeves", "reflective strips"}
_MATTER = {
    "aloe vera", "arch support", "auto shut off", "bluetooth", "coconut oil", "hyaluronic acid", "memory foam",
    "natural ingredients", "omega 3", "shea butter", "solid wood", "stainless steel", "tea tree oil", "tempered glass",
    "touch control", "vitamin c",
}  # fmt: skip
_SUBSTANCE = {"solid wood", "stainless steel", "tempered glass"}
# How else people say it; a search for these words finds less.
OTHERWISE = {
    "machine washable": "machine wash",
    "easy to clean": "easy clean",
    "easy to carry": "easy carry",
    "easy to assemble": "easy assemble",
    "easy to install": "easy install",
    "easy to use": "easy use",
    "usda organic": "organic",
    "non slip": "anti slip",
    "height adjustable": "adjustable height",
    "noise cancelling": "noise cancellation",
    "foldable": "folding",
    "hypoallergenic": "allergy free",
    "lightweight": "light weight",
}


@dataclass(frozen=True)
class Wish:
    """A thing, the features it must have, and the options to choose."""

    said: str
    features: tuple[str, ...]
    options: Mapping[str, str]


def asked(wish: Wish, chance: random.Random) -> str:
    """The instruction, without its price."""
    text = chance.choices((_plain, _that_is, _in_sentences, _telegram, _question, _story), (30, 22, 18, 10, 8, 12))[0](
        _Parts(wish, chance)
    )
    return re.sub(r" +([.,?])", r"\1", " ".join(text.split())).replace("..", ".")


class _Parts:
    """The pieces of a request, each put into words once: what is taken for one sentence is not there for the next."""

    def __init__(self, wish: Wish, chance: random.Random) -> None:
        self.chance = chance
        self.begun = False  # a sentence, which only some openers continue
        self.said = wish.said
        self.by: dict[Asked, list[str]] = {"is": [], "with": [], "for": []}
        for name in wish.features:
            self.by[features()[name].asked].append(self._called(name))
        self.options = {name: self._value(value) for name, value in wish.options.items()}

    def _called(self, name: str) -> str:
        return OTHERWISE[name] if name in OTHERWISE and self.chance.random() < 0.12 else name

    def _value(self, value: str) -> str:
        """`8 ounce (pack of 2)`, as people write it."""
        if "(" in value and self.chance.random() < 0.5:
            return value.replace(" (", ", ").replace(")", "")
        return value

    def say(self, *forms: str) -> str:
        return self.chance.choice(forms)

    def take(self, how: Asked) -> list[str]:
        """What is asked for in this way, once."""
        found, self.by[how] = self.by[how], []
        return found

    def opener(self) -> str:
        return self.say(*_OPENERS[: 16 if self.begun else None])

    def thing(self, before: Sequence[str] = (), color: bool = True) -> str:
        """`a leak proof, navy blue water bottle`; the color is named here, or later."""
        early = [self.options.pop("color")] if color and "color" in self.options and self.chance.random() < 0.4 else []
        words = " ".join(filter(None, [", ".join(before), *early, self.said]))
        if self.said in _PAIRS:
            return self.say(f"a pair of {words}", f"some {words}", words)
        if self.said in _MASS or _plural(self.said):
            return self.say(f"some {words}", words)
        return f"{'an' if words[0] in 'aeiou' and not words.startswith('usda') else 'a'} {words}"

    def tails(self) -> str:
        """`with a usb port for small spaces`"""
        has = " and ".join(map(_with, self.take("with")))
        return " ".join(
            filter(None, [has and f"{self.say('with', 'with', 'that has', 'that comes with')} {has}", self.use()])
        )

    def use(self) -> str:
        meant = " and ".join(self.take("for"))
        return meant and f"{self.say('for', 'for', 'made for', 'suitable for')} {meant}"

    def choices(self) -> list[str]:
        """What is left of the options, as parts of a sentence: `in size 9`, `in the lemon flavor`."""
        left, self.options = self.options, {}
        return [self.say(*_CHOICES.get(name, _CHOICES["style"])).format(v=value) for name, value in left.items()]

    def sentences(self) -> list[str]:
        """The same as sentences of their own."""
        left, self.options = self.options, {}
        return [self.say(*_SENTENCES).format(name=name.removesuffix(" name"), v=value) for name, value in left.items()]


def _plural(said: str) -> bool:
    return said.endswith("s") and not said.endswith("ss")


def _with(name: str) -> str:
    return name if name in _MATTER or name in _NO_ARTICLE else f"{'an' if name[0] in 'aeio' else 'a'} {name}"


_OPENERS = (
    "i am looking for", "i'm looking for", "i need", "i want", "i want to buy", "i would like", "i'd like to buy",
    "i need to find", "i am in need of", "i am searching for", "i'm shopping for", "i would like to order",
    "i'm trying to find", "i want to get", "i'm after", "i am interested in", "looking for", "find me",
    "please find me", "show me", "get me", "help me find", "buy me", "can you find me",
)  # fmt: skip

_CHOICES = {
    "color": ("in {v}", "in {v}", "in {v} color", "in the color {v}", "that is {v}"),
    "size": ("in size {v}", "in the {v} size", "size {v}", "in {v}", "that is {v}"),
    "scent": ("with a {v} scent", "in {v} scent", "in the scent {v}", "that smells of {v}"),
    "flavor name": ("in {v} flavor", "with {v} flavor", "in the {v} flavor", "that are {v} flavored"),
    "style": ("in the {v} style", "in {v} style", "of the {v} kind", "in {v}"),
    "hand orientation": ("for the {v}", "for {v} use"),
    "language": ("in {v}",),
}
_SENTENCES = (
    "the {name} should be {v}.", "i want the {name} to be {v}.", "{name} {v} please.", "i prefer the {v} {name}.",
    "make it {v}.", "it has to be {v}.", "i'd like {v}.", "pick {name} {v}.", "it should come in {v}.",
)  # fmt: skip
_STORIES = (
    "my old one broke, so", "my sister's birthday is next week and", "we are moving and", "for my best friend",
    "i am tired of cheap stuff and", "i have looked everywhere.", "hello,", "hi there,", "before the holidays", "again",
    "my roommate told me to ask here.", "since winter is coming,", "as a present for my dad", "for once in my life",
)  # fmt: skip
_ENDS = (
    "thank you.", "thanks!", "nothing fancy.", "quality matters to me.", "it is for everyday use.", "it's a gift.",
    "my partner will love it.", "i hope you have it.",
)  # fmt: skip


def _plain(parts: _Parts) -> str:
    """i need a leak proof water bottle with a straw, in navy blue, size 24 ounce."""
    thing = f"{parts.opener()} {parts.thing(parts.take('is'))} {parts.tails()}"
    chosen = parts.choices()
    return f"{thing}{parts.say(' ', ', ')}{parts.say(' and ', ', ', ' ').join(chosen)}." if chosen else f"{thing}."


def _that_is(parts: _Parts) -> str:
    """i am looking for a water bottle that is leak proof and bpa free. it should come in navy blue."""
    being = parts.take("is")
    thing = f"{parts.opener()} {parts.thing()} {parts.use()}"
    are = "are" if _plural(parts.said) else "is"
    clause = f"{parts.say('that', 'which')} {are} {' and '.join(being)}" if being else ""
    has = parts.tails()
    if parts.chance.random() < 0.5:
        return f"{thing} {clause} {has} {' and '.join(parts.choices())}."
    return f"{thing} {clause} {has}. {' '.join(parts.sentences())}"


def _in_sentences(parts: _Parts) -> str:
    """i want a water bottle. it must be leak proof and have a straw. the color should be navy blue."""
    being, has, meant = parts.take("is"), [_with(name) for name in parts.take("with")], parts.use()
    need = parts.say("must", "should", "has to", "needs to")
    wants = [f"be {' and '.join(being)}"] * bool(being) + [f"have {' and '.join(has)}"] * bool(has)
    told = f"it {need} {' and '.join(wants)}." if wants else ""
    return f"{parts.opener()} {parts.thing()} {meant}. {told} {' '.join(parts.sentences())}"


def _telegram(parts: _Parts) -> str:
    """water bottle, leak proof, navy blue, 24 ounce"""
    pieces = [parts.said, *parts.take("is"), *parts.take("with"), *(f"for {name}" for name in parts.take("for"))]
    values, parts.options = list(parts.options.values()), {}
    return f"{parts.say('', '', 'need ', 'want ')}{', '.join([*pieces, *values])}"


def _question(parts: _Parts) -> str:
    """do you have a leak proof water bottle in navy blue?"""
    ask = parts.say("do you have", "do you sell", "where can i find", "could you show me", "is there", "can i get")
    return f"{ask} {parts.thing(parts.take('is'))} {parts.tails()} {' and '.join(parts.choices())}?"


def _story(parts: _Parts) -> str:
    """my old one broke, so i need a water bottle that is leak proof, in navy blue. thanks!"""
    story = parts.say(*_STORIES)
    parts.begun = True
    body = parts.chance.choice((_plain, _that_is))(parts).rstrip(".")
    return f"{story} {body}. {parts.say('', *_ENDS)}"
