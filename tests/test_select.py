"""What is kept depends on the attempts alone: not on their order, nor on tasks further on."""

from collections import Counter
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootstrap.rules import RULES, broken, spelled_out
from bootstrap.screen import Refusal
from bootstrap.select import SPARE, LeftOut, Wanted, paired, reason_against, select
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


@dataclass(frozen=True)
class First:
    """Of the tasks that have something to keep the first `target`, in their order."""

    target: int

    def __call__(self, first):
        return list(first)[: self.target]


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
    selection = select(lambda: attempts, ["correct"], Wanted([f"t{n}" for n in range(5)], First(target)))
    assert list(selection.kept) == expected
    assert sum(selection.removed.values()) == sum(not record.solved for record in attempts)


def test_what_the_infrastructure_failed_is_neither_kept_nor_turned_away():
    selection = select(lambda: [replace(GOOD, end="failed"), GOOD], list(RULES), Wanted(["t"], First(1)))
    assert selection.kept == (GOOD,) and selection.removed == {} and selection.spare == 0


# Attempts that differ in all that rules look at.
NAMED = ["correct", "well_formed", "valid", "unrepeated", "complete", "grounded", "supported", "steps:2"]
ATTEMPT = st.builds(
    lambda id, number, reward, invalid, thought, twice: replace(
        GOOD,
        task=replace(TASK, id=id),
        reward=reward,
        steps=(replace(GOOD.steps[0], thought=thought), *GOOD.steps[: twice + 1], GOOD.steps[1]),
        provenance={"attempt": number, "invalid_actions": invalid, "pages": ["Lesotho", "Maseru"]},
    ),
    st.sampled_from("abcd"),
    st.integers(0, 5),
    st.sampled_from([0.0, 1.0]),
    st.integers(0, 1),
    st.sampled_from(["I look it up.", "I look it up now.", "Something else comes to mind.", "Thought 2: x"]),
    st.integers(0, 1),
)
ATTEMPTS = st.lists(ATTEMPT, max_size=12)
RULE_LISTS = st.lists(st.sampled_from([*NAMED, "clean", "distinct"]), unique=True)
WANTED = st.builds(Wanted, st.permutations("abcd"), st.builds(First, st.integers(1, 4)), st.integers(1, 3))


@given(ATTEMPTS, RULE_LISTS, WANTED, st.randoms())
def test_the_order_of_attempts_changes_nothing(attempts, rules, wanted, random):
    first = select(lambda: attempts, rules, wanted)
    shuffled = random.sample(attempts, len(attempts))
    assert select(lambda: shuffled, rules, wanted) == first


@given(ATTEMPTS, RULE_LISTS, WANTED)
def test_what_was_kept_is_kept_again_whole(attempts, rules, wanted):
    kept = select(lambda: attempts, rules, wanted).kept
    again = select(lambda: kept, rules, wanted)
    assert again.kept == kept and not again.left_out


@given(ATTEMPTS, RULE_LISTS, WANTED)
def test_every_attempt_is_kept_or_left_out_with_a_reason(attempts, rules, wanted):
    selection = select(lambda: attempts, rules, wanted)
    told = [(row.task.id, row.provenance["attempt"]) for row in selection.kept]
    told += [(one.id, one.attempt) for one in selection.left_out]
    assert sorted(told) == sorted((tried.task.id, tried.provenance["attempt"]) for tried in attempts)
    assert all(one.reason in SPARE or one.detail for one in selection.left_out)
    per_task = Counter(row.task.id for row in selection.kept)
    assert len(per_task) <= wanted.earliest.target and all(count <= wanted.per_task for count in per_task.values())
    assert sum(selection.removed.values()) + selection.spare == len(selection.left_out)


@given(ATTEMPTS, st.lists(st.sampled_from([*NAMED, "clean"]), unique=True), st.sampled_from(NAMED))
def test_a_further_rule_never_makes_an_attempt_worth_keeping(attempts, rules, further):
    wanted = Wanted("abcd", First(4), 99)
    fewer = select(lambda: attempts, [*rules, further], wanted).kept
    assert all(row in select(lambda: attempts, rules, wanted).kept for row in fewer)


@given(ATTEMPTS, st.permutations(NAMED))
def test_in_whatever_order_rules_are_named_the_same_is_kept(attempts, rules):
    wanted = Wanted("abcd", First(4), 2)
    assert select(lambda: attempts, rules, wanted).kept == select(lambda: attempts, NAMED, wanted).kept


@given(st.lists(ATTEMPTS, min_size=1, max_size=3), RULE_LISTS, WANTED)
def test_paired_methods_have_the_same_tasks_in_the_same_order(several, rules, wanted):
    found = paired([(lambda attempts=attempts: attempts, rules) for attempts in several], wanted)
    ids = [[row.task.id for row in selection.kept] for selection in found]
    assert all(one == ids[0] for one in ids)
    all_of = replace(wanted, earliest=First(4))
    alone = [select(lambda attempts=attempts: attempts, rules, all_of) for attempts in several]
    solved = [{row.task.id for row in selection.kept} for selection in alone]
    common = [id for id in wanted.order if all(id in one for one in solved)]
    assert list(dict.fromkeys(ids[0])) == common[: wanted.earliest.target]
    beyond = {one.id for selection in found for one in selection.left_out if one.reason == "beyond the target"}
    assert beyond <= {*common} - {*ids[0]}


def test_up_to_k_of_a_task_that_differ_are_kept_the_earliest_first():
    thoughts = [
        "I look it up in the list of towns.",
        "I look it up in the list of towns now.",
        "Lesotho has a capital.",
    ]
    attempts = [
        replace(GOOD, steps=(replace(GOOD.steps[0], thought=thought), GOOD.steps[1]), provenance={"attempt": n})
        for n, thought in enumerate(thoughts)
    ]
    selection = select(lambda: attempts[::-1], ["distinct"], Wanted(["t"], First(1), 2))
    assert [row.provenance["attempt"] for row in selection.kept] == [0, 2]
    assert selection.left_out == (LeftOut("t", 1, "distinct", "much as attempt 0"),)
    assert len(select(lambda: attempts, [], Wanted(["t"], First(1), 3)).kept) == 3
    twice = [attempts[0], attempts[0], attempts[0]]
    assert len(select(lambda: twice, [], Wanted(["t"], First(1), 3)).kept) == 1, "a record that is there twice is one"


def test_what_is_refused_for_its_task_is_left_out_tried_or_not():
    refused = {id: Refusal(id, "uncontaminated", "is one") for id in ("t", "u")}
    selection = select(lambda: [GOOD], ["correct"], Wanted(["t", "u"], First(2), refused=refused))
    assert not selection.kept
    assert selection.left_out == tuple(
        LeftOut(id, number, "uncontaminated", "is one") for id, number in (("t", 0), ("u", None))
    )


@pytest.mark.parametrize(
    ("record", "rule", "detail"),
    [
        (replace(GOOD, reward=0.5, answer="Rome"), "correct", "reward 0.5: 'Rome', not 'Maseru'"),
        (replace(GOOD, reward=0.0, answer="", end="out_of_steps"), "correct", "reward 0, out of steps"),
        (replace(GOOD, steps=(GOOD.steps[0], *GOOD.steps)), "unrepeated", "'Search[Lesotho]' a second time"),
        (but(invalid_actions=2), "valid", "2 invalid"),
        (thinking("So.<|im_end|>"), "well_formed", "step 1 has '<|im_end|>' in it"),
        (replace(GOOD, steps=(Step(" "), GOOD.steps[1])), "well_formed", "step 1 is empty"),
        (but(repaired_calls=1), "complete", "1 read as other words than were written"),
        (replace(GOOD, steps=GOOD.steps[1:]), "grounded", "no observation holds 'maseru'"),
        (but(pages=["Lesotho"]), "supported", "'Maseru' was not opened"),
        (GOOD, "steps:1", "2 steps"),
        (GOOD, "characters:50", "64 characters"),
        (GOOD, "steps:2", ""),
        (GOOD, "characters:64", ""),
    ],
)
def test_a_rule_says_what_breaks_it(record, rule, detail):
    assert broken(record, [rule]) == (rule if detail else "", detail)


def test_clean_is_short_for_three_rules_each_of_which_is_a_reason():
    assert spelled_out(["correct", "clean", "valid"]) == ("correct", "well_formed", "valid", "unrepeated")
