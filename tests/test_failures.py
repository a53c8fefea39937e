"""A first opinion on trajectories made by hand, each with the step and the words that it rests on."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.failures import CLASSES, FAILURE, SUCCESS, ambiguity, opinion, outcome
from react import environments
from react.environments.wikipedia.tools import mishap
from react.trajectory import Step, Task, Trajectory
from tests.test_metrics import BRIDGE, HAND, STEPS, TRIED

# Of the trajectories that the rates are worked out for, in their order.
OPINIONS = """true positive, true positive, true positive, true positive, false positive, false positive,
reasoning error, loop, reasoning error, true positive, true positive, true positive, true positive, false positive,
search result error, true positive, false positive, true positive, true positive, search result error"""


@pytest.mark.parametrize("number", range(20), ids=[f"{i}-{code}" for i, (code, _) in enumerate(HAND)])
def test_the_twenty_trajectories(number):
    wanted = " ".join(OPINIONS.split()).split(", ")
    found = opinion(TRIED[number], mishap)
    assert found.label == wanted[number], found
    assert found.label in CLASSES[outcome(TRIED[number])] and found.reason
    assert 0 <= found.step <= len(TRIED[number].steps)


def tried(code: str, answer: str, **changes) -> Trajectory:
    task = Task("q", "Where was the designer of the Blue Tower born?", "Lima", BRIDGE)
    steps = (*(STEPS[step] for step in code), Step("", f"Finish[{answer}]"))
    one = Trajectory(task, "react", "m", steps, answer, float(answer == "Lima"))
    return replace(one, **changes)


def thinking(one: Trajectory, thought: str) -> Trajectory:
    return replace(one, steps=(*one.steps[:-1], replace(one.steps[-1], thought=thought)))


@pytest.mark.parametrize(
    ("one", "label", "step", "reason"),
    [
        (tried("TA", "Lima"), "true positive", 2, "bears the answer"),
        (thinking(tried("TA", "Lima"), "Ana Ruiz was born in Lima, so it is Lima."), "true positive", 2, "bears"),
        (thinking(tried("TA", "Lima"), "She moved to Quito in 1950."), "false positive", 3, "'Quito', '1950'"),
        (tried("T", "Lima"), "false positive", 2, "no observation holds 'Lima'"),
        (tried("TA", "Blue Tower"), "reasoning error", 3, "step 2 brought 'Lima', and 'Blue Tower' was handed in"),
        (tried("TA", ""), "reasoning error", 3, "nothing was handed in"),
        (tried("TA", "Quito"), "hallucination", 3, "no observation holds 'Quito'"),
        (thinking(tried("TA", "Ana Ruiz"), "It says Quito."), "hallucination", 3, "read nowhere: 'Quito'"),
        (tried("", "Quito"), "hallucination", 1, "'Quito' was handed in, and nothing was looked at"),
        (tried("", ""), "reasoning error", 1, "nothing was looked at"),
        (tried("T", "Blue Tower"), "search result error", 1, "no observation holds 'Lima'; 0 of 1"),
        (tried("MT", "Blue Tower"), "search result error", 1, "1 of 2 actions brought nothing"),
        (tried("MNMT", "Quito"), "search result error", 3, "3 of 4 actions brought nothing"),
        (tried("TA", "Lima, Peru"), "label ambiguity", 3, "'Lima, Peru' holds 'Lima'"),
        (tried("X", "Quito"), "reasoning error", 1, "no action was one"),
        (tried("MMM", "Quito"), "loop", 3, "the same turn for the third time"),
        (replace(tried("TATA", ""), steps=tried("TATA", "").steps[:4], end="out_of_steps"), "loop", 3, "out of steps"),
    ],
)
def test_an_opinion_has_its_evidence(one, label, step, reason):
    found = opinion(one, mishap)
    assert (found.label, found.step) == (label, step), found
    assert reason in found.reason


def test_the_same_thought_three_times_is_a_loop():
    steps = tuple(Step("I should look for it.", f"Search[{n}]", f"Could not find {n}. Similar: [].") for n in "abc")
    found = opinion(tried("", "", steps=steps, end="out_of_steps"), mishap)
    assert (found.label, found.step, found.reason) == ("loop", 3, "the same thought for the third time")


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("one thousand five hundred", "1,500"),
        ("4 March 1950", "March 4, 1950"),
        ("são paulo", "Sao Paulo"),
        ("He was born in Lima.", "Lima"),
        ("Mondrian", "Piet Mondrian"),
        ("USA", "United States America"),
        ("North Atlantic Treaty Organization", "NATO"),
        ("yes, they were", "yes"),
        ("supported", "SUPPORTS"),
        ("NOT ENOUGH INFORMATION", "NOT ENOUGH INFO"),
    ],
)
def test_a_looser_comparison_finds_it_right(answer, gold):
    task = Task("q", "?", gold)
    assert ambiguity(Trajectory(task, "react", "m", answer=answer))


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("no", "yes"),
        ("REFUTES", "SUPPORTS"),
        ("Tunis", "Tunis Carthage International Airport"),
        ("Quito", "Lima"),
        ("150", "1,500"),
        ("", "Lima"),
        ("!", "Lima"),
        ("yes", "Yes Minister"),
        ("A", "Alabama"),
    ],
)
def test_what_is_wrong_stays_wrong(answer, gold):
    task = Task("q", "?", gold)
    assert not ambiguity(Trajectory(task, "react", "m", answer=answer))


def test_aliases_of_the_data_set_are_right():
    task = Task("q", "?", "Lima", {"aliases": ["City of Kings", 5]})
    assert "City of Kings" in ambiguity(Trajectory(task, "react", "m", answer="the city of kings"))


def thought(said: str, answer: str = "Quito", gold: str = "Lima", method: str = "cot") -> Trajectory:
    task = Task("q", "Where was the designer of the Blue Tower born?", gold)
    return Trajectory(task, method, "m", (Step(said, f"Finish[{answer}]"),), answer, float(answer == gold))


@pytest.mark.parametrize(
    ("one", "label"),
    [
        (thought("It was designed by Ana Ruiz, of Lima.", "Lima"), "true positive"),
        (thought("It was designed by Ana Ruiz.", "Lima"), "false positive"),
        (thought("It was designed by Ana Ruiz, of Quito."), "hallucination"),
        (thought("It must be somewhere."), "reasoning error"),
        (thought("So it is. So it is. So it is."), "loop"),
        (thought("It was in Lima.", "Lima, Peru"), "label ambiguity"),
        (thought("", method="standard"), ""),
        (thought("", "Lima", method="standard"), ""),
        (thought("", "Lima, Peru", method="standard"), "label ambiguity"),
    ],
)
def test_who_looks_at_nothing_is_judged_by_what_is_thought(one, label):
    assert opinion(one, mishap).label == label


def test_of_games_and_shops_only_what_was_done_is_said():
    game = Trajectory(Task("g", "put a mug in desk", ""), "react", "m", (Step("", "look", "A mug 1."),), reward=1.0)
    assert opinion(game, environments.says("alfworld", "mishap")).label == "true positive"
    lost = replace(game, reward=0.5)
    found = opinion(lost, mishap)
    assert (found.label, found.step, found.reason) == ("reasoning error", 0, "it ended finished with reward 0.5")
    assert opinion(replace(lost, steps=game.steps * 3, end="out_of_steps"), mishap).label == "loop"


TEXT = st.text(max_size=12) | st.sampled_from(
    ["Lima", "Search[a]", "Finish[b]", "Could not find a. Similar: [].", "yes"]
)


@given(
    st.lists(st.builds(Step, TEXT, TEXT, TEXT), max_size=5),
    TEXT,
    TEXT,
    st.sampled_from(["finished", "out_of_steps", "out_of_context"]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(["react", "act", "cot", "standard", "cot_sc", "react_to_cot_sc"]),
)
def test_there_is_an_opinion_of_the_outcome_or_none_whatever_the_record_holds(steps, answer, gold, end, reward, method):
    one = Trajectory(Task("q", "?", gold), method, "m", tuple(steps), answer, reward, end)
    found = opinion(one, mishap)
    assert found.label in ("", *CLASSES[outcome(one)]) and found.reason and 0 <= found.step <= len(steps)
    assert not set(SUCCESS) & set(FAILURE)
