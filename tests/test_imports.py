"""What others wrote becomes the same records, or is left out with a reason; then it trains and is judged like any."""

from __future__ import annotations

import gzip
import json
import shlex
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bootstrap import formats, imports, run, sources
from bootstrap.formats import COMMON, FORMATS
from bootstrap.sources import Unreadable
from react import environments, trajectory
from react.chat import with_calls
from react.models.scripted import Scripted
from react.notation import Numbered
from react.trajectory import Step, Task, Trajectory
from tests.hostile import HOSTILE
from tests.hub_server import hub, visit
from tests.tokenizer_toys import tokenizer
from train.dataset import Rules, build
from train.records import notations

DATA = Path(__file__).parent.parent / "data"
TOOLS = environments.says("hotpotqa", "TOOLS")

SHOPPING = {
    "item_id": "webshop_6",
    "conversations": [
        {
            "from": "human",
            "loss": None,
            "value": "You are web shopping.\nYour response should use this format:\n\nThought:\n",
        },
        {"from": "gpt", "loss": False, "value": "Ok."},
        {"from": "human", "loss": None, "value": "WebShop [SEP] Instruction: [SEP] Find me a mug [SEP] Search"},
        {"from": "gpt", "loss": True, "value": "Thought:\nI look for mugs.\n\nAction:\nsearch[mug]"},
        {"from": "human", "loss": None, "value": "Instruction: [SEP] Find me a mug [SEP] Back to Search [SEP] B01"},
        {"from": "gpt", "loss": True, "value": "Action: click[B01]"},
        {"from": "human", "loss": None, "value": "A mug [SEP] Buy Now"},
        {"from": "gpt", "loss": True, "value": "Thought:\nIt is one.\n\nAction:\nclick[Buy Now]"},
    ],
}
HOUSEHOLD = {
    "item_id": "alfworld_12",
    "conversations": [
        {"from": "human", "loss": None, "value": "Interact with a household."},
        {"from": "gpt", "loss": False, "value": "OK. I'll follow."},
        {
            "from": "human",
            "loss": None,
            "value": "You are in the middle of a room. You see a desk 1.\nYour task is to: put a mug in desk.\n"
            "AVAILABLE ACTIONS: go to desk 1,look",
        },
        {"from": "gpt", "loss": True, "value": "Thought:\nFirst the desk.\n\nAction:\ngo to desk 1"},
        {"from": "human", "loss": None, "value": "On the desk 1, you see a mug 1."},
    ],
}
ALPACA = {
    "instruction": "In which country does the Vaal rise?",
    "input": "",
    "output": "Thought: I need to search the Vaal.\nAction: search[Vaal]\nObservation: The Vaal is a river.\n"
    "Thought: Thought: so it is South Africa.\nAction: finish[South Africa]\n"
    "Observation: Episode finished, reward = True\n",
}
SPOKEN = [
    {"role": "user", "content": "Question: In which country does the Vaal rise?"},
    {"role": "assistant", "content": "Thought: I need to search the Vaal.\nAction: search[Vaal]"},
    {"role": "user", "content": "Observation: The Vaal is a river."},
    {"role": "assistant", "content": "Thought: Thought: so it is South Africa.\nAction: finish[South Africa]"},
    {"role": "user", "content": "Observation: Episode finished, reward = 1"},
]
STEPS = (
    Step("I need to search the Vaal.", "Search[Vaal]", "The Vaal is a river."),
    Step("Thought: so it is South Africa.", "Finish[South Africa]"),
)


def called(arguments: Any = '{"query": "Vaal"}', **changes: Any) -> dict[str, Any]:
    """A chat with native calls, as the OpenAI API has them."""
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": arguments}}
    end = {"id": "2", "type": "function", "function": {"name": "finish", "arguments": '{"answer": "South Africa"}'}}
    messages = [
        {"role": "system", "content": "You have tools."},
        {"role": "user", "content": [{"type": "text", "text": "In which country does the Vaal rise?"}]},
        {"role": "assistant", "content": "I need to search the Vaal.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "The Vaal is a river."},
        {"role": "assistant", "content": None, "reasoning_content": STEPS[1].thought, "tool_calls": [end]},
    ]
    return {"messages": messages, "tools": [], **changes}


def file(folder: Path, *rows: Any, name: str = "rows.json") -> str:
    """A file of rows: a JSON list, JSON lines or an object, by its name."""
    text = json.dumps(list(rows)) if name == "rows.json" else "\n".join(map(json.dumps, rows))
    (folder / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return str(folder / name)


def imported(folder: Path, *rows: Any, flags: tuple[str, ...] = (), name: str = "rows.json") -> list[Trajectory]:
    """The records that the command makes of rows."""
    imports.main([file(folder, *rows, name=name), "--out", str(folder / "out.jsonl"), *flags])
    return list(trajectory.read(folder / "out.jsonl"))


HOTPOTQA = ("--environment", "hotpotqa")


def test_agenttraj_of_the_shop(tmp_path):
    (record,) = imported(tmp_path, SHOPPING)
    assert record.task == Task("fixed_6", "Find me a mug", "", {"page": SHOPPING["conversations"][2]["value"]})
    assert record.steps == (
        Step("I look for mugs.", "", "OK."),
        Step("", "search[mug]", SHOPPING["conversations"][4]["value"]),
        Step("", "click[B01]", "A mug [SEP] Buy Now"),
        Step("It is one.", "", "OK."),
        Step("", "click[Buy Now]"),
    )
    assert (record.method, record.model, record.reward, record.end) == ("react", "rows", 0.0, "finished")
    assert not record.solved and record.provenance == {
        "environment": "webshop",
        "judged_by": "nobody",
        "repaired_calls": 0,
        "imported": "agenttraj",
        "source": "rows.json",
        "source_fingerprint": record.provenance["source_fingerprint"],
        "row": 0,
        "attempt": 0,
    }


def test_agenttraj_of_the_household_keeps_room_task_and_what_is_possible(tmp_path):
    (record,) = imported(tmp_path, HOUSEHOLD)
    room = "You are in the middle of a room. You see a desk 1. AVAILABLE ACTIONS: go to desk 1,look"
    assert record.task == Task("alfworld_12", "put a mug in desk.", "", {"room": room})
    assert record.steps[1] == Step("", "go to desk 1", "On the desk 1, you see a mug 1.")
    assert (record.reward, record.end) == (0.0, "out_of_steps")


def test_a_file_of_many_environments_is_read_and_others_are_counted(tmp_path, capsys):
    other = SHOPPING | {"item_id": "sciworld_3"}
    records = imported(tmp_path, SHOPPING, other, HOUSEHOLD, SHOPPING)
    assert [record.provenance["environment"] for record in records] == ["webshop", "alfworld", "webshop"]
    assert [record.provenance["attempt"] for record in records] == [0, 0, 1]  # of each task
    assert [record.provenance["row"] for record in records] == [0, 2, 3]
    said = capsys.readouterr().out
    assert "3 trajectories from 4 rows" in said and "Left out: 1 another environment" in said
    (left,) = map(json.loads, (tmp_path / "out.left_out.jsonl").read_text().splitlines())
    assert left == {"place": f"{tmp_path}/rows.json[1]", "reason": "another environment", "detail": "a row of sciworld"}


@pytest.mark.parametrize(
    "row",
    [
        ALPACA,
        {"messages": SPOKEN},
        {"traj": SPOKEN, "reward": True, "gt": "south africa", "prompt": []},
        {"traj": f"{ALPACA['instruction']}\n{ALPACA['output']}", "reward": True, "gt": "south africa", "prompt": ""},
        called(),
        called({"entity": "Vaal"}),
        called({"entity": "Vaal"}, reward=1.0, model="gpt", id=7),
    ],
    ids=["alpaca", "gpt", "traj", "traj as text", "calls", "calls as objects", "calls that are judged"],
)
def test_fireact_and_chats_become_the_same_steps(tmp_path, row):
    (record,) = imported(tmp_path, row, flags=HOTPOTQA, name="rows.jsonl")
    assert record.steps == STEPS and record.task.question == "In which country does the Vaal rise?"
    assert record.answer == "South Africa" and record.end == "finished" and record.method == "react"
    by_source = "messages" not in row or row["messages"] is SPOKEN or "reward" in row
    assert record.provenance["judged_by"] == ("source" if by_source else "nobody")
    assert record.reward == float(by_source) and record.task.answer == row.get("gt", "")
    assert record.provenance["repaired_calls"] == (0 if "tools" in row else 2)  # search[...] is written Search[...]
    assert (record.model, record.task.id) == ("gpt", "7") if "id" in row else record.task.id.startswith("imported-")
    assert not (tmp_path / "out.left_out.jsonl").exists()


def test_fireacts_object_of_trajectories_is_read_entry_by_entry(tmp_path):
    lost = [*SPOKEN[:-1], {"role": "user", "content": "Observation: Episode finished, reward = False"}]
    content = {"6238": {"reward": True, "gt": "a", "traj": SPOKEN}, "5": {"reward": False, "gt": "b", "traj": lost}}
    (tmp_path / "trajs.json").write_text(json.dumps(content, indent=2))
    imports.main([str(tmp_path / "trajs.json"), "--out", str(tmp_path / "out.jsonl"), *HOTPOTQA])
    records = list(trajectory.read(tmp_path / "out.jsonl"))
    assert [record.reward for record in records] == [1.0, 0.0] and records[1].end == "finished"
    assert [record.steps for record in records] == [STEPS, STEPS]


def test_a_source_may_be_compressed_a_table_or_a_folder(tmp_path):
    import pyarrow
    import pyarrow.parquet

    (tmp_path / "set").mkdir()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([SHOPPING]), tmp_path / "set" / "0000.parquet")
    (one,) = imported(tmp_path, SHOPPING, name="rows.jsonl.gz")
    for source in (tmp_path / "set", tmp_path / "set" / "0000.parquet"):
        imports.main([str(source), "--out", str(tmp_path / "out.jsonl")])
        (other,) = trajectory.read(tmp_path / "out.jsonl")
        assert (other.task, other.steps) == (one.task, one.steps)


@pytest.mark.parametrize("verdict", ["Episode finished, reward = True", "Answer is CORRECT", "You win! Well done."])
def test_nothing_that_is_said_after_the_end_stays(tmp_path, verdict):
    (record,) = imported(tmp_path, {"messages": [*SPOKEN[:-1], {"role": "user", "content": verdict}]}, flags=HOTPOTQA)
    assert record.steps == STEPS
    assert record.reward == float("True" in verdict)


def test_the_score_of_the_shop_is_a_reward_and_no_text(tmp_path):
    page = "Thank you! [SEP] Your score (min 0.0, max 1.0) [SEP] 0.75 [SEP] more"
    end = {"from": "human", "loss": None, "value": page}
    (record,) = imported(tmp_path, SHOPPING | {"conversations": [*SHOPPING["conversations"], end]})
    assert record.reward == 0.75 and record.steps[-1].observation == ""
    assert record.provenance["judged_by"] == "source"


def test_what_the_user_assumes_is_marked_and_never_overrules_a_source(tmp_path):
    lost = {"messages": [*SPOKEN[:-1], {"role": "user", "content": "Observation: Episode finished, reward = 0"}]}
    flags = (*HOTPOTQA, "--reward", "1", "--teacher", "GPT-4")
    two = imported(tmp_path, lost, called(), flags=flags)
    assert [(one.reward, one.provenance["judged_by"]) for one in two] == [(0.0, "source"), (1.0, "assumption")]
    assert [one.model for one in two] == ["GPT-4", "GPT-4"]


GOOD = {"role": "assistant", "content": "Thought: x\nAction: Search[y]"}
ASKED = {"role": "user", "content": "Why?"}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"messages": []}, "no question"),
        ({"messages": [GOOD]}, "no question"),
        ({"messages": [ASKED]}, "no turns"),
        ({"messages": [{"role": "user", "content": " "}, GOOD]}, "no question"),
        ({"messages": "hello"}, "no conversation"),
        ({"messages": [ASKED, "x"]}, "no conversation"),
        ({"messages": [ASKED, ASKED]}, "two messages in a row"),
        ({"messages": [ASKED, GOOD, GOOD]}, "two messages in a row"),
        ({"messages": [ASKED, GOOD, {"role": "critic", "content": "no"}]}, "unknown speaker"),
        ({"messages": [ASKED, {"role": "assistant", "content": "The answer is 5."}]}, "a turn without an action"),
        ({"messages": [ASKED, {"role": "assistant", "content": None}]}, "a turn without an action"),
        ({"messages": [ASKED, {"role": "assistant", "content": 5}]}, "not a text"),
        ({"messages": [ASKED, {"role": "assistant", "content": [{"type": "image_url"}]}]}, "not a text"),
        ({"messages": [ASKED, {**GOOD, "content": "Action: a\nAction: b"}]}, "parts out of order"),
        ({"messages": [ASKED, {**GOOD, "content": "Action: a\nObservation: b"}]}, "parts out of order"),
        ({"messages": [ASKED, {**GOOD, "content": "Action: a\nThought: b"}]}, "parts out of order"),
        ({"messages": [ASKED, {**GOOD, "content": "Thought: a\nThought: b\nAction: c"}]}, "parts out of order"),
        ({"messages": [ASKED, {**GOOD, "content": "Action: a\nb"}]}, "an action of several lines"),
        ({"messages": [ASKED, {**GOOD, "tool_calls": "x"}]}, "a call that is no action"),
        ({"messages": [ASKED, {**GOOD, "tool_calls": ["x"]}]}, "a call that is no action"),
        ({"messages": [ASKED, {**GOOD, "tool_calls": [{"function": {"name": "rm"}}]}]}, "a call that is no action"),
        (called("{}"), "a call that is no action"),
        (called("["), "a call that is no action"),
        (called({"entity": "a", "page": "b"}), "a call that is no action"),
        ({"messages": [ASKED, GOOD], "reward": "yes"}, "wrong type"),
        ({"messages": [ASKED, GOOD], "reward": 7}, "wrong type"),
        ({"messages": [ASKED, GOOD], "id": [1]}, "wrong type"),
        ({"messages": [ASKED, GOOD], "model": 7}, "wrong type"),
        ({"messages": [*SPOKEN, GOOD]}, "it goes on after its end"),
        ({"instruction": "Why?", "input": None, "output": "Because."}, "a turn without an action"),
        ({"instruction": "Why?", "input": "", "output": "Thought: a\nObservation: b\nAction: c"}, "parts out of order"),
        ({"instruction": 5, "output": "Action: a"}, "wrong type"),
        ({"instruction": "", "output": "Action: a"}, "no question"),
        ({"traj": "Why?", "reward": True}, "no turns"),
        ({"conversations": None, "item_id": "webshop_1"}, "no conversation"),
        ({"conversations": [{"from": "bing", "value": "x"}]}, "unknown speaker"),
        ({"conversations": [*SHOPPING["conversations"], *SHOPPING["conversations"][1:3]]}, "a turn that is not to be"),
        ({"conversations": [{"from": ["human"], "value": "x"}]}, "unknown speaker"),
        ({"messages": [ASKED, {"role": {}, "content": "x"}]}, "unknown speaker"),
        ({"tokens": [1]}, "another format"),
    ],
)
def test_what_cannot_be_read_says_why(row, reason):
    with pytest.raises(Unreadable) as error:
        sources.found(row, TOOLS)
    assert error.value.reason.startswith(reason)


@pytest.mark.parametrize("opening", ["Buy me a mug", "WebShop [SEP] Search"])
def test_an_opening_that_shows_no_task_is_left_out(tmp_path, capsys, opening):
    row = json.loads(json.dumps(SHOPPING))
    row["conversations"][2]["value"] = opening
    with pytest.raises(SystemExit):
        imported(tmp_path, row)
    assert "none of 1 rows can be read: 1 no task" in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("row", "word", "reason"),
    [
        (SHOPPING, "look for", "half a letter"),
        (SHOPPING, "Find me", "half a letter"),
        (HOUSEHOLD, "you see a mug", "half a letter"),
        (ALPACA, "Vaal", "half a letter"),
        (called(), "is a river", "half a letter"),
        (called(id="q1"), "q1", "half a letter"),
        ("text", "", "changed since it was exported"),
        ("messages", "", "changed since it was exported"),
    ],
)
def test_a_row_with_half_a_letter_is_left_out_and_listed_and_the_others_are_read(tmp_path, capsys, row, word, reason):
    """JSON can say it, and no file can hold it."""
    if isinstance(row, str):
        (record,) = demonstrations("hotpotqa", 1)
        row, word = formats.write(record, row, "hotpotqa"), record.steps[0].observation[:30]
    half = json.loads(json.dumps(row).replace(word, "\\ud83d"))
    records = imported(tmp_path, half, row, half, flags=() if "item_id" in row else HOTPOTQA)
    assert len(records) == 1
    left = [json.loads(line) for line in (tmp_path / "out.left_out.jsonl").read_text().splitlines()]
    assert [one["reason"] for one in left] == [reason, reason]
    assert [one["place"].rpartition("rows.json")[2] for one in left] == ["[0]", "[2]"]
    assert all("half a letter" in one["detail"] for one in left)
    assert f"2 {reason}" in capsys.readouterr().out and not list(tmp_path.glob("*.partial"))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | HOSTILE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["from", "value", "loss", "role", "content", "tool_calls", "function", "name", "arguments"]
            ),
            inner | st.sampled_from(["human", "gpt", "user", "assistant", "tool", "search"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(
    key=st.sampled_from(["conversations", "messages", "traj", "output"]), value=ANYTHING, reward=ANYTHING, name=ANYTHING
)
def test_whatever_a_row_holds_it_is_read_or_left_out(key, value, reward, name):
    row = {key: value, "instruction": "Why?", "reward": reward, "id": name}
    with suppress(Unreadable):
        found = sources.found(row, TOOLS)
        assert found.steps and all(isinstance(part, str) for step in found.steps for part in vars(step).values())


@settings(max_examples=80, deadline=None)
@given(
    format=st.sampled_from(list(FORMATS)), column=st.sampled_from([*COMMON, "text", "messages", "tools"]), to=ANYTHING
)
def test_an_exported_row_that_was_changed_is_read_as_it_stands_or_refused(format, column, to):
    row = formats.write(replace(demonstrations("hotpotqa", 1)[0]), format, "hotpotqa")
    with suppress(ValueError):
        record = formats.read({**row, column: to})
        assert trajectory.from_json(trajectory.to_json(record)) == record


def test_control_characters_of_a_row_do_not_reach_the_terminal(tmp_path, capsys):
    for row in ({"messages": [ASKED, {"role": "assistant", "content": "\x1b[2J no\x07"}]}, {"\x1b[2J": 1}):
        with pytest.raises(SystemExit):
            imported(tmp_path, row, flags=HOTPOTQA)
        said = capsys.readouterr().err
        assert "[2J" in said and "\x1b" not in said and "\x07" not in said


@settings(max_examples=40, deadline=None)
@given(parts=st.lists(st.tuples(HOSTILE, HOSTILE, HOSTILE), min_size=1, max_size=3))
def test_text_of_others_is_inert(parts):
    """However a thought or an observation looks, a record has no more steps than there were messages of the model."""
    messages = [ASKED]
    for thought, argument, told in parts:
        call = {"function": {"name": "search", "arguments": json.dumps({"entity": argument.replace("\n", " ")})}}
        messages += [{"role": "assistant", "content": thought, "tool_calls": [call]}, {"role": "tool", "content": told}]
    with suppress(Unreadable):
        steps = sources.found({"messages": messages}, TOOLS).steps
        assert len(steps) == len(parts)
        for step, (thought, argument, _) in zip(steps, parts, strict=True):
            assert step.thought == thought.strip() and step.action == f"Search[{argument.replace(chr(10), ' ')}]"


@pytest.mark.parametrize(
    ("rows", "flags", "says"),
    [
        ([{"messages": SPOKEN}], (), "these rows do not say their environment; give --environment, of: alfworld"),
        ([{"text": "x"}], (), "rows.json[0]: a row of text is of no format that is known; known are data sets of"),
        ([{"messages": []}], HOTPOTQA, "none of 1 rows can be read: 1 no question"),
        ([], HOTPOTQA, "no rows"),
        ([5], HOTPOTQA, "rows.json[0]: a int where a JSON object must be"),
        ([SHOPPING], ("--environment", "hotpot"), "unknown environment 'hotpot'; did you mean 'hotpotqa'"),
        ([SHOPPING], ("--reward", "2"), "reward is 2.0; it must be from 0 to 1"),
        ([SHOPPING], ("--match", "train"), "--match needs --environment"),
        ([SHOPPING], (*HOTPOTQA, "--match", "tain"), "no split 'tain'; did you mean 'train'"),
        ([SHOPPING], (*HOTPOTQA, "--match", "train", "--environment_options", "{"), "not JSON"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(tmp_path, capsys, rows, flags, says):
    with pytest.raises(SystemExit) as ended:
        imported(tmp_path, *rows, flags=flags)
    said = capsys.readouterr().err.splitlines()[-1]
    assert ended.value.code == 2 and said.startswith("error: ") and says in said
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("none.json", "none.json: no such file or folder"),
        ("hf://owner", "hf://owner: it must be hf://OWNER/NAME or hf://OWNER/NAME/FILE"),
        ("{folder}", "no tables (.parquet) and no JSON files in this folder"),
        ("{folder}/cut.parquet", "cut.parquet: cannot be read"),
        ("{folder}/cut.jsonl", "cut.jsonl:1: not JSON"),
    ],
)
def test_a_source_that_is_none_is_named(tmp_path, capsys, source, says):
    if source != "{folder}":
        (tmp_path / "cut.parquet").write_bytes(b"PAR1 no table")
        (tmp_path / "cut.jsonl").write_text('{"messages": [')
    with pytest.raises(SystemExit) as ended:
        imports.main([source.format(folder=tmp_path), "--out", str(tmp_path / "out.jsonl"), *HOTPOTQA])
    assert ended.value.code == 2 and says in capsys.readouterr().err


def test_a_file_of_the_hub_is_fetched_and_a_whole_data_set(tmp_path, monkeypatch, capsys):
    row = json.dumps([SHOPPING]).encode()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    with hub(files={"webshop_train.json": row, "README.md": b"# What it is"}, private=True) as there:
        visit(monkeypatch, there)
        for source in ("hf://me/tries/webshop_train.json", "hf://me/tries"):
            imports.main([source, "--out", str(tmp_path / "out.jsonl")])
            (record,) = trajectory.read(tmp_path / "out.jsonl")
            assert record.task.id == "fixed_6" and record.provenance["source"] == Path(source).name
        with pytest.raises(SystemExit) as ended:
            imports.main(["hf://me/tries/none.json", "--out", str(tmp_path / "out.jsonl")])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "hf://me/tries/none.json: cannot be had: " in said and "secret" not in said


# From here on they are records like any other.


def demonstrations(name: str, count: int) -> list[Trajectory]:
    return list(islice(trajectory.read(DATA / name / "demonstrations.jsonl.gz"), count))


def as_chats(records: list[Trajectory], name: str) -> list[dict[str, Any]]:
    """Records as somebody else's logs of native calls: no ids, no rewards."""
    notation, tools = notations(name)("react"), environments.says(name, "TOOLS")
    return [{"messages": with_calls(notation, tools, one.task, one.steps)} for one in records]


@pytest.mark.parametrize("name", ["hotpotqa", "fever", "alfworld", "webshop"])
def test_a_teachers_an_experts_and_an_imported_file_train_alike(tmp_path, name):
    """The same tries make the same rows, token for token, wherever they come from."""
    expert = demonstrations(name, 4)
    teacher = [replace(one, model="teacher", provenance={"environment": name, "attempt": 2}) for one in expert]
    flags = ("--environment", name, "--reward", "1")
    other = imported(tmp_path, *as_chats(expert, name), flags=flags)
    rows = []
    for records in (expert, teacher, other):
        made, left_out = build(records, notations(name), tokenizer("gpt2"), Rules(8192, environment=name))
        assert len(made) == 4 and not left_out
        rows.append([replace(row, id="") for row in made])
    assert rows[0] == rows[1] == rows[2]


def test_what_nobody_judged_is_not_trained_on_unless_it_is_asked_for(tmp_path):
    other = imported(tmp_path, *as_chats(demonstrations("hotpotqa", 2), "hotpotqa"), flags=HOTPOTQA)
    made, left_out = build(other, notations("hotpotqa"), tokenizer("gpt2"), Rules(8192))
    assert not made and {out.reason for out in left_out} == {"unsolved"}
    made, _ = build(other, notations("hotpotqa"), tokenizer("gpt2"), Rules(8192, allow_unsolved=True))
    assert len(made) == 2


@pytest.mark.parametrize("name", ["hotpotqa", "alfworld"])
def test_the_environment_judges_what_was_imported(tmp_path, name, capsys):
    """Matched with tasks of ours, replayed by the ordinary command, and right where the expert was."""
    expert = demonstrations(name, 3)
    wrong = json.loads(json.dumps(as_chats(expert, name)[0]))
    wrong["messages"][0]["content"] += " indeed"
    flags = ("--environment", name, "--match", "train")
    other = imported(tmp_path, *as_chats(expert, name), wrong, flags=flags)
    assert [one.task.id for one in other[:3]] == [one.task.id for one in expert]
    assert other[3].task.id.startswith("imported-") and "3 are of tasks of" in capsys.readouterr().out
    job = ["--environment", name, "--shots", "0", "--backend", "scripted", "--attempts", "1", "--output", str(tmp_path)]
    file = str(tmp_path / "out.jsonl")
    run.main([*job, "--name", "judged", "--model", file, "--tasks_of", file, "--rules", "correct"])
    judged = {one.task.id: one for one in trajectory.read(tmp_path / "judged" / "trajectories.jsonl")}
    assert judged.keys() == {one.task.id for one in expert} and all(one.solved for one in judged.values())
    assert all(judged[one.task.id].steps == one.steps for one in expert)


@pytest.mark.parametrize("named", [True, False])
def test_what_is_said_of_judging_is_what_works(tmp_path, capsys, named):
    """A command where tasks were matched, with all that it needs; else what is missing."""
    expert = demonstrations("hotpotqa", 2)
    data = {"train": str(DATA / "hotpotqa" / "dev.json.gz"), "dev": str(DATA / "hotpotqa" / "train.json.gz")}
    options = ("--environment_options", json.dumps(data)) if named else ()
    split = "dev" if named else "train"
    imported(tmp_path, *as_chats(expert, "hotpotqa"), flags=HOTPOTQA)
    said = capsys.readouterr().out
    assert "import it with --match SPLIT first" in said and "python -m" not in said
    imported(tmp_path, *as_chats(expert, "hotpotqa"), flags=(*HOTPOTQA, *options, "--match", split))
    _, judging = capsys.readouterr().out.strip().split("To have it judged: python -m bootstrap ")
    rest = ["--output", str(tmp_path), "--name", "judged", "--rules", "correct", "--attempts", "1"]
    run.main([*shlex.split(judging), *rest])
    assert len(list(trajectory.read(tmp_path / "judged" / "trajectories.jsonl"))) == 2
    stranger = json.loads(json.dumps(as_chats(expert, "hotpotqa")[0]).replace("?", " indeed?"))
    imported(tmp_path, stranger, flags=(*HOTPOTQA, "--match", "train"))
    assert "no task of hotpotqa in 'train' is asked the same" in capsys.readouterr().out


def test_several_tries_at_one_task_are_attempts_that_a_script_tells_apart(tmp_path):
    second = json.loads(json.dumps(called()))
    second["messages"][2]["content"] = "Again."
    records = imported(tmp_path, called(), second, flags=HOTPOTQA)
    assert records[0].task == records[1].task and [one.provenance["attempt"] for one in records] == [0, 1]
    assert Scripted(tmp_path / "out.jsonl").name == "rows"
    assert Numbered("Question").spans(records[0].task, [])[0].text == "Question: In which country does the Vaal rise?\n"
