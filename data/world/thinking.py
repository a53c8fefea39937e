"""The expert's steps: for every question the searches of its way, each with the thought before it."""

from __future__ import annotations

import random

from data.world.articles import capital, said
from data.world.asking import Question, mention
from data.world.model import Page, World, dice
from data.world.statements import COMPARISONS, NOUNS, STATEMENTS, THAT
from react.trajectory import Step


def plan(world: World, question: Question, seed: int) -> list[Step]:
    """The steps of a question, without observations."""
    chance = dice(seed, "expert", question.text)
    pages = [world.pages[hop.page] for hop in question.hops]
    if question.kind == "title":
        return _titled(question, pages[0])
    if question.kind in ("compare", "yesno"):
        return _paired(question, pages)
    return _followed(question, pages, chance)


def noun(page: Page, relation: str, of: str) -> str:
    """`the birthplace of that person`."""
    return NOUNS[page.entity.topic, relation].format(x=of)


def statement(page: Page, relation: str) -> str:
    """`Franz Kafka was born in Prague`."""
    value = page.entity.facts[relation].value
    return capital(STATEMENTS[page.entity.topic, relation].format(x=said(page.entity), v=value))


def searched(page: Page, typed: str, thought: str) -> list[Step]:
    """The search for a page; where its name is shared by several, a second one for the right title."""
    steps = [Step(thought, f"Search[{typed}]")]
    if page.ambiguous and typed == page.entity.name:
        unclear = f"There are several pages called {typed}. The one I need is {page.title}."
        steps.append(Step(unclear, f"Search[{page.title}]"))
    return steps


def _followed(question: Question, pages: list[Page], chance: random.Random) -> list[Step]:
    """One page after another, each named by the one before; the last may take a lookup."""
    steps: list[Step] = []
    for i, (hop, page) in enumerate(zip(question.hops, pages, strict=True)):
        if i == 0:
            thought = _opening(question, pages)
        else:
            last = statement(pages[i - 1], question.hops[i - 1].relation)
            wanted = noun(page, hop.relation, THAT[page.entity.topic])
            thought = chance.choice(
                [
                    f"{last}. Next I need to search {hop.search} and find {wanted}.",
                    f"{last}, so I need to search {hop.search} and find {wanted}.",
                ]
            )
        steps += searched(page, hop.search, thought)
    relation, page = question.hops[-1].relation, pages[-1]
    if question.keyword:
        steps.append(looked_up(page, relation, question.keyword))
    final = chance.choice(["{}, so the answer is {}.", "{}. So the answer is {}."])
    return [*steps, finish(final.format(statement(page, relation), question.answer), question.answer)]


def _opening(question: Question, pages: list[Page]) -> str:
    """The whole way, said before the first step."""
    wanted = [noun(page, hop.relation, THAT[page.entity.topic]) for hop, page in zip(question.hops, pages, strict=True)]
    if len(wanted) == 1:
        return f"I need to search {question.hops[0].search} and find {wanted[0]}."
    return f"I need to search {question.hops[0].search}, find {', then find '.join(wanted)}."


def looked_up(page: Page, relation: str, keyword: str) -> Step:
    """The lookup of what a search does not show."""
    wanted = noun(page, relation, THAT[page.entity.topic])
    return Step(f"The first sentences do not give {wanted}. I need to look up {keyword}.", f"Lookup[{keyword}]")


def _titled(question: Question, page: Page) -> list[Step]:
    typed, what = question.hops[0].search, THAT[page.entity.topic].removeprefix("that ")
    thought = f"I need to search {typed} and see which {what} it belongs to."
    final = f"The page that belongs to {typed} is about {said(page.entity)}, so the answer is {question.answer}."
    return [Step(thought, f"Search[{typed}]"), finish(final, question.answer)]


def _paired(question: Question, pages: list[Page]) -> list[Step]:
    """Both pages, then the two facts side by side."""
    (first, second), relation = pages, question.hops[0].relation
    x, y = mention(first), mention(second)
    wanted = noun(first, relation, "each")
    steps = searched(first, question.hops[0].search, f"I need to search {x} and {y}, and compare {wanted}.")
    told = statement(first, relation)
    steps += searched(second, question.hops[1].search, f"{told}. Next I need to search {y} and find the same.")
    final = f"{statement(second, relation)}. {_verdict(question, pages, relation)}"
    return [*steps, finish(final, question.answer)]


def _verdict(question: Question, pages: list[Page], relation: str) -> str:
    """The comparison in so many words, with both values."""
    topic, facts = pages[0].entity.topic, [page.entity.facts[relation] for page in pages]
    if question.family.endswith(".than"):
        sign, claim = _ordered(topic, relation, facts[0].number > facts[1].number, question.less)
        truth = "so it is true that" if question.answer == "yes" else "so it is not true that"
        told = f"{capital(facts[0].value)} {sign} {facts[1].value}, {truth} {said(pages[0].entity)} {claim}."
        return f"{told} The answer is {question.answer}."
    if question.kind == "yesno":
        same, different = (
            f"It is {facts[0].value} for both",
            f"{capital(facts[0].value)} and {facts[1].value} are different",
        )
        return f"{same if question.answer == 'yes' else different}, so the answer is {question.answer}."
    winner = next(i for i, page in enumerate(pages) if question.answer.lower() == page.entity.name.lower())
    mine, other = facts[winner], facts[1 - winner]
    sign, claim = _ordered(topic, relation, mine.number > other.number, question.less)
    told = f"{capital(mine.value)} {sign} {other.value}, so {said(pages[winner].entity)} {claim}."
    return f"{told} The answer is {question.answer}."


def _ordered(topic: str, relation: str, more: bool, less: bool) -> tuple[str, str]:
    """How the first value stands to the second, and what the question asks for."""
    kind, claims = COMPARISONS[topic, relation]
    signs = {"size": ("is more than", "is less than"), "time": ("is later than", "is earlier than")}[kind]
    return signs[0] if more else signs[1], claims[less]


def finish(thought: str, answer: str) -> Step:
    """The last step."""
    return Step(thought, f"Finish[{answer}]")
