"""Questions along the facts: bridges, chains, facts that take a lookup, and things described by an alias."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from data.world.articles import capital, said
from data.world.model import Page, World, dice, held_out, plain, words
from data.world.phrases import ASKS, DESCRIPTIONS, KEYWORDS, LINKS
from data.world.places import the
from data.world.wording import LAYOUTS

# Words that a question and its answer may share without giving anything away.
_COMMON = {"the", "of", "and", "a", "an", "in", "on", "city", "river", "state", "county", "airport", "sea", "lake"} | {
    "international",
    "north",
    "south",
    "west",
    "east",
}
# Asked only as the one thing looked up: of a far-off place nobody asks this.
_NOT_IN_CHAINS = frozenset(["latitude", "zone", "weight", "density"])
# Turns that lead in circles.
_DULL = (
    "near>city.near",
    "after>element.after",
    "before>element.before",
    "mouth>river.mouth>river.mouth",
    "maker>person",
    "near>city.county",
)


@dataclass(frozen=True)
class Hop:
    """One page of the way: what is typed to find it, and the relation that is read there."""

    page: str
    relation: str
    search: str


@dataclass(frozen=True)
class Question:
    """A question with the way to its answer. `family` names the relations, `phrasing` also the wording."""

    text: str
    answer: str
    kind: str
    family: str
    phrasing: str
    hops: tuple[Hop, ...]
    dev: bool
    keyword: str = ""
    less: bool = False


def mention(page: Page) -> str:
    """The name by which a question speaks of a page; where several share it, with a hint."""
    entity, noun = page.entity, LAYOUTS[page.entity.topic].noun or page.entity.label
    if entity.topic == "work":
        return f'"{entity.name}"' if not page.ambiguous else f'the {entity.label} "{entity.name}"'
    if entity.topic == "body" and not page.ambiguous:
        return f"the {entity.label} {entity.name}"
    if not page.ambiguous:
        return said(entity)
    if entity.topic in ("city", "county"):
        return f"{entity.name} in {the(entity.label)}"
    return f"the {noun} {entity.name}"


def typed(page: Page) -> str:
    """What a reader types to find a page: its name, which a disambiguation page may answer first."""
    return page.entity.name if page.entity.topic != "language" else page.title


def links(world: World, page: Page) -> Iterator[tuple[str, Page]]:
    """The pages that the first sentences of a page lead to, by relation."""
    for topic, relation in LINKS:
        if topic == page.entity.topic and page.early(relation):
            target = world.pages.get(page.entity.facts[relation].target)
            if target is not None:
                yield relation, target


def asked(page: Page) -> Iterator[str]:
    """The relations that can be asked of a page and are shown by a search."""
    for topic, relation in ASKS:
        if (
            topic == page.entity.topic
            and page.early(relation)
            and relation not in _NOT_IN_CHAINS
            and single(page, relation)
        ):
            yield relation


def single(page: Page, relation: str) -> bool:
    """Whether the question for this has one short answer: not where several people were born."""
    most = {"native": 1, "borders": 2}.get(relation)
    return most is None or page.entity.facts[relation].number <= most


def paths(world: World, length: int) -> Iterator[tuple[list[tuple[Page, str]], str]]:
    """All ways of `length` pages, each with the relation read there, and the answer."""
    for start in world.pages.values():
        yield from _walk(world, [(start, "")], length)


def _walk(world: World, way: list[tuple[Page, str]], length: int) -> Iterator[tuple[list[tuple[Page, str]], str]]:
    page = way[-1][0]
    if len(way) == length:
        for relation in asked(page):
            yield [*way[:-1], (page, relation)], page.entity.facts[relation].value
        return
    for relation, target in links(world, page):
        if all(target is not old for old, _ in way):
            yield from _walk(world, [*way[:-1], (page, relation), (target, "")], length)


def chained(world: World, length: int, seed: int) -> Iterator[Question]:
    """Questions of `length` hops. None gives away a bridge or the answer, none has a shorter way."""
    for way, answer in paths(world, length):
        bridges = [page for page, _ in way[1:]]
        sides = {held_out(page.entity.key) for page in bridges}
        if len(sides) > 1 or not _long_way(way, answer):
            continue
        family = ">".join(f"{page.entity.topic}.{relation}" for page, relation in way)
        if any(turn in family for turn in _DULL) or not all(
            _told_apart(world, page, before) for (before, _), (page, _) in pairwise(way)
        ):
            continue
        chance = dice(seed, "chain", family, way[0][0].entity.key)
        text, phrasing = _put(way, chance)
        if _gives_away(text, answer) or any(_names(text, bridge) for bridge in bridges):
            continue
        hops = tuple(Hop(page.entity.key, relation, typed(page)) for page, relation in way)
        yield Question(
            text, answer, "bridge" if length == 2 else "chain", family, f"{family}/{phrasing}", hops, sides.pop()
        )


def _told_apart(world: World, page: Page, before: Page) -> bool:
    """Whether a reader of `before` can tell which page is meant where its name is shared."""
    if not page.ambiguous:
        return True
    label = plain(page.entity.label)
    if label in plain(" ".join((before.title, *before.sentences))):
        return True
    alike = [p for p in world.topic(page.entity.topic) if plain(p.entity.name) == plain(page.entity.name)]
    return len(alike) == 1


def _long_way(way: list[tuple[Page, str]], answer: str) -> bool:
    """Whether each page is needed: no earlier one holds the answer or names a page after the next."""
    for i, (page, _) in enumerate(way[:-1]):
        text = plain(" ".join(page.sentences))
        later = [plain(other.entity.name) for other, _ in way[i + 2 :]]
        if any(_holds(text, name) for name in [plain(answer), *later]):
            return False
    return True


def _holds(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _put(way: list[tuple[Page, str]], chance: random.Random) -> tuple[str, int]:
    name = phrase = mention(way[0][0])
    for page, relation in way[:-1]:
        wordings = LINKS[page.entity.topic, relation]
        phrase = chance.choice([w for w in wordings if phrase == name or w.endswith("{x}")] or wordings).format(
            x=phrase
        )
    page, relation = way[-1]
    wordings = ASKS[page.entity.topic, relation]
    ends = phrase.endswith(name)
    fitting = [i for i, wording in enumerate(wordings) if _fits(wording, ends, len(way) - 1)]
    number = chance.choice(fitting or range(len(wordings)))
    return capital(wordings[number].format(x=phrase)), number


def _fits(wording: str, ends: bool, depth: int) -> bool:
    """Whether a phrase of so many links still reads well in this place; `ends`: its last word is a name, no verb."""
    if wording.startswith("{x}"):
        return ends and depth == 1
    after = len(wording.partition("{x}")[2].split()) - wording.endswith("{x}?")
    return after == 0 or (ends and after <= (4 if depth == 1 else 2))


def _gives_away(text: str, answer: str) -> bool:
    return _holds(plain(text), plain(answer)) or bool((words(answer) - _COMMON) & words(text) - set("0123456789"))


def _names(text: str, page: Page) -> bool:
    name = plain(page.entity.name.removesuffix(" language"))
    return _holds(plain(text), name) or (page.entity.topic == "person" and _holds(plain(text), name.split()[-1]))


def lookups(world: World, seed: int) -> Iterator[Question]:
    """Questions about one page whose answer stands after its first five sentences."""
    for page in world.pages.values():
        for (topic, relation), keywords in KEYWORDS.items():
            if topic != page.entity.topic or not page.late(relation) or not single(page, relation):
                continue
            answer, sentence = page.entity.facts[relation].value, page.sentences[page.where[relation]]
            keyword = next((k for k in keywords if k.lower() in sentence.lower()), "")
            chance, wordings = dice(seed, "lookup", page.entity.key, relation), ASKS[topic, relation]
            # The word to look up is one that the question gives, where some wording of it does.
            using = [i for i, wording in enumerate(wordings) if keyword.lower() in wording.lower()]
            number = chance.choice(using or range(len(wordings)))
            text = capital(wordings[number].format(x=mention(page)))
            first = next((s for s in page.sentences if keyword.lower() in s.lower()), "")
            if keyword and first == sentence and not _gives_away(text, answer):
                family = f"{topic}.{relation}"
                hop = Hop(page.entity.key, relation, typed(page))
                yield Question(
                    text, answer, "lookup", family, f"{family}/{number}", (hop,), held_out(page.entity.key), keyword
                )


def described(world: World, seed: int) -> Iterator[Question]:
    """Questions that give a code or a nickname and ask whose it is."""
    for page in world.pages.values():
        for (topic, relation), wordings in DESCRIPTIONS.items():
            if topic != page.entity.topic or relation not in page.entity.facts:
                continue
            alias = page.entity.facts[relation].value
            chance = dice(seed, "described", page.entity.key, relation)
            number = chance.randrange(len(wordings))
            text, answer = capital(wordings[number].format(x=alias)), said(page.entity)
            found = alias.removeprefix("the ")
            if (
                found in page.redirects
                and answer in page.sentences[0] + capital(answer)
                and not _gives_away(text, answer)
            ):
                answer = answer if answer in page.sentences[0] else capital(answer)
                family = f"{topic}.{relation}"
                hop = Hop(page.entity.key, relation, found)
                yield Question(text, answer, "title", family, f"{family}/{number}", (hop,), held_out(page.entity.key))
