"""Every exemplar file is played in its environment, and the prompts that come of it are kept as text to review."""

import json
from collections import Counter
from dataclasses import replace
from itertools import permutations
from math import factorial
from pathlib import Path

import pytest

from react import environments, exemplars
from react.environments.household.play import NOTHING
from react.methods import SINGLE, prompts
from react.mistakes import Mistake
from react.trajectory import Task

GOLDEN = Path(__file__).parent / "golden"
NAMES = environments.names()
# As many as the paper shows (appendix C), and of which kind.
SHOTS = {"hotpotqa": 6, "fever": 3, "alfworld": 2, "webshop": 1}
BY = {"alfworld": "kind"}
TASK = Task("t", "q", "a", {"kind": "heat"})
# The methods that the exemplars of each environment are written for.
SHOWN = {name: [method for method in SINGLE if method != "react_im"] for name in NAMES}
SHOWN["alfworld"] = ["act", "react", "react_im"]
SHOWN["webshop"] = ["act", "react"]
PROMPTS = [(name, method) for name in NAMES for method in SHOWN[name]]


@pytest.fixture(scope="module", params=NAMES)
def environment(request):
    return environments.load(request.param)


@pytest.fixture(scope="module", params=["hotpotqa", "fever"])
def questions(request):
    """The environments that ask: one hands in an answer."""
    return environments.load(request.param)


def test_there_are_environments():
    assert {"hotpotqa", "fever", "alfworld", "webshop"} <= set(NAMES)


def test_each_exemplar_earns_its_reward_with_the_observations_that_it_shows(environment):
    shots, notation = exemplars.load(exemplars.of(environment.name)), environment.notation(thoughts=True, actions=True)
    assert len(shots.examples) >= SHOTS[environment.name]
    for example in shots.examples:
        episode = environment.start(example.task)
        for step in example.steps[:-1]:
            observation = episode.act(notation.command(step))
            assert (observation.text, observation.done) == (step.observation, False), step
            assert observation.valid or step.observation == NOTHING
        last = episode.act(notation.command(example.steps[-1]))
        assert last.done and last.reward == 1.0, example.task


def test_what_is_asked_is_thought_about_before_each_step(questions):
    for example in exemplars.load(exemplars.of(questions.name)).examples:
        assert all(step.thought for step in example.steps) and example.reasoning


def test_exemplars_are_never_dev_tasks_and_right_where_they_are_train_ones(questions):
    train, dev = ({task.question: task.answer for task in questions.tasks(split)} for split in ("train", "dev"))
    for example in exemplars.load(exemplars.of(questions.name)).examples:
        assert example.task.question not in dev
        assert train.get(example.task.question, example.task.answer) == example.task.answer


def test_three_games_of_each_kind_are_shown_and_are_never_asked():
    environment, shots = environments.load("alfworld"), exemplars.load(exemplars.of("alfworld"))
    games = {task.id: task for task in environment.tasks("exemplars")}
    assert [example.task.id for example in shots.examples] != sorted(games)  # by kind, as kinds are called
    assert {example.task.id for example in shots.examples} == set(games)
    for example in shots.examples:
        task = games[example.task.id]
        assert (example.task.question, example.task.extra["room"]) == (task.question, task.extra["room"])
        assert example.kind == task.extra["kind"] and 4 <= len([s for s in example.steps if s.action]) <= 18
    counts = Counter(example.kind for example in shots.examples)
    assert counts == dict.fromkeys(("put", "clean", "heat", "cool", "examine", "puttwo"), 3)


def test_thoughts_are_sparse_and_those_of_inner_monologue_dense_and_no_more_than_goal_and_subgoal():
    for example in exemplars.load(exemplars.of("alfworld")).examples:
        thoughts = [step.thought for step in example.steps if step.thought]
        assert 2 <= len(thoughts) <= 5 and example.steps[0].thought
        assert not any(step.thought and step.action for step in example.steps)
        said = [step.thought for step in example.monologue if step.thought]
        assert [step.action for step in example.monologue] == [step.action for step in example.steps if step.action]
        assert said[0].startswith("My goal is to ") and all(one.startswith("I need to ") for one in said[1:])
        went = [step for step in example.monologue if step.action.startswith("go to ")]
        assert all(step.thought for step in went)


def test_the_six_prompts_of_a_kind_are_the_ordered_pairs_of_its_three():
    shots = exemplars.load(exemplars.of("alfworld"))
    for kind in ("put", "puttwo"):
        three = [example for example in shots.examples if example.kind == kind]
        pairs = [[three.index(example) for example in shots.choose(2, kind, n)] for n in range(6)]
        assert pairs == [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
        with pytest.raises(Mistake, match="prompt_set is 6; 2 of 3 exemplars make 6, counted from 0"):
            shots.choose(2, kind, 6)


def test_another_prompt_set_changes_the_choice_alone():
    environment, shots = environments.load("alfworld"), exemplars.load(exemplars.of("alfworld"))
    found = [prompts(SINGLE["react"], environment, shots, 2, "kind", prompt_set=n)(TASK) for n in range(6)]
    parts = [{part for part in text.split("You are in the middle") if part} for text in found]
    assert len(set(found)) == 6 and len({len(text) for text in found}) == 3
    assert parts[0] == parts[2] and parts[1] == parts[4] and parts[3] == parts[5]


def test_there_is_no_inner_monologue_where_none_is_written(questions):
    shots = exemplars.load(exemplars.of(questions.name))
    with pytest.raises(Mistake, match="has no thoughts of ReAct-IM; those of alfworld have"):
        prompts(SINGLE["react_im"], questions, shots, 1, "")
    assert prompts(SINGLE["react_im"], questions, shots, 0, "")(TASK) == ""


def test_the_first_six_questions_show_each_way_to_an_answer():
    shown = exemplars.load(exemplars.of("hotpotqa")).examples[:6]
    assert {"bridge", "compare", "yesno", "lookup"} <= {example.kind for example in shown}
    failed = [step.observation.startswith("Could not find") for example in shown for step in example.steps]
    assert any(failed) and any(example.task.answer in ("yes", "no") for example in shown)


def test_each_label_is_shown_once_and_that_nothing_is_known_takes_a_search_that_fails_and_a_lookup():
    shown = exemplars.load(exemplars.of("fever")).examples
    assert [example.task.answer for example in shown] == ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    told = [step.observation.partition(" ")[0] for step in shown[2].steps]
    assert [step.action.partition("[")[0] for step in shown[2].steps] == ["Search", "Search", "Lookup", "Finish"]
    assert (told[0], told[2]) == ("Could", "No")
    claims = {task.question for split in ("train", "dev") for task in environments.load("fever").tasks(split)}
    assert not claims & {example.task.question for example in shown}


@pytest.mark.parametrize(("name", "method"), PROMPTS)
def test_the_prompt_of_each_method_is_the_golden_one(name, method, request):
    shots = exemplars.load(exemplars.of(name))
    prompt = prompts(SINGLE[method], environments.load(name), shots, SHOTS[name], BY.get(name, ""))(TASK)
    path = GOLDEN / f"prompt_{name}_{method}.txt"
    if request.config.getoption("--update-golden"):
        path.write_text(prompt, encoding="utf-8")
    assert prompt == path.read_text(encoding="utf-8")


def test_examples_of_the_kind_come_first_and_the_order_of_the_file_decides():
    shots = exemplars.load(exemplars.of("hotpotqa"))
    chosen = shots.choose(4, "compare")
    assert [example.kind for example in chosen[:3]] == ["compare"] * 3
    assert chosen[3] == next(example for example in shots.examples if example.kind != "compare")
    assert shots.choose(6) == shots.examples[:6]


def test_no_shots_is_no_prompt(environment):
    shots = exemplars.load(exemplars.of(environment.name))
    for method in SHOWN[environment.name]:
        assert prompts(SINGLE[method], environment, shots, 0, "")(TASK) == ""


def bad(**changes):
    return json.dumps({"exemplars": [{"question": "q", "answer": "a", "steps": [{"action": "x"}], **changes}]})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("exemplars: 3", "no exemplars"),
        ("instruction: x", "no exemplars: KeyError"),
        ("exemplars: [{question: q, answer: a}]", "exemplar 1 has no 'steps'"),
        ("exemplars: [{question: q, steps: [{action: x}]}]", "exemplar 1 has no 'answer'"),
        ("exemplars: [{id: g, steps: [{action: x}]}]", "exemplar 1 has no 'question'"),
        ("exemplars: [{question: q, answer: a, steps: [{acton: x}]}]", "acton"),
        ("exemplars: [{question: q, answer: a, steps: [{action: x, observation: y}]}]", "last step has an observation"),
        ("exemplars: [", "no exemplars"),
        ("[" * 1000, "no exemplars: RecursionError"),
        ("instruction: 5\nexemplars: []", "the file: `instruction` is 5; it must be a text"),
        ("for_all: maybe\nexemplars: []", "the file: `for_all` is 'maybe'; it must be true or false"),
        ("exemplars: [question answer steps]", "exemplar 1 is 'question answer steps'; it must be a mapping"),
        ("exemplars: [[question]]", "exemplar 1 is ['question']; it must be a mapping"),
        (bad(steps="abc"), "exemplar 1: `steps` is 'abc'; it must be a list"),
        (bad(steps=["abc"]), "exemplar 1, step 1 is 'abc'; it must be a mapping"),
        (bad(steps=[{"thought": "x"}]), "exemplar 1: its last step has no action"),
        (bad(steps=[{"im": "x", "thought": "y"}, {"action": "z"}]), "exemplar 1, step 1: `im` stands before no action"),
        (
            bad(reasonning="x"),
            "exemplar 1: unknown key 'reasonning'; did you mean 'reasoning'? there are: id",
        ),
        *((bad(**{key: 5}), f"exemplar 1: `{key}` is 5; it must be a text") for key in ("id", "question", "reasoning")),
        *((bad(**{key: [1]}), f"exemplar 1: `{key}` is [1]; it must be a") for key in ("answer", "kind", "extra")),
        *(
            (bad(steps=[{"action": "y"}, {"action": "x", key: value}]), f"exemplar 1, step 2: `{key}` is {value!r}; it")
            for key in ("thought", "action", "im", "observation")
            for value in (5, True, None)
        ),
    ],
)
def test_a_bad_file_is_named_with_the_exemplar(tmp_path, content, says):
    path = tmp_path / "bad.yaml"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"bad\.yaml: ") as error:
        exemplars.load(path)
    assert says in str(error.value)


def test_any_ordered_choice_is_found_at_once():
    shots = exemplars.load(exemplars.of("alfworld"))
    one, *_, last = shots.examples
    few = replace(shots, examples=shots.examples[:4])
    assert [few.choose(3, prompt_set=n) for n in range(24)] == list(permutations(few.examples, 3))
    assert shots.choose(18, prompt_set=factorial(18) - 1) == tuple(reversed(shots.examples))
    assert shots.choose(18, "put", prompt_set=10**15)[0] not in (one, last)
