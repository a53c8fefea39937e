"""A trajectory as one row of a data set, and back, in each of the formats that trainers read.

    text                text: the whole trajectory, as a row of our own training has it
    prompt_completion   prompt: the task; completion: all that follows it
    messages            messages: the same as a chat
    tools               messages with tool_calls and their results, and the tools

What a format cannot say stands in columns beside it, the same for all of them. `steps` holds the steps of a record
that its format does not give back as they were (line breaks in a thought, an action that is none); else it is null.
Every row is read again when it is written, so that none is written which says another record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from react import chat, environments, tool_calls
from react.mistakes import Mistake, choose
from react.notation import PARTS, Notation, text
from react.tool_calls import Tool
from react.trajectory import Step, Task, Trajectory, from_json

Row = dict[str, Any]


@dataclass(frozen=True)
class Format:
    """`columns` of one format, by name: the words of a person for each. `write` fills them, `read` gives the steps."""

    columns: Mapping[str, str]
    write: Callable[[Notation, Sequence[Tool], Task, Sequence[Step]], Row]
    read: Callable[[Notation, Sequence[Tool], Task, Row], Sequence[Step]]


def _parted(notation: Notation, tools: Sequence[Tool], task: Task, steps: Sequence[Step]) -> Row:
    prompt, whole = text(notation.spans(task, [])), text(notation.spans(task, steps))
    return {"prompt": prompt, "completion": whole.removeprefix(prompt)}


def _called(notation: Notation, tools: Sequence[Tool], task: Task, steps: Sequence[Step]) -> Row:
    messages = chat.with_calls(notation, tools, task, steps)
    said, known = (
        [json.dumps(one, ensure_ascii=False) for one in some] for some in (messages, map(tool_calls.schema, tools))
    )
    return {"messages": said, "tools": known}


FORMATS: dict[str, Format] = {
    "text": Format(
        {"text": "the whole trajectory as the environment's notation writes it"},
        lambda notation, _, task, steps: {"text": text(notation.spans(task, steps))},
        lambda notation, _, task, row: chat.unwritten(notation, task, _text(row, "text")),
    ),
    "prompt_completion": Format(
        {"prompt": "the task", "completion": "thoughts, actions and observations: all that follows the task"},
        _parted,
        lambda notation, _, task, row: chat.unwritten(notation, task, _text(row, "prompt") + _text(row, "completion")),
    ),
    "messages": Format(
        {"messages": "the trajectory as a chat: what the model wrote is the assistant's"},
        lambda notation, _, task, steps: {"messages": chat.chat(notation, task, steps)},
        lambda notation, _, task, row: chat.read_chat(notation, _list(row, "messages")),
    ),
    "tools": Format(
        {
            "messages": "the trajectory as a chat with native tool calls: thoughts are content, actions `tool_calls`",
            "tools": "the tools that could be called, as JSON Schema",
        },
        _called,
        lambda notation, tools, _, row: chat.read_calls(notation, tools, list(map(_object, _list(row, "messages")))),
    ),
}

COMMON = {
    "id": "of the task",
    "question": "what was asked",
    "gold": "the right answer, where there is one",
    "extra": "what else the data set says of the task",
    "environment": "where it was tried",
    "method": "react, act, cot, standard, ...",
    "model": "who wrote it",
    "answer": "what was handed in",
    "reward": "of the environment; 1 is full",
    "end": "finished, out_of_steps, out_of_context, out_of_budget or failed",
    "error": "of the infrastructure, where it failed",
    "provenance": "attempt, seed, fingerprints, counts of calls and tokens",
    "steps": "thought, action and observation of each step, where the format does not give them back; else null",
}


def write(record: Trajectory, format: str, environment: str) -> Row:
    """The row of a record; its JSON columns hold texts. Mistake where no row can hold the record."""
    notation, tools = spoken(environment, record)
    row = FORMATS[format].write(notation, tools, record.task, record.steps)
    row |= _common(record, environment)
    row["steps"] = None
    try:
        exact = read(row) == record
    except ValueError:
        exact = False
    if not exact:
        row["steps"] = [asdict(step) for step in record.steps]
    _encodable(row, record.task.id)
    if not exact and read(row) != record:
        raise Mistake(f"task {record.task.id!r} cannot be held by a row of a data set")
    return row


def _common(record: Trajectory, environment: str) -> Row:
    task = record.task
    return {
        "id": task.id,
        "question": task.question,
        "gold": task.answer,
        "extra": _json(task.extra),
        "environment": environment,
        "method": record.method,
        "model": record.model,
        "answer": record.answer,
        "reward": float(record.reward),
        "end": record.end,
        "error": record.error,
        "provenance": _json(record.provenance),
    }


def _encodable(row: Row, id: str) -> None:
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Mistake(f"task {id!r} holds half a surrogate pair, which is no text; a data set cannot hold it") from None


def is_ours(row: Mapping[str, Any]) -> bool:
    """Whether a row has the columns of some format of ours."""
    return COMMON.keys() <= row.keys() and bool(_formats(row))


def _formats(row: Mapping[str, Any]) -> list[str]:
    return [name for name in ("tools", *FORMATS) if FORMATS[name].columns.keys() <= row.keys()]


def read(row: Row) -> Trajectory:
    """The record that a row is of. ValueError says which column is missing or of the wrong kind."""
    task = {"id": row["id"], "question": row["question"], "answer": row["gold"], "extra": _object(row["extra"])}
    fields = {key: row[key] for key in ("method", "model", "answer", "reward", "end", "error")}
    bare = json.dumps({"task": task, **fields, "steps": row["steps"] or [], "provenance": _object(row["provenance"])})
    record = from_json(bare)
    if row["steps"] is not None:
        return record
    notation, tools = spoken(_text(row, "environment"), record)
    steps = FORMATS[_formats(row)[0]].read(notation, tools, record.task, row)
    return replace(record, steps=tuple(steps))


def spoken(environment: str, record: Trajectory) -> tuple[Notation, Sequence[Tool]]:
    """How a record is written in an environment, and the tools that its method had. Mistake names what is unknown.

    A record of a combined method has the steps of the one that its provenance names.
    """
    method = str(record.provenance.get("from", record.method))
    if method not in PARTS:
        said = f"task {record.task.id!r}: method {method!r} writes no text of its own"
        raise Mistake(f"{said}; there are: {', '.join(PARTS)}")
    return _spoken(environment, *PARTS[method])


@cache
def _spoken(environment: str, thoughts: bool, actions: bool) -> tuple[Notation, Sequence[Tool]]:
    choose("environment", environment, environments.names())
    tools = environments.says(environment, "TOOLS")
    if not actions:
        tools = tools[-1:]  # one that does not act can only hand in
    return environments.says(environment, "notation")(thoughts=thoughts, actions=actions), tools


def _text(row: Row, column: str) -> str:
    if not isinstance(row[column], str):
        raise ValueError(f"`{column}` is {str(row[column])[:80]!r}; it must be a text")
    return str(row[column])


def _list(row: Row, column: str) -> list[Any]:
    if not isinstance(row[column], list):
        raise ValueError(f"`{column}` is {str(row[column])[:80]!r}; it must be a list")
    return list(row[column])


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
    except ValueError as error:
        raise Mistake(f"{str(value)[:80]!r}: {error}") from None


def _object(value: object) -> dict[str, Any]:
    """What a JSON column says: as text, as text in a text (where it holds what only we can read), or read already."""
    for _ in range(2):
        value = json.loads(value) if isinstance(value, str) else value
    if not isinstance(value, dict):
        raise ValueError(f"{str(value)[:80]!r} must be a JSON object")
    return value
