"""A student that acts while it is trained: the best step is what comes out, and the training never knows of it."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from react import models
from react.models import Completion, ModelConfig, ModelError
from react.models._checkpoint import find
from react.scene import Scene
from react.trajectory import Task, read, write
from tests.train_toys import student, trajectories, trajectory
from train import curve
from train.panel import prepare, tasks_of
from train.recipe import Recipe
from train.sft import main

ROOT = Path(__file__).parent.parent
TASKS = 4
SETTINGS = {
    "steps": 6,
    "batch_size": 4,
    "learning_rate": 1e-2,
    "dtype": "float32",
    "logging_every": 1,
    "save_every": 100,
    "report_to": "none",
    "act_tasks": TASKS,
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A student that draws random numbers in each step: it drops attention at random."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("student")
    trajectories(folder / "trajectories.jsonl")
    config = student(folder / "base") / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"attention_dropout": 0.2}))
    yield folder
    torch.set_num_threads(before)


def command(base, folder, name="run", **changes):
    values = {"model": base / "base", "data": base / "trajectories.jsonl", "output": folder, "name": name}
    return [word for key, value in {**values, **SETTINGS, **changes}.items() for word in (f"--{key}", str(value))]


def losses(folder):
    return [json.loads(line)["loss"] for line in (folder / "losses.jsonl").read_text().splitlines()]


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def successes(folder):
    return {entry["step"]: entry["success"] for entry in curve.read(folder / "curve.jsonl")}


class Player:
    """Stands in for the local back end: after so many steps it is right with so many of the panel's tasks."""

    def __init__(self, monkeypatch, **right):
        self.right = {int(step.removeprefix("at")): count for step, count in right.items()}
        self.asked, self.loaded, self.trouble = [], [], None
        monkeypatch.setattr(models, "load", self.load)

    def load(self, config):
        from random import random

        import torch

        random(), torch.rand(1)  # whatever a library draws
        self.step = int(Path(config.model).parent.name)
        self.name, self.fingerprint = config.model, find(config.model).fingerprint()
        self.loaded.append(self.step)
        panel = json.loads((Path(config.model).parents[1] / "panel.json").read_text())["ids"]
        self.answers = {
            task.id: task.answer if place < self.right[self.step] else "nothing"
            for place, task in enumerate(sorted(Scene().staged().tasks("train"), key=lambda task: task.id not in panel))
            if task.id in panel
        }
        return self

    def complete(self, request):
        if self.trouble:
            self.trouble(self.step, len(self.asked))
        self.asked.append((self.step, request.prompt))
        assert request.shared == 0 and request.prompt.startswith("Question: ")
        return [Completion(f" I know.\nAction 1: Finish[{self.answers[request.task]}]")]

    def close(self):
        pass


def stops(player, when=(2, 0)):
    """A signal, once, at that step and after so many calls. A second one would end the program at once."""

    def stop(*now):
        if now == when:
            player.trouble = None
            os.kill(os.getpid(), signal.SIGTERM)

    return stop


@pytest.mark.parametrize("finetune", ["full", pytest.param("lora", marks=pytest.mark.slow)])
def test_the_best_step_comes_out_and_the_losses_are_those_of_a_training_without(
    base, tmp_path, monkeypatch, capsys, finetune
):
    """Of equals the earlier one. With a model that drops at random, one number more that is drawn would be seen."""
    Player(monkeypatch, at2=1, at4=3, at6=3)
    main(command(base, tmp_path, finetune=finetune))
    main(command(base, tmp_path, "acted", finetune=finetune, act_every=2))
    run = tmp_path / "acted"
    assert losses(run) == losses(tmp_path / "run")
    assert successes(run) == {2: 0.25, 4: 0.75, 6: 0.75}
    assert summary(run)["kept"] == {"step": 4, "success": 0.75, "n": TASKS} and summary(run)["steps"] == 6
    entry = curve.read(run / "curve.jsonl")[1]
    assert find(str(run / "checkpoint")).fingerprint() == entry["fingerprint"]
    assert find(str(tmp_path / "run" / "checkpoint")).fingerprint() != entry["fingerprint"]
    assert (run / "adapter").exists() == (finetune == "lora")
    assert not list((run / "acting").rglob("*.safetensors")) and not list(run.rglob("*.sqlite"))
    assert "step 4: 3 of 4 tasks right (0.750), the best so far" in capsys.readouterr().out


def test_a_panel_is_held_out_and_is_said(base, tmp_path, monkeypatch):
    known = Scene().staged().tasks("train")
    about = [trajectory(n, task=task) for n, task in enumerate(known[:50])]
    again = [trajectory(n, task=Task(f"other{n}", known[n].question.upper(), "x")) for n in range(50, 100)]
    write(tmp_path / "data.jsonl", [*about, *again])
    recipe = Recipe(data=[str(tmp_path / "data.jsonl")], act_every=1, act_tasks=len(known) - 100, output=str(tmp_path))
    panel = prepare(recipe)
    assert {task.id for task in panel.tasks} == {task.id for task in known[100:]}
    assert panel.said()["split"] == "train" and panel.said()["method"] == "react"
    with pytest.raises(ValueError, match=rf"act_tasks is {len(known) - 99}; the split 'train' of hotpotqa has \d+ "):
        prepare(Recipe(**{**vars(recipe), "act_tasks": len(known) - 99}))


def test_a_panel_of_a_split_for_evaluation_keeps_away_from_what_is_reported():
    from eval.job import EvalConfig, panel_of

    staged = Scene(shots=0).staged()
    ours = tasks_of(staged, Recipe(act_split="dev", act_tasks=20), [])
    theirs = panel_of(staged, EvalConfig(split="dev", limit=len(staged.tasks("dev")) - 20))
    assert not {task.id for task in ours} & {task.id for task in theirs}
    assert len(ours) == 20


def test_rows_of_several_methods_want_a_word(base, tmp_path):
    write(tmp_path / "data.jsonl", [trajectory(1), trajectory(2, method="act")])
    recipe = {"data": [str(tmp_path / "data.jsonl")], "act_every": 1, "output": str(tmp_path)}
    with pytest.raises(ValueError, match=r"several methods \(act, react\); .* --act_method"):
        prepare(Recipe(**recipe))
    assert prepare(Recipe(**recipe, act_method="act")).staged.scene.method == "act"


def test_patience_ends_the_training(base, tmp_path, monkeypatch):
    Player(monkeypatch, at1=2, at2=1, at3=2, at4=4)
    main(command(base, tmp_path, act_every=1, patience=2, logging_every=100))
    run = tmp_path / "run"
    assert (summary(run)["steps"], summary(run)["kept"]["step"]) == (3, 1)
    assert len(losses(run)) == 1  # of the step that was the last


def test_a_run_that_patience_ended_and_a_kill_interrupted_ends_there(base, tmp_path, monkeypatch):
    import train.course

    player = Player(monkeypatch, at1=2, at2=1)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(train.course, "finish", lambda *args: (_ for _ in ()).throw(OSError("no room")))
        main(command(base, tmp_path, act_every=1, patience=1))
    main(command(base, tmp_path, act_every=1, patience=1))
    assert player.loaded == [1, 2] and summary(tmp_path / "run")["steps"] == 2
    assert len(losses(tmp_path / "run")) == 2 and (tmp_path / "run" / "checkpoint" / "config.json").exists()


@pytest.mark.parametrize("step", [2, pytest.param(6, marks=pytest.mark.slow)])
def test_a_run_that_is_stopped_while_it_acts_goes_on_and_asks_nothing_twice(base, tmp_path, monkeypatch, capsys, step):
    player = Player(monkeypatch, at2=4, at4=3, at6=3)
    main(command(base, tmp_path))

    player.trouble = stops(player, (step, {2: 2, 6: 2 * TASKS + 2}[step]))
    words = command(base, tmp_path, "acted", act_every=2)
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 143 and "The same command again continues" in capsys.readouterr().err
    main(words)
    run = tmp_path / "acted"
    assert losses(run) == losses(tmp_path / "run")
    assert successes(run) == {2: 1.0, 4: 0.75, 6: 0.75} and summary(run)["kept"]["step"] == 2
    assert len(player.asked) == len(set(player.asked)) == 3 * TASKS


def test_a_panel_that_broke_is_no_success(base, tmp_path, monkeypatch, capsys):
    player = Player(monkeypatch, at2=1, at4=4, at6=2)

    def fail(step, asked):
        if step == 4 and asked > TASKS:
            raise ModelError("the worker died")

    player.trouble = fail
    main(command(base, tmp_path, act_every=2))
    run = tmp_path / "run"
    assert successes(run) == {2: 0.25, 4: None, 6: 0.5} and summary(run)["kept"]["step"] == 6
    assert "the worker died" in curve.read(run / "curve.jsonl")[1]["error"]
    assert "step 4: no success is known: " in capsys.readouterr().out


def test_where_no_panel_comes_to_an_end_the_last_step_comes_out(base, tmp_path, monkeypatch):
    def broken(config):
        raise ValueError("no memory for a model")

    monkeypatch.setattr(models, "load", broken)
    main(command(base, tmp_path))
    main(command(base, tmp_path, "acted", act_every=3))
    run = tmp_path / "acted"
    assert successes(run) == {3: None, 6: None} and summary(run)["kept"] is None
    assert find(str(run / "checkpoint")).fingerprint() == find(str(tmp_path / "run" / "checkpoint")).fingerprint()


def test_another_panel_than_before_is_refused(base, tmp_path, monkeypatch, capsys):
    player = Player(monkeypatch, at2=4, at4=3, at6=3)
    player.trouble = stops(player)
    with pytest.raises(SystemExit):
        main(command(base, tmp_path, act_every=2))
    path = tmp_path / "run" / "acting" / "panel.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"ids": []}))
    with pytest.raises(SystemExit) as ended:
        main(command(base, tmp_path, act_every=2))
    assert ended.value.code == 2 and "panel.json: another panel (ids changed)" in capsys.readouterr().err


def test_patience_without_acting_is_a_mistake():
    with pytest.raises(ValueError, match="patience is 2, but the student never acts"):
        Recipe(patience=2)


def test_a_curve_is_a_table():
    entries = [
        {"step": 10, "success": 0.5},
        {"step": 20, "success": None, "error": "no model"},
        {"step": 30, "success": 0.5},
    ]
    losses = [{"step": 10, "loss": 2.0}, {"step": 25, "loss": 1.0}]
    assert curve.table(entries, losses).splitlines()[2:] == [
        "| 10 | 2.000 | 0.500 | **this one** |",
        "| 20 | 2.000 | none | no model |",
        "| 30 | 1.000 | 0.500 |  |",
    ]


@pytest.mark.slow
def test_what_acts_is_what_comes_out(base, tmp_path, monkeypatch):
    """By the real back end: the tries of the panel are those of `eval` with the checkpoint, word for word."""
    from eval import evaluate

    main(command(base, tmp_path, act_every=6, learning_rate=3e-2, act_max_tokens=40))
    run = tmp_path / "run"
    acted = {one.task.id: one for one in read(run / "acting" / "6" / "trajectories.jsonl")}
    monkeypatch.setattr(evaluate, "panel_of", lambda *args: [one.task for one in acted.values()])
    flags = {"model": run / "checkpoint", "shots": 0, "split": "train", "output": tmp_path, "name": "evaluated"}
    flags |= {"max_tokens": 40, "workers": 1}
    evaluate.main([word for key, value in flags.items() for word in (f"--{key}", str(value))])
    tried = {one.task.id: one for one in read(tmp_path / "evaluated" / "trajectories.jsonl")}
    assert len(acted) == TASKS and acted.keys() == tried.keys()
    for id, one in acted.items():
        assert (one.steps, one.end, one.reward) == (tried[id].steps, tried[id].end, tried[id].reward)
        assert one.steps


@pytest.mark.slow
def test_processes_wait_for_the_one_that_acts(base, tmp_path):
    accelerate = Path(sys.executable).with_name("accelerate")
    config = ["--config_file", str(ROOT / "configs" / "accelerate" / "cpu2.yaml")]
    words = command(base, tmp_path, "two", steps=2, act_every=1, act_tasks=2, act_max_tokens=20)
    run = subprocess.run(
        [accelerate, "launch", *config, str(ROOT / "train.py"), *words],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(re.findall(r"step \d: ", run.stdout)) == 2
    assert successes(tmp_path / "two").keys() == {1, 2} and summary(tmp_path / "two")["kept"]["n"] == 2


def test_the_settings_of_the_model_are_those_of_eval(base, tmp_path, monkeypatch):
    """Whatever `eval` has for its defaults, the folder is read with them."""
    configs = []
    player = Player(monkeypatch, at6=0)
    monkeypatch.setattr(models, "load", lambda config: (configs.append(config), player.load(config))[1])
    main(command(base, tmp_path, act_every=6))
    folder = tmp_path / "run" / "acting" / "6" / "checkpoint"
    assert configs == [ModelConfig(model=str(folder))]
