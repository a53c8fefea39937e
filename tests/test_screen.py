"""No item of an evaluation is learned from, however it is written; other questions of the same form are."""

import json
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bootstrap.likeness import HOLDS, LIKE, SAME, WITHIN, known
from bootstrap.screen import HeldOut, Item, held_out, screen
from react import environments
from react.trajectory import Task
from react.wording import holds, words

DEV = [
    "Which river runs through the capital of the country that borders both Laos and Thailand?",
    "Who is older, Ada Lovelace or Charles Babbage?",
    "Issa Rae created Awkward Black Girl.",
    "In what year did the team that won the cup final at the old stadium of the northern town play its first match?",
    "Is Lesotho larger than Eswatini?",
]
TRAIN = [f"Which river runs through the capital of the country that borders {name}?" for name in ("Mali", "Chad")]
HELD = HeldOut([Item("dev", f"d{n}", text) for n, text in enumerate(DEV)], [Task(t, t, "") for t in TRAIN])


@pytest.mark.parametrize(
    ("question", "how"),
    [
        (DEV[0].upper(), SAME),
        ("Is Lesotho, larger than Eswatini", SAME),
        ("is the lesotho larger than eswatini ?!", SAME),
        ("Ｉｓ Ｌｅｓｏｔｈｏ larger than Eswatini", SAME),  # noqa: RUF001
        ("Is Les\u00adotho larger than Es\u200bwatini?", SAME),
        ("Awkward Black Girl was created by Issa Rae.", None),
        ("Who is older, Charles Babbage or Ada Lovelace?", LIKE),
        ("Which river runs through the capital of that country that borders both Thailand and Laos?", LIKE),
        ("Tell me this: who is older, Ada Lovelace or Charles Babbage? Answer at once.", HOLDS),
        ("I was told that Issa Rae created Awkward Black Girl. Is it true?", HOLDS),
        ("What was it called? " + DEV[3].replace("play its first match", "get its own ground in the east"), HOLDS),
        ("runs through the capital of the country that borders both Laos", WITHIN),
        (TRAIN[0], None),
        ("Who is older, Ada Byron or Charles Darwin?", None),
        ("Issa Rae created it.", None),
        ("Is Ghana larger than Togo?", None),
        ("", None),
    ],
)
def test_what_is_an_item_of_the_evaluation_and_what_is_not(question, how):
    refusal = HELD.refusal(Task("t", question, "x"))
    assert how in refusal.detail if how else refusal is None, refusal


def test_an_id_is_enough():
    assert "has the id of an item of dev" in HELD.refusal(Task("d3", "Something else?", "x")).detail


GAP = st.sampled_from(
    [*" \t\n\u00a0\u2003", *(f" {mark} " for mark in string.punctuation), " -- ", "\u200b ", '" ', " ("]
)
CASE = st.sampled_from([str.upper, str.lower, str.title, str.swapcase, str])


@given(st.sampled_from(DEV) | st.text(min_size=1).filter(words), st.data())
def test_no_change_of_case_spaces_or_punctuation_brings_an_item_into_the_training_set(text, data):
    held = HeldOut([Item("dev", "d", text), Item("dev", "e", "Another question altogether?")])
    changed = "".join(data.draw(GAP) + data.draw(CASE)(part) for part in text.split()) + data.draw(GAP)
    assert screen([Task("t", changed, "x")], ["uncontaminated"], held).tasks == []


@given(st.lists(st.text("abc ", min_size=3, max_size=30), min_size=1, max_size=8), st.text("abc ", max_size=30))
def test_what_is_found_by_rare_words_is_what_comparing_with_all_finds(questions, question):
    there = known([*questions, question])
    for one in questions:
        there.add(one)
    bag = there._bag(question)
    alike = [n for n, other in enumerate(there._bags) if there._likeness(bag, other) >= 0.85]
    assert set(alike) <= there._alike(bag) or not bag.words


def test_twins_are_refused_where_they_have_one_answer_and_the_first_stays():
    tasks = [
        Task("a", "Is the Tigris or the Krishna the longer river?", "Tigris"),
        Task("b", "Is the Krishna or the Tigris the longer river?", "tigris"),
        Task("c", "Is the Krishna or the Tigris the longer river?", "Krishna"),
        Task("d", "Put a mug on the desk.", ""),
        Task("e", "Put a mug on the desk.", ""),
    ]
    screened = screen(tasks, ["distinct"], HeldOut([]))
    assert [task.id for task in screened.tasks] == ["a", "c", "d", "e"] and screened.order == list("abcde")
    assert screened.refused["b"].detail.endswith("is nearly a: 'Is the Tigris or the Krishna the longer river?'")


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("a.json", [{"question": "Is Lesotho larger than Eswatini?"}]),
        ("a.jsonl", [{"id": 7, "claim": "Is Lesotho larger than Eswatini"}]),
        ("a.jsonl", [{"task": {"id": "x", "question": "Is Lesotho larger than Eswatini", "answer": ""}, "steps": []}]),
    ],
)
def test_items_come_from_files_of_any_kind(tmp_path, name, rows):
    text = json.dumps(rows) if name.endswith("json") else "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / name).write_text(text)
    held = held_out(environments.load("webshop"), "train", [str(tmp_path / name)])
    assert held.places == {"webshop test": 100, "webshop dev": 100, name: 1}
    assert held.refusal(Task("t", "is lesotho larger than eswatini", "x"))


def test_a_file_without_questions_is_a_mistake_with_its_place(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"question": "x"}\n{"answer": "y"}\n')
    with pytest.raises(ValueError, match=r"a\.jsonl:2: no question to hold out"):
        held_out(environments.load("alfworld"), "train", [str(tmp_path / "a.jsonl")])


@pytest.mark.parametrize("name", ["hotpotqa", "fever", "alfworld", "webshop"])
def test_the_embedded_training_tasks_are_hardly_ever_taken_for_what_is_evaluated_on(name):
    environment = environments.load(name)
    tasks = environment.tasks("train")[:800]
    held = held_out(environment, "train", [])
    assert held.items and len(screen(tasks, ["uncontaminated"], held).refused) <= 1
    some = [task for split in environment.held_out for task in environment.tasks(split)][:50]
    assert not screen(some, ["uncontaminated"], held).tasks


@given(st.integers(0, 10**12 - 1))
def test_a_number_is_the_same_in_words_in_digits_and_grouped(number):
    assume(number > 3)
    assert words(spelled(number)) == words(str(number)) == words(f"{number:,}") == [str(number)]
    assert holds(f"There are {spelled(number)} of them.", f"{number:,}")


ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
ONES += ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number: int) -> str:
    for name, size in (("billion", 10**9), ("million", 10**6), ("thousand", 1000), ("hundred", 100)):
        if number >= size:
            rest = number % size
            joint = " and " if name == "hundred" else " "
            return f"{spelled(number // size)} {name}{joint + spelled(rest) if rest else ''}"
    if number < 20:
        return ONES[number]
    return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")


def test_small_numbers_that_count_nothing_stay_words_and_years_are_read():
    assert words("One of the two") == ["one", "of", "two"]
    assert words("nineteen eighty-four") == ["1984"] and words("ten seven") == ["10", "7"]
