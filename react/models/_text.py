"""Between text and tokens: prompts in, completions out, cut before the first stop."""

from __future__ import annotations

from collections.abc import Sequence

from transformers import PreTrainedTokenizerBase

TAIL = 8


class Text:
    """A tokenizer, as an engine needs it."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokenizer = tokenizer

    def encode(self, prompt: str) -> list[int]:
        """Tokens with the tokenizer's own default special tokens (BOS where it adds one)."""
        return list(self._tokenizer(prompt).input_ids)

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))


class Writer:
    """Follows one completion token by token: is a stop in it, what is its text.

    Tokens are read after the prompt's last ones and what those say is taken off again, because a decoder may drop the
    space before a first token, or may need several tokens for one character.
    """

    def __init__(self, text: Text, prompt: Sequence[int], stop: Sequence[str]) -> None:
        self._text, self._stop = text, [s for s in stop if s]
        self._tail = list(prompt[-TAIL:])
        self._before = text.decode(self._tail)
        # A character may take four tokens of one byte each.
        self._reach = 4 * max(map(len, self._stop), default=0) + TAIL

    def stopped(self, tokens: Sequence[int]) -> bool:
        """Whether the newest token completed a stop. Looks only as far back as the longest stop can reach."""
        if not self._stop:
            return False
        if len(tokens) > self._reach:
            recent = self._text.decode(tokens[-self._reach :])
            if not any(stop in recent for stop in self._stop):
                return False
        whole = self._after(tokens)
        return any(stop in whole for stop in self._stop)

    def read(self, tokens: Sequence[int]) -> str:
        """The completion's text, before the first stop, without a character that was left unfinished."""
        whole = self._after(tokens)
        cuts = [at for stop in self._stop if (at := whole.find(stop)) >= 0]
        return whole[: min(cuts)] if cuts else whole.rstrip("\ufffd")

    def _after(self, tokens: Sequence[int]) -> str:
        whole = self._text.decode([*self._tail, *tokens])
        return whole.removeprefix(self._before) if whole.startswith(self._before) else self._text.decode(tokens)
