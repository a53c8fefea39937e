"""Every exemplar file is played in its environment, and the prompts that come of it are kept as text to review."""

from pathlib import Path

import pytest

from react import environments, exemplars
from react.methods import SINGLE, prompts
from react.trajectory import Task

GOLDEN = Path(__file__).parent / "golden"
NAMES = environments.names()
# As many as the paper shows (appendix C).
SHOTS = {"hotpotqa": 6, "fever": 3}


@pytest.fixture(scope="module", params=NAMES)
def environment(request):
    return environments.load(request.param)


def test_there_are_environments():
    assert {"hotpotqa", "fever"} <= set(NAMES)


def test_each_exemplar_earns_its_reward_with_the_observations_that_it_shows(environment):
    shots = exemplars.load(exemplars.of(environment.name))
    assert len(shots.examples) >= SHOTS[environment.name]
    for example in shots.examples:
        episode = environment.start(example.task)
        for step in example.steps[:-1]:
            observation = episode.act(step.action)
            assert (observation.text, observation.done, observation.valid) == (step.observation, False, True), step
        last = episode.act(example.steps[-1].action)
        assert last.done and last.reward == 1.0, example.task
        assert all(step.thought for step in example.steps) and example.reasoning


def test_exemplars_are_never_dev_tasks_and_right_where_they_are_train_ones(environment):
    train, dev = ({task.question: task.answer for task in environment.tasks(split)} for split in ("train", "dev"))
    for example in exemplars.load(exemplars.of(environment.name)).examples:
        assert example.task.question not in dev
        assert train.get(example.task.question, example.task.answer) == example.task.answer


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


@pytest.mark.parametrize("method", SINGLE)
def test_the_prompt_of_each_method_is_the_golden_one(environment, method, request):
    shots = exemplars.load(exemplars.of(environment.name))
    prompt = prompts(SINGLE[method], environment, shots, SHOTS[environment.name], "")(Task("t", "q", "a"))
    path = GOLDEN / f"prompt_{environment.name}_{method}.txt"
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
    assert all(prompts(method, environment, shots, 0, "")(Task("t", "q", "a")) == "" for method in SINGLE.values())


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("exemplars: 3", "no exemplars"),
        ("instruction: x", "no exemplars: KeyError"),
        ("exemplars: [{question: q, answer: a}]", "exemplar 1 has no 'steps'"),
        ("exemplars: [{question: q, answer: a, steps: [{acton: x}]}]", "acton"),
        ("exemplars: [{question: q, answer: a, steps: [{action: x, observation: y}]}]", "last step has an observation"),
        ("exemplars: [", "no exemplars"),
    ],
)
def test_a_bad_file_is_named_with_the_exemplar(tmp_path, content, says):
    path = tmp_path / "bad.yaml"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"bad\.yaml: ") as error:
        exemplars.load(path)
    assert says in str(error.value)
