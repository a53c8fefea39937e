"""Claims of three labels in the same words: what an article says, what it contradicts, and what it leaves open."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from data.world.articles import capital
from data.world.asking import mention
from data.world.model import Page, World, dice, held_out, words

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")

CLAIMS: dict[tuple[str, str], tuple[str, ...]] = {
    ("city", "people"): (
        "{x} has about {v} inhabitants.",
        "About {v} people live in {x}.",
        "The population of {x} is about {v}.",
        "{x} is home to about {v} people.",
    ),
    ("city", "river"): (
        "{x} lies on the {v}.",
        "The {v} flows through {x}.",
        "{x} stands on the banks of the {v}.",
        "The river of {x} is the {v}.",
    ),
    ("city", "county"): (
        "{x} lies in {v}.",
        "{x} is a city in {v}.",
        "{v} contains the city of {x}.",
        "The county of {x} is {v}.",
    ),
    ("city", "zone"): (
        "The clocks in {x} follow the time zone {v}.",
        "The local time zone of {x} is {v}.",
        "{x} uses the time zone {v}.",
    ),
    ("country", "currency"): (
        "The currency of {x} is the {v}.",
        "People in {x} pay with the {v}.",
        "The {v} is in use in {x}.",
        "The money of {x} is the {v}.",
    ),
    ("country", "language"): (
        "The official language of {x} is {v}.",
        "{x} has {v} as its official language.",
        "{v} is the official language of {x}.",
    ),
    ("country", "calling"): (
        "The calling code of {x} is {v}.",
        "Calls to {x} begin with {v}.",
        "{x} has the calling code {v}.",
    ),
    ("country", "domain"): (
        "The internet domain of {x} is {v}.",
        "Internet addresses in {x} end in {v}.",
        "{x} has the internet domain {v}.",
    ),
    ("country", "area"): (
        "{x} covers about {v} square kilometres.",
        "The area of {x} is about {v} square kilometres.",
        "{x} has an area of about {v} square kilometres.",
    ),
    ("state", "year"): ("{x} joined the Union in {v}.", "{x} became a state in {v}.", "Statehood came to {x} in {v}."),
    ("state", "nickname"): ("The nickname of {x} is {v}.", "People often call {x} {v}.", "{x} is known as {v}."),
    ("state", "counties"): (
        "{x} is divided into {v} counties.",
        "There are {v} counties in {x}.",
        "{x} has {v} counties.",
    ),
    ("county", "fips"): (
        "The federal code of {x} is {v}.",
        "{x} has the federal code {v}.",
        "In federal statistics {x} is {v}.",
    ),
    ("airport", "height"): (
        "{x} lies {v} m above sea level.",
        "The elevation of {x} is {v} m.",
        "{x} is {v} m above the sea.",
    ),
    ("airport", "icao"): ("The ICAO code of {x} is {v}.", "Pilots know {x} as {v}.", "{x} has the ICAO code {v}."),
    ("airport", "zone"): (
        "{x} uses the time zone {v}.",
        "Departure times at {x} follow the time zone {v}.",
        "The time zone of {x} is {v}.",
    ),
    ("person", "birthplace"): (
        "{x} was born in {v}.",
        "The birthplace of {x} was {v}.",
        "{x} came into the world in {v}.",
        "{v} is the place where {x} was born.",
    ),
    ("person", "born"): (
        "{x} was born in the year {v}.",
        "The year of birth of {x} is {v}.",
        "{x} came into the world in {v}.",
    ),
    ("work", "year"): (
        "{x} dates from {v}.",
        "{x} appeared in {v}.",
        "The year of {x} is {v}.",
        "{x} first became known in {v}.",
    ),
    ("work", "hero"): (
        "The leading figure of {x} is {v}.",
        "{v} is the main character of {x}.",
        "{x} has {v} as its leading figure.",
    ),
    ("element", "melting"): (
        "{x} melts at {v} degrees Celsius.",
        "The melting point of {x} is {v} degrees Celsius.",
        "{x} has a melting point of {v} degrees Celsius.",
    ),
    ("element", "boiling"): (
        "{x} boils at {v} degrees Celsius.",
        "The boiling point of {x} is {v} degrees Celsius.",
        "{x} has a boiling point of {v} degrees Celsius.",
    ),
    ("element", "density"): (
        "The density of {x} is {v} grams per cubic centimetre.",
        "{x} has a density of {v} grams per cubic centimetre.",
    ),
    ("element", "year"): (
        "{x} was discovered in {v}.",
        "The discovery of {x} took place in {v}.",
        "The year of the discovery of {x} was {v}.",
    ),
    ("element", "discoverer"): ("{x} was discovered by {v}.", "{v} discovered {x}.", "The discoverer of {x} was {v}."),
    ("constellation", "maker"): (
        "{x} was first listed by {v}.",
        "{v} put {x} among the constellations.",
        "The first to describe {x} was {v}.",
    ),
    ("constellation", "star"): (
        "The brightest star of {x} is {v}.",
        "{v} is the brightest star of {x}.",
        "In {x} no star is brighter than {v}.",
    ),
    ("constellation", "short"): (
        "The abbreviation of {x} is {v}.",
        "Astronomers shorten {x} to {v}.",
        "{v} is the abbreviation of {x}.",
    ),
    ("star", "magnitude"): (
        "The magnitude of {x} is {v}.",
        "{x} shines with a magnitude of {v}.",
        "{x} has a magnitude of {v}.",
    ),
    ("star", "spectrum"): (
        "The spectral type of {x} is {v}.",
        "{x} is of spectral type {v}.",
        "Astronomers class {x} as spectral type {v}.",
    ),
    ("body", "size"): (
        "The diameter of {x} is about {v} km.",
        "{x} measures about {v} km across.",
        "{x} has a diameter of about {v} km.",
    ),
    ("river", "length"): (
        "{x} is about {v} km long.",
        "The length of {x} is about {v} km.",
        "{x} has a length of about {v} km.",
    ),
    ("mountain", "height"): (
        "{x} is {v} m high.",
        "{x} rises to {v} m.",
        "The summit of {x} is {v} m above sea level.",
    ),
    ("mountain", "ascent"): (
        "{x} was first climbed in {v}.",
        "The first ascent of {x} was made in {v}.",
        "{x} was climbed for the first time in {v}.",
    ),
    ("mountain", "range"): ("{x} belongs to {v}.", "{x} is part of {v}.", "{x} stands in {v}."),
}

_TOLD = frozenset(["novel", "novella", "play", "opera", "story collection", "fairy tale", "operetta"])


@dataclass(frozen=True)
class Claim:
    """A claim with its label and the place that decides it; no place where nothing does.

    It says that the `relation` of the entity that has the article `page` is `value`.
    """

    text: str
    label: str
    title: str
    sentence: int
    dev: bool
    page: str
    relation: str
    value: str


def claims(world: World, dev: bool, seed: int, largest: int) -> list[Claim]:
    """Claims with as many of each label for each relation, at most `largest` of each."""
    made: list[Claim] = []
    for topic, relation in CLAIMS:
        made += _about(world, topic, relation, dev, dice(seed, "claims", topic, relation, dev), largest)
    return made


def _about(world: World, topic: str, relation: str, dev: bool, chance: random.Random, largest: int) -> list[Claim]:
    everyone = sorted((p for p in world.topic(topic) if held_out(p.entity.key) == dev), key=lambda p: p.entity.key)
    stated = [p for p in everyone if relation in p.where]
    silent = [p for p in everyone if relation not in p.where and _open(p, relation)]
    if len(stated) < 6 or not silent:
        return []
    count = min(largest, 2 * len(silent), 2 * len(stated))
    queues = {label: _endless(stated if label != LABELS[2] else silent, chance) for label in LABELS}
    made: dict[str, Claim] = {}
    wordings = CLAIMS[topic, relation]
    for turn in range(count):
        for label in LABELS:
            for _ in range(50):
                page = next(queues[label])
                value = (
                    page.entity.facts[relation].value if label == LABELS[0] else _other(page, relation, stated, chance)
                )
                text = capital(wordings[turn % len(wordings)].format(x=mention(page), v=value))
                if text not in made and value and not words(page.entity.name) & words(value):
                    place = page.where.get(relation, -1)
                    made[text] = Claim(text, label, page.title, place, dev, page.entity.key, relation, value)
                    break
    return list(made.values())


def _endless(pages: list[Page], chance: random.Random) -> Iterator[Page]:
    while True:
        yield from chance.sample(pages, len(pages))


def _open(page: Page, relation: str) -> bool:
    """Whether the claim makes sense of this page although its article is silent."""
    facts: Mapping[str, object] = page.entity.facts
    if relation == "county":
        return "state" in facts
    if relation == "hero":
        return page.entity.label in _TOLD or getattr(facts.get("kind"), "value", "") in _TOLD
    return relation != "maker" or "ancient" not in facts


def _other(page: Page, relation: str, stated: list[Page], chance: random.Random) -> str:
    """A value that another entity has, far enough from this one's to be wrong."""
    own = page.entity.facts.get(relation)
    for _ in range(100):
        other = chance.choice(stated)
        fact = other.entity.facts[relation]
        if own is None and other is not page:
            return fact.value
        if own is None or fact.value == own.value or _neighbours(page, other, relation):
            continue
        apart = abs(fact.number - own.number)
        if (
            not fact.number
            or apart > 0.1 * abs(own.number)
            or (own.number > 1000 and fact.number < 2100 and apart >= 3)
        ):
            return fact.value
    return ""


def _neighbours(page: Page, other: Page, relation: str) -> bool:
    """Whether both may share a value after all: two rivers meet in one city."""
    country = [p.entity.facts.get("country") for p in (page, other)]
    return relation == "river" and None not in country and country[0] == country[1]


def sorted_claims(made: list[Claim], seed: int, dev: bool) -> list[Claim]:
    """These claims in an order of the seed."""
    listed = sorted(made, key=lambda claim: claim.text)
    dice(seed, "claim order", dev).shuffle(listed)
    return listed
