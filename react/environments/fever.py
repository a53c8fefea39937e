"""FEVER: claims that Wikipedia supports, refutes, or says too little about; the reward is the right label (paper, 3).

One claim, in the official format: `evidence` is a list of sets, each of which is enough, of sentences
`[annotation id, evidence id, page, sentence]` ::

    {"id": 137334, "verifiable": "VERIFIABLE", "label": "SUPPORTS", "claim": "Fox 2000 Pictures released the film ...",
     "evidence": [[[289914, 283015, "Soul_Food_-LRB-film-RRB-", 0]], ...]}

Any JSON or JSON lines with `claim` and `label` are read too. Claims bring no pages: those are `pages`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from react.environments import _questions
from react.environments._hub import Layout, Rows
from react.environments._questions import Questions, Record, identity, text
from react.environments.hotpotqa import normalise
from react.environments.wikipedia import Wikipedia, tools
from react.environments.wikipedia.formats import fever_title
from react.environments.wikipedia.opening import open_wikipedia
from react.environments.wikipedia.sources import Paths
from react.environments.wikipedia.tools import WikipediaEpisode, glance, mishap
from react.mistakes import choose
from react.notation import Answered, Notation, Numbered
from react.trajectory import Task

__all__ = ["LABELS", "METRIC", "TOOLS", "Fever", "glance", "load", "mishap", "notation", "paper_panel", "same_label"]

METRIC = "accuracy"
LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
TOOLS = (*tools.TOOLS[:-1], replace(tools.TOOLS[-1], what="SUPPORTS, REFUTES or NOT ENOUGH INFO."))
_DATA = Path(__file__).resolve().parents[2] / "data"
# Another value whenever the same answer could bring another reward.
_SCORING = "1"
# Of the claims that the paper's numbers are made of.
_PAPER = "888b5e74035062fa"
# The paper (section 3.2) gives claims 5 steps; the released code ran 7, as for questions (ReAct@6bdb3a1 FEVER.ipynb).
_MAX_STEPS = {"paper": 5, "reference": 7}


def load(
    train: Paths | None = None,
    dev: Paths | None = None,
    pages: Paths | None = None,
    behaviour: str = "paper",
    recording: str | None = None,
    contact: str | None = None,
) -> Fever:
    """FEVER from files, globs or `hf://fever/fever`, over the encyclopedia `pages`; without claims, the embedded.

    `recording` and `contact` are those of a live wiki (see `open_wikipedia`).
    """
    choose("behaviour", behaviour, list(tools.BEHAVIOURS))
    if train is None and dev is None:
        train, dev = _DATA / "fever" / "train.jsonl.gz", _DATA / "fever" / "dev.jsonl.gz"
        pages = pages or _DATA / "wikipedia" / "pages.jsonl.gz"
    if not pages:
        raise ValueError("`pages` are missing: claims bring none; FEVER's own are its wiki-pages files")
    return Fever(
        open_wikipedia(pages, recording, contact), Questions({"train": train, "dev": dev}, _LAYOUT, _task), behaviour
    )


class Fever:
    """The `Environment`. Opened once and shared by all threads."""

    name = "fever"

    def __init__(self, wikipedia: Wikipedia, claims: Questions, behaviour: str = "paper") -> None:
        self.max_steps = _MAX_STEPS[behaviour]
        identity = (self.name, behaviour, str(self.max_steps), wikipedia.fingerprint, tools.VERSION, _SCORING)
        self.fingerprint = hashlib.sha256("\n".join(identity).encode()).hexdigest()
        self._wikipedia = wikipedia
        self._behaviour = behaviour
        self._claims = claims

    @property
    def held_out(self) -> list[str]:
        return self._claims.held_out

    def tasks(self, split: str) -> Sequence[Task]:
        return self._claims.tasks(split)

    def data(self, split: str) -> str:
        return self._claims.data(split)

    def start(self, task: Task) -> WikipediaEpisode:
        return WikipediaEpisode(self._wikipedia, partial(same_label, gold=task.answer), self._behaviour)

    def normalise(self, answer: str) -> str:
        return normalise(answer) or answer.strip().lower()

    def notation(self, *, thoughts: bool, actions: bool) -> Notation:
        return notation(thoughts=thoughts, actions=actions, strict=tools.BEHAVIOURS[self._behaviour].strict)


def notation(*, thoughts: bool, actions: bool, strict: bool = False) -> Notation:
    """How FEVER is written, without opening any of its data: all that training needs."""
    return Numbered("Claim", thoughts, strict) if actions else Answered("Claim", thoughts, "Thought:")


def paper_panel(environment: Fever, split: str) -> list[int]:
    """See `environments.says`."""
    return _questions.paper_panel(environment.tasks(split), _PAPER, "FEVER's paper_dev")


def same_label(prediction: str, gold: str) -> float:
    """1.0 where both are the same once normalised as HotpotQA's answers are, else 0.0 (ReAct@6bdb3a1 wrappers.py).

    So `supports.` is right where SUPPORTS is, and NOT ENOUGH INFORMATION, as in the reference, is always wrong.
    """
    return float(normalise(prediction) == normalise(gold))


def _task(record: Record, default_id: str) -> Task:
    label = record.get("label")
    if not label:
        raise ValueError("the claim has no `label`; those of the unlabelled test set cannot be judged")
    if label not in LABELS:
        raise ValueError(f"`label` is {label!r}; it must be one of {', '.join(LABELS)}")
    extra: dict[str, Any] = {"label": label}
    if "evidence" in record:
        extra["supporting"] = _supporting(record["evidence"])
    return Task(identity(record, default_id, "id"), text(record, "claim"), label, extra)


def _supporting(evidence: object) -> list[str]:
    """The titles of the pages of one set of evidence, as the snapshot spells them; none where nothing is enough.

    Sets are alternatives. That of the fewest pages is taken, the first of several.
    """
    try:
        sets = [[_title(piece) for piece in _list(pieces)] for pieces in _list(evidence)]
    except (TypeError, ValueError):
        wanted = "a list of sets of [annotation id, evidence id, page, sentence]"
        raise ValueError(f"`evidence` must be {wanted}, not {str(evidence)[:80]!r}") from None
    named = (list(dict.fromkeys(filter(None, titles))) for titles in sets)
    return min(filter(None, named), key=len, default=[])


def _list(value: object) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise TypeError("no list")
    return value


def _title(piece: object) -> str:
    """The page of a sentence; nothing where FEVER has null. TypeError or ValueError where it is no sentence."""
    _, _, title, _ = _list(piece)
    if not isinstance(title, str | None):
        raise TypeError("no text")
    return fever_title(title or "")


def _official(rows: Rows) -> Iterator[dict[str, Any]]:
    """The hub has a row for each sentence of evidence. Those of one claim are one record, at the place of the first.

    The sentences of one evidence id are one set; where nothing is evidence it is -1.
    """
    claims: dict[object, dict[str, Any]] = {}
    for place, row in rows:
        try:
            told = {"id": row["id"], "label": row["label"], "claim": row["claim"], "evidence": {}}
            piece = [row[f"evidence_{part}"] for part in ("annotation_id", "id", "wiki_url", "sentence_id")]
        except (KeyError, TypeError) as error:
            raise ValueError(f"{place}: not a row of FEVER: {type(error).__name__}: {error}") from None
        claim = claims.setdefault(told["id"], told)
        if (claim["label"], claim["claim"]) != (told["label"], told["claim"]):
            raise ValueError(f"{place}: the id {told['id']!r} was already taken by another claim")
        if piece[2]:
            claim["evidence"].setdefault(piece[1], []).append(piece)
    for claim in claims.values():
        yield claim | {"evidence": list(claim["evidence"].values())}


_LAYOUT = Layout("v1.0", {"train": "train", "dev": "paper_dev"}, _official)
