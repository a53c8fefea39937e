"""What an OpenAI-compatible server says, read with distrust: completions, the models it has, its words of refusal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from react import native
from react.models import Completion, ModelError
from react.models._text import before

if TYPE_CHECKING:
    from react._http import Answer

_REASONS: dict[object, Literal["stop", "length"]] = {
    "stop": "stop",
    "eos_token": "stop",  # text-generation-inference
    "stop_sequence": "stop",
    "length": "length",
}
_CALLED: dict[object, Literal["stop", "length"]] = {**_REASONS, "tool_calls": "stop", "function_call": "stop"}
_HALVES = re.compile("[\ud800-\udfff]")
# A header such as `**Action 1:** `, `**Action 1**: ` or `### Action 1: `, at the beginning of a line.
_DRESSED = re.compile(r"(?m)^[ \t]*(?:#+[ \t]+)?\*\*(\w+(?: \d+)?)(?::\*\*|\*\*:)|^[ \t]*#+[ \t]+(\w+(?: \d+)?):")


class NoAnswer(Exception):
    """Not what the API promises: cut off, empty, another type. It may be better the next time."""


def read_completions(answer: Answer, stops: tuple[str, ...], prompt_of_chat: str = "") -> list[Completion]:
    """The completions in an answer, cut before the first stop string, at least one. Raises NoAnswer or ModelError.

    Those of a chat are read as what follows its prompt. `usage` is of the whole answer: its completion tokens are
    shared out, and all but one of the prompts were cached.
    """
    return _completions(answer, lambda choice: _choice(choice, stops, answer, prompt_of_chat))


def read_calls(answer: Answer) -> list[Completion]:
    """The replies in an answer to a chat with tools, as `react.native` has them. Raises NoAnswer or ModelError."""
    return _completions(answer, lambda choice: _called(choice, answer))


def _completions(answer: Answer, read: Callable[[Any], tuple[str, Literal["stop", "length"]]]) -> list[Completion]:
    reply = _json(answer)
    choices = reply.get("choices") if isinstance(reply, dict) else None
    if not isinstance(choices, list) or not choices:
        raise NoAnswer(f"no choices in the answer: {_start(answer)}")
    prompt, cached, shares = _usage(reply.get("usage"), len(choices))
    completions = []
    for i, choice in enumerate(choices):
        text, reason = read(choice)
        completions.append(Completion(text, reason, prompt, next(shares), prompt if i else cached))
    return completions


def _called(choice: Any, answer: Answer) -> tuple[str, Literal["stop", "length"]]:
    """Content and calls, whatever they are: what they mean is not for a back end to say."""
    said = choice if isinstance(choice, dict) else {}
    message, told = said.get("message"), said.get("finish_reason")
    if told not in _CALLED:
        raise ModelError(f"the completion ended with finish_reason {'null' if told is None else repr(told)}")
    if not isinstance(message, dict):
        raise NoAnswer(f"a choice without a message: {_start(answer)}")
    content, calls = _content(message), message.get("tool_calls")
    if not (isinstance(content, str | None) and isinstance(calls, list | None)):
        raise NoAnswer(f"a message whose content is no text, or whose calls are no list: {_start(answer)}")
    functions = [call.get("function") if isinstance(call, dict) else None for call in calls or []]
    made = [function if isinstance(function, dict) else {} for function in functions]
    return native.reply(content or "", made), _CALLED[told]


def _choice(
    choice: Any, stops: tuple[str, ...], answer: Answer, prompt_of_chat: str
) -> tuple[str, Literal["stop", "length"]]:
    said = choice if isinstance(choice, dict) else {}
    message = said.get("message")
    whole = _content(message) if isinstance(message, dict) else said.get("text")
    told = said.get("finish_reason")
    if told not in (None, *_REASONS):
        raise ModelError(f"the completion ended with finish_reason {told!r}")
    if not isinstance(whole, str):
        raise NoAnswer(f"a choice without text: {_start(answer)}")
    whole = _HALVES.sub("\ufffd", whole)  # half of a pair is no character, and no file would take it
    if prompt_of_chat:
        whole = continued(whole, prompt_of_chat, stops)
    text = before(whole, stops)
    if len(text) < len(whole):
        return text, "stop"
    if told is None:
        raise ModelError("the completion ended with finish_reason null")
    return text, _REASONS[told]


def _content(message: dict[str, Any]) -> Any:
    """What a model says in a chat; where it refuses to, the words with which it does are its own too."""
    return message.get("refusal") if message.get("content") is None else message["content"]


def continued(reply: str, prompt: str, stops: tuple[str, ...]) -> str:
    """A chat model's reply, as the continuation of its prompt that it is meant to be.

    A chat model answers, where others go on: it says the last line of the prompt (`Thought 1:`) again, or something
    before that, sets headers in bold, begins with empty lines. All this is taken off; its own words are left.
    """
    text = _DRESSED.sub(lambda match: f"{match[1] or match[2]}:", reply).lstrip()
    turn = "\n" + before(text, tuple(stop for stop in stops if stop.strip()))
    cue = prompt.rpartition("\n")[2].strip()
    header, _, rest = cue.partition(":")
    for said in (cue, f"{header}:", rest.strip()):
        if said.strip(":") and (at := turn.find(f"\n{said}")) >= 0:
            return text[at + len(said) :]
    # Another header may come first of all, and is known by the line break before it, which must not end the text.
    return text if "\n" in stops else f"\n{text}"


def _usage(usage: Any, choices: int) -> tuple[int, int, Iterator[int]]:
    """Prompt tokens, cached ones among them, and completion tokens of each choice; zeros where nothing is said."""
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    each, rest = divmod(_count(usage.get("completion_tokens")), choices)
    return _count(usage.get("prompt_tokens")), cached, iter([each + (i < rest) for i in range(choices)])


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def read_models(answer: Answer) -> dict[str, str] | None:
    """The models that a server says it has, each with what tells its weights from others; None if it does not say.

    `root` and `parent` are vLLM's and SGLang's, `meta` is llama.cpp's.
    """
    try:
        reply = _json(answer)
    except NoAnswer:
        return None
    entries = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(entries, list):
        return None
    models = [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("id"), str)]
    return {entry["id"]: _identity(entry) for entry in models}


def _identity(entry: dict[str, Any]) -> str:
    meta = entry.get("meta")
    known = {name: entry.get(name) for name in ("root", "parent")}
    if isinstance(meta, dict):
        known |= {name: meta.get(name) for name in ("n_params", "n_vocab", "n_embd", "size")}
    return json.dumps({name: value for name, value in known.items() if value is not None})


def words_of(answer: Answer) -> str:
    """A server's own words of refusal, or what it sent instead of them."""
    try:
        reply = json.loads(answer.body)
    except (ValueError, RecursionError):
        return _start(answer)
    for name in ("error", "message", "detail"):
        if isinstance(reply, dict) and reply.get(name):
            reply = reply[name]
    return reply if isinstance(reply, str) else json.dumps(reply)


def _json(answer: Answer) -> Any:
    kind = answer.headers.get("content-type", "application/json")
    if "json" not in kind.lower():
        raise NoAnswer(f"{kind} where JSON was expected: {_start(answer)}")
    if not answer.body.strip():
        raise NoAnswer("an empty answer")
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        raise NoAnswer(f"no whole JSON: {_start(answer)}") from None


def _start(answer: Answer) -> str:
    return answer.body[:1000].decode(errors="replace") or "an empty answer"
