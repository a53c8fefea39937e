"""An action as a call of a tool, as chat models make them, and back.

    Search[Vaal River]          {"name": "search", "arguments": {"entity": "Vaal River"}}
    go to desk 1                {"name": "act", "arguments": {"command": "go to desk 1"}}

An environment says its `TOOLS`; each has one argument, a text, and a form that the action is written in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tool:
    """What can be done in an environment. `form` is the action with `{}` for the argument."""

    name: str
    about: str
    argument: str
    what: str
    form: str

    def holds(self, action: str) -> str | None:
        """The argument of an action of this form; None of any other action."""
        before, after = self.form.split("{}")
        fits = len(action) >= len(before + after) and action.startswith(before) and action.endswith(after)
        return action[len(before) : len(action) - len(after)] if fits else None

    def action(self, argument: str) -> str:
        """The action with this argument, whatever the argument holds."""
        before, after = self.form.split("{}")
        return before + argument + after


def schema(tool: Tool) -> dict[str, Any]:
    """The tool as JSON Schema says it, in the form of the OpenAI API and of chat templates."""
    parameters = {
        "type": "object",
        "properties": {tool.argument: {"type": "string", "description": tool.what}},
        "required": [tool.argument],
    }
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.about, "parameters": parameters},
    }


def call(tools: Sequence[Tool], action: str) -> dict[str, Any] | None:
    """Name and arguments of the call that an action is; None where it has the form of no tool."""
    for tool in tools:
        if (argument := tool.holds(action)) is not None:
            return {"name": tool.name, "arguments": {tool.argument: argument}}
    return None


def action(tools: Sequence[Tool], name: object, arguments: object) -> str:
    """The action that a call means. ValueError where there is no such tool, or its argument is not one text.

    A tool has one argument, so that it does not matter what others call it (`query`, `entity`). Arguments may be the
    text of a JSON object, as the OpenAI API has them.
    """
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        raise ValueError(f"there is no tool {name!r}; there are: {', '.join(tool.name for tool in tools)}")
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    values = list(arguments.values()) if isinstance(arguments, Mapping) else []
    if len(values) != 1 or not isinstance(values[0], str):
        raise ValueError(f"{tool.name} takes one text, {tool.argument!r}, not {str(arguments)[:80]}")
    return tool.action(values[0])
