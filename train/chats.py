"""A trajectory as a chat with calls of tools -> the tokens of its rows, and a kind for each.

Let R(k) be what the runtime shows a model before its turn k: the chat template applied to the messages so far, with its
generation prompt, tokenised (`react.chat_template`). For every trajectory and template, `tokenise` gives rows of which
this is true, or raises `Unfit`:

1. Each turn k is trained in exactly one row, and R(k) are that row's first tokens.
2. The tokens that follow these are those of the turn as the template writes it: words, call, and the token that ends
   it, which is one at which generation ends. They decode to the turn, and where calls can be read here, are read as it.
3. After them the row ends, or goes on with what R(k + 1) gives, of which all before is a prefix.

Usually that is one row. Where a template shows a turn otherwise once others follow it (Qwen3 leaves out what stands in
`<think>`), each turn has a row of its own. What is given before the first turn of such a row is trained nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react import native, tool_calls
from react.chat import Message
from react.chat_template import REMEDY, Shown, Template, calls_in
from react.mistakes import Mistake
from react.native import Calling
from react.reading import one_line
from react.trajectory import Step, Task
from train.tokens import Draft, Unfit, begins


@dataclass(frozen=True)
class Chats:
    """How trajectories are written as chats: with which template, and with which tools for each method."""

    template: Template
    calling: Callable[[str], Calling]
    ends: frozenset[int]

    @classmethod
    def of(cls, tokenizer: Any, calling: Callable[[str], Calling]) -> Chats:
        """Mistake where the tokenizer's template is none for tools."""
        return cls(Template(tokenizer), calling, ends_of(tokenizer))


def ends_of(tokenizer: Any) -> frozenset[int]:
    """The tokens at which the student's generation will end: EOS, and those of the base's generation settings."""
    found = []
    path = Path(tokenizer.name_or_path) / "generation_config.json"
    with suppress(OSError, ValueError, AttributeError):
        given = json.loads(path.read_text(encoding="utf-8")).get("eos_token_id")
        found = given if isinstance(given, list) else [given]
    return frozenset(end for end in [*found, tokenizer.eos_token_id] if isinstance(end, int))


def tokenise(chats: Chats, calling: Calling, task: Task, steps: Sequence[Step]) -> tuple[list[tuple[Draft, str]], bool]:
    """The rows, each with its text, as the module says; and whether a message holds what looks like a special token."""
    template = chats.template
    if calling.thoughts and not template.thinks:
        raise Mistake(f"{template.name} leaves out words beside a call, which are the thoughts; {REMEDY}")
    _callable(calling, steps)
    messages, tools = calling.messages(task, steps), calling.schemas
    rows: list[tuple[Draft, str]] = []
    guarded = False
    for at in (at for at, message in enumerate(messages) if message["role"] == "assistant"):
        prompt = template.shown(tools, messages[:at], opened=True)
        whole = template.shown(tools, messages[: at + 1])
        length = _length(chats, prompt, whole)
        kinds = _kinds(whole, len(prompt.text), (len(prompt.ids), length), messages[at])
        _same(template, calling, messages[at], prompt, whole, length)
        if rows and begins(prompt.ids, rows[-1][0].tokens):
            draft = rows.pop()[0]
            given = template.shown(tools, messages[:at]).text
            _give(draft, prompt, len(given) if prompt.text.startswith(given) else len(prompt.text))
        else:
            draft = Draft(list(prompt.ids), ["seen" if rows else "task"] * len(prompt.ids))
        draft.tokens += whole.ids[len(prompt.ids) : length]
        draft.kinds += kinds
        rows.append((draft, whole.text[: whole.offsets[length - 1][1]]))
        guarded = guarded or whole.guarded
    if not rows:
        raise Unfit("no steps")
    return rows, guarded


def _callable(calling: Calling, steps: Sequence[Step]) -> None:
    """Unfit where a turn ends without a call: at run time it would be asked again."""
    for step in steps:
        action, thought = one_line(step.action), one_line(step.thought)
        if action and not tool_calls.call(calling.tools, action):
            raise Unfit("no call", f"the action {action[:80]!r} has the form of no tool")
        if not action and not (calling.thinks_apart and thought):
            raise Unfit("no call", f"a turn without an action: {thought[:80]!r}")


def _length(chats: Chats, prompt: Shown, whole: Shown) -> int:
    """How many tokens of the chat there are up to the end of the turn behind the prompt, that end among them."""
    name = chats.template.name
    if not whole.text.startswith(prompt.text):
        raise Unfit("chat template", f"{name} writes a turn otherwise than behind its generation prompt")
    if not begins(whole.ids, prompt.ids):
        raise Unfit("chat template", f"{name} draws its generation prompt and a turn into one token")
    turn = range(len(prompt.ids), len(whole.ids))
    end = next((at for at in turn if whole.ids[at] in chats.ends), None)
    if end is None:
        raise Mistake(f"{name} ends a turn with no token at which generation ends: a student would not stop; {REMEDY}")
    return end + 1


def _kinds(whole: Shown, start: int, tokens: tuple[int, int], message: Message) -> list[str]:
    """The kind of each token of a turn. One over the border of words and call is the call's."""
    words = message["content"]
    thinking = native.THINKING.match(whole.text, start)
    at = whole.text.find(words, thinking.end() if thinking else start)
    if at < 0:
        raise Unfit("other text", f"the chat template does not write {words[:80]!r} as it is")
    border = at + len(words) if words else start
    border = border if "tool_calls" in message else len(whole.text)
    first, last = tokens
    return [*("thought" if end <= border else "action" for _, end in whole.offsets[first : last - 1]), "stop"]


def _give(draft: Draft, prompt: Shown, opened: int) -> None:
    """Puts the observation and the header of the next turn into a row; that begins at the character `opened`."""
    known = len(draft.tokens)
    draft.tokens += prompt.ids[known:]
    draft.kinds += ["cue" if start >= opened else "observation" for start, _ in prompt.offsets[known:]]


def _same(template: Template, calling: Calling, message: Message, prompt: Shown, whole: Shown, length: int) -> None:
    """Unfit where the tokens of a turn do not say the turn."""
    said = template.decode(whole.ids[len(prompt.ids) : length - 1])
    wanted = whole.text[len(prompt.text) : whole.offsets[length - 1][0]]
    if said != (wanted if whole.guarded else template.without_special(wanted)):
        raise Unfit("other text", f"the tokenizer writes the turn {wanted!r} as {said!r}", length)
    if template.reads:
        turn = calling.read(native.reply(*calls_in(said)))
        calls = message.get("tool_calls") or [{"function": None}]
        made = tool_calls.call(calling.tools, turn.action) if turn.action else None
        if turn.thought != message["content"] or made != calls[0]["function"]:
            raise Unfit("other text", f"the turn {wanted!r} would be read as {turn.thought!r}, {turn.action!r}", length)
