"""A written trajectory -> the tokens of its rows, and a kind for each.

Let T(text) be the tokens that a model is shown at run time for a prompt (`react.tokens.Text.encode`: the whole text,
tokenised at once). For every trajectory and every tokenizer, `tokenise` gives rows of which this is true, or raises
`Unfit`:

1. Each turn n is trained in exactly one row, and T(all that is written before turn n) are that row's first tokens.
2. The tokens that follow these, of the kinds thought, action and stop, decode to exactly turn n: not a character of
   what the runtime writes (cue, observation, task) is among them, and none of the turn is missing.
3. After them the row ends, or goes on with what T gives for the next prompt, of which all before is a prefix.

Usually that is one row, T of the whole text. A tokenizer that draws characters from both sides of a border into one
token (Llama 3: a colon and the line break behind it, after an empty thought), that puts a token behind every prompt
(BERT), or that was trained on text without words has no single row for which 1 holds. There the row ends with the turn,
and another begins, with T of the prompt before the next turn. What was trained in an earlier row is `seen` in a later.
The runtime reads a student's turn as text and tokenises it anew, so this is what the student meets.

Proof: a row is made of T(prompt) for its first turn; it is continued only with T(next prompt) of which it is a prefix
(1, 3); a turn's tokens are taken only if they decode to it (2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import Any

from react.mistakes import Mistake
from react.notation import Span, text
from react.tokens import Text

GIVEN = frozenset({"task", "cue", "observation"})  # what the runtime writes
# Words that stand before a turn while it is tokenised as if it went on behind others; a decoder tells which one fits.
_BEFORE = ("", "\n", "a", ":", ">", ".")


class Unfit(ValueError):
    """A trajectory cannot become a row: a `reason` to count by, and the details."""

    def __init__(self, reason: str, detail: str = "", tokens: int = 0) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail, self.tokens = reason, detail, tokens


@dataclass
class Draft:
    """One row: its tokens, the kind of each, and up to which character of the trajectory it goes.

    Kinds are those of `Span`, and: `start`, what the tokenizer adds by itself; `seen`, what another row has trained;
    `end`, EOS where the episode was finished; `unfinished`, EOS where it was not.
    """

    tokens: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    reach: int = 0


class Words:
    """A tokenizer, asked as the runtime asks it. Mistake if rows cannot be made with it at all."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.name = f"{type(tokenizer).__name__} of {tokenizer.name_or_path or 'no name'}"
        if not tokenizer.is_fast:
            raise Mistake(f"{self.name} is a slow tokenizer, which does not say where its tokens lie in the text")
        if tokenizer.eos_token_id is None:
            raise Mistake(f"{self.name} has no EOS token, so that a student could not learn to end")
        self.text = Text(tokenizer)
        marked = {number: str(token) for number, token in tokenizer.added_tokens_decoder.items() if token.special}
        # What no text may become, and what a server may take for one of them.
        self.special = marked.keys() | set(tokenizer.all_special_ids)
        self.special_texts = {*marked.values(), *tokenizer.all_special_tokens}


def tokenise(spans: Sequence[Span], words: Words, end: str = "end") -> list[Draft]:
    """The rows of a written trajectory, as the module says; EOS, of the kind `end`, behind the last. Unfit: why not."""
    whole = text(spans)
    kinds: list[str] = [span.kind for span in spans for _ in span.text]
    # Where what is given and what is written end, in turn.
    lengths = (len(text(list(part))) for _, part in groupby(spans, key=lambda span: span.kind not in GIVEN))
    ends = list(accumulate(lengths))
    prompts = words.text.encodings([*(whole[:at] for at in ends[::2]), whole])
    for prompt in prompts:
        _no_special(prompt, words)
    drafts: list[Draft] = []
    # An observation at the very end is given before a turn that does not come.
    for at, (given, written) in enumerate(zip(ends[::2], [*ends[1::2], len(whole)], strict=False)):
        prompt, following = prompts[at], prompts[at + 1]
        if not drafts or not begins(prompt.ids, drafts[-1].tokens):
            seen = drafts[-1].reach if drafts else 0
            kinds[:seen] = ["seen"] * seen
            drafts.append(Draft())
        draft = drafts[-1]
        _give(draft, prompt, kinds, given)
        ids, offsets = _turn(words, whole, (given, written), prompt.ids, following)
        draft.tokens += ids
        draft.kinds += _kinds(kinds, offsets, given, written)
        draft.reach = written
    drafts[-1].tokens.append(words.tokenizer.eos_token_id)
    drafts[-1].kinds.append(end)
    return drafts


def begins(tokens: Sequence[int], first: Sequence[int]) -> bool:
    """Whether `first` are the first of these tokens."""
    return list(tokens[: len(first)]) == list(first)


def _give(draft: Draft, prompt: Any, kinds: list[str], given: int) -> None:
    """Puts what the runtime gives into a row: those of the prompt's tokens that are not there yet."""
    known = len(draft.tokens)
    draft.tokens += prompt.ids[known:]
    found = _kinds(kinds, prompt.offsets[known:], draft.reach, given)
    added = prompt.special_tokens_mask[known:]
    draft.kinds += ["start" if itself else kind for kind, itself in zip(found, added, strict=True)]


def _turn(
    words: Words, whole: str, place: tuple[int, int], before: list[int], following: Any
) -> tuple[list[int], list[tuple[int, int]]]:
    """The tokens of one turn behind those `before` it, and where they lie: the first of three ways that decodes to it.

    As they stand in the prompt that follows; as they stand at the end of the text so far; as they come alone.
    """
    given, written = place
    turn = whole[given:written]
    if not turn:
        return [], []
    for encoding in (following, None):
        encoding = encoding or words.text.encodings([whole[:written]])[0]
        if begins(encoding.ids, before):
            offsets = encoding.offsets
            last = next((at for at in range(len(before), len(offsets)) if offsets[at][0] >= written), len(offsets))
            if words.text.decode(encoding.ids[len(before) : last]) == turn:
                return encoding.ids[len(before) : last], offsets[len(before) : last]
    for word in _BEFORE:
        one, both = words.text.encodings([word, word + turn], special=False)
        ids, shift = both.ids[len(one.ids) :], given - len(word)
        if begins(both.ids, one.ids) and words.text.decode(ids) == turn:
            return ids, [(start + shift, end + shift) for start, end in both.offsets[len(one.ids) :]]
    read = words.text.decode(words.text.encodings([turn], special=False)[0].ids)
    raise Unfit("other text", f"{words.name} writes the turn {turn!r} as {read!r}", len(before))


def _kinds(kinds: list[str], offsets: Sequence[tuple[int, int]], first: int, last: int) -> Iterator[str]:
    """The kind of each token, by its characters in `first` to `last`.

    One across a border is `seen` or of the task if any of it is, which is not trained, and else what it ends as: the
    line break behind a thought begins the action, and is learnt with it even where it shares a token with the full
    stop before it. One without characters of its own is the spaces before it, which its tokenizer trims.
    """
    covered = first
    for start, end in offsets:
        inside = kinds[max(start, first) : min(end, last)] or kinds[covered:last][:1] or kinds[last - 1 : last]
        covered = max(covered, end)
        yield next((kind for kind in ("seen", "task") if kind in inside), inside[-1] if inside else "seen")


def _no_special(prompt: Any, words: Words) -> None:
    """Unfit if a text became a special token: as unigram models do that have their own among their pieces."""
    for token, itself in zip(prompt.ids, prompt.special_tokens_mask, strict=True):
        if token in words.special and not itself:
            what = "unknown character" if token == words.tokenizer.unk_token_id else "special token"
            raise Unfit(what, f"the text holds {words.tokenizer.convert_ids_to_tokens(token)!r}", len(prompt.ids))
