"""What WebShop has its goals and pages from: a catalogue on disk, or a running server."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Protocol

from react.environments.shop import Catalogue, Goal, Product, splits
from react.environments.shop.nouns import Nouns
from react.environments.shop.pages import Local, Pages, Place
from react.environments.shop.reward import reward
from react.environments.shop.server import GOALS, Server, ShopError
from react.mistakes import Mistake
from react.notation import one_line
from react.progress import Progress


class Goods(Protocol):
    """Where goals and pages come from. Safe to share between threads."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def splits(self) -> Mapping[str, range]: ...

    @property
    def stock(self) -> str:
        """What is there, for a person: `6,910 synthetic goals of 1,000 products`."""
        ...

    @property
    def official(self) -> bool:
        """Whether it is all that the paper has: the goals that people wrote, of all products."""
        ...

    def asked(self, numbers: range) -> list[tuple[str, dict[str, str]]]:
        """What each of these goals asks for, and what else is known of it."""
        ...

    def pages(self, index: int, question: str) -> Pages:
        """The pages of a new shopper with that goal."""
        ...


class Stocked:
    """`Goods` of a catalogue, judged with the nouns that are called `judged_by`."""

    def __init__(self, catalogue: Catalogue, judged_by: str, nouns_of: Nouns) -> None:
        self._catalogue = catalogue
        self._nouns = nouns_of
        self.fingerprint = f"{judged_by}:{catalogue.fingerprint}"
        self.splits = splits.of(catalogue.facts.get("splits", ""), len(catalogue.goals))
        count, facts = len(catalogue.goals), catalogue.facts
        self.stock = f"{count:,} {facts['kind']} goals of {int(facts['products']):,} products"
        self.official = facts["kind"] != "synthetic" and count == GOALS

    def asked(self, numbers: range) -> list[tuple[str, dict[str, str]]]:
        goals = (self._catalogue.goals[number] for number in numbers)
        asked = [(goal.instruction, one_line(goal.category)) for goal in goals]  # a kind is shown in a terminal
        return [(instruction, {"kind": kind} if kind else {}) for instruction, kind in asked]

    def pages(self, index: int, question: str) -> Pages:
        return Local(self._catalogue, self._catalogue.goals[index], self._judged)

    def _judged(self, product: Product, goal: Goal, chosen: Mapping[str, str]) -> float:
        return reward(product, goal, chosen, self._nouns).total


class Served:
    """`Goods` of a running server, of which it has to be said how many goals it has."""

    def __init__(self, server: Server, goals: int) -> None:
        self._server = server
        self.fingerprint = f"server:{hashlib.sha256(f'{server.url} {goals}'.encode()).hexdigest()}"
        self.splits = splits.of("", goals)
        self.stock = f"{goals:,} goals"
        self.official = goals == GOALS

    def asked(self, numbers: range) -> list[tuple[str, dict[str, str]]]:
        told: list[tuple[str, dict[str, str]]] = []
        with Progress("goals of the server", len(numbers)) as progress:
            progress.begin()
            for number in numbers:
                try:
                    told.append((self._server.instruction(number), {}))
                except ShopError as error:  # without its goals no run begins
                    raise Mistake(f"webshop: goal {number} cannot be had: {error}") from None
                progress.advance(len(told))
        return told

    def pages(self, index: int, question: str) -> Pages:
        """They raise ShopError where the goal is another one by now: the original draws prices anew at each start."""
        session = self._server.session(index, question)
        session.read(Place())
        return session
