"""HotpotQA: questions that take two pages of Wikipedia to answer; the reward is exact match (paper, section 3).

One question, in the official format; of `context`, which is pages for the snapshot, a task keeps nothing ::

    {"_id": "5a8c...", "question": "What government position was held by ...?", "answer": "Chief of Protocol",
     "type": "bridge", "level": "hard", "supporting_facts": [["Shirley Temple", 0], ...], "context": [...]}

The simplified files of the reference, and any JSON or JSON lines with `question` and `answer`, are read too.
"""

from __future__ import annotations

import hashlib
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from react.environments import _questions
from react.environments._hub import Layout, Rows
from react.environments._questions import Questions, Record, identity, label, text
from react.environments.wikipedia import Wikipedia, tools
from react.environments.wikipedia.opening import open_wikipedia
from react.environments.wikipedia.sources import Paths
from react.environments.wikipedia.titles import clean
from react.environments.wikipedia.tools import WikipediaEpisode, glance, mishap
from react.mistakes import choose
from react.notation import Answered, Notation, Numbered
from react.trajectory import Task

__all__ = [
    "METRIC",
    "TOOLS",
    "HotpotQA",
    "exact_match",
    "f1",
    "glance",
    "load",
    "mishap",
    "normalise",
    "notation",
    "paper_panel",
]

METRIC = "EM"
TOOLS = tools.TOOLS
_DATA = Path(__file__).resolve().parents[2] / "data"
# Another value whenever the same answer could bring another reward.
_SCORING = "1"
# Of the questions that the paper's numbers are made of.
_PAPER = "3c1a97bb1625875d"
_KEPT = ("type", "level", "hops", "kind")
_WITHOUT_PAGES = (
    " (no `pages` are given, so they are taken from the `context` of the questions; where those have none, give the "
    "environment option `pages`: a snapshot, files of pages, or the address of a live wiki)"
)


def load(
    train: Paths | None = None,
    dev: Paths | None = None,
    pages: Paths | None = None,
    behaviour: str = "paper",
    recording: str | None = None,
    contact: str | None = None,
) -> HotpotQA:
    """HotpotQA from files, globs or `hf://hotpotqa/hotpot_qa`; without questions, the embedded sample.

    Without `pages` they are the `context` paragraphs of the questions, which then must have them. A live wiki is named
    by its API; `recording` and `contact` are its (see `open_wikipedia`).
    """
    choose("behaviour", behaviour, list(tools.BEHAVIOURS))
    if train is None and dev is None:
        train, dev = _DATA / "hotpotqa" / "train.json.gz", _DATA / "hotpotqa" / "dev.json.gz"
        pages = pages or _DATA / "wikipedia" / "pages.jsonl.gz"
    questions = Questions({"train": train, "dev": dev}, _LAYOUT, _task)
    try:
        wikipedia = open_wikipedia(pages or questions.files, recording, contact)
    except ValueError as error:
        hint = "" if pages else _WITHOUT_PAGES
        raise ValueError(f"{error}{hint}") from None
    return HotpotQA(wikipedia, questions, behaviour)


class HotpotQA:
    """The `Environment`. Opened once and shared by all threads."""

    name = "hotpotqa"
    max_steps = 7  # paper, section 3.2, and ReAct@6bdb3a1 hotpotqa.ipynb

    def __init__(self, wikipedia: Wikipedia, questions: Questions, behaviour: str = "paper") -> None:
        identity = (self.name, behaviour, str(self.max_steps), wikipedia.fingerprint, tools.VERSION, _SCORING)
        self.fingerprint = hashlib.sha256("\n".join(identity).encode()).hexdigest()
        self._wikipedia = wikipedia
        self._behaviour = behaviour
        self._questions = questions

    @property
    def held_out(self) -> list[str]:
        return self._questions.held_out

    def tasks(self, split: str) -> Sequence[Task]:
        return self._questions.tasks(split)

    def data(self, split: str) -> str:
        return self._questions.data(split)

    def start(self, task: Task) -> WikipediaEpisode:
        return WikipediaEpisode(self._wikipedia, partial(exact_match, gold=task.answer), self._behaviour)

    def normalise(self, answer: str) -> str:
        return normalise(answer) or answer.strip().lower()

    def notation(self, *, thoughts: bool, actions: bool) -> Notation:
        return notation(thoughts=thoughts, actions=actions, strict=tools.BEHAVIOURS[self._behaviour].strict)


def notation(*, thoughts: bool, actions: bool, strict: bool = False) -> Notation:
    """How HotpotQA is written, without opening any of its data: all that training needs."""
    return Numbered("Question", thoughts, strict) if actions else Answered("Question", thoughts)


def paper_panel(environment: HotpotQA, split: str) -> list[int]:
    """See `environments.says`."""
    return _questions.paper_panel(environment.tasks(split), _PAPER, "HotpotQA's dev set")


def _task(record: Record, default_id: str) -> Task:
    extra: dict[str, Any] = {field: label(record, field) for field in _KEPT if record.get(field) is not None}
    if "supporting_facts" in record:
        extra["supporting"] = _supporting(record["supporting_facts"])
    return Task(identity(record, default_id, "_id", "id"), text(record, "question"), text(record, "answer"), extra)


def _supporting(facts: object) -> list[str]:
    """The titles of the pages that a question needs, as the snapshot spells them."""
    if not isinstance(facts, list) or not all(
        isinstance(fact, list) and fact and isinstance(fact[0], str) for fact in facts
    ):
        raise ValueError(f"`supporting_facts` must be a list of [title, sentence], not {str(facts)[:80]!r}")
    return list(dict.fromkeys(clean(fact[0]) for fact in facts))


def _official(rows: Rows) -> Iterator[dict[str, Any]]:
    """The hub's rows have columns where the official file has pairs: `{"title": [...], "sentences": [[...], ...]}`."""
    for place, row in rows:
        pairs = {"supporting_facts": ("title", "sent_id"), "context": ("title", "sentences")}
        try:
            told = {
                field: list(map(list, zip(*(row[field][key] for key in keys), strict=True)))
                for field, keys in pairs.items()
            }
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{place}: not a row of HotpotQA: {type(error).__name__}: {error}") from None
        yield {**row, **told}


_LAYOUT = Layout("distractor", {"train": "train", "dev": "validation"}, _official)


def exact_match(prediction: str, gold: str) -> float:
    """1.0 where both are the same text once normalised, else 0.0. An empty answer never matches.

    A gold answer of which normalisation leaves nothing ("The The") is compared as it stands, but for letter case.
    """
    if not normalise(gold):
        return float(bool(prediction.strip()) and prediction.strip().lower() == gold.strip().lower())
    return float(normalise(prediction) == normalise(gold))


def f1(prediction: str, gold: str) -> float:
    """Harmonic mean of precision and recall over normalised words; 0.0 where only one of the two is yes (or no)."""
    if exact_match(prediction, gold):
        return 1.0
    sides = normalise(prediction), normalise(gold)
    shared = Counter(sides[0].split()) & Counter(sides[1].split())
    if not shared or not {"yes", "no", "noanswer"}.isdisjoint(sides):
        return 0.0
    return 2 * shared.total() / sum(len(side.split()) for side in sides)


def normalise(text: str) -> str:
    """An answer as HotpotQA's official evaluation compares it; the order is part of the definition."""
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())
