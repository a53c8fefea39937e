"""A script plays what its trajectories wrote, in every notation, through the same requests as any model."""

from __future__ import annotations

import gzip
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from react.mistakes import Mistake
from react.models import ModelConfig, ModelError, Request, load
from react.models.scripted import refuse_others
from react.notation import Answered, Notation, Numbered, text
from react.trajectory import Step, Task, Trajectory, to_json, write

STEPS = (
    Step("I need to read\nabout the Vaal.", "Search[Vaal]", "The Vaal is a river. Question: is it?"),
    Step("Now its source.", "Lookup[source]", "(Result 1 / 1) It rises near Breyten."),
    Step("It rises in South Africa.", "Finish[South Africa]"),
)
TASK = Task("q1", "In which  country does the Vaal rise?", "South Africa")
DONE = Trajectory(TASK, "react", "expert", STEPS, "South Africa", 1.0)
ASKED = "Question: In which country does the Vaal rise?\n"
SHOTS = "Here are examples.\nQuestion: Where is Lima?\nThought 1: Peru.\nAction 1: Finish[Peru]\n\n"


def _file(folder: Path, *trajectories: Trajectory) -> str:
    write(folder / "expert.jsonl", trajectories)
    return str(folder / "expert.jsonl")


def _load(file: str):
    return load(ModelConfig(backend="scripted", model=file))


def _play(model, notation: Notation, steps: tuple[Step, ...] = STEPS, shots: str = SHOTS, **fields) -> list[Step]:
    """The steps that the model writes when each of its steps is followed by the observation of `steps`."""
    written: list[Step] = []
    for i, step in enumerate(steps, 1):
        context = text(notation.spans(TASK, written)) + notation.cue(i)
        request = Request(shots + context, notation.stops(i), shared=len(shots), **fields)
        [completion] = model.complete(request)
        written.append(replace(notation.read(completion.text, i), observation=step.observation))
    return written


def _lines(*steps: Step) -> list[Step]:
    return [Step(" ".join(step.thought.split()), step.action, step.observation) for step in steps]


@pytest.mark.parametrize("label", ["Question", "Claim"])
@pytest.mark.parametrize("shots", [SHOTS, ""])
def test_the_script_plays_with_thoughts_and_without(tmp_path: Path, label: str, shots: str) -> None:
    model = _load(_file(tmp_path, DONE))
    assert _play(model, Numbered(label), shots=shots) == _lines(*STEPS)
    assert _play(model, Numbered(label, thoughts=False), shots=shots) == [replace(step, thought="") for step in STEPS]


def test_the_methods_that_do_not_act_answer(tmp_path: Path) -> None:
    model = _load(_file(tmp_path, DONE))
    assert _play(model, Answered("Question"), STEPS[-1:]) == [replace(STEPS[-1], thought="")]
    assert _play(model, Answered("Question", thoughts=True), STEPS[-1:]) == [STEPS[-1]]


def test_another_observation_than_in_the_script_does_not_matter(tmp_path: Path) -> None:
    silent = replace(DONE, steps=tuple(replace(step, observation="") for step in STEPS))
    assert _play(_load(_file(tmp_path, silent)), Numbered("Question")) == _lines(*STEPS)


def test_the_hint_where_the_exemplars_end_changes_nothing(tmp_path: Path) -> None:
    model = _load(_file(tmp_path, DONE))
    request = Request(f"{SHOTS}{ASKED}Thought 1:", shared=len(SHOTS))
    assert model.complete(request) == model.complete(replace(request, shared=0)) != []


def test_a_thought_without_an_action_is_asked_again_with_the_cue(tmp_path: Path) -> None:
    model, notation = _load(_file(tmp_path, DONE)), Numbered("Question")
    cued = text(notation.spans(TASK, [*STEPS[:1], Step("Now its source.")]))
    assert cued.endswith("\nAction 2:")
    assert [completion.text for completion in model.complete(Request(cued, ("\n",)))] == [" Lookup[source]"]


def test_stop_strings_end_the_text_and_n_is_honoured(tmp_path: Path) -> None:
    model = _load(_file(tmp_path, DONE))
    completions = model.complete(Request(f"{ASKED}Thought 1:", ("\nAction",), n=3))
    assert [completion.text for completion in completions] == [" I need to read about the Vaal."] * 3


def test_a_script_that_has_ended_writes_nothing(tmp_path: Path) -> None:
    written = _play(_load(_file(tmp_path, DONE)), Numbered("Question"), (*STEPS[:2], STEPS[1], STEPS[1]))
    assert written[3].action == ""


def test_an_attempt_plays_its_own_trajectory(tmp_path: Path) -> None:
    tries = [replace(DONE, steps=(Step("", f"Finish[{i}]"),), provenance={"attempt": i}) for i in range(3)]
    model = _load(_file(tmp_path, *tries))
    actions = [_play(model, Numbered("Question", False), STEPS[:1], attempt=i)[0].action for i in (0, 1, 2, 7)]
    assert actions == ["Finish[0]", "Finish[1]", "Finish[2]", "Finish[2]"]


def test_an_unknown_question_is_named(tmp_path: Path) -> None:
    model = _load(_file(tmp_path, DONE))
    with pytest.raises(Mistake, match=r"expert\.jsonl has no trajectory for this: 'Question: Who\?'; as `model` give"):
        model.complete(Request(f"{ASKED}Question: Who?\nThought 1:", shared=len(ASKED)))
    shop = "WebShop \nInstruction:  \na red hat \n[Search] \n\nAction:"
    with pytest.raises(Mistake, match=r"for task 'fixed_671': 'WebShop Instruction: a red hat \[Search\]'"):
        model.complete(Request(shop, task="fixed_671"))
    with pytest.raises(ModelError, match="no known notation"):
        model.complete(Request(f"{ASKED}>"))


def test_a_script_of_no_task_is_refused_beforehand(tmp_path: Path) -> None:
    model = _load(_file(tmp_path, DONE))
    other = replace(TASK, id="q2", question="Who is\nit?")
    with pytest.raises(Mistake, match=r"expert\.jsonl has no trajectory for task 'q2': 'Who is it\?'"):
        refuse_others(model, [other, replace(other, id="q3")])
    for known in (TASK, replace(TASK, id="q9"), replace(other, id="q1")):
        refuse_others(model, [other, known])


def test_the_name_is_the_models_if_there_is_one(tmp_path: Path) -> None:
    assert _load(_file(tmp_path, DONE)).name == "expert"
    two = _load(_file(tmp_path, DONE, replace(DONE, model="other")))
    assert two.name == "scripted:expert" and two.fingerprint != _load(_file(tmp_path, DONE)).fingerprint


def test_a_gzipped_file_plays_too(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl.gz"
    path.write_bytes(gzip.compress(f"{to_json(DONE)}\n{to_json(replace(DONE, model=''))}\n".encode()))
    model = _load(str(path))
    assert _play(model, Numbered("Question")) == _lines(*STEPS) and model.name == "scripted:script"


@pytest.mark.parametrize("attempt", [None, "0", [1]])
def test_a_malformed_file_is_named_with_its_line(tmp_path: Path, attempt: object) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{to_json(DONE)}\n{{"task": 3}}\n')
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))}:2: "):
        _load(str(path))
    with pytest.raises(ValueError, match="attempt"):
        _load(_file(tmp_path, replace(DONE, provenance={"attempt": attempt})))


def test_a_missing_or_empty_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"missing\.jsonl"):
        _load(str(tmp_path / "missing.jsonl"))
    with pytest.raises(ValueError, match="holds no trajectory"):
        _load(_file(tmp_path))


def test_a_call_is_cheap(tmp_path: Path) -> None:
    model, prompt = _load(_file(tmp_path, DONE)), f"{SHOTS * 50}{ASKED}Thought 1:"
    request = Request(prompt, ("\nObservation 1:", "\nQuestion:"), shared=len(SHOTS) * 50)
    model.complete(request)
    started = time.process_time()
    for _ in range(2000):
        model.complete(request)
    assert (time.process_time() - started) / 2000 < 50e-6
