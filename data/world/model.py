"""What the world is made of: entities with facts before they are written down, pages after."""

from __future__ import annotations

import hashlib
import random
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fact:
    """One thing known of an entity: the text that states it, the key of the entity meant, the number to compare by."""

    value: str
    target: str = ""
    number: float = 0.0


@dataclass(frozen=True)
class Entity:
    """Something with an article. `key` is `topic:name`; `label` stands in brackets where titles need them."""

    key: str
    name: str
    label: str
    facts: Mapping[str, Fact]
    aliases: tuple[str, ...] = ()
    sex: str = ""

    @property
    def topic(self) -> str:
        return self.key.partition(":")[0]


@dataclass(frozen=True)
class Page:
    """An article as it stands: `where` gives, for each relation that it states, the index of its sentence."""

    entity: Entity
    title: str
    sentences: tuple[str, ...]
    where: Mapping[str, int]
    redirects: tuple[str, ...] = ()
    ambiguous: bool = False

    def early(self, relation: str) -> bool:
        """Whether a search shows this: it stands in the first five sentences."""
        return self.where.get(relation, 99) < 5

    def late(self, relation: str) -> bool:
        """Whether this stands in the article but takes a lookup."""
        return self.where.get(relation, -1) >= 5

    def opening(self) -> str:
        return " ".join(self.sentences[:5])


@dataclass(frozen=True)
class World:
    """All pages by the key of their entity, and the disambiguation pages: title and lines."""

    pages: Mapping[str, Page]
    disambiguations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def topic(self, topic: str) -> Iterator[Page]:
        return (page for page in self.pages.values() if page.entity.topic == topic)


def dice(*seeds: object) -> random.Random:
    """Random numbers that depend on nothing but these words, on every platform."""
    return random.Random("/".join(map(str, seeds)))


def held_out(key: str) -> bool:
    """Whether an entity belongs to dev, as a bridge or as the thing compared. One in five does."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 100 < 20


def plain(text: str) -> str:
    """`text` without accents and letter case."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", plain(text)))


def number(text: str) -> float:
    return float(text.replace(",", ""))


def rows(table: str) -> Iterator[list[str]]:
    """The lines of a hand-written table, cut at their bars."""
    return (line.split("|") for line in table.strip().splitlines())
