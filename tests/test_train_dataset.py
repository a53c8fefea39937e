"""Rows of a student: what is trained, what is left out, and that the student meets the same tokens at run time."""

from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react import environments
from react.mistakes import Mistake
from react.notation import PARTS, text
from react.trajectory import Step, Task, Trajectory, read
from tests.tokenizer_toys import FAITHFUL, tokenizer
from tests.train_toys import MAKERS, NOTATIONS, meets, prompts, trajectory
from train.dataset import UNNAMED, Row, Rules, as_written, build
from train.records import notations as of
from train.weights import IGNORED, LOSSES

GOLDEN = Path(__file__).parent / "golden"
RULES = Rules(max_length=4096)
BYTE_LEVEL = ("gpt2", "llama3")
notations = NOTATIONS["questions"]


def row_of(record, kind="gpt2", rules=RULES):
    (row,), left_out = build([record], notations, tokenizer(kind), rules)
    assert not left_out
    return row


def said(row, kind, *kinds):
    """The text of the tokens of `kinds`."""
    words = tokenizer(kind)
    return words.decode([token for token, its in zip(row.tokens, row.kinds, strict=True) if its in kinds])


def table(row: Row, kind: str) -> str:
    """A row as a person reads it: a `+` for each of the losses that train a token, in their order."""
    losses = zip(*(row.labels(of) for of in LOSSES.values()), strict=True)
    marks = ["".join("-+"[label != IGNORED] for label in labels) for labels in losses]
    words = tokenizer(kind).convert_ids_to_tokens(row.tokens)
    return "".join(f"{m} {k:<12}{w}\n" for m, k, w in zip(marks, row.kinds, words, strict=True))


VAAL = Trajectory(
    Task("q1", "Into which river does the Vaal flow?", "Orange"),
    "react",
    "toy",
    (
        Step("I need to search the Vaal.", "Search[Vaal]", "The Vaal [river] is 1,458 km (906 mi) long; naïve ☃ 🏞️."),
        Step("It says nothing.", "Lookup[flows]", "No more results."),
        Step("", "Finish[Orange]"),
    ),
    "Orange",
    1.0,
)


@pytest.mark.parametrize("kind", BYTE_LEVEL)
@pytest.mark.parametrize("method", ["react", "act", "cot", "standard"])
def test_golden_rows(kind, method, request):
    record = VAAL if method != "cot" else replace(VAAL, method="cot", steps=(Step("It flows west.", "Finish[Orange]"),))
    shown = (
        record.steps if kind == "gpt2" else tuple(replace(step, thought=step.thought or "So.") for step in record.steps)
    )
    row = row_of(replace(record, steps=shown), kind, replace(RULES, method=method))
    path = GOLDEN / f"train_row_{method}_{kind}.txt"
    if request.config.getoption("--update-golden"):
        path.write_text(table(row, kind), encoding="utf-8")
    assert table(row, kind) == path.read_text(encoding="utf-8")


def test_the_task_is_never_trained_and_the_rest_is():
    row = row_of(VAAL)
    assert said(row, "gpt2", "task") == "Question: Into which river does the Vaal flow?\n"
    trained = zip(row.labels(LOSSES["whole"]), row.kinds, strict=True)
    assert IGNORED not in [label for label, kind in trained if kind != "task"]


@pytest.mark.parametrize("kind", FAITHFUL)
def test_every_prompt_of_the_runtime_begins_a_row(kind):
    records = [trajectory(n, method=method) for n, method in enumerate(PARTS)] + [VAAL]
    rows, left_out = build(records, notations, tokenizer(kind), RULES)
    assert not left_out
    for record in records:
        own = [row for row in rows if row.id == record.task.id]
        assert meets(own, prompts(record, record.steps, notations(record.method)), tokenizer(kind))
        assert len(own) == 1 or kind in ("unsplit", "ended") or (record is VAAL and kind == "llama3")


PARTS_OF_TEXT = st.one_of(
    st.text(max_size=40),
    st.text("a1[](): \n\t.,'\"\u00a0\u2028👩‍👩‍👧🏞️éß中ا", max_size=30),
    st.sampled_from(["Finish[12,345]", "Search[ x ]", "Thought 2:", "\nObservation 1:", "  ", "naïve 🏞️ ", "1/3 (a) "]),
)
STEPS = st.lists(st.builds(Step, PARTS_OF_TEXT, PARTS_OF_TEXT, PARTS_OF_TEXT), min_size=1, max_size=4)


@pytest.mark.parametrize("kind", MAKERS)
@settings(max_examples=20, deadline=None)
@given(question=PARTS_OF_TEXT, steps=STEPS, method=st.sampled_from(list(PARTS)))
def test_whatever_the_texts(kind, question, steps, method):
    words = tokenizer(kind)
    record = Trajectory(Task("q", question, ""), method, "toy", tuple(steps), "", 1.0)
    if not PARTS[method][0]:
        record = replace(record, steps=tuple(replace(step, thought="") for step in steps))
    rows, left_out = build([record], notations, words, RULES)
    written = notations(method)
    shown = as_written(record, method)
    if not rows:
        assert left_out[0].reason in ("other text", "unknown character", "special token")
        return
    assert rows[-1].text == text(written.spans(record.task, shown))
    assert rows[-1].labels(LOSSES["whole"])[-1] == words.eos_token_id
    assert meets(rows, prompts(record, shown, written), words)
    if kind == "gpt2":
        (row,) = rows
        assert row.tokens == (*words(row.text, split_special_tokens=True)["input_ids"], words.eos_token_id)
        spans = written.spans(record.task, shown)
        assert set(row.kinds) <= {"start", "end", *(span.kind for span in spans)}
        assert said(row, kind, "task") == spans[0].text


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_gpt2_takes_every_text_that_holds_no_special_token(steps):
    rows, _ = build(
        [Trajectory(Task("q", "Why?", ""), "react", "toy", tuple(steps), "", 1.0)], notations, tokenizer("gpt2"), RULES
    )
    assert rows


def test_over_long_rows_are_listed_with_their_length_and_never_cut():
    records = [trajectory(1), trajectory(2, words=300)]
    rows, (out,) = build(records, notations, tokenizer("gpt2"), Rules(max_length=200))
    assert [row.id for row in rows] == ["t001"]
    assert out.id == "t002" and out.reason == "over-long" and out.tokens > 200
    length = len(rows[0].tokens)
    assert build(records[:1], notations, tokenizer("gpt2"), Rules(length))[0]
    assert not build(records[:1], notations, tokenizer("gpt2"), Rules(length - 1))[0]


def test_unsolved_and_repeated_trajectories_are_left_out():
    records = [trajectory(1), trajectory(1), trajectory(2, reward=0.0), trajectory(3, end="out_of_steps")]
    rows, left_out = build(records, notations, tokenizer("gpt2"), RULES)
    assert [row.id for row in rows] == ["t001"]
    assert [out.reason for out in left_out] == ["duplicate", "unsolved", "unsolved"]
    rows, left_out = build(records, notations, tokenizer("gpt2"), replace(RULES, allow_unsolved=True))
    assert len(rows) == 3 and [out.reason for out in left_out] == ["duplicate"]


def test_a_student_does_not_learn_to_end_where_the_episode_did_not():
    record = trajectory(3, end="out_of_steps")
    row = row_of(record, rules=replace(RULES, allow_unsolved=True))
    assert row.labels(LOSSES["whole"])[-1] == IGNORED


def test_a_record_written_as_another_method():
    act = row_of(VAAL, rules=replace(RULES, method="act"))
    assert "Thought" not in act.text and "Action 3: Finish[Orange]" in act.text
    assert row_of(VAAL, rules=replace(RULES, method="standard")).text.endswith("flow?\nAnswer: Orange")
    (_, (out,)) = build([VAAL], notations, tokenizer("gpt2"), replace(RULES, method="cot"))
    assert out.reason == "another method"
    with pytest.raises(Mistake, match="unknown method to train 'cot_sc'; did you mean 'cot'"):
        as_written(replace(VAAL, method="cot_sc"), "cot_sc")


def test_a_combined_record_is_trained_as_the_method_that_wrote_its_steps():
    steps = (Step("It flows west.", "Finish[Orange]"),)
    voted = replace(VAAL, method="react_to_cot_sc", steps=steps, provenance={"from": "cot"})
    acted = replace(VAAL, method="react_to_cot_sc", provenance={"from": "react"})
    row = row_of(voted, rules=replace(RULES, method="cot"))
    assert row == row_of(replace(VAAL, method="cot", steps=steps))
    for record, method in ((voted, "react"), (voted, "act"), (acted, "cot")):
        _, (out,) = build([record], notations, tokenizer("gpt2"), replace(RULES, method=method))
        assert out.reason == "another method"
    assert row_of(acted, rules=replace(RULES, method="act")) == row_of(VAAL, rules=replace(RULES, method="act"))


def test_a_tokenizer_without_offsets_or_end_is_a_mistake():
    class Slow:
        is_fast, name_or_path = False, "old"

    with pytest.raises(Mistake, match="Slow of old is a slow tokenizer"):
        build([VAAL], notations, Slow(), RULES)

    class Endless(Slow):
        is_fast, eos_token_id = True, None

    with pytest.raises(Mistake, match="has no EOS token"):
        build([VAAL], notations, Endless(), RULES)


@cache
def embedded():
    """The tokenizer of the embedded model."""
    from train.base import open_base

    try:
        return open_base("smollm2")[1]
    except ValueError as error:
        pytest.skip(str(error))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(question=PARTS_OF_TEXT, steps=STEPS, method=st.sampled_from(list(PARTS)))
def test_the_embedded_model_takes_every_text_that_it_can_write(question, steps, method):
    """It has no tokens for the bytes of characters beyond plane 3, and leaves these bytes out without a word."""
    words = embedded()
    record = Trajectory(Task("q", question, ""), method, "toy", tuple(steps), "", 1.0)
    rows, left_out = build([record], notations, words, RULES)
    if not rows:
        assert left_out[0].reason == "other text"
        assert any(ord(letter) > 0x3FFFF for step in steps for letter in step.thought + step.action)
        return
    (row,) = rows
    if PARTS[method][0]:
        assert meets([row], prompts(record, as_written(record, method), notations(method)), words)


EXPERTS = {name: Path(__file__).parents[1] / "data" / name / "demonstrations.jsonl.gz" for name in environments.names()}


@cache
def shown(name):
    return tuple(islice(read(EXPERTS[name]), 5))


@pytest.mark.parametrize("name", EXPERTS)
def test_the_embedded_demonstrations_name_their_environment(name):
    assert {record.provenance["environment"] for record in read(EXPERTS[name])} == {name}


@pytest.mark.parametrize("name", EXPERTS)
@pytest.mark.parametrize("other", EXPERTS)
def test_a_record_that_names_no_environment_is_told_by_its_actions(name, other):
    """FEVER's actions are HotpotQA's: there no more can be known than that it says nothing."""
    bare = [replace(record, provenance={}, method="act") for record in shown(other)]
    rows, left_out = build(bare, of(name), tokenizer("gpt2"), Rules(100_000, environment=name))
    if name == other or {name, other} == {"hotpotqa", "fever"}:
        assert not left_out and all(UNNAMED in row.notes for row in rows)
    else:
        assert not rows and {out.reason for out in left_out} == {"another environment"}
        assert (
            f"and its actions, such as {bare[0].steps[0].action or bare[0].steps[1].action!r}, are"
            in left_out[0].detail
        )
    rows, left_out = build(shown(other), of(name), tokenizer("gpt2"), Rules(100_000, environment=name))
    assert bool(left_out) == (name != other) and not any(UNNAMED in row.notes for row in rows)


def test_one_invalid_action_is_no_other_environments():
    record = replace(shown("webshop")[0], provenance={})
    record = replace(record, steps=(Step("", "Search[a]", "Invalid action!"), *record.steps))
    assert build([record], of("webshop"), tokenizer("gpt2"), Rules(100_000, environment="webshop"))[0]
    assert environments.can_be_of("alfworld", ["go to desk 1", "Search[a]"]) and environments.can_be_of("fever", [])
