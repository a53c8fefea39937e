"""The files as they lie in the repository, in the official formats; the same content gives the same bytes."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from data.world.asking import Question
from data.world.claims import LABELS, Claim
from data.world.model import Page, World, dice
from react.trajectory import Trajectory, to_json

_LEVELS = {
    "lookup": "easy",
    "title": "easy",
    "bridge": "medium",
    "compare": "medium",
    "yesno": "medium",
    "chain": "hard",
}
_BRACKETS = {"(": "-LRB-", ")": "-RRB-", ":": "-COLON-", "[": "-LSB-", "]": "-RSB-", " ": "_"}


def write_text(path: Path, text: str) -> None:
    """A gzip file without a name or a time in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0))


def line(record: object) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def write_pages(path: Path, world: World) -> None:
    records = [
        {"title": p.title, "sentences": list(p.sentences), "redirects": list(p.redirects), "kind": "article"}
        for p in world.pages.values()
    ]
    records += [
        {"title": name, "sentences": list(lines), "redirects": [], "kind": "disambiguation"}
        for name, lines in world.disambiguations.items()
    ]
    records.sort(key=lambda record: str(record["title"]))
    write_text(path, "".join(map(line, records)))


def question_id(question: Question) -> str:
    return hashlib.sha256(question.text.encode("utf-8")).hexdigest()[:24]


def write_questions(path: Path, world: World, questions: Iterable[Question], seed: int) -> None:
    records = [_question(world, question, seed) for question in questions]
    write_text(path, "[" + ",\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "]\n")


def _question(world: World, question: Question, seed: int) -> dict[str, Any]:
    pages = [world.pages[hop.page] for hop in question.hops]
    facts = [[p.title, p.where.get(hop.relation, 0)] for p, hop in zip(pages, question.hops, strict=True)]
    if question.kind == "title":
        facts = [[pages[0].title, 0]]
    return {
        "_id": question_id(question),
        "question": question.text,
        "answer": question.answer,
        "type": "comparison" if question.kind in ("compare", "yesno") else "bridge",
        "level": _LEVELS[question.kind],
        "supporting_facts": facts,
        "context": [[p.title, list(p.sentences)] for p in _context(world, pages, question, seed)],
        "hops": len(pages),
        "kind": question.kind,
    }


def _context(world: World, pages: list[Page], question: Question, seed: int) -> list[Page]:
    """The pages needed and two like them, shuffled."""
    chance = dice(seed, "context", question.text)
    alike = [p for p in world.topic(pages[-1].entity.topic) if p not in pages]
    context = pages + chance.sample(alike, 2)
    chance.shuffle(context)
    return context


def write_claims(path: Path, claims: Iterable[Claim]) -> None:
    write_text(path, "".join(line(_claim(claim)) for claim in claims))


def claim_id(claim: Claim) -> int:
    return int(hashlib.sha256(claim.text.encode("utf-8")).hexdigest()[:7], 16)


def _claim(claim: Claim) -> dict[str, Any]:
    number = claim_id(claim)
    known = claim.label != LABELS[2]
    title = "".join(_BRACKETS.get(c, c) for c in claim.title)
    place = [number + 1, number + 2, title, claim.sentence] if known else [number + 1, None, None, None]
    return {
        "id": number,
        "verifiable": "VERIFIABLE" if known else "NOT VERIFIABLE",
        "label": claim.label,
        "claim": claim.text,
        "evidence": [[place]],
    }


def write_trajectories(path: Path, trajectories: Iterable[Trajectory]) -> None:
    write_text(path, "".join(to_json(trajectory) + "\n" for trajectory in trajectories))
