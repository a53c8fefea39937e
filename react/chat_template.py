"""A model's own chat template: the text and the tokens of a chat with calls of tools, and the calls in what it writes.

Training rows, the `local` back end, and every server that keeps to the template show a model the same: the template
applied to all messages so far, its generation prompt behind them, tokenised at once. But for one case: where a message
holds what looks like a special token (a page that says `<|im_end|>`), it is text here, and most servers read a special
token in it.

Calls are read in two forms, whichever the template writes: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`
(Hermes, Qwen, SmolLM3), and a reply that is one JSON object (Llama 3). For others let a server read them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from react import native, tool_calls
from react.chat import Message
from react.mistakes import Mistake
from react.tokens import Text
from react.tool_calls import Tool

_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.S)
_PROBED = Tool("probe_tool", "Is there to be found.", "probed", "What is looked for.", "Probe[{}]")
_WORDS, _ARGUMENT, _RESULT = "the probe thinks", "the probe asks", "the probe is told"
REMEDY = "give one that has them (for a training: --chat_template configs/templates/hermes.jinja)"


@dataclass(frozen=True)
class Shown:
    """A chat as a model is shown it. `offsets` say where each token lies in `text`; only of fast tokenizers.

    `guarded`: something in a message looks like a special token, and is text.
    """

    text: str
    ids: list[int]
    offsets: list[tuple[int, int]]
    guarded: bool = False


class Template:
    """The chat template of a tokenizer. Mistake if there is none, or it cannot show tools, calls and their results.

    `reads`: calls in the model's text can be read here. `thinks`: words beside a call are shown. `dated`: it writes the
    date of the day.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.name = f"the chat template of {tokenizer.name_or_path or type(tokenizer).__name__}"
        if not tokenizer.chat_template:
            raise Mistake(f"{self.name}: there is none; {REMEDY}")
        self.text = Text(tokenizer)
        marked = {str(token) for token in tokenizer.added_tokens_decoder.values() if token.special}
        words = sorted(marked | set(tokenizer.all_special_tokens), key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, words)) or r"(?!)")
        self.dated = "strftime_now" in str(tokenizer.chat_template)
        self.reads = self.thinks = False
        self._probe()

    def shown(self, tools: Sequence[Mapping[str, Any]], messages: Sequence[Message], opened: bool = False) -> Shown:
        """The chat; `opened` for the model's turn by the template's generation prompt."""
        mark = self._mark(messages)
        text = self._render(tools, _broken(messages, self._special, mark) if mark else messages, opened)
        if not mark:
            return Shown(text, *self._tokens(text, special=True))
        whole, ids, offsets = "", list[int](), list[tuple[int, int]]()
        for piece, special in self._pieces(text):
            piece = piece.replace(mark, "")
            found, places = self._tokens(piece, special)
            ids += found
            offsets += [(start + len(whole), end + len(whole)) for start, end in places]
            whole += piece
        return Shown(whole, ids, offsets, guarded=True)

    def encode(self, prompt: str) -> list[int]:
        """The tokens of a request's prompt, a chat of `react.native`; a text, such as a canary's, is a text."""
        if not native.is_chat(prompt):
            return self.text.encode(prompt)
        tools, messages = native.asked(prompt)
        return self.shown(tools, messages, prompt.endswith("]}")).ids if messages else []

    def decode(self, tokens: Sequence[int]) -> str:
        return self.text.decode(tokens)

    def without_special(self, text: str) -> str:
        """A text as it is decoded: special tokens add nothing."""
        return self._special.sub("", text)

    def _mark(self, messages: Sequence[Message]) -> str:
        """Letters that stand in no message, by which special tokens in messages are broken; empty if there are none."""
        texts = list(_texts(list(messages)))
        if not any(map(self._special.search, texts)):
            return ""
        marks = (f"Zq{n}qZ" for n in count())
        return next(mark for mark in marks if not any(mark in text for text in texts))

    def _pieces(self, text: str) -> Iterator[tuple[str, bool]]:
        """A rendered chat, parted at the template's special tokens; whether each part is one."""
        at = 0
        for match in self._special.finditer(text):
            yield text[at : match.start()], False
            yield match[0], True
            at = match.end()
        yield text[at:], False

    def _tokens(self, text: str, special: bool) -> tuple[list[int], list[tuple[int, int]]]:
        said = self._tokenizer(
            text, add_special_tokens=False, split_special_tokens=not special, return_token_type_ids=False, verbose=False
        )
        return list(said.input_ids), list(said.encodings[0].offsets) if said.encodings else []

    def _render(self, tools: Sequence[Mapping[str, Any]], messages: Sequence[Message], opened: bool) -> str:
        from jinja2 import TemplateError

        try:
            return str(
                self._tokenizer.apply_chat_template(
                    list(messages), tools=list(tools), add_generation_prompt=opened, tokenize=False
                )
            )
        except (TemplateError, TypeError, ValueError, KeyError) as error:
            raise Mistake(f"{self.name} refuses a chat with calls of tools: {error}; {REMEDY}") from None

    def _probe(self) -> None:
        """Finds out what the template shows, by showing something."""
        made = tool_calls.call([_PROBED], _PROBED.action(_ARGUMENT)) or {}
        tools = [tool_calls.schema(_PROBED)]
        messages: list[Message] = [
            {"role": "user", "content": "Question: what is it?"},
            {
                "role": "assistant",
                "content": _WORDS,
                "tool_calls": [{"id": "call00001", "type": "function", "function": made}],
            },
            {"role": "tool", "name": _PROBED.name, "tool_call_id": "call00001", "content": _RESULT},
        ]
        asked, called, told = (
            self._render(tools, messages[:shown], opened) for shown, opened in ((1, True), (2, False), (3, True))
        )
        for what, text, whole in (
            ("the tools", _PROBED.name, asked),
            ("calls of them", _ARGUMENT, called),
            ("their results", _RESULT, told),
        ):
            if text not in whole:
                raise Mistake(f"{self.name} does not show {what}; {REMEDY}")
        _, calls = calls_in(self.without_special(called[len(asked) :]))
        self.thinks = _WORDS in called
        self.reads = calls == [made]


def calls_in(text: str) -> tuple[str, list[dict[str, Any]]]:
    """What a model says, and the calls in it, each with `name` and `arguments`; one that is no JSON has no name."""
    found = list(_CALL.finditer(text))
    if found:
        return text[: found[0].start()].strip(), [_call(match[1]) for match in found]
    alone = _call(text) if text.lstrip().startswith("{") else {}
    return ("", [alone]) if alone.get("name") else (text.strip(), [])


def _call(text: str) -> dict[str, Any]:
    try:
        made = json.loads(text)
    except (ValueError, RecursionError):
        made = None
    if not isinstance(made, dict):
        return {"name": None, "arguments": text.strip()}
    return {"name": made.get("name"), "arguments": made.get("arguments", made.get("parameters"))}


def _texts(value: Any) -> Iterator[str]:
    """All texts in a message."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _broken(value: Any, special: re.Pattern[str], mark: str) -> Any:
    """A message in whose texts no special token stands whole."""
    if isinstance(value, str):
        return special.sub(lambda match: f"{match[0][0]}{mark}{match[0][1:]}", value)
    if isinstance(value, Mapping):
        return {key: _broken(part, special, mark) for key, part in value.items()}
    return [_broken(part, special, mark) for part in value] if isinstance(value, list) else value
