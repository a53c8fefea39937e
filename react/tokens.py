"""Between text and tokens, in one place: what a model is shown at run time is what a student is trained on.

The `local` back end encodes every prompt and reads every completion by this, and training rows are built with it. A
server that is sent text tokenises it whole, too, by the same rules, but for one: most of them (vLLM, llama.cpp) read
what looks like a special token as one. A page that holds such a text is another prompt there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


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

    def encodings(self, texts: list[str], special: bool = True) -> list[Any]:
        """Each text as `encode` has it, with where its tokens lie in it. Only of a fast tokenizer.

        Without `special`, only the tokens of the text: as it goes on behind others.
        """
        if not texts:
            return []
        batch = self._tokenizer(texts, split_special_tokens=True, add_special_tokens=special, verbose=False)
        return list(batch.encodings or [])

    def decode(self, tokens: Sequence[int]) -> str:
        """What `tokens` add to the text before them; special ones add nothing."""
        return self._decode([*self._word, *tokens]).removeprefix(self._before)

    def _decode(self, tokens: list[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))
