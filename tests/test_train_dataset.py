"""Rows of a student: what is trained, what is left out, and that the student meets the same tokens at run time."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react.config import Mistake
from react.environments.hotpotqa import notation
from react.notation import PARTS, context, text
from react.trajectory import Step, Task, Trajectory
from tests.train_toys import MAKERS, tokenizer, trajectory
from train.dataset import IGNORED, Row, Rules, Unfit, as_written, build, prove, runtime_prompts, tokenise

GOLDEN = Path(__file__).parent / "golden"
RULES = Rules(max_length=4096)
BYTE_LEVEL = ("gpt2", "llama3")


def notations(method):
    thoughts, actions = PARTS[method]
    return notation(thoughts=thoughts, actions=actions)


def row_of(record, kind="gpt2", rules=RULES):
    (row,), left_out = build([record], notations, tokenizer(kind), rules)
    assert not left_out
    return row


def said(row, kind, *kinds):
    """The text of the tokens of `kinds`."""
    words = tokenizer(kind)
    return words.decode([token for token, its in zip(row.tokens, row.kinds, strict=True) if its in kinds])


def table(row: Row, kind: str) -> str:
    """A row as a person reads it: `+` before what both losses train, `o` before what only `whole` does."""
    whole, without = row.labels("whole"), row.labels("without_observations")
    marks = ["+" if b != IGNORED else "o" if a != IGNORED else "-" for a, b in zip(whole, without, strict=True)]
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
def test_golden_rows(kind, method):
    record = VAAL if method != "cot" else replace(VAAL, method="cot", steps=(Step("It flows west.", "Finish[Orange]"),))
    shown = (
        record.steps if kind == "gpt2" else tuple(replace(step, thought=step.thought or "So.") for step in record.steps)
    )
    row = row_of(replace(record, steps=shown), kind, replace(RULES, method=method))
    path = GOLDEN / f"train_row_{method}_{kind}.txt"
    assert table(row, kind) == path.read_text(encoding="utf-8")


def test_the_task_is_never_trained_and_the_rest_is():
    row = row_of(VAAL)
    assert said(row, "gpt2", "task") == "Question: Into which river does the Vaal flow?\n"
    assert IGNORED not in [label for label, kind in zip(row.labels("whole"), row.kinds, strict=True) if kind != "task"]


def test_without_observations_still_learns_to_stop_and_to_end():
    row = row_of(VAAL)
    labels = row.labels("without_observations")
    trained = tokenizer("gpt2").decode([label for label in labels if label != IGNORED])
    assert "]\nObservation 1:Thought 2:" in trained
    assert "906" not in trained
    assert labels[-1] == tokenizer("gpt2").eos_token_id


def test_a_token_over_a_border_is_trained_unless_it_holds_some_of_the_task():
    """Llama 3 joins a closing bracket with the line break, and the colon of an empty observation with the next."""
    steps = (Step("So.", "Lookup[flows]", ""), Step("So.", "Finish[Orange]"))
    row = tokenise(VAAL, notations("react").spans(VAAL.task, steps), tokenizer("llama3"))
    words = tokenizer("llama3").convert_ids_to_tokens(row.tokens)
    assert "]Ċ" in words
    assert row.kinds[words.index(":Ċ")] == "stop"


@pytest.mark.parametrize("kind", MAKERS)
def test_every_prompt_of_the_runtime_is_a_prefix_or_the_row_is_left_out(kind):
    records = [trajectory(n, method=method) for n, method in enumerate(PARTS)] + [VAAL]
    rows, left_out = build(records, notations, tokenizer(kind), RULES)
    assert len(rows) + len(left_out) == len(records)
    if kind in ("gpt2", "llama3"):
        assert len(rows) == len(records) - (kind == "llama3")
    if kind == "bert":
        assert not rows  # its tokenizer ends every prompt with a token of its own
    for row in rows:
        record = next(record for record in records if record.task.id == row.id)
        for _, prompt in runtime_prompts(record, record.steps, notations(record.method)):
            tokens = tuple(tokenizer(kind)(prompt, split_special_tokens=True)["input_ids"])
            assert row.tokens[: len(tokens)] == tokens


def test_a_row_that_the_runtime_would_tokenise_otherwise_is_refused_by_name_and_step():
    """After an empty thought, Llama 3 draws the cue's colon and the line break together."""
    (_, (out,)) = build([VAAL], notations, tokenizer("llama3"), RULES)
    assert out.id == "q1" and out.reason == "token border"
    assert "llama3" in out.detail and "before step 3" in out.detail


PARTS_OF_TEXT = st.one_of(
    st.text(max_size=40),
    st.text("a1[](): \n\t.,'\"\u00a0\u2028👩‍👩‍👧🏞️éß中ا", max_size=30),
    st.sampled_from(["Finish[12,345]", "Search[ x ]", "Thought 2:", "\nObservation 1:", "  ", "naïve 🏞️ ", "1/3 (a) "]),
)
STEPS = st.lists(st.builds(Step, PARTS_OF_TEXT, PARTS_OF_TEXT, PARTS_OF_TEXT), min_size=1, max_size=4)


@pytest.mark.parametrize("kind", MAKERS)
@settings(max_examples=60, deadline=None)
@given(question=PARTS_OF_TEXT, steps=STEPS, method=st.sampled_from(list(PARTS)))
def test_whatever_the_texts(kind, question, steps, method):
    words = tokenizer(kind)
    record = Trajectory(Task("q", question, ""), method, "toy", tuple(steps), "", 1.0)
    rows, left_out = build([record], notations, words, RULES)
    written = notations(method)
    shown = as_written(record, method)
    if not rows:
        assert left_out[0].reason in ("token border", "unknown character", "special token")
        return
    (row,) = rows
    assert row.text == text(written.spans(record.task, shown))
    assert row.tokens == (*words(row.text, split_special_tokens=True)["input_ids"], words.eos_token_id)
    assert row.labels("whole")[-1] == words.eos_token_id
    for i in range(1, len(shown) + 1):
        prompt = context(written, record.task, shown[: i - 1])
        tokens = words(prompt, split_special_tokens=True)["input_ids"]
        assert list(row.tokens[: len(tokens)]) == tokens
    if kind in BYTE_LEVEL:
        spans = written.spans(record.task, shown)
        assert set(row.kinds) <= {"start", "end", *(span.kind for span in spans)}
        assert said(row, kind, "task").replace("<s>", "") in spans[0].text
        everything = words.decode(row.tokens[:-1], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        assert everything == row.text


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_gpt2_takes_every_text_that_holds_no_special_token(steps):
    rows, _ = build(
        [Trajectory(Task("q", "Why?", ""), "react", "toy", tuple(steps), "", 1.0)], notations, tokenizer("gpt2"), RULES
    )
    assert rows


SPECIAL = replace(VAAL, steps=(Step("So", "Search[x]", "the end </s> of"), VAAL.steps[2]))


def test_text_that_looks_like_a_special_token_stays_text():
    row = row_of(SPECIAL)
    assert row.tokens.count(tokenizer("gpt2").eos_token_id) == 1
    assert "the end </s> of" in said(row, "gpt2", "observation")


def test_text_that_would_become_a_special_token_all_the_same_is_refused():
    """A unigram model has its special tokens among its pieces."""
    record = trajectory(
        1, steps=(Step("I need to read.", "Search[item 1]", "Item </s> is a thing."), Step("", "Finish[1]"))
    )
    (_, (out,)) = build([record], notations, tokenizer("unigram"), RULES)
    assert (out.reason, out.detail) == ("special token", "the text holds '</s>'")


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
    assert row.labels("whole")[-1] == IGNORED


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


def test_the_proof_can_fail():
    """A row of other tokens than the runtime's is noticed."""
    words = tokenizer("gpt2")
    row = tokenise(VAAL, notations("react").spans(VAAL.task, VAAL.steps), words)
    wrong = replace(row, tokens=(row.tokens[1], *row.tokens[1:]))
    with pytest.raises(Unfit, match="before step 1"):
        prove(wrong, runtime_prompts(VAAL, VAAL.steps, notations("react")), words)


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
def test_the_embedded_model_takes_every_text(question, steps, method):
    words = embedded()
    record = Trajectory(Task("q", question, ""), method, "toy", tuple(steps), "", 1.0)
    rows, left_out = build([record], notations, words, RULES)
    assert rows, left_out
