"""A trajectory as a chat and back, and actions as calls of tools, in every environment."""

from __future__ import annotations

import json
from contextlib import suppress
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react import chat, environments, exemplars, tool_calls
from react.console import Console
from react.notation import Numbered, text
from react.storefront import Storefront
from react.trajectory import Step, Task
from tests.hostile import HOSTILE, HOSTILE_STEPS

TASK = Task("q1", "In which country does the Vaal rise?", "South Africa")
STEPS = [
    Step("I need to search the Vaal.", "Search[Vaal]", "The Vaal is a river."),
    Step("", "Lookup[rise]", ""),
    Step("So it is Orange.", "Finish[Orange]"),
]
QUESTION = {"role": "user", "content": "Question: In which country does the Vaal rise?"}
NAMES = environments.names()


def test_a_chat_is_what_the_notation_writes():
    messages = chat.chat(Numbered("Question"), TASK, STEPS)
    assert messages == [
        QUESTION,
        {"role": "assistant", "content": "Thought 1: I need to search the Vaal.\nAction 1: Search[Vaal]"},
        {"role": "user", "content": "Observation 1: The Vaal is a river."},
        {"role": "assistant", "content": "Thought 2:\nAction 2: Lookup[rise]"},
        {"role": "user", "content": "Observation 2:"},
        {"role": "assistant", "content": "Thought 3: So it is Orange.\nAction 3: Finish[Orange]"},
    ]
    assert chat.read_chat(Numbered("Question"), messages) == STEPS


def test_native_calls_have_thoughts_beside_them_and_results_after_them():
    tools = environments.says("hotpotqa", "TOOLS")
    messages = chat.with_calls(Numbered("Question"), tools, TASK, STEPS[::2])
    call = {"id": "call00001", "type": "function", "function": {"name": "search", "arguments": {"entity": "Vaal"}}}
    assert messages[:3] == [
        QUESTION,
        {"role": "assistant", "content": "I need to search the Vaal.", "tool_calls": [call]},
        {"role": "tool", "name": "search", "tool_call_id": "call00001", "content": "The Vaal is a river."},
    ]
    assert messages[3]["tool_calls"][0]["function"] == {"name": "finish", "arguments": {"answer": "Orange"}}
    assert len(messages) == 4 and chat.read_calls(Numbered("Question"), tools, messages) == STEPS[::2]


@pytest.mark.parametrize(("name", "notation"), [("alfworld", Console()), ("webshop", Storefront())])
def test_a_thought_that_is_a_turn_of_its_own_is_the_content_of_the_call_after_it(name, notation):
    tools = environments.says(name, "TOOLS")
    steps = [Step("First.", "", "OK."), Step("", "search[mug]", "seen"), Step("a", "", "OK."), Step("b", "", "OK.")]
    messages = chat.with_calls(notation, tools, TASK, steps)
    roles = "user assistant tool assistant user assistant user"
    assert [message["role"] for message in messages] == roles.split()
    assert messages[1]["content"] == "First." and messages[3] == {"role": "assistant", "content": "a"}
    assert chat.read_calls(notation, tools, messages) == steps
    assert chat.heard(notation) == "OK." and chat.heard(Numbered("Question")) == ""


def test_an_action_of_no_tool_is_text_and_answered_by_the_user():
    tools = environments.says("hotpotqa", "TOOLS")
    messages = chat.with_calls(Numbered("Question"), tools, TASK, [Step("Hm.", "I look.", "Invalid action"), STEPS[-1]])
    assert messages[1:3] == [
        {"role": "assistant", "content": "Hm.\nI look."},
        {"role": "user", "content": "Invalid action"},
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_action_of_an_exemplar_is_a_call_and_every_tool_has_a_schema(name):
    tools = environments.says(name, "TOOLS")
    for example in exemplars.load(exemplars.of(name)).examples:
        for step in example.steps:
            made = tool_calls.call(tools, step.action) if step.action else None
            assert not step.action or (
                made and tool_calls.action(tools, made["name"], made["arguments"]) == step.action
            )
    for tool in tools:
        said = tool_calls.schema(tool)["function"]
        assert said["name"].isidentifier() and said["description"].endswith(".")
        (argument,) = said["parameters"]["properties"]
        assert said["parameters"]["required"] == [argument]
        assert said["parameters"]["properties"][argument]["type"] == "string"


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30, deadline=None)
@given(argument=HOSTILE)
def test_whatever_an_argument_holds_the_call_is_the_action(name, argument):
    for tool in environments.says(name, "TOOLS"):
        made = tool_calls.call([tool], tool.action(argument))
        assert made == {"name": tool.name, "arguments": {tool.argument: argument}}
        said = json.loads(json.dumps(made))
        assert tool_calls.action([tool], said["name"], said["arguments"]) == tool.action(argument)
        assert tool_calls.action([tool], said["name"], json.dumps(said["arguments"])) == tool.action(argument)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("drop", {"entity": "x"}, "there is no tool 'drop'; there are: search, lookup, finish"),
        ("search", {}, "search takes one text, 'entity', not {}"),
        ("search", {"a": "x", "b": "y"}, "takes one text"),
        ("search", {"entity": 7}, "takes one text"),
        ("search", ["x"], "takes one text"),
        ("search", "[", "Expecting value"),
        ("search", None, "takes one text"),
    ],
)
def test_a_call_that_is_no_action_is_refused(name, arguments, says):
    with pytest.raises(ValueError) as error:
        tool_calls.action(environments.says("hotpotqa", "TOOLS"), name, arguments)
    assert says in str(error.value)


def notations(name):
    """The notations of an environment."""
    module = import_module(f"react.environments.{name}")
    both = [module.notation(thoughts=thoughts, actions=True) for thoughts in (True, False)]
    try:
        return both + [module.notation(thoughts=thoughts, actions=False) for thoughts in (True, False)]
    except ValueError:
        return both


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30, deadline=None)
@given(question=HOSTILE, room=HOSTILE, steps=HOSTILE_STEPS)
def test_hostile_text_makes_no_message_of_its_own(name, question, room, steps):
    """Whose a message is follows from the steps alone; and text and chat are one."""
    task, tools = Task("q", question, "", {"room": room}), environments.says(name, "TOOLS")
    for notation in notations(name):
        messages = chat.chat(notation, task, steps)
        spans = notation.spans(task, steps)
        roles = [message["role"] for message in messages]
        assert roles == [("user", "assistant")[n % 2] for n in range(len(roles))]
        turns = [span for span in spans if span.kind == "cue"]
        observed = [span for span in spans if span.kind == "observation"]
        assert roles.count("assistant") == (len(turns) if len(observed) + 1 >= len(turns) else min(1, len(turns)))
        shown = "".join(message["content"] for message in messages).replace("\n", "")
        assert shown == text(spans).replace("\n", "")
    for notation in notations(name)[:2]:
        called = chat.with_calls(notation, tools, task, steps)
        assert called[0]["role"] == "user" and sum(one["role"] == "assistant" for one in called) <= len(steps)
        acted = [one["tool_calls"][0]["function"] for one in called if one.get("tool_calls")]
        own = [step.action for step in steps if step.action and tool_calls.call(tools, step.action)]
        assert [tool_calls.action(tools, made["name"], made["arguments"]) for made in acted] == own
        assert json.loads(json.dumps(called)) == called


@settings(max_examples=50, deadline=None)
@given(messages=st.lists(st.fixed_dictionaries({"role": HOSTILE, "content": HOSTILE | st.none()}), max_size=3))
def test_what_is_no_chat_of_ours_is_a_value_error(messages):
    notation, tools = Numbered("Question"), environments.says("hotpotqa", "TOOLS")
    for read in (lambda: chat.read_chat(notation, messages), lambda: chat.read_calls(notation, tools, messages)):
        with suppress(ValueError):
            assert isinstance(read(), list)


@pytest.mark.parametrize(
    ("whole", "says"),
    [
        ("Claim: x\n", "the text does not begin with the task"),
        ("Question: In which country does the Vaal rise?\nAction 1: Search[x]", "turn 1 does not begin with"),
    ],
)
def test_a_text_that_is_another_is_refused(whole, says):
    with pytest.raises(ValueError, match=says):
        chat.unwritten(Numbered("Question"), TASK, whole)
