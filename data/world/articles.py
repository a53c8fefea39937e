"""From entities to pages: names made unique, facts put into sentences."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping

from data.world.model import Entity, Page, World, dice, plain
from data.world.places import the
from data.world.wording import LAYOUTS, Slot

_VOWELS = tuple("aeiouAEIO")
_PRONOUNS = {"m": ("He", "he", "His", "his", "him"), "f": ("She", "she", "Her", "her", "her")}
# Whom one does not call by the last word of the name.
_CALLED = {
    "Leonardo da Vinci": "Leonardo", "Dante Alighieri": "Dante", "Galileo Galilei": "Galileo", "Lu Xun": "Lu Xun",
    "Gabriel García Márquez": "García Márquez", "Federico García Lorca": "García Lorca", "El Greco": "El Greco",
    "Mario Vargas Llosa": "Vargas Llosa", "Vincent van Gogh": "van Gogh", "Anthony van Dyck": "van Dyck",
    "Machado de Assis": "Machado de Assis", "Giorgio de Chirico": "de Chirico", "George de Hevesy": "de Hevesy",
    "Carl Auer von Welsbach": "Auer von Welsbach", "Paul-Émile Lecoq de Boisbaudran": "Lecoq de Boisbaudran",
}  # fmt: skip


def a(noun: str) -> str:
    """`an opera`, `a novel`; `an hour` is not needed here."""
    return ("an " if noun.startswith(_VOWELS) else "a ") + noun


def said(entity: Entity) -> str:
    """The name inside a sentence: `the Danube`, `gallium`, `the Swiss franc`, `Swahili`."""
    if entity.topic == "river":
        return f"the {entity.name}"
    if entity.topic == "country":
        return the(entity.name)
    if entity.topic == "currency":
        return "the " + (
            entity.name if " " in entity.name and entity.name != "Convertible mark" else entity.name.lower()
        )
    if entity.topic == "language":
        return entity.name.removesuffix(" language")
    return entity.name.lower() if entity.topic == "element" else entity.name


def surname(name: str) -> str:
    """How a person is called after the first mention."""
    return _CALLED.get(name, name.split()[-1])


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def titled(entities: Iterable[Entity]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """A title for every key, in brackets where several share a name; and the names shared, with the keys."""
    sharing: dict[str, list[Entity]] = defaultdict(list)
    for entity in entities:
        sharing[plain(entity.name)].append(entity)
    titles, shared = {}, {}
    for same in sharing.values():
        if len(same) == 1:
            titles[same[0].key] = same[0].name
            continue
        shared[same[0].name] = [e.key for e in same]
        for entity in same:
            titles[entity.key] = f"{entity.name} ({entity.label})"
    return titles, shared


def write(entities: list[Entity], seed: int) -> World:
    """The encyclopedia of these entities."""
    titles, shared = titled(entities)
    taken = {plain(t) for t in titles.values()} | {plain(name) for name in shared}
    pages = {}
    for entity in entities:
        redirects = []
        for alias in entity.aliases:
            if plain(alias) not in taken:
                taken.add(plain(alias))
                redirects.append(alias)
        title = titles[entity.key]
        if title != entity.name and entity.topic == "city":
            redirects = [r for r in redirects if r != entity.name]
        sentences, where = article(entity, seed)
        pages[entity.key] = Page(entity, title, sentences, where, tuple(redirects), title != entity.name)
    lines = {name: _disambiguation(name, keys, pages) for name, keys in shared.items()}
    return World(pages, lines)


def _disambiguation(name: str, keys: list[str], pages: Mapping[str, Page]) -> tuple[str, ...]:
    """`Georgia may refer to:` and one line for each page of that name."""
    lines = []
    for key in sorted(keys):
        page = pages[key]
        noun = LAYOUTS[page.entity.topic].noun or page.entity.label
        facts = page.entity.facts
        place = facts.get("country") or facts.get("state") or facts.get("region")
        lines.append(f"{page.title}, {a(noun)}" + (f" in {place.value}" if place else ""))
    return (f"{name} may refer to:", *lines)


def article(entity: Entity, seed: int) -> tuple[tuple[str, ...], dict[str, int]]:
    """The sentences of an entity, and for each relation that they state the index of the sentence."""
    chance = dice(seed, "article", entity.key)
    layout = LAYOUTS[entity.topic]
    known = [s for s in layout.head if _usable(s, entity)]
    chance.shuffle(known)
    late = [s for s in layout.tail if _usable(s, entity)]
    chance.shuffle(late)
    order = [layout.definition, *known, *late]
    sentences: list[str] = []
    where: dict[str, int] = {}
    for index, chosen in enumerate(order):
        relations, wordings = next(option for option in chosen if _known(option[0], entity))
        sentences.append(_sentence(chance.choice(wordings), entity, index, chance))
        for relation in relations.split():
            if relation[0] != "?":
                where.setdefault(relation, index)
    return tuple(sentences), where


def _usable(slot: Slot, entity: Entity) -> bool:
    return any(_known(relations, entity) for relations, _ in slot)


def _known(relations: str, entity: Entity) -> bool:
    return all(relation.removeprefix("?") in entity.facts for relation in relations.split())


def _sentence(wording: str, entity: Entity, index: int, chance: random.Random) -> str:
    fields = {relation: fact.value for relation, fact in entity.facts.items()}
    fields |= {f"a_{k}": a(fields[k]) for k in ("nation", "role", "kind") if k in fields}
    fields |= _subject(entity, index, chance)
    return capital(wording.format(**fields))


def _subject(entity: Entity, index: int, chance: random.Random) -> dict[str, str]:
    """What stands for the entity in one sentence: its name, a pronoun, or its noun."""
    name, noun = said(entity), LAYOUTS[entity.topic].noun
    fields = {"T": capital(name), "t": name}
    if entity.sex:
        subject, lower, whose, whose_lower, whom = _PRONOUNS[entity.sex]
        if index == 0 or chance.random() < 0.2:
            short = capital(surname(name))
            subject, whose = short, f"{short}'s" if not short.endswith("s") else f"{short}'"
        return fields | {"S": subject, "s": lower, "P": whose, "p": whose_lower, "o": whom}
    choice = chance.choice(["it", "it", "it", f"the {noun}" if noun else "it", name if len(name) < 20 else "it"])
    subject, whose = (choice, "its" if choice == "it" else _possessive(choice))
    inner = chance.choice(["it", f"the {noun}" if noun else "it"])
    return fields | {"S": capital(subject), "s": inner, "P": capital(whose), "p": "its", "o": inner}


def _possessive(noun: str) -> str:
    return f"{noun}'" if noun.endswith("s") else f"{noun}'s"
