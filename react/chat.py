"""A trajectory as the messages of a chat, and back.

As the notation writes it: what a model writes are the assistant's turns, what it is given are the user's::

    user        Question: In which country does the Vaal rise?
    assistant   Thought 1: I need to search the Vaal.
                Action 1: Search[Vaal]
    user        Observation 1: The Vaal is a river in ...

With native tool calls thoughts are content, actions are calls, and observations are their results::

    user        Question: In which country does the Vaal rise?
    assistant   I need to search the Vaal.      tool_calls: search(entity="Vaal")
    tool        The Vaal is a river in ...

Where a thought is a turn of its own (a console, a shop), it is the content of the call that follows it. An action that
has the form of no tool is text, answered by the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle, groupby
from typing import Any

from react import tool_calls
from react.notation import Notation, Span, text
from react.tool_calls import Tool
from react.trajectory import Step, Task

Message = Mapping[str, Any]
_GIVEN = ("task", "stop", "observation")
# Stands for an observation; letters would be found in headers.
_PROBE = "0"


def chat(notation: Notation, task: Task, steps: Sequence[Step]) -> list[Message]:
    """The messages of a trajectory as its notation writes it. Line breaks around a message are not part of it."""
    sides = groupby(notation.spans(task, steps), _role)
    return [{"role": role, "content": text(list(spans)).strip("\n")} for role, spans in sides]


def _role(span: Span) -> str:
    """From a stop to the next cue it is given to the model, the rest is written by it."""
    return "user" if span.kind in _GIVEN else "assistant"


def read_chat(notation: Notation, messages: Sequence[Message]) -> list[Step]:
    """The steps that the messages of `chat` say. ValueError where they are no turns of this notation."""
    said = [_content(message, role) for message, role in zip(messages, cycle(("user", "assistant")), strict=False)]
    turns = []
    for i, start in enumerate(range(1, len(said), 2), 1):
        cue = notation.cue(i)
        if not said[start].startswith(cue):
            raise ValueError(f"turn {i} does not begin with {cue!r}")
        turns.append((said[start].removeprefix(cue), said[start + 1] if start + 1 < len(said) else ""))
    before, _ = _frame(notation)
    return [_step(notation, i, *turn, before) for i, turn in enumerate(turns, 1)]


def _content(message: object, role: str) -> str:
    """What a message says. ValueError where it is none of this role, or says no text."""
    if not isinstance(message, Mapping) or message.get("role") != role:
        raise ValueError(f"{str(message)[:80]!r} stands where a message of the {role} must be")
    content = message.get("content")
    if not isinstance(content, str):
        raise ValueError(f"the content of a message is {str(content)[:80]!r}; it must be a text")
    return content


def _step(notation: Notation, i: int, said: str, told: str, before: str) -> Step:
    """A turn, and what followed it: a header, `before` and an observation."""
    step = notation.read(said, i)
    header = (notation.stops(i)[0].strip("\n") + before).strip("\n")
    observation = told.removeprefix(header) if told.startswith(header) else told.removeprefix(header.rstrip(" "))
    return Step(step.thought, step.action, observation)


def _frame(notation: Notation) -> tuple[str, str]:
    """What stands before and after an observation, beside the stop."""
    spans = notation.spans(Task("", "", ""), [Step(action="-", observation=_PROBE)])
    shown = [span.text for span in spans if span.kind == "observation"] or [_PROBE]
    before, _, after = shown[-1].partition(_PROBE)
    return before, after


def unwritten(notation: Notation, task: Task, whole: str) -> list[Step]:
    """The steps in a text of `notation`. ValueError where it is none of this task, or not in this notation."""
    opening = text(notation.spans(task, []))
    if not whole.startswith(opening):
        raise ValueError(f"the text does not begin with the task, {opening[:80]!r}")
    rest, (before, after) = whole[len(opening) :], _frame(notation)
    steps: list[Step] = []
    while rest:
        i = len(steps) + 1
        if not rest.startswith(cue := notation.cue(i)):
            raise ValueError(f"turn {i} does not begin with {cue!r}")
        said, stop, rest = rest[len(cue) :].partition(notation.stops(i)[0])
        told, follows, rest = rest.partition(f"{after}{notation.cue(i + 1)}")
        rest = notation.cue(i + 1) + rest if follows else ""
        steps.append(_step(notation, i, said, stop.strip("\n") + told.removesuffix(after), before))
    return steps


def with_calls(
    notation: Notation,
    tools: Sequence[Tool],
    task: Task,
    steps: Sequence[Step],
    named: str = "call",
    answered: bool = False,
) -> list[Message]:
    """The messages of a trajectory with native tool calls, whose ids begin with `named`, of four letters.

    `answered`: the last step was carried out, and its observation is shown also if it has no words.
    """
    messages: list[Message] = [{"role": "user", "content": text(notation.spans(task, [])).strip("\n")}]
    turns = list(_joined(steps, heard(notation)))
    for i, step in enumerate(turns, 1):
        made = tool_calls.call(tools, step.action) if step.action else None
        id = f"{named}{i:05}"  # nine letters and digits, as the templates of Mistral's models want them
        answer = {"role": "user"}
        if made:
            made_by = [{"id": id, "type": "function", "function": made}]
            messages.append({"role": "assistant", "content": step.thought, "tool_calls": made_by})
            answer = {"role": "tool", "name": made["name"], "tool_call_id": id}
        else:
            said = "\n".join(part for part in (step.thought, step.action) if part)
            messages.append({"role": "assistant", "content": said})
        if step.observation or i < len(turns) or answered:
            messages.append({**answer, "content": step.observation})
    return messages


def _joined(steps: Sequence[Step], heard: str) -> Iterator[Step]:
    """The steps, a thought that is a turn of its own and the action after it as one."""
    thought = ""
    for step, following in zip(steps, [*steps, Step()][1:], strict=True):
        alone = bool(heard) and step == Step(step.thought, "", heard) and not thought
        if alone and step.thought and following.action and not following.thought:
            thought = step.thought
        else:
            yield Step(thought or step.thought, step.action, step.observation)
            thought = ""


def heard(notation: Notation) -> str:
    """What a thought is answered with where it is a turn of its own; empty where it stands before an action."""
    spans = notation.spans(Task("", "", ""), [Step("-", "-")])
    before, after = _frame(notation)
    told = [span.text for span in spans if span.kind == "observation"]
    return told[0].removeprefix(before).removesuffix(after) if told else ""


def read_calls(notation: Notation, tools: Sequence[Tool], messages: Sequence[Message]) -> list[Step]:
    """The steps that the messages of `with_calls` say. ValueError where they are no such chat."""
    steps: list[Step] = []
    answered = heard(notation)
    _content(next(iter(messages), None), "user")
    for message in messages[1:]:
        role = message.get("role") if isinstance(message, Mapping) else None
        if role == "assistant":
            steps += _turn(message, tools, answered)
        elif steps and role in ("tool", "user"):
            steps[-1] = Step(steps[-1].thought, steps[-1].action, _content(message, role))
        else:
            _content(message, "assistant")
    return steps


def _turn(message: Message, tools: Sequence[Tool], heard: str) -> list[Step]:
    thought, action = _content(message, "assistant"), called(message, tools)
    return [Step(thought, "", heard), Step("", action)] if heard and thought and action else [Step(thought, action)]


def called(message: Message, tools: Sequence[Tool]) -> str:
    """The action that a message calls; empty where it calls none. ValueError where it calls several, or no tool."""
    made = message.get("tool_calls") or []
    if not isinstance(made, list) or len(made) > 1:
        raise ValueError("several tools are called at once" if isinstance(made, list) else "`tool_calls` is no list")
    if not made:
        return ""
    function = made[0].get("function") if isinstance(made[0], Mapping) else None
    if not isinstance(function, Mapping):
        raise ValueError(f"{str(made[0])[:80]!r} is no call of a function")
    arguments = function.get("arguments")
    return tool_calls.action(tools, function.get("name"), arguments)
