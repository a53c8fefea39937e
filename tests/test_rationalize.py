"""A hint leaves no trace: not in what is kept, and not in what only a hint can have told."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootstrap.rationalize import leak, rationalize
from bootstrap.select import reason_against
from react.exemplars import Exemplar, Exemplars
from react.hints import hinted, unhinted
from react.methods import METHODS, Sampling, Solver, prompts
from react.notation import Numbered
from react.reading import one_line
from react.trajectory import Step, Task, Trajectory
from tests.toys import Said, Toy

TASK = Task("t", "What is the capital of Lesotho?", "Maseru", {"supporting": ["Lesotho"]})
LOOK = Step("I need to search Lesotho.", "Search[Lesotho]", "Lesotho is a country. Its capital is Maseru.")
END = Step("The capital of Lesotho is Maseru.", "Finish[Maseru]")
ASKED = Task("c", "Who is older, Ann or Bo?", "Bo", {"supporting": ["Ann", "Bo"]})
ANN, BO = (
    Step("I search both.", "Search[Ann]", "Ann was born in 1950."),
    Step("Then Bo.", "Search[Bo]", "Born in 1940."),
)


def tried(*steps, task=TASK, pages=("Lesotho",)):
    return Trajectory(task, "react", "m", steps, task.answer, 1.0, provenance={"hinted": True, "pages": list(pages)})


def both(*steps, task=ASKED, pages=("Ann", "Bo")):
    return tried(*steps, task=task, pages=pages)


YES = replace(ASKED, question="Is Bo older than Ann?", answer="yes")
CLAIM = replace(ASKED, question="Bo is older than Ann.", answer="SUPPORTS")


def paris(thought, look, end):
    found = Step(thought, look, "The Eiffel Tower is in Paris.")
    return tried(
        found, Step("So the answer is the Eiffel Tower.", end), task=Task("p", "What is seen?", "Eiffel Tower")
    )


def counted(thought, observation):
    found = Step(f"It has {thought} people.", "Search[Bala]", observation)
    return tried(found, Step("It has 1,500.", "Finish[1,500]"), task=Task("n", "How many?", "1,500"))


AHEAD = "answer ahead of its observation"
ELSEWHERE = "answer is not what the last thought comes to"


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (tried(LOOK, END), ""),
        (tried(LOOK, replace(END, action="Finish[maseru]")), ""),
        (tried(LOOK, replace(END, thought="So the answer is Maseru.")), ""),
        (tried(replace(LOOK, thought="The hint says so."), END), "speaks of a hint"),
        (tried(replace(LOOK, thought="I use the given answer."), END), "speaks of a hint"),
        (tried(LOOK, replace(END, thought="The answer is given: Maseru.")), "speaks of a hint"),
        (tried(LOOK, replace(END, action="Finish[hint]")), "speaks of a hint"),
        (tried(replace(LOOK, thought="The question is hinting at it."), END), "speaks of a hint"),
        (tried(replace(LOOK, thought="It stands in the parentheses."), END), "speaks of a hint"),
        (tried(replace(LOOK, thought="The question says it."), END), "speaks of a hint"),
        (tried(replace(LOOK, thought="I know the expected answer."), END), "speaks of a hint"),
        (tried(LOOK, replace(END, thought="The answer is not Maseru.")), ELSEWHERE),
        (tried(replace(LOOK, thought="Maseru must be its capital."), END), AHEAD),
        (tried(replace(LOOK, thought="MASERU?"), END), AHEAD),
        (tried(replace(LOOK, action="Search[Maseru]"), END), AHEAD),
        (tried(replace(LOOK, observation="Could not find Mas. Similar: ['Maseru']."), END), AHEAD),
        (tried(replace(LOOK, thought="It must be Maséru."), END), AHEAD),
        (paris("I check the Eiffel Tower.", "Search[tower]", "Finish[The Eiffel Tower]"), AHEAD),
        (paris("I look for it.", "Search[Eiffel]", "Finish[Eiffel Tower]"), AHEAD),
        (paris("I look for it.", "Search[Paris]", "Finish[The Eiffel Tower]"), ""),
        (counted("1500", "It has 1,500 people."), AHEAD),
        (counted("many", "It has 1,500 people."), ""),
        (counted("many", "It has 21,500 people."), AHEAD),
        (tried(replace(LOOK, observation="Lesotho is a country."), END), AHEAD),
        (tried(replace(LOOK, observation="Maserus are cars."), END), AHEAD),
        (tried(LOOK, replace(END, thought="So the answer is Rome.")), ELSEWHERE),
        (tried(LOOK, replace(END, thought="I should look further.")), ELSEWHERE),
        (both(ANN, BO, Step("1940 is earlier, so Bo is older.", "Finish[Bo]")), ""),
        (both(ANN, Step("Bo is older.", "Finish[Bo]"), pages=["Ann"]), "not supported"),
        (both(ANN, BO, Step("Bo it is.", "Finish[Bo]"), task=replace(ASKED, extra={})), "not supported"),
        (both(ANN, BO, Step("So the answer is Ann.", "Finish[Bo]")), ELSEWHERE),
        (both(ANN, BO, Step("So the answer is yes.", "Finish[yes]"), task=YES), ""),
        (both(ANN, BO, Step("Bo is from 1940.", "Finish[yes]"), task=YES), ELSEWHERE),
        (both(ANN, Step("So the answer is yes.", "Finish[yes]"), task=YES, pages=["Ann"]), "not supported"),
        (both(ANN, BO, Step("1940 is before 1950, so the claim is true.", "Finish[SUPPORTS]"), task=CLAIM), ""),
        (both(ANN, Step("The claim is true.", "Finish[SUPPORTS]"), task=CLAIM, pages=["Ann"]), "not supported"),
        (tried(replace(LOOK, thought=""), replace(END, thought="")), ""),  # Act
        (tried(Step("Maseru governs Lesotho. So the answer is Maseru.", "Finish[Maseru]")), ""),  # CoT
        (tried(Step("Lesotho is governed from Maseru, so the answer is Maseru.", "Finish[Maseru]")), ""),  # CoT
        (tried(Step("It's Maseru. So the answer is Maseru.", "Finish[Maseru]")), "answer without reasoning"),
        (tried(Step("Hm. So the answer is yes.", "Finish[yes]"), task=YES), "answer without reasoning"),
        (both(ANN, BO, Step("So the answer is yes.", "Finish[yes.]"), task=YES), ""),
        (both(ANN, Step("So the answer is yes.", "Finish[yes.]"), task=YES, pages=["Ann"]), "not supported"),
        (tried(Step("So the answer is Maseru.", "Finish[Maseru]")), "answer without reasoning"),
        (tried(Step("It is a country. So the answer is Maseru.", "Finish[Maseru]")), "answer without reasoning"),
        (tried(Step("", "Finish[Maseru]")), "answer without reasoning"),  # Standard
        (tried(), "answer without reasoning"),
    ],
)
def test_what_only_a_hint_can_have_told_is_found(record, found):
    assert leak(record) == found
    assert reason_against(record, []) == (f"hinted: {found}" if found else "")
    assert not reason_against(replace(record, provenance={}), []), "without a hint nothing is asked of it"


@given(st.text(), st.text().filter(str.strip))
def test_a_hint_is_one_line_and_can_be_taken_off_again(question, answer):
    told = hinted(Task("t", question, answer)).question
    assert "\n" not in told and unhinted(told) == one_line(question)


@given(st.text())
def test_a_question_without_a_hint_stays_as_it_is(question):
    assert unhinted(question) == question or " (Hint: " in question


def test_a_task_without_an_answer_cannot_be_hinted():
    with pytest.raises(ValueError, match="'t' has no answer"):
        hinted(Task("t", "Put a mug on a desk.", " "))


def test_the_teacher_sees_hints_and_the_record_has_none():
    example = Exemplar(TASK, (LOOK, END), reasoning="")
    toy, model = Toy(), Said(lambda request: " I say it.\nAction 1: Finish[7]")
    prompt = prompts(METHODS["react"], toy, Exemplars("Answer.", (example,)), 1, "", hints=True)
    task = toy.tasks("")[7]
    record = rationalize(Solver(METHODS["react"], toy, model, prompt), task, Sampling(attempt=3))
    (asked,) = model.asked
    plain = example.written(Numbered("Question"), actions=True)
    told = plain.replace("Lesotho?\n", "Lesotho? (Hint: Maseru)\n", 1)
    assert asked.prompt == f"Answer.\n{told}\nQuestion: Which number is 7? (Hint: 7)\nThought 1:"
    assert record.task == task and record.solved and record.provenance["hinted"] and record.provenance["attempt"] == 3
