"""The PDDL of one game: what is true at its beginning, and what has to be true at its end. Read as data.

A problem, shortened; letter case means nothing, and the objects that it declares are known from the facts::

    (define (problem plan_trial_T2019) (:domain alfred) (:objects agent1 - agent ...)
     (:init (atLocation agent1 loc_bar_1) (inReceptacle Mug_bar_1 Desk_bar_1) (objectType Mug_bar_1 MugType) ...)
     (:goal (and (exists (?r - receptacle) (exists (?o - object)
                 (and (inReceptacle ?o ?r) (objectType ?o MugType) (receptacleType ?r DeskType)))))))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from sys import intern
from typing import Any

Arguments = tuple[str, ...]
Facts = Mapping[str, frozenset[Arguments]]

# The predicates that may stand in `:init`, by number of arguments: those of the domain that an action reads or a text
# shows, and those that change nothing. A game that begins with something in hand is not known.
_UNARY = """openable opened isReceptacleObject isReceptacleObjectFull checked examined full isClean cleanable isHot
    heatable isCool coolable pickupable moveable toggleable isOn isToggled sliceable isSliced"""
_BINARY = """atLocation receptacleAtLocation objectAtLocation inReceptacle inReceptacleObject wasInReceptacle
    receptacleType canContain objectType"""
_ARITY = {name.lower(): n for n, names in ((1, _UNARY), (2, _BINARY)) for name in names.split()}
# What actions change. The rest of a game's facts stays as it is.
_STATES = "isClean isHot isCool isToggled isSliced opened"
CHANGING = frozenset(f"atLocation inReceptacle objectAtLocation holds {_STATES}".lower().split())
_IN_GOALS = CHANGING | {name for name in _ARITY if name.endswith(("able", "type"))} | {"receptacleatlocation"}

_LARGEST = 2_000_000  # characters; the largest official problem has 105,000
_LARGEST_SEARCH = 1_000_000
_FACT = re.compile(r"\(\s*(\w+(?:\s+\w+)*)\s*\)", re.ASCII)
_COST = re.compile(r"\(\s*=\s*\([\w\s-]*\)\s*\d+\s*\)", re.ASCII)
_PARTS = re.compile(r"\(\s*:init\b(.*)\)\s*\(\s*:goal\b(.*)", re.DOTALL)
_METRIC = re.compile(r"[)\s]*(\(\s*:metric\s+minimize\s+\(\s*total-cost\s*\)\s*\))?[)\s]*")
_TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(frozen=True)
class Condition:
    """Met where one choice of its variables (`?o`) makes every atom a fact and keeps the pairs in `different` apart."""

    atoms: tuple[Arguments, ...]
    different: tuple[tuple[str, str], ...] = ()

    def met(self, facts: Callable[[str], Collection[Arguments]]) -> bool:
        """Whether it is, where `facts(predicate)` holds what is true now."""
        return self._search(0, {}, facts)

    def _search(self, at: int, chosen: dict[str, str], facts: Callable[[str], Collection[Arguments]]) -> bool:
        if at == len(self.atoms):
            return all(chosen.get(one, one) != chosen.get(other, other) for one, other in self.different)
        predicate, *terms = self.atoms[at]
        wanted = tuple(chosen.get(term, term) for term in terms)
        if not any(term[0] == "?" for term in wanted):
            return wanted in facts(predicate) and self._search(at + 1, chosen, facts)
        found = (_matched(wanted, fact) for fact in facts(predicate))
        return any(more is not None and self._search(at + 1, {**chosen, **more}, facts) for more in found)


def _matched(wanted: Arguments, fact: Arguments) -> dict[str, str] | None:
    """What the variables of `wanted` must be for it to be `fact`."""
    chosen: dict[str, str] = {}
    for term, value in zip(wanted, fact, strict=True):
        if (chosen.setdefault(term, value) if term[0] == "?" else term) != value:
            return None
    return chosen


def read_problem(text: str) -> tuple[Facts, tuple[Condition, ...]]:
    """Facts by predicate, and the conditions that win together. ValueError says what is not understood."""
    if len(text) > _LARGEST:
        raise ValueError(f"the problem has {len(text)} characters, more than {_LARGEST}")
    parts = _PARTS.search(re.sub(r";[^\n]*", "", text).lower())
    if parts is None:
        raise ValueError("the problem has no :init followed by a :goal; it may be cut off")
    facts = _facts(parts[1])
    goal = _goal(parts[2])
    for condition in goal:
        _bear(condition, facts)
    return facts, goal


def _facts(text: str) -> Facts:
    text = _COST.sub("", text)
    if rest := _FACT.sub("", text).strip():
        raise ValueError(f":init has {rest[:60]!r}, which is no fact")
    facts: dict[str, set[Arguments]] = {}
    for words in _FACT.findall(text):
        predicate, *arguments = map(intern, words.split())
        if _ARITY.get(predicate) != len(arguments):
            raise ValueError(f":init has ({words[:60]}), which is no fact of the domain")
        facts.setdefault(predicate, set()).add(tuple(arguments))
    return {predicate: frozenset(known) for predicate, known in facts.items()}


def _goal(text: str) -> tuple[Condition, ...]:
    tree, rest = _tree(text)
    if not _METRIC.fullmatch(rest):
        raise ValueError(f"after the goal stands {rest.strip()[:60]!r}")
    parts = tree[1:] if tree[:1] == ["and"] else [tree]
    if not parts:
        raise ValueError("the goal is empty")
    return tuple(_condition(part) for part in parts)


def _tree(text: str) -> tuple[list[Any], str]:
    """The first parenthesis of `text` as nested lists, and what follows it."""
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.finditer(text):
        if token[0] == "(":
            stack.append([])
        elif token[0] == ")":
            done = stack.pop()
            if not stack:
                break
            stack[-1].append(done)
            if len(stack) == 1:
                return done, text[token.end() :]
        else:
            stack[-1].append(intern(token[0]))
        if len(stack) > 20:
            raise ValueError("the goal is nested more than 20 deep")
    raise ValueError("the goal is cut off")


def _condition(tree: object) -> Condition:
    atoms: list[Arguments] = []
    different: list[tuple[str, str]] = []
    variables: list[str] = []

    def walk(node: object) -> None:
        match node:
            case ["and", *parts]:
                for part in parts:
                    walk(part)
            case ["exists", [*declared], part]:
                variables.extend(word for word in declared if isinstance(word, str) and word[0] == "?")
                walk(part)
            case ["not", ["=", str(one), str(other)]]:
                different.append((one, other))
            case [str(predicate), *terms] if predicate in _IN_GOALS and all(isinstance(term, str) for term in terms):
                atoms.append((predicate, *map(str, terms)))
            case _:
                raise ValueError(f"the goal has {str(node)[:60]}, which is not known in goals")

    walk(tree)
    for predicate, *terms in atoms:
        if len(terms) != _ARITY.get(predicate, 2):
            raise ValueError(f"the goal has {predicate} of {len(terms)}")
    shown = {term for atom in atoms for term in atom[1:] if term[0] == "?"}
    if sorted(variables) != sorted(shown) or not shown.issuperset(_variables(different)):
        raise ValueError(f"the goal declares {sorted(variables)} and uses {sorted(shown)}")
    return Condition(_ordered(atoms), tuple(different))


def _variables(pairs: Iterable[tuple[str, str]]) -> set[str]:
    return {term for pair in pairs for term in pair if term[0] == "?"}


def _ordered(atoms: Iterable[Arguments]) -> tuple[Arguments, ...]:
    """The atoms in an order that searches little: what is settled first, then what few facts can be."""
    left, ordered, settled = list(atoms), [], set[str]()

    def open_terms(atom: Arguments) -> int:
        return len({term for term in atom[1:] if term[0] == "?"} - settled)

    while left:
        best = min(left, key=lambda atom: (open_terms(atom) > 0, atom[0] not in CHANGING, open_terms(atom)))
        left.remove(best)
        ordered.append(best)
        settled.update(best[1:])
    return tuple(ordered)


def _bear(condition: Condition, facts: Facts) -> None:
    """ValueError for a condition that could take long to test: a game comes from outside, and every step tests it."""
    settled: set[str] = set()
    effort = 1
    for predicate, *terms in condition.atoms:
        if {term for term in terms if term[0] == "?"} - settled:
            effort *= _most(predicate, facts)
        settled.update(terms)
    if effort > _LARGEST_SEARCH:
        raise ValueError(f"the goal takes a search through {effort} combinations, more than {_LARGEST_SEARCH}")


def _most(predicate: str, facts: Facts) -> int:
    """How many facts of a predicate there can ever be, roughly: one agent, and things that lie in one place or two."""
    if predicate in ("atlocation", "holds"):
        return 1
    if predicate not in CHANGING:
        return len(facts.get(predicate, ()))
    return 2 * max(len(known) for known in (facts.get("objecttype", ()), facts.get("inreceptacle", ()), "?"))
