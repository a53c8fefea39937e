"""Text from outside is text: no page, question or model forges a step, ends an episode, or becomes a control token."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from react import trajectory
from react.environments import hotpotqa
from react.methods import METHODS, Sampling, Solver
from react.models import Completion, ModelConfig, Request, scripted
from react.notation import context
from react.rollout import attempt
from react.trajectory import Step, Task, Trajectory
from tests.hostile import PAGES
from tests.tokenizer_toys import tokenizer
from tests.toys import Said
from tests.train_toys import no_special, student

pytestmark = pytest.mark.usefixtures("cache")


def questions(folder: Path, text: str) -> hotpotqa.HotpotQA:
    """One question over two pages: `text` is all of one, and stands in the other's title."""
    pages = [{"title": "U", "text": text}, {"title": f"T {text[:90]}", "text": "A page."}]
    (folder / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    asked = text.encode(errors="replace").decode()[:200]
    (folder / "train.json").write_text(json.dumps([{"_id": "q", "question": f"Why {asked}?", "answer": "it"}]))
    return hotpotqa.load(train=str(folder / "train.json"), pages=str(folder / "pages.jsonl"))


def script(folder: Path, task: Task, *actions: str) -> scripted.Scripted:
    steps = tuple(Step("I look.", action) for action in actions)
    trajectory.write(folder / "script.jsonl", [Trajectory(task, "react", "expert", steps)])
    return scripted.load(ModelConfig(model=str(folder / "script.jsonl")))


@pytest.mark.parametrize("behaviour", ["paper", "reference"])
@pytest.mark.parametrize("kind", PAGES)
def test_an_episode_goes_on_over_hostile_pages(tmp_path: Path, kind: str, behaviour: str) -> None:
    environment = questions(tmp_path, PAGES[kind])
    (task,) = environment.tasks("train")
    model = script(tmp_path, task, "Search[U]", "Lookup[f]", "Search[T]", "Jump[over]", "Finish[it]")
    record = attempt(Solver(METHODS["react"], environment, model, lambda task: ""), task, Sampling())
    assert (record.end, record.answer, record.reward, record.error) == ("finished", "it", 1.0, "")
    assert record.provenance["pages"] == ["U"] and record.provenance["repaired_calls"] == 0
    assert trajectory.from_json(trajectory.to_json(record).encode().decode()) == record
    prompt = context(environment.notation(thoughts=True, actions=True), task, record.steps[:4])
    heads = [line.split(":")[0] for line in prompt.splitlines() if line]
    assert heads == ["Question", *(f"{part} {i}" for i in range(1, 5) for part in PARTS), "Thought 5"]
    assert not any(ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0 for letter in prompt.replace("\n", ""))


PARTS = ("Thought", "Action", "Observation")


@pytest.mark.parametrize("vocabulary", ["gpt2", "llama3", "unsplit"])
@pytest.mark.parametrize("kind", PAGES)
def test_no_text_becomes_a_special_token(tmp_path: Path, kind: str, vocabulary: str) -> None:
    environment = questions(tmp_path, PAGES[kind])
    (task,) = environment.tasks("train")
    model = script(tmp_path, task, "Search[U]", "Lookup[f]", "Finish[it]")
    record = attempt(Solver(METHODS["react"], environment, model, lambda task: ""), task, Sampling())
    notation = environment.notation(thoughts=True, actions=True)
    assert record.solved
    no_special(record, notation, vocabulary)


def test_a_megabyte_of_observation_is_shown_whole(tmp_path: Path) -> None:
    environment = questions(tmp_path, "so long a sentence " * 60_000)
    (task,) = environment.tasks("train")
    model = script(tmp_path, task, "Search[U]", "Finish[it]")
    record = attempt(Solver(METHODS["react"], environment, model, lambda task: ""), task, Sampling())
    assert record.solved and len(record.steps[0].observation) == 60_000 * 19 - 1


def test_a_megabyte_that_a_model_cannot_take_ends_the_episode_as_out_of_context(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM

    from react.models._engine import Engine

    engine = Engine(AutoModelForCausalLM.from_pretrained(student(tmp_path / "student")), tokenizer("gpt2"))

    def answer(request: Request) -> str:
        found: list[list[Completion]] = []
        engine.submit(request, found.append)
        while engine.busy:
            engine.step()
        assert found
        return " I look.\nAction 1: Search[U]"

    environment = questions(tmp_path, "so long a sentence " * 60_000)
    (task,) = environment.tasks("train")
    record = attempt(Solver(METHODS["react"], environment, Said(answer), lambda task: ""), task, Sampling(max_tokens=4))
    assert (record.end, record.answer, record.reward) == ("out_of_context", "", 0.0)
    assert len(record.steps) == 1 and len(record.steps[0].observation) > 1_000_000
