"""Acting by native tool calls: what a model is shown, what its reply means, and what a server is asked."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react import chat, environments, exemplars, native
from react.cap import Cap, Purse
from react.completions import Recorded, replay
from react.console import Console
from react.methods import METHODS, Sampling, Solver
from react.mistakes import Mistake
from react.models import ModelConfig, ModelError, Request
from react.models import load as load_model
from react.models.server import Server
from react.native import AGAIN, Calling
from react.notation import Numbered
from react.tool_calls import Tool
from react.trajectory import Step, Task
from tests.fault_server import FaultServer, json_value, status
from tests.hostile import HOSTILE
from tests.toys import Said, Toy
from tests.wiki_server import Clock

TOOLS = (
    Tool("say", "Says it.", "words", "What to say.", "Say[{}]"),
    Tool("finish", "Ends.", "answer", "It.", "Finish[{}]"),
)
TASK = Toy().tasks("train")[7]
ASKED = {"role": "user", "content": "Question: Which number is 7?"}
QUESTIONS = Calling.of(Numbered("Question"), TOOLS, thoughts=True, actions=True)


def says(content="", *calls):
    return native.reply(content, [{"name": name, "arguments": arguments} for name, arguments in calls])


SAY = ("say", '{"words": "7"}')
FINISH = ("finish", {"answer": "7"})


def solve(*replies, method="react", purse=None, **changes):
    """An episode with a model that gives these replies in turn; what it was asked."""
    left, opening = list(replies), QUESTIONS.opening([])
    model = Said(lambda request: left.pop(0))
    solver = Solver(METHODS[method], Toy(), model, lambda task: opening, tools=TOOLS)
    return replace(solver, **changes).solve(TASK, Sampling(), purse), [native.asked(one.prompt) for one in model.asked]


def test_words_are_the_thought_and_the_call_the_action():
    record, asked = solve(says("I say it.", SAY), says("Done.", FINISH))
    assert record.steps == (Step("I say it.", "Say[7]", "You said 7."), Step("Done.", "Finish[7]")) and record.solved
    assert record.provenance["bad_calls"] == record.provenance["repaired_calls"] == 0
    (tools, first), (_, second) = asked
    assert [tool["function"]["name"] for tool in tools] == ["say", "finish"] and first == [ASKED]
    # What is shown is, message for message, what a training row begins with.
    assert second == chat.with_calls(Numbered("Question"), TOOLS, TASK, record.steps)[:3]


def test_prompts_extend_one_another_and_share_their_opening():
    model = Said(lambda request: says("Again.", ("say", {"words": "1"})))
    opening = QUESTIONS.opening([])
    Solver(METHODS["react"], Toy(), model, lambda task: opening, tools=TOOLS).solve(TASK, Sampling())
    first, second, third = (request.prompt for request in model.asked)
    assert second.startswith(first.removesuffix("]}")) and third.startswith(second.removesuffix("]}"))
    assert all(request.shared == len(opening) and request.stop == () for request in model.asked)
    assert native.is_chat(opening) and native.asked(opening) == (QUESTIONS.schemas, [])


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        (says("I say it."), "I say it."),
        (says("", ("shout", {"words": "7"})), 'shout({"words": "7"})'),
        (says("Hm.", ("say", {"words": 7})), 'Hm.\nsay({"words": 7})'),
        (says("Hm.", ("say", '{"words": "7')), 'Hm.\nsay({"words": "7)'),
        (says("", ("say", None)), "say(null)"),
        (says("", (None, "[" * 5000)), None),
        (says(""), "..."),
    ],
)
def test_a_reply_without_a_call_that_can_be_made_is_asked_again_once(reply, shown):
    record, asked = solve(reply, says("Now.", FINISH))
    assert record.solved and record.provenance["bad_calls"] == 1 and record.provenance["calls"] == 2
    *_, said, again = asked[1][1]
    assert again == {"role": "user", "content": AGAIN} and said["role"] == "assistant"
    assert shown is None or said["content"] == shown
    assert record.steps[0].thought == (native.said(reply)[0] or "Now.")


def test_what_is_no_call_the_second_time_either_is_an_invalid_action():
    record, asked = solve(*[says("", ("shout", {"x": "7"}))] * 2, *[says("Well.")] * 2, says("", FINISH))
    assert [step.action for step in record.steps] == ['shout({"x": "7"})', "", "Finish[7]"] and record.solved
    assert (record.provenance["invalid_actions"], record.provenance["bad_calls"]) == (2, 2)
    # It stays in the chat as words, answered by the user.
    assert [message["role"] for message in asked[-1][1]] == ["user", "assistant", "user", "assistant", "user"]


@pytest.mark.parametrize(
    ("method", "reply", "step", "repaired"),
    [
        ("react", says("Both.", SAY, FINISH), Step("Both.", "Say[7]", "You said 7."), 1),
        ("react", says("<think>Hm\n</think>\n\nNow.", SAY), Step("Now.", "Say[7]", "You said 7."), 1),
        ("react", says("<think>\n\n</think>\n\nNow.", SAY), Step("Now.", "Say[7]", "You said 7."), 1),
        ("react", says("Two\nlines.", ("say", {"what": "7\n8"})), Step("Two lines.", "Say[7 8]", "You said 7 8."), 0),
        ("act", says("Words.", SAY), Step("", "Say[7]", "You said 7."), 1),
        ("act", says("", ("say", {"words": "\ud800"})), Step("", "Say[\ufffd]", "You said \ufffd."), 0),
    ],
)
def test_what_is_left_out_of_a_reply_is_counted(method, reply, step, repaired):
    record, _ = solve(reply, says("", FINISH), method=method)
    assert record.steps[0] == step and record.provenance["repaired_calls"] == repaired


def test_a_method_that_does_not_act_can_only_hand_in():
    record, _ = solve(says("It is 7.", FINISH), method="cot")
    assert record.solved and record.steps == (Step("It is 7.", "Finish[7]"),)


class Household(Toy):
    """Where a thought is a turn of its own."""

    def notation(self, *, thoughts, actions):
        return Console(thoughts)

    def start(self, task):
        episode = super().start(task)
        act = episode.act
        episode.act = lambda action: replace(act(action), text="OK.") if action.startswith("think:") else act(action)
        return episode


def test_where_a_thought_is_a_turn_a_reply_is_two_steps_and_one_message():
    record, asked = solve(says("First.", SAY), says("Then.", FINISH), environment=Household(max_steps=4))
    assert record.steps == (
        Step("First.", "", "OK."), Step("", "Say[7]", "You said 7."), Step("Then.", "", "OK."), Step("", "Finish[7]"),
    )  # fmt: skip
    assert record.provenance["calls"] == 2 and record.solved
    assert [message["role"] for message in asked[1][1]] == ["user", "assistant", "tool"]
    assert asked[1][1][1]["content"] == "First."


def test_where_a_thought_is_a_turn_words_alone_are_one():
    record, asked = solve(says("First."), says("", SAY), says("", FINISH), environment=Household(max_steps=4))
    assert record.steps[0] == Step("First.", "", "OK.") and record.provenance["bad_calls"] == 0
    assert asked[1][1][1:] == [{"role": "assistant", "content": "First."}, {"role": "user", "content": "OK."}]


def test_a_cap_ends_it_without_an_answer_between_the_two_steps_of_a_reply_too():
    purse = Purse(Cap(steps=1))
    record, _ = solve(says("First.", SAY), environment=Household(max_steps=4), purse=purse)
    assert record.end == "out_of_budget" and len(record.steps) == 1 and purse.steps == 1


@pytest.mark.parametrize("name", environments.names())
def test_exemplars_are_turns_of_the_chat_and_every_call_has_its_answer(name):
    shown = exemplars.load(exemplars.of(name)).examples[:2]
    for thoughts in (True, False):
        notation = environments.says(name, "notation")(thoughts=thoughts, actions=True)
        calling = Calling.of(notation, environments.says(name, "TOOLS"), thoughts=thoughts, actions=True)
        _, messages = native.asked(calling.opening(shown))
        assert messages[0]["role"] == "system" and messages[-1]["role"] == "tool"
        calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
        answers = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
        assert calls == answers and len(set(calls)) == len(calls) and all(len(id) == 9 for id in calls)
        assert any(message["content"] for message in messages if message["role"] == "assistant") == thoughts
        task = Task("t", "And this?", "")
        whole = calling.opening(shown) + calling.prompt(task, [])
        assert native.asked(whole)[1] == [*messages, *calling.messages(task, [])]
        own = {call["id"] for m in calling.messages(task, shown[0].steps) for call in m.get("tool_calls", ())}
        assert own.isdisjoint(calls)


TEXTS = HOSTILE | st.sampled_from(["Search[x]", "Finish[x]", "I look.", "<tool_call>", "<|im_end|>"])


@given(st.lists(st.builds(Step, TEXTS, TEXTS, TEXTS), max_size=3))
def test_no_text_changes_what_is_shown_or_leaves_its_message(steps):
    messages = QUESTIONS.messages(TASK, steps, answered=True)
    assert native.asked(QUESTIONS.opening([]) + QUESTIONS.prompt(TASK, steps)) == (QUESTIONS.schemas, messages)


def message(content, *calls):
    made = [{"id": "1", "type": "function", "function": {"name": n, "arguments": a}} for n, a in calls]
    return {"role": "assistant", "content": content, "tool_calls": made}


def answer(*choices, reason="tool_calls"):
    said = [{"message": choice, "finish_reason": reason} for choice in choices]
    return json_value({"choices": said, "usage": {"prompt_tokens": 9, "completion_tokens": 5}})


@pytest.fixture
def serve():
    with ExitStack() as stack:
        yield lambda *script: stack.enter_context(FaultServer(*script))


def asking(server, **settings):
    config = ModelConfig(backend="server", model="m", api="tools", base_url=[server.url], retries=0, **settings)
    return Server(config, "", Clock())


PROMPT = QUESTIONS.opening([]) + QUESTIONS.prompt(TASK, [Step("Hé.", "Say[7]", "You said 7.")])


def test_a_server_is_asked_by_the_tools_api(serve):
    server = serve(answer(message("So.", ("finish", '{"answer": "7"}'))))
    (completion,) = asking(server).complete(Request(PROMPT, max_tokens=9, seed=3))
    assert native.said(completion.text) == ("So.", [{"name": "finish", "arguments": '{"answer": "7"}'}])
    assert (completion.reason, completion.prompt_tokens, completion.completion_tokens) == ("stop", 9, 5)
    (sent,), (path,) = server.asked, server.paths
    assert path == "/v1/chat/completions" and "stop" not in sent and "prompt" not in sent
    assert (sent["tool_choice"], sent["parallel_tool_calls"], sent["seed"]) == ("auto", False, 3)
    assert sent["tools"] == QUESTIONS.schemas
    user, assistant, tool = sent["messages"]
    assert user == ASKED and assistant["content"] == "Hé."
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"words": "7"}
    assert tool["tool_call_id"] == assistant["tool_calls"][0]["id"] and tool["content"] == "You said 7."


def test_a_server_that_does_not_know_parallel_tool_calls_is_not_asked_for_it_again(serve):
    refusal = status(400, {"error": {"message": "Unrecognized argument: parallel_tool_calls"}})
    server = serve(refusal, answer(message("a")), answer(message("b")))
    model = asking(server)
    assert [native.said(model.complete(Request(PROMPT))[0].text)[0] for _ in range(2)] == ["a", "b"]
    assert ["parallel_tool_calls" in sent for sent in server.asked] == [True, False, False]
    always = asking(serve(refusal, refusal))
    with pytest.raises(ModelError, match="parallel_tool_calls"):
        always.complete(Request(PROMPT))


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"role": "assistant", "content": None, "refusal": "No."}, ("No.", [])),
        ({"role": "assistant"}, ("", [])),
        ({"content": "x", "tool_calls": None}, ("x", [])),
        ({"content": None, "tool_calls": [None, {"function": 3}]}, ("", [{"name": None, "arguments": None}] * 2)),
    ],
)
def test_whatever_a_message_is_it_is_a_reply(serve, given, read):
    (completion,) = asking(serve(answer(given, reason="stop"))).complete(Request(PROMPT))
    assert native.said(completion.text) == read
    assert not QUESTIONS.read(completion.text).action


@pytest.mark.parametrize("given", [None, {"content": 3}, {"content": "x", "tool_calls": {}}])
def test_what_is_no_message_is_no_answer(serve, given):
    with pytest.raises(ModelError, match="message"):
        asking(serve(answer(given))).complete(Request(PROMPT))


def test_calls_are_recorded_under_a_key_of_messages_and_tools(serve, tmp_path):
    server = serve(*[answer(message(said, ("say", "{}"))) for said in "abc"])
    recorded = Recorded(asking(server), tmp_path / "completions.sqlite")
    fewer = PROMPT.replace("Says it.", "Says it!")
    texts = [recorded.complete(Request(prompt))[0].text for prompt in (PROMPT, fewer, PROMPT)]
    recorded.close()
    assert texts[0] == texts[2] != texts[1] and len(server.asked) == 2
    again = replay(tmp_path / "completions.sqlite")
    assert again.complete(Request(fewer))[0].text == texts[1]
    again.close()


def test_the_api_is_a_part_of_the_fingerprint_and_scripts_have_none(serve, tmp_path):
    server = serve()
    prints = {
        load_model(replace(asking_config(server), api=api)).fingerprint for api in ("completions", "chat", "tools")
    }
    assert len(prints) == 3
    with pytest.raises(Mistake, match="api is 'tools'"):
        load_model(ModelConfig(backend="scripted", model=str(tmp_path), api="tools"))


def asking_config(server):
    return ModelConfig(backend="server", model="m", base_url=[server.url])


def test_an_observation_without_words_is_shown_too():
    _, messages = native.asked(QUESTIONS.opening([]) + QUESTIONS.prompt(TASK, [Step("", "Say[7]", "")]))
    assert [message["role"] for message in messages] == ["user", "assistant", "tool"] and not messages[-1]["content"]
