"""Acting by native tool calls: the chat that a model is shown, as the text of a request, and what its reply means.

A request's prompt is then the JSON of the chat, in the words of the OpenAI API, and a completion's text that of the
reply: so all that keeps, replays and counts calls does so with these, and a key covers messages and tools::

    {"tools": [...], "messages": [{"role": "user", "content": "Question: ..."}, ...]}
    {"content": "I need to search the Vaal.", "tool_calls": [{"name": "search", "arguments": {"entity": "Vaal"}}]}

Messages are those of `react.chat.with_calls`, of the steps so far: the same that a student is trained on.

| a reply                                              | is read as
|------------------------------------------------------|--------------------------------------------------------------
| words and a call                                     | thought and action; at a console and in a shop, two steps
| a call                                               | an action without a thought
| several calls                                        | the first; the others were made without seeing what it brings
| words alone, where a thought is a turn of its own    | the thought
| words alone elsewhere                                | a thought; asked again for a call ("bad call")
| no such tool, arguments that are not one text        | asked again; the second time an invalid action
| `<think>...</think>` before the words                | left out: not what is said
| words of a method without thoughts                   | left out
| line breaks                                          | spaces
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from react import tool_calls
from react.chat import Message, heard, with_calls
from react.exemplars import Exemplar
from react.notation import Notation
from react.reading import one_line
from react.tool_calls import Tool
from react.trajectory import Step, Task

THINKING = re.compile(r"\s*<think>.*?(?:</think>|\Z)", re.S)
_OPENED = '{"tools": '
AGAIN = "Go on: call one of the tools."
_SAID = {
    (True, True): "In each turn say in a sentence what is known and what to do next, and call one tool.",
    (False, True): "In each turn call one tool, and say nothing else.",
    (True, False): "Say how you come to the answer, and hand it in by a call, all in one turn.",
    (False, False): "Hand in the answer by a call, and say nothing else.",
}
_EXAMPLES = " Examples follow; then comes the task."
# Answers the last call of an exemplar: without an answer most servers refuse a chat.
_OVER = "The task has ended."


@dataclass(frozen=True)
class Calling:
    """How a method is written as a chat with calls of `tools`: for acting, and for training rows."""

    notation: Notation
    tools: tuple[Tool, ...]
    thoughts: bool
    actions: bool

    @classmethod
    def of(cls, notation: Notation, tools: Sequence[Tool], *, thoughts: bool, actions: bool) -> Calling:
        """`tools` are all those of the environment; one that does not act can only hand in."""
        return cls(notation, tuple(tools if actions else tools[-1:]), thoughts, actions)

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """The tools as chat templates and the OpenAI API take them."""
        return [tool_calls.schema(tool) for tool in self.tools]

    @property
    def thinks_apart(self) -> bool:
        """Whether a thought is a turn of its own."""
        return bool(heard(self.notation))

    def messages(self, task: Task, steps: Sequence[Step], named: str = "call", answered: bool = False) -> list[Message]:
        """The chat of these steps, as of `react.chat.with_calls`."""
        acted = [replace(step, thought="") for step in steps if step.action or not step.thought]
        kept = steps if self.thoughts else acted
        # As in a text, where a part is one line: what is said has one form, whoever recorded it.
        shown = [Step(one_line(step.thought), one_line(step.action), _whole(step.observation)) for step in kept]
        return with_calls(self.notation, self.tools, task, shown, named, answered)

    def opening(self, exemplars: Sequence[Exemplar], hints: bool = False, monologue: bool = False) -> str:
        """The beginning of every prompt: tools, and exemplars as turns of the chat, behind an instruction."""
        messages: list[Message] = []
        if exemplars:
            messages.append({"role": "system", "content": _SAID[self.thoughts, self.actions] + _EXAMPLES})
        for number, exemplar in enumerate(exemplars):
            task, steps = exemplar.acted(actions=self.actions, hints=hints, monologue=monologue)
            messages += _closed(self.messages(task, steps, f"ex{number:02}"[-4:]))
        return (
            f"{_OPENED}{json.dumps(self.schemas)}, " + '"messages": [' + "".join(f"{_wire(one)}, " for one in messages)
        )

    def prompt(self, task: Task, steps: Sequence[Step], more: Sequence[Message] = ()) -> str:
        """What follows `opening`: the chat so far, and after it `more` messages."""
        messages = [*self.messages(task, steps, answered=True), *more]
        return ", ".join(map(_wire, messages)) + "]}"

    def read(self, reply: str) -> Turn:
        """What a reply means, by the table above. Nothing raises."""
        content, calls = said(reply)
        content = _whole(content)
        words = one_line(THINKING.sub("", content, count=1))
        thought = words if self.thoughts else ""
        plain = len(calls) <= 1 and words == one_line(content) and thought == words
        if not calls:
            return Turn(thought, "", "", plain)
        name, arguments = calls[0].get("name"), calls[0].get("arguments")
        try:
            action = one_line(_whole(tool_calls.action(self.tools, name, arguments)))
        except (ValueError, RecursionError):
            shown = arguments if isinstance(arguments, str) else json.dumps(arguments)
            return Turn(thought, "", one_line(_whole(f"{name}({shown})")), plain)
        return Turn(thought, action, "", plain)


@dataclass(frozen=True)
class Turn:
    """What a reply says. `wrong` is a call that means no action, in words; `plain`: nothing was left out."""

    thought: str
    action: str
    wrong: str
    plain: bool

    def shown(self) -> Message:
        """The turn without a call, in the chat in which it is asked for one."""
        words = "\n".join(part for part in (self.thought, self.wrong) if part)
        return {"role": "assistant", "content": words or "..."}


def _whole(text: str) -> str:
    """Half of a pair is no character, and no file would take it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _closed(messages: Sequence[Message]) -> Iterator[Message]:
    """An exemplar's messages, the last call answered."""
    yield from messages
    for call in messages[-1].get("tool_calls", ()):
        yield {"role": "tool", "name": call["function"]["name"], "tool_call_id": call["id"], "content": _OVER}


def _wire(message: Message) -> str:
    """A message as JSON, arguments as text: as the OpenAI API has them."""
    return json.dumps(_arguments(message, json.dumps))


def _arguments(message: Message, by: Callable[[Any], Any]) -> Message:
    if "tool_calls" not in message:
        return message
    calls = [
        {**call, "function": {**call["function"], "arguments": by(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def is_chat(prompt: str) -> bool:
    """Whether a prompt is that of a model which is asked by `Calling`."""
    return prompt.startswith(_OPENED)


def asked(prompt: str) -> tuple[list[dict[str, Any]], list[Message]]:
    """Tools and messages of a prompt, or of its `opening`; arguments are objects, as servers give them to templates."""
    chat = json.loads(prompt if prompt.endswith("]}") else prompt.removesuffix(", ") + "]}")
    return chat["tools"], [_arguments(message, json.loads) for message in chat["messages"]]


def reply(content: str, calls: Sequence[Mapping[str, Any]]) -> str:
    """The text of a completion: what was said, and the calls, each with `name` and `arguments`."""
    made = [{"name": call.get("name"), "arguments": call.get("arguments")} for call in calls]
    return json.dumps({"content": content, "tool_calls": made})


def said(reply: str) -> tuple[str, list[dict[str, Any]]]:
    """Content and calls of a completion's text."""
    told = json.loads(reply)
    return told["content"], told["tool_calls"]
