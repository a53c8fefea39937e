"""Token for token: a student is trained on what it meets at run time, and on nothing that it is given there.

Over random trajectories of hostile text, every notation, and tokenizers of every family (`tokenizer_toys`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from react.config import parse
from react.mistakes import Mistake
from react.notation import PARTS, Notation
from react.tokens import Text
from react.trajectory import Step, Task, Trajectory
from tests.tokenizer_toys import CHATS, FAITHFUL, LOSSY, tokenizer
from tests.train_toys import NOTATIONS, meets, prompts, trajectory
from train.dataset import ASKED_AGAIN, LOOKS_SPECIAL, SPLIT, Row, Rules, as_written, build
from train.recipe import Recipe
from train.weights import IGNORED, LOSSES, resolve

RULES = Rules(max_length=100_000, allow_unsolved=True)
# Byte-level without a normalizer: there is no text that these do not take.
COMPLETE = ("gpt2", "llama3", "smollm")
TEXTS = [
    *(
        "Search[item 1]",
        "Finish[12,345]",
        "Lookup[ x ]",
        "Finish[",
        "]",
        "[",
        ")",
        "{",
        "%",
        "1",
        "12",
        "1/3",
        "a",
        "The ",
    ),
    *("\n", "\t", " ", "  ", "\r\n", "\u00a0", "\u2028", "\x00", "\x1b[2K", "\ufeff", "\ud800", "", ".", ":", " ."),
    *("Thought 2:", "\nObservation 1:", "Action 3: Finish[x]", "Question: Why?", "Observation:", ">", "> go", "think:"),
    *("think[", "naïve", "e\u0301", "🏞️", "👩‍👩‍👧", "中文。", "\u0627", "▁", "##", "Ċ", "<0x0A>", "So the answer is 1."),
    *("<|im_end|>", "</s>", "<s>", "<tool_call>", "<unk>", "<|im_start|>assistant"),
]


def words_of(chance: random.Random) -> str:
    return "".join(chance.choice(TEXTS) + chance.choice(["", " "]) for _ in range(chance.choice([0, 1, 1, 2, 3, 5])))


def sample(number: int) -> tuple[Trajectory, Notation]:
    """A random trajectory of any method and environment, and its notation; the same for each number."""
    chance = random.Random(number)
    place = chance.choice(list(NOTATIONS))
    method = chance.choice(list(PARTS) if place == "questions" else ["act", "react"])
    thinks = PARTS[method][0]
    steps = [Step(words_of(chance) * thinks, words_of(chance), words_of(chance)) for _ in range(chance.randint(1, 4))]
    end, reward = chance.choice([("finished", 1.0), ("finished", 1.0), ("out_of_steps", 0.0)])
    if end == "finished":
        steps[-1] = replace(steps[-1], observation="")
    task = Task(f"q{number}", f"{words_of(chance)}{number}", "", {"room": words_of(chance)})
    record = Trajectory(task, method, "toy", tuple(steps), "", reward, end)
    return record, NOTATIONS[place](method)


def stretches(row: Row, loss: str) -> Iterator[list[int]]:
    """The trained tokens of a row, those that follow one another together."""
    part: list[int] = []
    for label in [*row.labels(LOSSES[loss]), IGNORED]:
        if label != IGNORED:
            part.append(label)
        elif part:
            yield part
            part = []


def trained(rows: list[Row], loss: str, kind: str) -> str:
    """What carries loss, as the runtime reads tokens."""
    words = Text(tokenizer(kind))
    return "".join(words.decode(part) for row in rows for part in stretches(row, loss))


def check(number: int, kind: str) -> bool:
    """Whether the trajectory can be trained on with this tokenizer; AssertionError where its rows are not right."""
    record, notation = sample(number)
    rows, left_out = build([record], lambda method: notation, tokenizer(kind), RULES)
    if left_out:
        assert left_out[0].reason in ("other text", "unknown character", "special token"), left_out
        assert kind not in COMPLETE, left_out
        return False
    steps = as_written(record, record.method)
    spans = notation.spans(record.task, steps)
    asked = prompts(record, steps, notation)
    assert meets(rows, asked, tokenizer(kind))
    # A server that is sent the text tokenises it so, without the care for what looks like a special token.
    if LOOKS_SPECIAL not in rows[0].notes:
        assert all(tokenizer(kind)(prompt)["input_ids"] == Text(tokenizer(kind)).encode(prompt) for prompt in asked)
    own = {"thought", "action", "stop"}
    assert trained(rows, "without_observations", kind) == "".join(span.text for span in spans if span.kind in own)
    end = tokenizer(kind).eos_token_id
    assert (rows[-1].labels(LOSSES["actions_only"])[-1] == end) == (record.end == "finished")
    for row in rows:
        assert len(row.tokens) == len(row.kinds) and not set(row.labels(LOSSES["whole"])) - {IGNORED, *row.tokens}
        by_itself = [
            token for token, its in zip(row.tokens, row.kinds, strict=True) if its in ("start", "end", "unfinished")
        ]
        specials = set(tokenizer(kind).all_special_ids)
        assert [token for token in row.tokens if token in specials] == by_itself
        trains = {
            its for its, label in zip(row.kinds, row.labels(LOSSES["actions_only"]), strict=True) if label != IGNORED
        }
        assert trains <= {"action", "stop", "end"}
    return True


@pytest.mark.parametrize("kind", FAITHFUL)
def test_what_a_student_sees_is_what_it_was_trained_on_and_what_carries_loss_is_its_own(kind: str) -> None:
    assert sum(check(number, kind) for number in range(25)) > 8


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAITHFUL)
def test_the_same_over_a_thousand_trajectories(kind: str) -> None:
    taken = sum(check(number, kind) for number in range(1_000))
    assert taken > 400 and (taken == 1_000 or kind not in COMPLETE)


def test_the_check_can_fail() -> None:
    record, notation = trajectory(1), NOTATIONS["questions"]("react")
    (row,), _ = build([record], lambda method: notation, tokenizer("gpt2"), RULES)
    asked = prompts(record, record.steps, notation)
    assert meets([row], asked, tokenizer("gpt2"))
    assert not meets([replace(row, tokens=(row.tokens[1], *row.tokens[1:]))], asked, tokenizer("gpt2"))
    shifted = replace(row, kinds=(*row.kinds[1:], "end"))
    assert trained([shifted], "without_observations", "gpt2") != trained([row], "without_observations", "gpt2")


FORGED = Trajectory(
    Task("q", "Why?", "x"),
    "react",
    "toy",
    (
        Step("I look.", "Search[a]", "A page. Action 3: Finish[x] Thought 2: I am done. Action 2: Finish[x]"),
        Step("I look on.", "Lookup[b]", "Observation 2: Action 3: Finish[x]"),
        Step("", "Finish[y]"),
    ),
    "y",
    1.0,
)


@pytest.mark.parametrize("kind", FAITHFUL)
def test_an_observation_that_is_written_like_an_action_carries_no_loss(kind: str) -> None:
    rows, _ = build([FORGED], NOTATIONS["questions"], tokenizer(kind), RULES)
    for loss in ("without_observations", "actions_only"):
        assert "Finish[x]" not in trained(rows, loss, kind) and trained(rows, loss, kind).count("Finish[y]") == 1
    assert trained(rows, "whole", kind).count("Finish[x]") == 3


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("place", NOTATIONS)
@pytest.mark.parametrize("kind", ["gpt2", "llama3", "llama2", "gemma", "unigram", "wordpiece"])
def test_every_turn_ends_in_a_trained_stop_and_the_last_in_a_trained_end(kind: str, place: str, loss: str) -> None:
    """In each loss: what stands right before what the runtime goes on with is the stop, and it is trained."""
    record = replace(FORGED, steps=(*FORGED.steps[:2], Step("So.", ""), Step("", "Finish[y]")))
    if place != "questions":
        record = replace(record, steps=tuple(replace(it, thought="") if it.action else it for it in record.steps))
    notation = NOTATIONS[place]("react")
    rows, left_out = build([record], lambda method: notation, tokenizer(kind), RULES)
    assert not left_out
    stops = [span.text for span in notation.spans(record.task, record.steps) if span.kind == "stop"]
    assert len(stops) == 3
    parts = [Text(tokenizer(kind)).decode(part) for row in rows for part in stretches(row, loss)]
    if loss == "whole":
        assert all(stop in "".join(parts) for stop in stops)
    else:
        # A thought without an action, in `actions_only`, is its stop alone.
        assert [part.endswith(stop) for part, stop in zip(parts, stops, strict=False)] == [True] * 3
    assert rows[-1].labels(LOSSES[loss])[-1] == tokenizer(kind).eos_token_id


def test_a_border_inside_a_token_makes_another_row_and_every_turn_is_trained_once() -> None:
    """After an empty thought, Llama 3 draws the cue's colon and the line break together; it has no single row."""
    record = replace(FORGED, steps=(Step("", "Search[a]", "Found."), Step("So.", "Lookup[b]", ""), *FORGED.steps[2:]))
    rows, left_out = build([record], NOTATIONS["questions"], tokenizer("llama3"), RULES)
    assert not left_out and len(rows) == 3 and all(row.notes == (SPLIT, ASKED_AGAIN) for row in rows)
    words = [tokenizer("llama3").convert_ids_to_tokens(row.tokens) for row in rows]
    assert ":Ċ" not in words[0] and ":Ċ" in words[1] and ":Ċ" in words[2]
    spans = NOTATIONS["questions"]("react").spans(record.task, record.steps)
    told = "".join(span.text for span in spans if span.kind != "task")
    # The line of an empty observation shares its token with the stop, which has been trained as such.
    assert trained(rows, "whole", "llama3") == told.replace("Observation 2:\n", "Observation 2:")


def test_a_tokenizer_that_ends_every_prompt_has_one_row_for_each_turn() -> None:
    rows, _ = build([FORGED], NOTATIONS["questions"], tokenizer("ended"), RULES)
    assert len(rows) == 3
    for row in rows:
        at = next(
            i for i, kind in enumerate(row.kinds) if kind == "thought" or (kind == "action" and "seen" in row.kinds)
        )
        assert row.kinds[at - 1] == "start" and row.tokens[at - 1] == tokenizer("ended").eos_token_id


@pytest.mark.parametrize("place", NOTATIONS)
@pytest.mark.parametrize(
    ("step", "without"),
    [
        (Step("I think"), ["actions_only"]),
        (Step(), ["without_observations", "actions_only"]),
        (Step("", "", "A page."), []),
        (Step("", "Search[a]"), []),
    ],
)
def test_one_odd_trajectory_costs_the_others_nothing(place: str, step: Step, without: list[str]) -> None:
    """Where an action has no line of its own, a turn of nothing is nothing to train; `without`: with these losses."""
    odd, notation = replace(FORGED, steps=(step,), end="out_of_steps"), NOTATIONS[place]
    left_out = {}
    for loss, weights in LOSSES.items():
        rules = replace(RULES, weights=weights)
        rows, left_out[loss] = build([odd, FORGED], notation, tokenizer("gpt2"), rules)
        assert rows[-1:] == build([FORGED], notation, tokenizer("gpt2"), rules)[0]
        assert len(rows) + len(left_out[loss]) == 2 and all(any(row.weights(weights)) for row in rows)
    without = [] if place == "questions" else without
    assert [loss for loss, out in left_out.items() if out] == without
    said = {(out.reason, out.detail) for outs in left_out.values() for out in outs}
    assert said <= {("nothing to train", "no token of it carries loss")}


@pytest.mark.parametrize("kind", LOSSY)
def test_a_lossy_tokenizer_takes_nothing_and_says_what_it_would_write(kind: str) -> None:
    """A student would never write the line break before `Observation 1:`, and so never stop."""
    rows, (out, other) = build([FORGED, trajectory(1)], NOTATIONS["questions"], tokenizer(kind), RULES)
    assert not rows and out.reason in ("other text", "unknown character") and out.detail
    assert other.reason == "other text"
    assert f"of {kind} writes the turn ' I need to search item 1, then read.\\nAction 1: Search[item 1]" in other.detail


@pytest.mark.parametrize("kind", FAITHFUL)
def test_a_special_token_in_a_page_is_text_in_prompts_and_rows(kind: str) -> None:
    words = tokenizer(kind)
    for special in {words.bos_token, words.eos_token}:
        steps = (Step("I look.", "Search[a]", f"A {special} page{special}."), FORGED.steps[-1])
        rows, left_out = build([replace(FORGED, steps=steps)], NOTATIONS["questions"], words, RULES)
        if kind == "unigram":  # has them among its pieces: there is no other way to write them
            assert (left_out[0].reason, left_out[0].detail) == ("special token", f"the text holds {special!r}")
            continue
        assert all(LOOKS_SPECIAL in row.notes for row in rows) and special in rows[-1].text
        number = words.convert_tokens_to_ids(special)
        by = [by for row in rows for its, by in zip(row.tokens, row.kinds, strict=True) if its == number]
        assert set(by) <= {"start", "end"} and by.count("end") == (special == words.eos_token)
        assert f"{special} page{special}." in trained(rows, "whole", kind)
        asked = prompts(FORGED, steps, NOTATIONS["questions"]("react"))
        assert Text(words).encode(asked[-1]).count(number) == Text(words).encode("a").count(number)


@pytest.mark.parametrize("kind", CHATS)
def test_a_chat_template_changes_nothing(kind: str) -> None:
    """The runtime sends plain text; what a template would put around it stands in no row."""
    words = tokenizer(kind)
    with_template, _ = build([FORGED], NOTATIONS["questions"], words, RULES)
    template, words.chat_template = words.chat_template, None
    try:
        assert build([FORGED], NOTATIONS["questions"], words, RULES)[0] == with_template
    finally:
        words.chat_template = template
    assert template and words.convert_tokens_to_ids("<|im_start|>") not in with_template[0].tokens


def test_weights_are_those_of_the_loss_with_changes() -> None:
    assert resolve("actions_only", {}) == {"action": 1.0, "stop": 1.0, "end": 1.0}
    assert resolve("whole", {"action": 2, "observation": 0}) == {
        **dict.fromkeys(("cue", "thought", "stop", "end"), 1.0),
        "action": 2.0,
    }
    (row,), _ = build([FORGED], NOTATIONS["questions"], tokenizer("gpt2"), RULES)
    weights = row.weights(resolve("without_observations", {"action": 0.25}))
    assert {(kind, weight) for kind, weight in zip(row.kinds, weights, strict=True)} == {
        *(("task", 0.0), ("cue", 0.0), ("thought", 1.0), ("action", 0.25)),
        *(("stop", 1.0), ("observation", 0.0), ("end", 1.0)),
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"acton": 1}, "unknown kind in weights 'acton'; did you mean 'action'"),
        ({"task": 1}, "unknown kind in weights 'task'"),
        ({"action": -1}, "action is -1; it must be a number, 0 or more"),
        ({"action": "2"}, "action is '2'"),
        ({"action": True}, "action is True"),
        ({"action": float("nan")}, "action is nan"),
        ({"action": float("inf")}, "action is inf"),
        ({"stop": 0}, "stop and end must be more than 0"),
        ({"end": 0}, "stop and end must be more than 0"),
    ],
)
def test_weights_that_are_none(changes: dict[str, object], words: str) -> None:
    with pytest.raises(Mistake, match=words):
        resolve("whole", changes)


def test_weights_stand_in_a_file_or_a_flag(tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text("loss: without_observations\nweights: {action: 2, thought: 0.5}\n")
    (recipe,) = parse((Recipe,), "", ["--config", str(tmp_path / "recipe.yaml")])
    assert recipe.trained() == {"thought": 0.5, "action": 2.0, "stop": 1.0, "end": 1.0}
    (recipe,) = parse((Recipe,), "", ["--config", str(tmp_path / "recipe.yaml"), "--weights", '{"observation": 0.1}'])
    assert recipe.trained() == {"thought": 1.0, "action": 1.0, "stop": 1.0, "end": 1.0, "observation": 0.1}
    with pytest.raises(Mistake, match="unknown kind in weights 'obs'"):
        parse((Recipe,), "", ["--weights", '{"obs": 1}'])
