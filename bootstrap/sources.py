"""Trajectories of others -> the parts of a record. What cannot be read is said, with a reason to count by; no guesses.

    agenttraj   {"item_id": "webshop_6", "conversations": [{"from": "human", "value": ..., "loss": null}, ...]}
    alpaca      {"instruction": question, "input": "", "output": "Thought: ...\\nAction: ...\\nObservation: ..."}
    fireact     {"reward": true, "gt": answer, "traj": text or messages}
    messages    {"messages": [{"role": "assistant", "content": ..., "tool_calls": [...]}, ...]}

AgentTraj-L (arXiv 2406.04151) and AgentInstruct have the first; FireAct (arXiv 2310.05915) the second and third, and
the last without tool calls. A turn without calls is `Thought: ...` and `Action: ...`, each at the beginning of a line.

A verdict (`Episode finished, reward = True`) becomes the reward and leaves the text. So does whatever was said after an
answer was handed in: a student must not learn to announce its own success.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from react import chat
from react.tool_calls import Tool
from react.trajectory import Step

Row = Mapping[str, Any]


class Unreadable(ValueError):
    """A row that is no trajectory: a `reason` to count by, and the details."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail[:300]


@dataclass(frozen=True)
class Found:
    """What a row says. `opening` is what was shown first; `reward` is None where the source says nothing of it."""

    opening: str
    steps: tuple[Step, ...]
    id: str = ""
    answer: str = ""
    reward: float | None = None
    model: str = ""


_HEADER = re.compile(r"^[^\S\n]*(thought|action|observation)[^\S\n]*\d*[^\S\n]*:[^\S\n]*", re.IGNORECASE | re.MULTILINE)
_VERDICT = re.compile(r"\s*Episode finished, reward = (True|False|\d+(?:\.\d+)?)\s*")
_SCORE = re.compile(r"Your score \(min 0\.0, max 1\.0\)\W*(?:SEP\W+)?(\d+(?:\.\d+)?)")
_HANDS_IN = re.compile(r"finish\[.*\]|click\[buy now\]", re.IGNORECASE | re.DOTALL)
_TRUTH = {"True": 1.0, "False": 0.0}


def shape(row: Row) -> str:
    """The name of a row's format; empty where it has none that is known."""
    shapes = {
        "agenttraj": {"conversations"},
        "fireact": {"traj"},
        "alpaca": {"instruction", "output"},
        "messages": {"messages"},
    }
    return next((name for name, needed in shapes.items() if needed <= row.keys()), "")


def found(row: Row, tools: Sequence[Tool]) -> Found:
    """The parts of a row. Unreadable says why there are none."""
    match shape(row):
        case "agenttraj":
            return _judged(_dialogue(_conversation(row["conversations"]), tools), row)
        case "alpaca":
            asked = "\n".join(part for part in (_said(row, "instruction"), _said(row, "input")) if part)
            return _judged((asked, _written(_said(row, "output"))), row)
        case "fireact" if isinstance(row["traj"], str):
            asked, line, rest = row["traj"].partition("\n")
            return _judged((asked, _written(rest)), row) if line else _none("no turns", asked)
        case "fireact":
            return _judged(_dialogue(_messages(row["traj"]), tools), row)
        case "messages":
            return _judged(_dialogue(_messages(row["messages"]), tools), row)
    return _none("another format", f"its keys are {', '.join(map(str, row))}")


def _none(reason: str, detail: str) -> Found:
    raise Unreadable(reason, detail)


def _said(row: Row, key: str) -> str:
    """A text of a row; empty where there is none."""
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise Unreadable("wrong type", f"`{key}` is {str(value)[:80]!r}; it must be a text")
    return value or ""


def _conversation(turns: object) -> list[Row]:
    """Messages of `from` and `value`, without the instruction that opens them: what `loss` keeps from training."""
    if not isinstance(turns, list) or not all(isinstance(turn, Mapping) for turn in turns):
        raise Unreadable("no conversation", f"`conversations` is {str(turns)[:80]!r}; it must be a list of objects")
    roles = {"human": "user", "gpt": "assistant", "system": "system"}
    if wrong := [turn.get("from") for turn in turns if turn.get("from") not in list(roles)]:
        raise Unreadable("unknown speaker", f"`from` is {str(wrong[0])[:80]!r}; it must be human or gpt")
    while len(turns) > 2 and turns[1].get("loss") is False:
        turns = turns[2:]
    if any(turn.get("loss") is False for turn in turns if turn["from"] == "gpt"):
        raise Unreadable("a turn that is not to be learnt", "`loss` is false in the middle")
    return [{"role": roles[turn["from"]], "content": turn.get("value")} for turn in turns]


def _messages(messages: object) -> list[Row]:
    if not isinstance(messages, list) or not all(isinstance(message, Mapping) for message in messages):
        raise Unreadable("no conversation", f"messages are {str(messages)[:80]!r}; they must be a list of objects")
    return messages


def _dialogue(messages: Sequence[Row], tools: Sequence[Tool]) -> tuple[str, list[Step]]:
    """What was asked first, and the steps. Instructions of a system stand before it, and are no part of it."""
    first = next((at for at, one in enumerate(messages) if one.get("role") not in ("system", "developer")), 0)
    if not messages[first:] or messages[first].get("role") != "user":
        raise Unreadable("no question", "the first message is not the user's")
    steps: list[Step] = []
    before = "user"
    for number, message in enumerate(messages[first + 1 :], first + 1):
        role = "assistant" if message.get("role") == "assistant" else "user"
        if message.get("role") not in ("assistant", "user", "tool"):
            raise Unreadable("unknown speaker", f"message {number}: role {str(message.get('role'))[:80]!r}")
        if role == before:
            raise Unreadable(
                "two messages in a row", f"message {number} is of the {message['role']}, as that before it"
            )
        before = role
        if role == "assistant":
            steps.append(_turn(message, tools))
        else:
            steps[-1] = _observing(steps[-1], _content(message))
    return _content(messages[first]), steps


def _content(message: Row) -> str:
    """The text of a message, which may come in parts."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content if content is not None else ""}]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text"]
    if len(texts) != len(parts) or not all(isinstance(text, str) for text in texts):
        raise Unreadable("not a text", f"content is {str(content)[:80]!r}")
    return "\n".join(map(str, texts))


def _turn(message: Row, tools: Sequence[Tool]) -> Step:
    """Thought and action of an assistant's message: its call, or what its text says."""
    reasoned = _said(message, "reasoning_content")
    try:
        action = chat.called(message, tools)
    except ValueError as error:
        raise Unreadable("a call that is no action", str(error)) from None
    if action:
        return Step("\n".join(part for part in (reasoned.strip(), _content(message).strip()) if part), action)
    (step,) = _written(_content(message), one=True)
    return Step("\n".join(part for part in (reasoned.strip(), step.thought) if part), step.action)


def _observing(step: Step, told: str) -> Step:
    header = _HEADER.match(told)
    observed = told[header.end() :].strip() if header and header[1].lower() == "observation" else told
    return Step(step.thought, step.action, observed)


def _written(said: str, one: bool = False) -> list[Step]:
    """The steps of a text of headers; with `one`, its only step, without an observation."""
    steps: list[Step] = []
    thought, last = "", ""
    for name, text in _parts(said):
        if last not in _BEFORE[name]:
            raise Unreadable("parts out of order", f"{name!r} after {last!r}: {text[:80]!r}")
        if name == "thought":
            thought = text
        elif name == "action":
            steps.append(Step(thought, text))
            thought = ""
        else:
            steps[-1] = Step(steps[-1].thought, steps[-1].action, text)
        last = name
    if not steps:
        raise Unreadable("a turn without an action", said.strip())
    if last == "thought" or (one and (len(steps) > 1 or last == "observation")):
        raise Unreadable("parts out of order", f"it ends with {last!r}")
    return steps


_BEFORE = {"thought": ("", "observation"), "action": ("", "thought", "observation"), "observation": ("action",)}


def _parts(said: str) -> list[tuple[str, str]]:
    """The parts of a text, each with its name. What stands before the first header is a thought."""
    headers = list(_HEADER.finditer(said))
    starts = [header.start() for header in headers] + [len(said)]
    parts = [
        (header[1].lower(), said[header.end() : end].strip()) for header, end in zip(headers, starts[1:], strict=True)
    ]
    before = said[: starts[0]].strip()
    return [("thought", before), *parts] if before else parts


def _judged(dialogue: tuple[str, Sequence[Step]], row: Row) -> Found:
    """The verdict as a field. Nothing that was said after the end stays."""
    opening, steps = dialogue[0], list(dialogue[1])
    if not opening.strip() or not steps:
        raise Unreadable("no turns" if opening.strip() else "no question")
    if any("\n" in step.action for step in steps):
        raise Unreadable("an action of several lines", next(step.action for step in steps if "\n" in step.action))
    last = steps[-1].observation
    if any(_VERDICT.fullmatch(step.observation) for step in steps[:-1]):
        raise Unreadable("it goes on after its end")
    verdict = _VERDICT.fullmatch(last) or _SCORE.search(last)
    if verdict or hands_in(steps[-1].action):
        steps[-1] = Step(steps[-1].thought, steps[-1].action)
    said = _TRUTH.get(verdict[1], verdict[1]) if verdict else None
    reward = _reward(row["reward"] if row.get("reward") is not None else None if said is None else float(said))
    return Found(opening, tuple(steps), _identity(row), _said(row, "gt"), reward, _said(row, "model"))


def hands_in(action: str) -> bool:
    """Whether an action ends an episode, whatever it is worth."""
    return bool(_HANDS_IN.fullmatch(action))


def _reward(value: object) -> float | None:
    """What a source says a try was worth; None where it says nothing."""
    if value is None:
        return None
    if not isinstance(value, bool | int | float) or not 0 <= value <= 1:
        raise Unreadable("wrong type", f"the reward is {str(value)[:80]!r}; it must be true, false or from 0 to 1")
    return float(value)


_AGENTGYM = re.compile(r"([a-z]+)_(?:.*_)?(\d+)")


def _identity(row: Row) -> str:
    """What the source calls the task; empty where it does not. AgentTraj-L's `webshop_6` is goal 6 of WebShop."""
    value = next((row[key] for key in ("item_id", "task_id", "id") if row.get(key) is not None), "")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Unreadable("wrong type", f"the id is {str(value)[:80]!r}; it must be a text or a whole number")
    goal = re.fullmatch(r"webshop_(\d+)", str(value)) if "item_id" in row else None
    return f"fixed_{int(goal[1])}" if goal else str(value)


def environment(row: Row) -> str:
    """The environment that a row's id names, as AgentGym's do (`alfworld_12`); empty where it names none."""
    value = next((row[key] for key in ("item_id", "id") if isinstance(row.get(key), str)), "")
    named = _AGENTGYM.fullmatch(value) if "conversations" in row else None
    return named[1] if named else ""
