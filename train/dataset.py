"""Trajectories -> the rows that a student is trained on, and what was left out of them.

How a trajectory becomes tokens, and the proof that the student meets the same ones at run time, is `train.tokens`; what
of a row is trained is `train.weights`. Nothing is ever cut: what does not fit is left out, counted and listed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from react import environments
from react.mistakes import choose
from react.notation import PARTS, Notation, text
from react.trajectory import Step, Trajectory
from train.chats import Chats
from train.chats import tokenise as in_calls
from train.tokens import Draft, Unfit, Words, begins, tokenise
from train.weights import IGNORED, LOSSES

# What is worth knowing of a row that is trained on all the same.
UNNAMED = "without the name of their environment"
SPLIT = "in several rows: tokens over a border"
ASKED_AGAIN = "asked again after other tokens"
REWRITTEN = "in several rows: the chat template shows earlier turns otherwise"
DATED = "with the date of the day, which the chat template writes: prompts of another day are others"
LOOKS_SPECIAL = "special token as text: another prompt for servers that read it as one"


@dataclass(frozen=True)
class Row:
    """What one trajectory becomes, or a part of it: a kind for every token. `notes` say what is odd about it."""

    id: str
    text: str
    tokens: tuple[int, ...]
    kinds: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def weights(self, of: Mapping[str, float]) -> list[float]:
        """How much each token counts, by the weight `of` its kind (`train.weights.resolve`)."""
        return [of.get(kind, 0.0) for kind in self.kinds]

    def labels(self, of: Mapping[str, float]) -> list[int]:
        """The tokens that are trained, and IGNORED for the others."""
        return [token if weight else IGNORED for token, weight in zip(self.tokens, self.weights(of), strict=True)]


@dataclass(frozen=True)
class LeftOut:
    """A trajectory that is not trained on, and why."""

    id: str
    reason: str
    detail: str = ""
    tokens: int = 0


@dataclass(frozen=True)
class Rules:
    """What makes a row. An empty `method` is each record's own, an empty `environment` any that a record names."""

    max_length: int
    method: str = ""
    allow_unsolved: bool = False
    environment: str = ""
    weights: Mapping[str, float] = field(default_factory=lambda: LOSSES["whole"])


Notations = Callable[[str], Notation]


def build(
    trajectories: Iterable[Trajectory], notations: Notations, tokenizer: Any, rules: Rules, chats: Chats | None = None
) -> tuple[list[Row], list[LeftOut]]:
    """The rows, in the order of the trajectories, and what was left out. Mistake where no row can ever be right.

    With `chats` they are chats with calls of tools (`train.chats`), and else texts.
    """
    words = Words(tokenizer)
    rows: list[Row] = []
    left_out: list[LeftOut] = []
    seen: set[bytes] = set()
    for trajectory in trajectories:
        try:
            made = rows_of(trajectory, notations, words, rules, chats)
            digest = hashlib.sha256(made[-1].text.encode("utf-8", "surrogatepass")).digest()
            if digest in seen:
                raise Unfit("duplicate", "the same text came before", len(made[-1].tokens))
        except Unfit as unfit:
            left_out.append(LeftOut(trajectory.task.id, unfit.reason, unfit.detail, unfit.tokens))
            continue
        seen.add(digest)
        rows += made
    return rows, left_out


def rows_of(
    trajectory: Trajectory, notations: Notations, words: Words, rules: Rules, chats: Chats | None = None
) -> list[Row]:
    """The rows of one trajectory. Unfit says why there is none."""
    own = trajectory.provenance.get("environment")
    if rules.environment and own not in (None, rules.environment):
        remedy = f"--environment {own}"
        raise Unfit("another environment", f"a record of {own} cannot be written as {rules.environment}'s; {remedy}")
    unnamed = bool(rules.environment) and own is None
    actions = [step.action for step in trajectory.steps if step.action]
    if unnamed and not environments.can_be_of(rules.environment, actions):
        said = f"it names none, and its actions, such as {actions[0][:80]!r}, are none of {rules.environment}'s"
        raise Unfit("another environment", said)
    if (not trajectory.solved or trajectory.partial) and not rules.allow_unsolved:
        raise Unfit("unsolved", f"end {trajectory.end}, reward {trajectory.reward:g}")
    method = rules.method or trajectory.method
    steps = as_written(trajectory, method)
    if chats:
        drafts, notes = _chats(trajectory, steps, method, chats)
    else:
        drafts, notes = _texts(trajectory, steps, notations(method), words)
    longest = max(len(draft.tokens) for draft, _ in drafts)
    if longest > rules.max_length:
        raise Unfit("over-long", f"{longest} tokens, max_length is {rules.max_length}", longest)
    noted = tuple([UNNAMED] * unnamed + notes)
    made = [Row(trajectory.task.id, said, tuple(draft.tokens), tuple(draft.kinds), noted) for draft, said in drafts]
    # A last row may hold an observation alone, which not every loss trains.
    kept = [row for row in made if any(row.weights(rules.weights))]
    if not kept:
        raise Unfit("nothing to train", "no token of it carries loss", longest)
    return kept


Drafts = tuple[list[tuple[Draft, str]], list[str]]


def _texts(trajectory: Trajectory, steps: Sequence[Step], notation: Notation, words: Words) -> Drafts:
    """Rows of text, each with its text, and what is odd about them."""
    spans = notation.spans(trajectory.task, steps)
    drafts = tokenise(spans, words, "end" if trajectory.end == "finished" else "unfinished")
    whole = text(spans)
    notes = [SPLIT] * (len(drafts) > 1)
    notes += [LOOKS_SPECIAL] * any(word in whole for word in words.special_texts)
    asked = words.text.encodings([*second_requests(trajectory, steps, notation)])
    notes += [ASKED_AGAIN] * any(not any(begins(draft.tokens, it.ids) for draft in drafts) for it in asked)
    return [(draft, whole[: draft.reach]) for draft in drafts], notes


def _chats(trajectory: Trajectory, steps: Sequence[Step], method: str, chats: Chats) -> Drafts:
    """Rows of chats with calls of tools, each with its text, and what is odd about them."""
    drafts, guarded = in_calls(chats, chats.calling(method), trajectory.task, steps)
    return drafts, [REWRITTEN] * (len(drafts) > 1) + [LOOKS_SPECIAL] * guarded + [DATED] * chats.template.dated


def as_written(trajectory: Trajectory, method: str) -> Sequence[Step]:
    """The steps of a record as `method` would have written them: Act is ReAct without its thoughts (paper, 3.1).

    A record of a combined method (CoT-SC, a back-off) has the steps of the method that its provenance names.
    """
    choose("method to train", method, list(PARTS))
    own = str(trajectory.provenance.get("from", trajectory.method))
    thoughts, actions = PARTS[method]
    if method != own and (thoughts or (actions and not PARTS.get(own, (True, True))[1])):
        raise Unfit("another method", f"a record of {own} cannot be written as {method}")
    steps = trajectory.steps
    if method != own:
        steps = tuple(step for step in steps if step.action)
    if not actions:
        steps = steps[-1:]
    if not steps:
        raise Unfit("no steps")
    return steps


def second_requests(trajectory: Trajectory, steps: Sequence[Step], notation: Notation) -> Iterator[str]:
    """The prompts after a thought that came without an action ("bad call"), one for each step."""
    for i, step in enumerate(steps, 1):
        if notation.action_cue(i) and step.action:
            thought_only = Step(thought=step.thought)
            yield text(notation.spans(trajectory.task, [*steps[: i - 1], thought_only]))
