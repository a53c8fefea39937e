"""Questions about two things: which is more, and yes or no."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from data.world.articles import capital
from data.world.asking import Hop, Question, mention, typed
from data.world.model import Page, World, dice, held_out

# (topic, relation): wordings for "which has more" and for "which has less", in pairs.
COMPARED: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("city", "people"): (
        ("Which city has more inhabitants, {x} or {y}?", "Which city has fewer inhabitants, {x} or {y}?"),
        ("Do more people live in {x} or in {y}?", "Do fewer people live in {x} or in {y}?"),
        ("Which is larger by population, {x} or {y}?", "Which is smaller by population, {x} or {y}?"),
        (
            "Between {x} and {y}, which has the larger population?",
            "Between {x} and {y}, which has the smaller population?",
        ),
    ),
    ("airport", "height"): (
        ("Which airport lies higher above the sea, {x} or {y}?", "Which airport lies lower, {x} or {y}?"),
        ("Which has the greater elevation, {x} or {y}?", "Which has the smaller elevation, {x} or {y}?"),
        (
            "Between {x} and {y}, which airport is at the greater height?",
            "Between {x} and {y}, which airport is at the lesser height?",
        ),
        ("Is {x} or {y} the airport with the higher runway?", "Is {x} or {y} the airport with the lower runway?"),
    ),
    ("element", "melting"): (
        (
            "Which element melts at a higher temperature, {x} or {y}?",
            "Which element melts at a lower temperature, {x} or {y}?",
        ),
        ("Which has the higher melting point, {x} or {y}?", "Which has the lower melting point, {x} or {y}?"),
        ("Between {x} and {y}, which needs more heat to melt?", "Between {x} and {y}, which needs less heat to melt?"),
        ("Is it {x} or {y} that has the higher melting point?", "Is it {x} or {y} that has the lower melting point?"),
    ),
    ("mountain", "height"): (
        ("Which mountain is higher, {x} or {y}?", "Which mountain is lower, {x} or {y}?"),
        (
            "Which summit is farther above sea level, {x} or {y}?",
            "Which summit is less far above sea level, {x} or {y}?",
        ),
        ("Between {x} and {y}, which mountain is taller?", "Between {x} and {y}, which mountain is less tall?"),
        ("Is {x} or {y} the higher mountain?", "Is {x} or {y} the lower mountain?"),
    ),
    ("river", "length"): (
        ("Which river is longer, {x} or {y}?", "Which river is shorter, {x} or {y}?"),
        (
            "Which of the two rivers has the greater length, {x} or {y}?",
            "Which of the two rivers has the smaller length, {x} or {y}?",
        ),
        ("Between {x} and {y}, which river is the longer one?", "Between {x} and {y}, which river is the shorter one?"),
        ("Is {x} or {y} the longer river?", "Is {x} or {y} the shorter river?"),
    ),
    ("person", "born"): (
        ("Who was born later, {x} or {y}?", "Who was born earlier, {x} or {y}?"),
        ("Who was the younger one, {x} or {y}?", "Who was the older one, {x} or {y}?"),
        ("Between {x} and {y}, who was born last?", "Between {x} and {y}, who was born first?"),
        ("Was {x} or {y} the younger of the two?", "Was {x} or {y} the older of the two?"),
    ),
    ("person", "died"): (
        ("Who died later, {x} or {y}?", "Who died earlier, {x} or {y}?"),
        (
            "Whose death came later, that of {x} or that of {y}?",
            "Whose death came earlier, that of {x} or that of {y}?",
        ),
        ("Between {x} and {y}, who died last?", "Between {x} and {y}, who died first?"),
        ("Did {x} or {y} live until the later year?", "Did {x} or {y} live until the earlier year?"),
    ),
    ("work", "year"): (
        ("Which is more recent, {x} or {y}?", "Which is older, {x} or {y}?"),
        ("Which appeared later, {x} or {y}?", "Which appeared earlier, {x} or {y}?"),
        ("Between {x} and {y}, which came second?", "Between {x} and {y}, which came first?"),
        ("Does {x} or {y} date from the later year?", "Does {x} or {y} date from the earlier year?"),
    ),
    ("body", "size"): (
        ("Which is larger, {x} or {y}?", "Which is smaller, {x} or {y}?"),
        ("Which has the greater diameter, {x} or {y}?", "Which has the lesser diameter, {x} or {y}?"),
        ("Between {x} and {y}, which measures more across?", "Between {x} and {y}, which measures less across?"),
        ("Is {x} or {y} the larger body?", "Is {x} or {y} the smaller body?"),
    ),
    ("state", "year"): (
        ("Which state joined the Union later, {x} or {y}?", "Which state joined the Union earlier, {x} or {y}?"),
        ("Did statehood come later to {x} or to {y}?", "Did statehood come earlier to {x} or to {y}?"),
        ("Between {x} and {y}, which became a state last?", "Between {x} and {y}, which became a state first?"),
        (
            "Which became a state at the later date, {x} or {y}?",
            "Which became a state at the earlier date, {x} or {y}?",
        ),
    ),
    ("country", "area"): (
        ("Which country covers more land, {x} or {y}?", "Which country covers less land, {x} or {y}?"),
        ("Which has the larger area, {x} or {y}?", "Which has the smaller area, {x} or {y}?"),
        ("Between {x} and {y}, which country is larger?", "Between {x} and {y}, which country is smaller?"),
        ("Is {x} or {y} the larger country by area?", "Is {x} or {y} the smaller country by area?"),
    ),
}

JUDGED: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("city", "people"): (
        ("Does {x} have more inhabitants than {y}?", "Does {x} have fewer inhabitants than {y}?"),
        ("Is {x} larger than {y} by population?", "Is {x} smaller than {y} by population?"),
    ),
    ("mountain", "height"): (
        ("Is {x} higher than {y}?", "Is {x} lower than {y}?"),
        ("Does {x} rise farther above sea level than {y}?", "Does {x} rise less far above sea level than {y}?"),
    ),
    ("river", "length"): (
        ("Is {x} longer than {y}?", "Is {x} shorter than {y}?"),
        ("Does {x} have a greater length than {y}?", "Does {x} have a smaller length than {y}?"),
    ),
    ("person", "born"): (
        ("Was {x} born after {y}?", "Was {x} born before {y}?"),
        ("Was {x} younger than {y}?", "Was {x} older than {y}?"),
    ),
    ("work", "year"): (
        ("Is {x} more recent than {y}?", "Is {x} older than {y}?"),
        ("Did {x} appear after {y}?", "Did {x} appear before {y}?"),
    ),
    ("airport", "height"): (
        ("Does {x} lie higher than {y}?", "Does {x} lie lower than {y}?"),
        ("Is {x} at a greater elevation than {y}?", "Is {x} at a smaller elevation than {y}?"),
    ),
    ("element", "melting"): (
        ("Does {x} melt at a higher temperature than {y}?", "Does {x} melt at a lower temperature than {y}?"),
        ("Is the melting point of {x} higher than that of {y}?", "Is the melting point of {x} lower than that of {y}?"),
    ),
}

SHARED: dict[tuple[str, str], tuple[str, ...]] = {
    ("city", "country"): (
        "Are {x} and {y} in the same country?",
        "Do {x} and {y} belong to the same country?",
        "Do {x} and {y} both lie in one and the same country?",
        "Is the country of {x} also the country of {y}?",
    ),
    ("city", "state"): (
        "Are {x} and {y} in the same American state?",
        "Do {x} and {y} belong to the same state?",
        "Do {x} and {y} both lie in one and the same state?",
        "Is the state of {x} also the state of {y}?",
    ),
    ("city", "river"): (
        "Do {x} and {y} lie on the same river?",
        "Does the same river flow through {x} and {y}?",
        "Are {x} and {y} on the banks of one river?",
        "Is the river of {x} also the river of {y}?",
    ),
    ("work", "author"): (
        "Are {x} and {y} by the same person?",
        "Did the same person create {x} and {y}?",
        "Do {x} and {y} come from the same hand?",
        "Is the creator of {x} also the creator of {y}?",
    ),
    ("person", "birthplace"): (
        "Were {x} and {y} born in the same city?",
        "Do {x} and {y} have the same birthplace?",
        "Did {x} and {y} come from the same town?",
        "Is the birthplace of {x} also that of {y}?",
    ),
    ("person", "role"): (
        "Did {x} and {y} have the same profession?",
        "Were {x} and {y} of the same profession?",
        "Did {x} and {y} do the same kind of work?",
        "Is the profession of {x} also that of {y}?",
    ),
    ("star", "constellation"): (
        "Are {x} and {y} in the same constellation?",
        "Do {x} and {y} belong to the same constellation?",
        "Does one constellation contain both {x} and {y}?",
        "Is the constellation of {x} also that of {y}?",
    ),
    ("element", "period"): (
        "Are {x} and {y} in the same period of the periodic table?",
        "Do {x} and {y} stand in the same period?",
        "Do {x} and {y} share a period of the periodic table?",
        "Is the period of {x} also that of {y}?",
    ),
    ("river", "mouth"): (
        "Do {x} and {y} flow into the same water?",
        "Do {x} and {y} have their mouth in the same water?",
        "Do {x} and {y} end in the same place?",
        "Is what {x} flows into also what {y} flows into?",
    ),
    ("mountain", "country"): (
        "Are {x} and {y} in the same country?",
        "Do {x} and {y} rise in the same country?",
        "Does one country contain both {x} and {y}?",
        "Is the country of {x} also that of {y}?",
    ),
    ("mountain", "range"): (
        "Do {x} and {y} belong to the same mountains?",
        "Are {x} and {y} part of the same range?",
        "Do {x} and {y} stand in the same range?",
        "Is the range of {x} also that of {y}?",
    ),
    ("county", "state"): (
        "Are {x} and {y} in the same state?",
        "Do {x} and {y} belong to the same American state?",
        "Does one state contain both {x} and {y}?",
        "Is the state of {x} also that of {y}?",
    ),
    ("country", "language"): (
        "Do {x} and {y} have the same official language?",
        "Is the same language official in {x} and in {y}?",
        "Do {x} and {y} share their official language?",
        "Is the official language of {x} also that of {y}?",
    ),
    ("country", "region"): (
        "Are {x} and {y} on the same continent?",
        "Do {x} and {y} lie on the same continent?",
        "Does one continent contain both {x} and {y}?",
        "Is the continent of {x} also that of {y}?",
    ),
}


@dataclass(frozen=True)
class Two:
    """Two pages with the relation that a question compares."""

    first: Page
    second: Page
    relation: str

    def hops(self) -> tuple[Hop, ...]:
        return tuple(Hop(page.entity.key, self.relation, typed(page)) for page in (self.first, self.second))


def _pages(world: World, topic: str, relation: str, dev: bool) -> list[Page]:
    found = [p for p in world.topic(topic) if p.early(relation) and held_out(p.entity.key) == dev]
    return sorted((p for p in found if p.entity.facts[relation].value), key=lambda p: p.entity.key)


def _drawn(pages: list[Page], chance: random.Random, near: bool, relation: str) -> Iterator[tuple[Page, Page]]:
    """Pairs without end, of values plainly apart; `near` leaves out pairs that anybody could order."""
    for _ in range(20_000):
        x, y = chance.sample(pages, 2)
        a, b = x.entity.facts[relation].number, y.entity.facts[relation].number
        apart = abs(a - b) > 0.03 * max(abs(a), abs(b)) or (relation in _YEARS and abs(a - b) >= 2)
        if (apart or not near) and x.entity.name not in y.entity.name and y.entity.name not in x.entity.name:
            yield x, y


_YEARS = frozenset(["born", "died", "year"])


def compared(world: World, dev: bool, seed: int) -> Iterator[Question]:
    """Which of two is more or less; the right one stands first as often as second, in each wording."""
    for (topic, relation), wordings in COMPARED.items():
        chance = dice(seed, "compared", topic, relation, dev)
        pages = _pages(world, topic, relation, dev)
        turns = itertools.cycle(itertools.product(range(len(wordings)), (0, 1), (0, 1)))
        for x, y in _drawn(pages, chance, True, relation) if len(pages) > 3 else ():
            number, less, second = next(turns)
            more = x.entity.facts[relation].number > y.entity.facts[relation].number
            if (more == bool(less)) != bool(second):
                x, y = y, x
            text = capital(wordings[number][less].format(x=mention(x), y=mention(y)))
            answer = (y if second else x).entity.name
            if topic in ("element",):
                answer = answer.lower()
            family = f"{topic}.{relation}"
            yield Question(
                text,
                answer,
                "compare",
                family,
                f"{family}/{number}{less}",
                Two(x, y, relation).hops(),
                dev,
                less=bool(less),
            )


def judged(world: World, dev: bool, seed: int) -> Iterator[Question]:
    """Yes or no: is one more than the other; as many of both in each wording."""
    for (topic, relation), wordings in JUDGED.items():
        chance = dice(seed, "judged", topic, relation, dev)
        pages = _pages(world, topic, relation, dev)
        turns = itertools.cycle(itertools.product(range(len(wordings)), (0, 1), (0, 1)))
        for x, y in _drawn(pages, chance, True, relation) if len(pages) > 3 else ():
            number, less, no = next(turns)
            more = x.entity.facts[relation].number > y.entity.facts[relation].number
            if (more == bool(less)) != bool(no):
                x, y = y, x
            text = capital(wordings[number][less].format(x=mention(x), y=mention(y)))
            family = f"{topic}.{relation}.than"
            yield Question(
                text,
                "no" if no else "yes",
                "yesno",
                family,
                f"{family}/{number}{less}",
                Two(x, y, relation).hops(),
                dev,
                less=bool(less),
            )


def shared(world: World, dev: bool, seed: int) -> Iterator[Question]:
    """Yes or no: do two have something in common; as many of both in each wording."""
    for (topic, relation), wordings in SHARED.items():
        chance = dice(seed, "shared", topic, relation, dev)
        groups: dict[str, list[Page]] = defaultdict(list)
        for page in _pages(world, topic, relation, dev):
            groups[page.entity.facts[relation].value].append(page)
        large = sorted(value for value, pages in groups.items() if len(pages) > 1)
        # A common value is as frequent among the pairs that differ as among those that agree.
        for turn in range(400 if len(large) > 1 else 0):
            value = chance.choice(large)
            if turn % 2:
                x = chance.choice(groups[value])
                y = chance.choice(groups[chance.choice([v for v in large if v != value])])
            else:
                x, y = chance.sample(groups[value], 2)
            number = turn // 2 % len(wordings)
            text = capital(wordings[number].format(x=mention(x), y=mention(y)))
            family = f"{topic}.{relation}.same"
            yield Question(
                text,
                "no" if turn % 2 else "yes",
                "yesno",
                family,
                f"{family}/{number}",
                Two(x, y, relation).hops(),
                dev,
            )
