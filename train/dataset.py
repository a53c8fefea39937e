"""Trajectory -> tokens and loss mask, and the proof that the student will meet the same tokens at run time.

One row, by the kind of its tokens; `start` and `end` are the tokenizer's own BOS and EOS::

    <s>                                     start          never trained
    Question: Which river ...?              task           never trained
    Thought 1:                              cue            trained
     I need to search ...                   thought        trained
    Action 1: Search[Vaal]                  action         trained
    Observation 1:                          stop           trained: here the student learns to end its turn
     The Vaal is a river ...                observation    trained in `whole`, not in `without_observations`
    Thought 2: ... Finish[Orange]           cue, thought, action
    </s>                                    end            trained: here the student learns to end

`whole` is the paper's loss, over everything that follows the task (appendix B.1: thoughts, actions and observations).
Cues are trained in both losses: they cost nothing, and a student that can write them can also be run without a runtime
that does. Nothing is ever cut: a row that does not fit, or whose tokens would differ at run time, is left out and
listed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from react.config import Mistake, choose
from react.notation import PARTS, Notation, Span, context, text
from react.trajectory import Step, Trajectory

LOSSES = {
    "whole": frozenset({"cue", "thought", "action", "stop", "observation", "end"}),
    "without_observations": frozenset({"cue", "thought", "action", "stop", "end"}),
}
IGNORED = -100  # what torch's cross entropy passes over


@dataclass(frozen=True)
class Row:
    """What one trajectory becomes: a kind for every token. `loss` says which kinds are trained."""

    id: str
    text: str
    tokens: tuple[int, ...]
    kinds: tuple[str, ...]

    def labels(self, loss: str) -> list[int]:
        """The tokens that are trained, and IGNORED for the others."""
        wanted = LOSSES[loss]
        return [token if kind in wanted else IGNORED for token, kind in zip(self.tokens, self.kinds, strict=True)]


@dataclass(frozen=True)
class LeftOut:
    """A trajectory that is not trained on, and why."""

    id: str
    reason: str
    detail: str = ""
    tokens: int = 0


class Unfit(ValueError):
    """A trajectory cannot become a row: a `reason` to count by, and the details."""

    def __init__(self, reason: str, detail: str = "", tokens: int = 0) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail, self.tokens = reason, detail, tokens


@dataclass(frozen=True)
class Rules:
    """What makes a row. An empty `method` is each record's own, an empty `environment` any that a record names."""

    max_length: int
    method: str = ""
    allow_unsolved: bool = False
    environment: str = ""


Notations = Callable[[str], Notation]


def build(
    trajectories: Iterable[Trajectory], notations: Notations, tokenizer: Any, rules: Rules
) -> tuple[list[Row], list[LeftOut]]:
    """The rows, in the order of the trajectories, and what was left out. Mistake where no row can ever be right."""
    check(tokenizer)
    rows: list[Row] = []
    left_out: list[LeftOut] = []
    seen: set[bytes] = set()
    for trajectory in trajectories:
        try:
            row = _row(trajectory, notations, tokenizer, rules)
            digest = hashlib.sha256(row.text.encode("utf-8", "surrogatepass")).digest()
            if digest in seen:
                raise Unfit("duplicate", "the same text came before", len(row.tokens))
        except Unfit as unfit:
            left_out.append(LeftOut(trajectory.task.id, unfit.reason, unfit.detail, unfit.tokens))
            continue
        seen.add(digest)
        rows.append(row)
    return rows, left_out


def check(tokenizer: Any) -> None:
    """Mistake if rows cannot be made with this tokenizer at all."""
    if not tokenizer.is_fast:
        raise Mistake(f"{_name(tokenizer)} is a slow tokenizer, which does not say where its tokens lie in the text")
    if tokenizer.eos_token_id is None:
        raise Mistake(f"{_name(tokenizer)} has no EOS token, so that a student could not learn to end")


def _name(tokenizer: Any) -> str:
    return f"{type(tokenizer).__name__} of {tokenizer.name_or_path or 'no name'}"


def _row(trajectory: Trajectory, notations: Notations, tokenizer: Any, rules: Rules) -> Row:
    own = trajectory.provenance.get("environment")
    if rules.environment and own not in (None, rules.environment):
        remedy = f"--environment {own}"
        raise Unfit("another environment", f"a record of {own} cannot be written as {rules.environment}'s; {remedy}")
    if not trajectory.solved and not rules.allow_unsolved:
        raise Unfit("unsolved", f"end {trajectory.end}, reward {trajectory.reward:g}")
    method = rules.method or trajectory.method
    steps = as_written(trajectory, method)
    notation = notations(method)
    row = tokenise(trajectory, notation.spans(trajectory.task, steps), tokenizer)
    if len(row.tokens) > rules.max_length:
        raise Unfit("over-long", f"{len(row.tokens)} tokens, max_length is {rules.max_length}", len(row.tokens))
    prove(row, runtime_prompts(trajectory, steps, notation), tokenizer)
    return row


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


def tokenise(trajectory: Trajectory, spans: Sequence[Span], tokenizer: Any) -> Row:
    """One tokenisation of the whole text, with EOS behind it; that is trained only where the episode was finished."""
    whole = text(spans)
    encoding = _encoded(tokenizer, whole, return_offsets_mapping=True, return_special_tokens_mask=True)
    tokens, added = encoding["input_ids"], encoding["special_tokens_mask"]
    special = _special(tokenizer)
    if wrong := [token for token, by_itself in zip(tokens, added, strict=True) if token in special and not by_itself]:
        what = "unknown character" if wrong[0] == tokenizer.unk_token_id else "special token"
        raise Unfit(what, f"the text holds {tokenizer.convert_ids_to_tokens(wrong[0])!r}", len(tokens))
    kinds = _kinds(spans, encoding["offset_mapping"], added)
    end = "end" if trajectory.end == "finished" else "unfinished"
    return Row(trajectory.task.id, whole, (*tokens, tokenizer.eos_token_id), (*kinds, end))


def _encoded(tokenizer: Any, texts: str | list[str], **wanted: bool) -> Any:
    """As the `local` back end encodes: what looks like a special token in a text is text."""
    return tokenizer(texts, split_special_tokens=True, verbose=False, **wanted)


def _special(tokenizer: Any) -> set[int]:
    marked = {number for number, token in tokenizer.added_tokens_decoder.items() if token.special}
    return marked | set(tokenizer.all_special_ids)


def _kinds(spans: Sequence[Span], offsets: Sequence[tuple[int, int]], added: Sequence[int]) -> Iterator[str]:
    """The kind of each token. One without characters of its own is the spaces before it, which its tokenizer trims.

    A token across a border belongs to the task if any of it does, which is never trained, and else to what is not an
    observation: the end of a header must be learnt even where a tokenizer draws the following line break into it.
    """
    letters = [span.kind for span in spans for _ in span.text]
    before = 0
    for (start, end), by_itself in zip(offsets, added, strict=True):
        if by_itself:
            yield "start"
            continue
        inside = letters[start:end] or letters[before : end + 1] or letters[-1:]
        before = end
        if "task" in inside:
            yield "task"
        else:
            yield next((kind for kind in inside if kind != "observation"), "observation")


def runtime_prompts(trajectory: Trajectory, steps: Sequence[Step], notation: Notation) -> Iterator[tuple[str, str]]:
    """Every prompt that the runtime would have made on this way, with its place: before a step, and after a thought."""
    for i, step in enumerate(steps, 1):
        yield f"before step {i}", context(notation, trajectory.task, steps[: i - 1])
        if notation.action_cue(i) and step.action:
            thought_only = Step(thought=step.thought)
            yield f"after thought {i}", text(notation.spans(trajectory.task, [*steps[: i - 1], thought_only]))


def prove(row: Row, prompts: Iterable[tuple[str, str]], tokenizer: Any) -> None:
    """Unfit unless every prompt's tokens are the first tokens of the row: else the student would meet other tokens."""
    places, texts = zip(*prompts, strict=True)
    for place, tokens in zip(places, _encoded(tokenizer, list(texts))["input_ids"], strict=True):
        if tuple(tokens) != row.tokens[: len(tokens)]:
            detail = f"{_name(tokenizer)} tokenises the prompt {place} in another way than the row"
            raise Unfit("token border", detail, len(row.tokens))
