"""Between text and tokens: prompts in, completions out, cut before the first stop."""

from __future__ import annotations

from collections.abc import Sequence

from transformers import PreTrainedTokenizerBase

MARGIN = 8


class Text:
    """A tokenizer, as an engine needs it.

    A decoder may drop the space before a first token. So completions are read after a word that stands for the prompt,
    and that is taken off again. The prompt's own last tokens would not do: where they are single bytes of a character,
    and the model goes on with bytes that make none, some decoders spoil both.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokenizer = tokenizer
        self._word = list(tokenizer("a", add_special_tokens=False).input_ids)
        self._before = self._decode(self._word)

    def encode(self, prompt: str) -> list[int]:
        """Tokens with the tokenizer's own default special tokens (BOS where it adds one).

        What looks like a special token in the text is text: a page must not be able to end a prompt.
        """
        return list(self._tokenizer(prompt, split_special_tokens=True).input_ids)

    def decode(self, tokens: Sequence[int]) -> str:
        """What `tokens` add to the text before them; special ones add nothing."""
        return self._decode([*self._word, *tokens]).removeprefix(self._before)

    def _decode(self, tokens: list[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))


class Writer:
    """Follows one completion token by token: is a stop in it, what is its text."""

    def __init__(self, text: Text, stop: Sequence[str]) -> None:
        self._text, self._stop = text, [s for s in stop if s]
        # A character may take four tokens of one byte each.
        self._reach = 4 * max(map(len, self._stop), default=0) + MARGIN

    def stopped(self, tokens: Sequence[int]) -> bool:
        """Whether the newest token completed a stop. Looks only as far back as the longest stop can reach."""
        if not self._stop:
            return False
        recent = self._text.decode(tokens[-self._reach :])
        if not any(stop in recent for stop in self._stop):
            return False
        whole = self._text.decode(tokens)
        return any(stop in whole for stop in self._stop)

    def read(self, tokens: Sequence[int]) -> str:
        """The completion's text, before the first stop, without a character that was left unfinished."""
        whole = self._text.decode(tokens)
        cuts = [at for stop in self._stop if (at := whole.find(stop)) >= 0]
        return whole[: min(cuts)] if cuts else whole.rstrip("\ufffd")
