"""Trajectories as data sets: every format gives back the same records, and the folder is one that others load."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bootstrap import card, export, formats, imports, tables
from bootstrap.formats import COMMON, FORMATS
from react import trajectory
from react.environments import names
from react.mistakes import Mistake
from react.trajectory import ENDS, Step, Task, Trajectory
from tests.hostile import HOSTILE, HOSTILE_STEPS
from tests.hub_server import hub, visit
from tests.tokenizer_toys import tokenizer
from train.dataset import Rules, build
from train.records import notations

NAMES = names()
DATA = Path(__file__).parent.parent / "data"
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | HOSTILE,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(HOSTILE, inner, max_size=2),
    max_leaves=4,
)
EXTRAS = st.dictionaries(HOSTILE | st.sampled_from(["room", "page", "kind"]), JSONS, max_size=2)
TASK = Task("q1", "In which country does the Vaal rise?", "South Africa", {"type": "bridge"})
STEPS = (Step("I search.", "Search[Vaal]", "It rises in South Africa."), Step("So.", "Finish[South Africa]"))
SAID = {"environment": "hotpotqa", "attempt": 1, "tasks_fingerprint": "abc123"}
VAAL = Trajectory(TASK, "react", "teacher", STEPS, "South Africa", 1.0, provenance=SAID)


def methods(name: str) -> list[str]:
    """The methods that an environment can be played in."""
    found = []
    for method, (thoughts, actions) in formats.PARTS.items():
        try:
            import_module(f"react.environments.{name}").notation(thoughts=thoughts, actions=actions)
        except Mistake:
            continue
        found.append(method)
    return found


@st.composite
def hostile_records(draw):
    name = draw(st.sampled_from(NAMES))
    return name, Trajectory(
        Task(draw(HOSTILE), draw(HOSTILE), draw(HOSTILE), draw(EXTRAS)),
        draw(st.sampled_from(methods(name))),
        draw(HOSTILE),
        tuple(draw(HOSTILE_STEPS)),
        draw(HOSTILE),
        draw(st.floats(0, 1)),
        draw(st.sampled_from(ENDS)),
        draw(HOSTILE),
        draw(st.dictionaries(HOSTILE, JSONS, max_size=2)) | {"environment": name},
    )


@settings(max_examples=30, deadline=None)
@given(made=hostile_records())
def test_every_format_gives_back_the_same_record(made):
    name, record = made
    for format in FORMATS:
        row = json.loads(json.dumps(formats.write(record, format, name)))
        assert formats.is_ours(row)
        assert trajectory.to_json(formats.read(row)) == trajectory.to_json(record)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("format", FORMATS)
def test_what_an_expert_wrote_needs_no_steps_beside_its_format(name, format):
    records = list(trajectory.read(DATA / name / "demonstrations.jsonl.gz"))[:25]
    for record in records:
        row = formats.write(record, format, name)
        assert row["steps"] is None and formats.read(row) == record


def test_a_step_that_a_format_does_not_give_back_stands_beside_it():
    odd = replace(VAAL, steps=(Step("two\nlines", "I look", "what?"), *STEPS))
    for format in FORMATS:
        assert formats.write(odd, format, "hotpotqa")["steps"][0] == vars(odd.steps[0])
        assert formats.write(VAAL, format, "hotpotqa")["steps"] is None


def test_the_verdict_stands_in_no_text_of_a_format():
    lost = formats.write(replace(VAAL, reward=0.0, end="out_of_steps"), "text", "hotpotqa")
    for format, made in FORMATS.items():
        won = formats.write(VAAL, format, "hotpotqa")
        other = formats.write(replace(VAAL, reward=0.0), format, "hotpotqa")
        assert all(won[column] == other[column] for column in made.columns)
    assert (lost["reward"], lost["end"]) == (0.0, "out_of_steps")


@pytest.mark.parametrize(("name", "steps"), [("hotpotqa", STEPS), ("fever", STEPS)])
def test_the_text_is_the_row_that_we_train_on(name, steps):
    record = replace(VAAL, provenance={"environment": name})
    rows, _ = build([record], notations(name), tokenizer("gpt2"), Rules(2048, environment=name))
    row = formats.write(record, "text", name)
    parted = formats.write(record, "prompt_completion", name)
    assert row["text"] == rows[0].text == parted["prompt"] + parted["completion"]
    assert parted["completion"].startswith("Thought 1:")


@pytest.mark.parametrize(
    ("record", "environment", "says"),
    [
        (replace(VAAL, method="cot_sc"), "hotpotqa", "task 'q1': method 'cot_sc' writes no text of its own; there are"),
        (replace(VAAL, steps=(Step("half \ud800"),)), "hotpotqa", "task 'q1' holds half a surrogate pair"),
        (replace(VAAL, provenance={"x": float("nan")}), "hotpotqa", "Out of range float"),
        (VAAL, "hotpot", "unknown environment 'hotpot'; did you mean 'hotpotqa'"),
        (replace(VAAL, method="cot"), "webshop", "webshop has no method without actions"),
    ],
)
def test_what_no_row_can_hold_is_refused_by_name(record, environment, says):
    with pytest.raises(Mistake) as error:
        formats.write(record, "text", environment)
    assert says in str(error.value)


def test_a_combined_record_is_written_as_the_method_that_wrote_its_steps():
    steps = (Step("It flows west.", "Finish[Orange]"),)
    voted = replace(VAAL, method="react_to_cot_sc", steps=steps, provenance={"from": "cot"})
    assert (
        "Let's think step by step. It flows west.\nAnswer: Orange" in formats.write(voted, "text", "hotpotqa")["text"]
    )
    assert len(formats.write(voted, "tools", "hotpotqa")["tools"]) == 1


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A finished run of bootstrap with two trajectories, one of them hostile."""
    folder = tmp_path_factory.mktemp("runs") / "a"
    folder.mkdir()
    told = "```\n---\nlicense: mit\n---\n| <script>"
    hostile = replace(VAAL, task=replace(TASK, id="q2"), model=f"te|`ach\n# er{told}", steps=(Step(told, told, told),))
    trajectory.write(folder / "trajectories.jsonl", [hostile, VAAL])
    config = {
        "environment": "hotpotqa",
        "method": "react",
        "shots": 6,
        "attempts": 4,
        "rules": ["correct", "clean"],
        "seed": 0,
    }
    config |= {"base_url": "http://me:word@127.0.0.1:1/v1", "environment_options": {"contact": "me@example.org"}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    left_out = {"correct": 6, "clean": 1}
    summary = {"kept": 2, "attempts": 9, "yield": 2 / 9, "left_out": left_out, "spare": {"beyond the target": 3}}
    (folder / "summary.json").write_text(json.dumps(summary))
    return folder


def command(*words: object) -> None:
    export.main([str(word) for word in words])


@pytest.fixture(scope="module")
def folder(run: Path, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("out") / "tries"
    command("--run", run, "--out", out, "--format", *FORMATS)
    return out


@pytest.mark.parametrize("format", FORMATS)
def test_the_folder_gives_back_the_run_byte_for_byte(run, folder, format, tmp_path):
    imports.main([str(folder / format), "--out", str(tmp_path / "back.jsonl")])
    assert (tmp_path / "back.jsonl").read_bytes() == (run / "trajectories.jsonl").read_bytes()


def test_the_same_trajectories_are_the_same_bytes_and_take_the_place_of_older_ones(run, folder, tmp_path):
    out = tmp_path / "tries"
    command("--data", run / "trajectories.jsonl", "--out", out, "--format", "text")
    command("--run", run, "--out", out, "--format", *FORMATS)
    files = [path.relative_to(out) for path in sorted(out.rglob("*")) if path.is_file()]
    made = sorted(f"{name}/train-00000-of-00001.parquet" for name in FORMATS)
    assert [str(file) for file in files] == ["README.md", *made]
    assert all((out / file).read_bytes() == (folder / file).read_bytes() for file in files)
    assert not list(tmp_path.glob("*.partial"))


def test_formats_that_are_not_made_again_are_said_to_be_gone(run, tmp_path, capsys):
    out = tmp_path / "tries"
    command("--run", run, "--out", out, "--format", "text", "messages")
    assert "Gone" not in capsys.readouterr().out
    command("--run", run, "--out", out, "--format", "messages")
    assert f"Gone from {out}, which was replaced whole: text\n" in capsys.readouterr().out


@pytest.mark.parametrize("format", FORMATS)
def test_datasets_loads_it_by_its_card(folder, format, tmp_path):
    from datasets import load_dataset

    data = load_dataset(str(folder), format, split="train", cache_dir=str(tmp_path))
    assert list(data.features) == [*FORMATS[format].columns, *COMMON] and data["id"] == ["q2", "q1"]
    assert data[1]["provenance"] == SAID and data[1]["reward"] == 1.0 and data[1]["extra"] == {"type": "bridge"}
    if format == "tools":
        message = data[1]["messages"][1]
        assert message["tool_calls"][0]["function"] == {"name": "search", "arguments": {"entity": "Vaal"}}
        assert data[1]["messages"][0].keys() == {"role", "content"}  # no key of another message, such as nulls
        assert [tool["function"]["name"] for tool in data[1]["tools"]] == ["search", "lookup", "finish"]
    assert next(iter(load_dataset(str(folder), split="train", streaming=True)))["id"] == "q2"


def test_a_row_of_native_calls_is_what_chat_templates_take(folder, tmp_path):
    """By a template of TRL's for Qwen 3: the schema, the call as an object and not a text in a text, its result."""
    from importlib.resources import files

    from datasets import load_dataset

    row = load_dataset(str(folder), "tools", split="train", cache_dir=str(tmp_path))[1]
    template = files("trl").joinpath("chat_templates", "qwen3_training.jinja").read_text(encoding="utf-8")
    shown = tokenizer("gpt2").apply_chat_template(
        row["messages"], tools=row["tools"], chat_template=template, tokenize=False
    )
    assert '<tool_call>\n{"name": "search", "arguments": {"entity": "Vaal"}}\n</tool_call>' in shown
    assert "<tool_response>\nIt rises in South Africa.\n</tool_response>" in shown and "I search." in shown
    assert '"required": ["entity"]' in shown


def test_the_card_has_a_header_that_the_hub_reads(folder):
    from huggingface_hub import DatasetCard

    header = DatasetCard.load(folder / "README.md").data.to_dict()
    assert "license" not in header and header["size_categories"] == ["n<1K"]
    assert [one["config_name"] for one in header["configs"]] == list(FORMATS) and header["configs"][0]["default"]
    told = {one["config_name"]: one for one in header["dataset_info"]}
    for format in FORMATS:
        assert told[format]["splits"][0]["num_examples"] == 2
        size = (folder / format / "train-00000-of-00001.parquet").stat().st_size
        assert told[format]["download_size"] == size
        assert [column["name"] for column in told[format]["features"]] == [*FORMATS[format].columns, *COMMON]


def test_the_card_says_how_it_was_made_and_no_secret_and_is_not_written_by_a_model(folder):
    said = (folder / "README.md").read_text()
    for words in (
        "| rules | `correct clean` |",
        "| yield | 0.222 |",
        "| left out: clean | 1 |",
        "beyond the target | 3 |",
        "`abc123`",
    ):
        assert words in said
    assert "beyond the target | 3 |" in said and 'load_dataset("tries", "text"' in said
    assert "word@" not in said and "example.org" not in said and "127.0.0.1" not in said
    assert said.count("\n---\n") == 1  # the header's end
    shown = said[said.index("````text\n") :]
    assert shown.count("````") == 2 and "<script>" in shown
    assert "\n# er" not in said and "| `te\\|'ach # er" not in said.split("## One")[0].replace("model", "")


def test_a_licence_is_the_users(run, tmp_path):
    command("--run", run, "--out", tmp_path / "x", "--license", "cc-by-4.0")
    said = (tmp_path / "x" / "README.md").read_text()
    assert said.startswith("---\nlicense: cc-by-4.0\n") and "Not chosen yet" not in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "nothing to export: give --run FOLDER or --data FILE"),
        (("--run", "none"), "none: no finished run of bootstrap: config.yaml is missing"),
        (("--data", "none.jsonl"), "none.jsonl: cannot be read: no such file"),
        (("--data", "{bare}"), "names no environment; give --environment, of: alfworld, fever, hotpotqa, webshop"),
        (("--data", "{empty}", "--environment", "fever"), "empty.jsonl: no trajectories"),
        (("--run", "{run}", "--format", "chat"), "unknown format 'chat'; there are: text, prompt_completion"),
        (("--run", "{run}", "--environment", "hotpot"), "unknown environment 'hotpot'; did you mean 'hotpotqa'"),
        (("--run", "{run}", "--split", "a-b"), "split is 'a-b'; the hub takes letters"),
        (("--run", "{run}", "--push", "name"), "push is 'name'; it must be USER/NAME"),
        (("--run", "{run}", "--out", "{full}"), "holds other things; give a new folder"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(run, tmp_path, capsys, words, says):
    trajectory.write(tmp_path / "bare.jsonl", [replace(VAAL, provenance={})])
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    named = {"run": run, **{name: tmp_path / name for name in ("full",)}}
    named |= {name: tmp_path / f"{name}.jsonl" for name in ("bare", "empty")}
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SystemExit) as ended:
        command("--out", tmp_path / "out", *(word.format(**named) for word in words))
    said = capsys.readouterr().err.splitlines()[-1]
    assert ended.value.code == 2 and said.startswith("error: ") and says in said
    assert sorted(tmp_path.rglob("*")) == before


def test_rows_of_another_environment_than_the_flag_keep_their_own(tmp_path):
    two = [VAAL, replace(VAAL, provenance={}, task=replace(TASK, id="q3"))]
    trajectory.write(tmp_path / "two.jsonl", two)
    command("--data", tmp_path / "two.jsonl", "--environment", "fever", "--out", tmp_path / "x", "--format", "text")
    (table,) = tables.files(str(tmp_path / "x"))
    assert [row["text"].split(":")[0] for _, row in tables.rows(table)] == ["Question", "Claim"]


# The hub.


def test_a_push_is_private_whole_and_replaces_what_was_pushed(run, tmp_path, monkeypatch, capsys):
    out = tmp_path / "tries"
    with hub(files={"text/train-00000-of-00001.parquet": b"old", "mine.txt": b"kept"}) as there:
        visit(monkeypatch, there)
        command("--run", run, "--out", out, "--format", "tools", "--push", "me/tries")
        assert there.private is True and there.commits == 1
        assert there.files.pop("mine.txt") == b"kept"
        assert there.files == {str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*.*")}
        assert b'load_dataset("me/tries", "tools"' in there.files["README.md"]
        assert f"Pushed: {there.url}/datasets/me/tries" in (said := capsys.readouterr().out) and "secret" not in said


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"token": "another"}, "the hub refuses: .*(logged in?"),
        ({"status": 403}, "the hub refuses: .*(logged in?"),
        ({"private": False}, "me/tries is there already, and public; say so by --public"),
    ],
)
def test_a_hub_that_refuses_is_a_message_without_the_token(run, tmp_path, monkeypatch, capsys, settings, says):
    with hub(**settings) as there, pytest.raises(SystemExit) as ended:
        visit(monkeypatch, there)
        command("--run", run, "--out", tmp_path / "tries", "--push", "me/tries")
    said = capsys.readouterr()
    assert ended.value.code == 2 and "secret" not in said.err + said.out and not there.commits
    assert all(part in said.err for part in says.split(".*")) and (tmp_path / "tries" / "README.md").exists()


def test_without_a_login_the_message_says_how(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("huggingface_hub.hf_api.get_token", lambda: None)
    monkeypatch.setattr("huggingface_hub.utils._headers.get_token", lambda: None)
    with hub() as there, pytest.raises(SystemExit):
        visit(monkeypatch, there, token="")
        command("--run", run, "--out", tmp_path / "tries", "--push", "me/tries")
    assert "HF_TOKEN" in capsys.readouterr().err


def test_a_card_of_a_folder_that_is_no_run_is_refused(tmp_path):
    (tmp_path / "config.yaml").write_text("[]")
    (tmp_path / "summary.json").write_text("{}")
    with pytest.raises(Mistake, match="must hold `key: value`"):
        card.made(tmp_path)
    (tmp_path / "summary.json").write_text("{")
    with pytest.raises(Mistake, match="no run of bootstrap"):
        card.made(tmp_path)
