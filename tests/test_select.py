"""What is kept depends on the attempts alone: not on their order, nor on tasks further on."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootstrap.rules import RULES
from bootstrap.select import Wanted, reason_against, select
from react.trajectory import Step, Task, Trajectory

TASK = Task("t", "Which town?", "Maseru", {"supporting": ["Lesotho", "Maseru"]})
GOOD = Trajectory(
    TASK,
    "react",
    "m",
    (Step("a", "Search[Lesotho]", "Its capital is Maseru."), Step("b", "Finish[maseru]")),
    "maseru",
    1.0,
    provenance={"attempt": 0, "pages": ["Lesotho", "Maseru"], "invalid_actions": 0, "bad_calls": 0, "cut_calls": 0},
)


def but(**provenance):
    return replace(GOOD, provenance={**GOOD.provenance, **provenance})


def thinking(thought):
    return replace(GOOD, steps=(replace(GOOD.steps[0], thought=thought), GOOD.steps[1]))


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (GOOD, ""),
        (replace(GOOD, reward=0.0), "correct"),
        (replace(GOOD, end="failed"), "correct"),
        (but(invalid_actions=1), "valid"),
        (replace(GOOD, steps=(GOOD.steps[0], *GOOD.steps)), "unrepeated"),
        (thinking("a Thought 2: b"), "well_formed"),
        (thinking("THOUGHT 2: then"), "well_formed"),
        (thinking("thought 2: x"), "well_formed"),
        (thinking("x Action 2 : y"), "well_formed"),
        (thinking("x **Action2**: y"), "well_formed"),
        (thinking("Action: Search[x]"), "well_formed"),
        (thinking("I look. Observation: x"), "well_formed"),
        (thinking("I look\n**Action:** x"), "well_formed"),
        (thinking("The next action: search x. In action 2 I did that: nothing."), ""),
        (but(bad_calls=1), "complete"),
        (but(cut_calls=1), "complete"),
        (replace(GOOD, steps=(replace(GOOD.steps[0], observation="Its capital."), GOOD.steps[1])), "grounded"),
        (replace(GOOD, steps=GOOD.steps[1:]), "grounded"),
        (
            replace(GOOD, steps=(replace(GOOD.steps[0], observation="Could not find Leso. Similar: ['Maseru']."),)),
            "grounded",
        ),
        (replace(GOOD, steps=(replace(GOOD.steps[0], observation="In MASÉRU, it  is."), GOOD.steps[1])), ""),
        (replace(GOOD, steps=()), "well_formed"),
        (but(pages=["Lesotho"]), "supported"),
        (but(pages=None), "supported"),
        (but(pages=5), "supported"),
        (but(pages="Lesotho Maseru"), "supported"),
        (but(pages=[["Lesotho"], ["Maseru"]]), "supported"),
        (replace(GOOD, task=replace(TASK, extra={"supporting": 5})), "supported"),
        (replace(GOOD, task=replace(TASK, extra={"supporting": [["Lesotho"]]})), "supported"),
        (replace(GOOD, task=replace(TASK, extra={"supporting": None})), ""),
    ],
)
def test_each_rule_turns_away_what_it_is_for(record, reason):
    assert reason_against(record, list(RULES)) == reason


def test_a_yes_or_no_is_grounded_when_anything_was_observed():
    steps = (GOOD.steps[0], Step("b", "Finish[yes]"))
    assert not RULES["grounded"](replace(GOOD, steps=steps)) and RULES["grounded"](replace(GOOD, steps=steps[1:]))


def attempts_at(n):
    return st.lists(st.booleans(), max_size=3).map(
        lambda solved: [
            replace(GOOD, task=replace(TASK, id=f"t{n}"), reward=float(yes), provenance={"attempt": k})
            for k, yes in enumerate(solved)
        ]
    )


@given(st.tuples(*map(attempts_at, range(5))), st.integers(1, 5), st.randoms())
def test_the_kept_are_the_first_solved_in_order_whatever_came_first(tasks, target, random):
    attempts = [record for task in tasks for record in task]
    expected = [next((r for r in task if r.solved), None) for task in tasks]
    expected = [record for record in expected if record][:target]
    random.shuffle(attempts)
    selection = select(lambda: attempts, ["correct"], Wanted([f"t{n}" for n in range(5)], target))
    assert list(selection.kept) == expected
    assert sum(selection.removed.values()) == sum(not record.solved for record in attempts)


def test_what_the_infrastructure_failed_is_neither_kept_nor_turned_away():
    selection = select(lambda: [replace(GOOD, end="failed"), GOOD], list(RULES), Wanted(["t"], 1))
    assert selection.kept == (GOOD,) and selection.removed == {} and selection.spare == 0
