"""Finetuning a random model: one batch is one batch in every layout, and a stopped run ends as an unstopped one."""

import ctypes
import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from react.config import parse
from react.run_folder import enter
from react.trajectory import write
from tests.tokenizer_toys import END, tokenizer
from tests.train_toys import student, trajectories, trajectory
from train.course import _once, train
from train.recipe import Layout, Recipe, layout, order
from train.records import fingerprint
from train.sft import main, read_rows
from train.weights import IGNORED

pytestmark = pytest.mark.usefixtures("one_thread")

ROOT = Path(__file__).parent.parent
CONFIGS = sorted((ROOT / "configs" / "train").glob("*.yaml"))
SETTINGS = {
    "steps": 5,
    "batch_size": 8,
    "learning_rate": 1e-2,
    "dtype": "float32",
    "logging_every": 1,
    "report_to": "none",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    trajectories(folder / "trajectories.jsonl")
    return student(folder / "base").parent


def command(base, folder, name="run", **changes):
    values = {"model": base / "base", "data": base / "trajectories.jsonl", "output": folder, "name": name}
    return [word for key, value in {**values, **SETTINGS, **changes}.items() for word in (f"--{key}", str(value))]


def losses(folder):
    return [json.loads(line)["loss"] for line in (folder / "losses.jsonl").read_text().splitlines()]


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


@pytest.fixture(scope="module")
def whole_run(base, tmp_path_factory):
    """A run of one row at once, that nothing disturbed."""
    output = tmp_path_factory.mktemp("runs")
    main(command(base, output))
    return output / "run"


def test_a_run_writes_a_student_that_loads_and_generates(whole_run):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    words = AutoTokenizer.from_pretrained(whole_run / "checkpoint")
    model = AutoModelForCausalLM.from_pretrained(whole_run / "checkpoint")
    assert model.generation_config.eos_token_id == words.eos_token_id
    prompt = words("Question: Which thing is item 1?\nThought 1:", return_tensors="pt")
    assert model.generate(**prompt, max_new_tokens=4, do_sample=False).shape[1] > prompt["input_ids"].shape[1]
    assert not list(whole_run.rglob("*.bin")) and not (whole_run / "resume").exists()


def test_a_run_says_what_it_did(whole_run):
    facts = summary(whole_run)
    curve = losses(whole_run)
    assert (facts["steps"], facts["rows"], facts["rows_seen"], facts["epochs"]) == (5, 24, 24, 1.67)
    assert facts["final_loss"] == curve[-1] < curve[0] - 0.5
    assert facts["layout"] == "8 = 1 processes x 1 at once x 8 in turn"
    card = (whole_run / "checkpoint" / "README.md").read_text()
    assert facts["data_fingerprint"] in card and "Thought 1: I need to search item 0" in card and "`whole`" in card


@pytest.mark.parametrize("micro_batch", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_a_batch_is_the_same_however_many_rows_are_computed_at_once(base, whole_run, tmp_path, micro_batch):
    main(command(base, tmp_path, micro_batch=micro_batch))
    assert losses(tmp_path / "run") == pytest.approx(losses(whole_run), rel=1e-5)


def test_the_lean_loss_is_trls(base, whole_run, tmp_path, monkeypatch):
    from train.trainer import StudentTrainer

    monkeypatch.setattr(StudentTrainer, "_lean", property(lambda self: False, lambda self, value: None), raising=False)
    main(command(base, tmp_path, micro_batch=4))
    assert losses(tmp_path / "run") == pytest.approx(losses(whole_run), rel=1e-5)


def test_the_last_label_of_a_row_is_eos_and_padding_is_not_trained(base, tmp_path):
    from train.trainer import StudentTrainer

    seen = []
    original = StudentTrainer.compute_loss

    def watch(self, model, inputs, *args, **kwargs):
        seen.append({key: inputs[key].clone() for key in ("input_ids", "labels", "attention_mask")})
        return original(self, model, inputs, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StudentTrainer, "compute_loss", watch)
        main(command(base, tmp_path, micro_batch=4, steps=2))
    end = tokenizer("gpt2").convert_tokens_to_ids(END)
    for batch in seen:
        lengths = batch["attention_mask"].sum(1)
        for tokens, labels, length in zip(batch["input_ids"], batch["labels"], lengths, strict=True):
            assert tokens[length - 1] == labels[length - 1] == end
            assert (labels[length:] == IGNORED).all()
            assert labels[0] == IGNORED
    assert any((batch["attention_mask"] == 0).any() for batch in seen)


def test_rows_reach_the_trainer_as_they_are(base):
    from train.sft import schedule

    recipe = Recipe(data=[str(base / "trajectories.jsonl")], steps=5, batch_size=8, loss="without_observations")
    rows, _ = read_rows(recipe, tokenizer("gpt2"))
    data, seen = schedule(rows, recipe)
    numbers = order([len(row.tokens) for row in rows], recipe)
    assert data["input_ids"] == [list(rows[number].tokens) for number in numbers]
    assert data["labels"] == [rows[number].labels(recipe.trained()) for number in numbers]
    assert "weights" not in data.column_names
    assert seen["tokens_seen"] == sum(map(len, data["input_ids"]))


@pytest.mark.parametrize(("packing", "batch_size", "most"), [(False, 3, 6), (True, 1, 10)])
def test_rows_that_a_short_training_never_came_to_are_not_said_to_be_trained_on(base, packing, batch_size, most):
    from train.sft import schedule

    data = [str(base / "trajectories.jsonl")]
    recipe = Recipe(data=data, steps=2, batch_size=batch_size, packing=packing, max_length=300)
    rows, _ = read_rows(recipe, tokenizer("gpt2"))
    data, seen = schedule(rows, recipe)
    ends = sum(tokens.count(rows[0].tokens[-1]) for tokens in data["input_ids"])
    assert seen["rows_seen"] == ends <= most < len(rows)
    assert seen["epochs"] == pytest.approx(ends / len(rows), abs=0.1)


def test_card_and_last_line_say_how_many_rows_were_seen(base, tmp_path, capsys):
    main(command(base, tmp_path, steps=1))
    assert "1 steps over 8 of 24 rows (0.33 epochs) in" in capsys.readouterr().out
    assert "| rows | 8 of 24 trained on; left out: none |" in (tmp_path / "run" / "README.md").read_text()


def test_data_that_are_replaced_while_a_training_runs_change_nothing_of_it(base, tmp_path, monkeypatch):
    data, trained = trajectories(tmp_path / "some.jsonl", 8), train

    def replaced(*given):
        data.write_text("no trajectory")
        return trained(*given)

    monkeypatch.setattr("train.course.train", replaced)
    main(command(base, tmp_path, data=data, steps=1, micro_batch=8))
    assert summary(tmp_path / "run")["teachers"] == ["toy"]


def stopped(words, at, number=signal.SIGTERM):
    """Runs a training that gets a signal in micro-batch `at` (from 0); how many it computed."""
    from train.trainer import StudentTrainer

    original, computed = StudentTrainer.training_step, []

    def kill(self, *args, **kwargs):
        if len(computed) == at:
            os.kill(os.getpid(), number)
        computed.append(self.state.global_step)
        return original(self, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(StudentTrainer, "training_step", kill)
        main(words)
    assert ended.value.code == 128 + number
    return len(computed)


def states(folder):
    return sorted(path.name for path in (folder / "resume").glob("checkpoint-*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_stopped_run_continues_to_the_same_losses(base, whole_run, tmp_path, capsys, number):
    """A signal inside the third step: it is left at once, the second saved; the same command ends as if unstopped."""
    assert stopped(command(base, tmp_path), 2 * 8 + 3, number) == 2 * 8 + 3 + 1
    assert capsys.readouterr().err.count("Stopped after step 2; the same command continues.") == 1
    assert states(tmp_path / "run") == ["checkpoint-2"]
    assert not (tmp_path / "run" / "summary.json").exists()
    main(command(base, tmp_path))
    assert "of them in earlier calls" in capsys.readouterr().out
    assert losses(tmp_path / "run") == pytest.approx(losses(whole_run), abs=1e-6)
    assert summary(tmp_path / "run")["steps"] == 5


@pytest.mark.slow
def test_a_run_that_is_stopped_at_the_end_of_a_step_keeps_it(base, whole_run, tmp_path):
    assert stopped(command(base, tmp_path), 2 * 8 + 7) == 3 * 8
    assert states(tmp_path / "run") == ["checkpoint-3"]
    main(command(base, tmp_path))
    assert losses(tmp_path / "run") == pytest.approx(losses(whole_run), abs=1e-6)


@pytest.mark.slow
def test_a_run_that_is_stopped_in_its_first_step_begins_again(base, whole_run, tmp_path, capsys):
    assert stopped(command(base, tmp_path), 0) == 1
    assert "Stopped after step 0" in capsys.readouterr().err
    assert not states(tmp_path / "run")
    main(command(base, tmp_path))
    assert losses(tmp_path / "run") == pytest.approx(losses(whole_run), abs=1e-6)


def test_a_state_is_not_written_over_itself(base, tmp_path, monkeypatch):
    """A kill while a stop saves what is saved would leave half of the only state, with the mark of a whole one."""
    from train.trainer import StudentTrainer

    original, saved = StudentTrainer._save_checkpoint, []
    monkeypatch.setattr(
        StudentTrainer,
        "_save_checkpoint",
        lambda self, *args: (saved.append(self.state.global_step), original(self, *args)),
    )
    stopped(command(base, tmp_path, save_every=2), 2 * 8 + 1)
    stopped(command(base, tmp_path, save_every=2), 1)  # resumed from it, and stopped in the same step
    assert saved == [2] and states(tmp_path / "run") == ["checkpoint-2"]


def test_one_state_is_kept_and_it_goes_when_the_next_is_whole(base, tmp_path):
    from train.steady import WHOLE

    stopped(command(base, tmp_path, save_every=1), 3 * 8)
    assert states(tmp_path / "run") == ["checkpoint-3"]
    assert (tmp_path / "run" / "resume" / "checkpoint-3" / WHOLE).exists()


def test_the_loss_that_progress_shows_is_that_of_its_step(base, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("react.progress._EVERY_SECONDS", -1.0)
    main(command(base, tmp_path))
    shown = re.findall(r"step: (\d) of 5,.*; loss (\S+)", capsys.readouterr().err)
    assert {int(step): loss for step, loss in shown} == {
        n: f"{loss:.3f}" for n, loss in enumerate(losses(tmp_path / "run"), 1)
    }
    assert all(loss == f"{losses(tmp_path / 'run')[int(step) - 1]:.3f}" for step, loss in shown)


def test_what_a_silent_process_logs_later_has_a_place_to_go(monkeypatch):
    """Libraries keep the stderr that they find; closed behind them, each later warning is a `Logging error`."""
    monkeypatch.setattr("train.course.RANK", 1)
    with _once():
        kept = logging.StreamHandler()
    assert kept.stream is not sys.stderr and not kept.stream.closed


def test_a_checkpoint_that_a_kill_cut_short_is_not_resumed_from(base, whole_run, tmp_path, capsys):
    from train.steady import WHOLE
    from train.trainer import StudentTrainer

    original = StudentTrainer._save_checkpoint

    def die(self, *args):
        original(self, *args)
        if self.state.global_step == 4:
            raise OSError("the machine is gone")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(StudentTrainer, "_save_checkpoint", die)
        main(command(base, tmp_path, save_every=2))
    cut = tmp_path / "run" / "resume" / "checkpoint-4"
    (cut / WHOLE).unlink()
    (cut / "optimizer.pt").unlink()
    main(command(base, tmp_path, save_every=2))
    assert "checkpoint-4" in capsys.readouterr().out
    assert losses(tmp_path / "run") == pytest.approx(losses(whole_run), abs=1e-6)


def test_a_finished_run_says_so_and_another_recipe_is_refused(base, whole_run, capsys):
    output = whole_run.parent
    main(command(base, output))
    assert "is finished" in capsys.readouterr().out
    with pytest.raises(SystemExit) as refused:
        main(command(base, output, learning_rate=1e-3))
    assert refused.value.code == 2
    assert "learning_rate: 0.01 -> 0.001" in capsys.readouterr().err


def test_changed_data_is_refused(base, tmp_path, capsys):
    data = trajectories(tmp_path / "some.jsonl", 8)
    main(command(base, tmp_path, data=data, steps=1))
    write(data, [trajectory(n) for n in range(9)])
    with pytest.raises(SystemExit):
        main(command(base, tmp_path, data=data, steps=1))
    assert "data_fingerprint" in capsys.readouterr().err


def test_lora_writes_the_adapter_and_the_merged_student(base, tmp_path):
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    main(command(base, tmp_path, finetune="lora", lora_r=4, steps=3))
    folder = tmp_path / "run"
    adapter = json.loads((folder / "adapter" / "adapter_config.json").read_text())
    assert adapter["base_model_name_or_path"] == str(base / "base")
    merged = AutoModelForCausalLM.from_pretrained(folder / "checkpoint")
    plain = AutoModelForCausalLM.from_pretrained(base / "base")
    tokens = torch.arange(3, 20)[None]
    before = plain(tokens).logits
    with_adapter = PeftModel.from_pretrained(plain, str(folder / "adapter"))(tokens).logits
    assert torch.allclose(merged(tokens).logits, with_adapter, atol=1e-4)
    assert not torch.allclose(before, with_adapter, atol=1e-4)


def test_packing_runs_to_the_end(base, tmp_path):
    main(command(base, tmp_path, packing="true", max_length=200, batch_size=4, steps=3))
    assert summary(tmp_path / "run")["steps"] == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"data": "nowhere.jsonl"}, "nowhere.jsonl: No such file"),
        ({"data": "empty.jsonl"}, "empty.jsonl: no trajectories"),
        ({"data": "broken.jsonl"}, "broken.jsonl:2: not a trajectory"),
        ({"data": "unsolved.jsonl"}, "none of 1 trajectories can be trained on: 1 unsolved; t001: end finished"),
        ({"max_length": 10}, "none of 24 trajectories can be trained on: 24 over-long; t000: "),
        ({"model": "."}, "model '.' is no checkpoint: . has no config.json"),
        (
            {"model": "runs/train/nothing/checkpoint"},
            "no such folder; it is made by: accelerate launch train.py --name nothing",
        ),
        ({"environment": "atlantis"}, "unknown environment 'atlantis'"),
        ({"loss": "none"}, "unknown loss 'none'"),
        ({"batch_size": 8, "micro_batch": 3}, "does not divide into micro_batch 3"),
        ({"steps": 0}, "steps is 0"),
        ({"output": "empty.jsonl"}, "Not a directory"),
    ],
)
def test_a_mistake_ends_with_one_message(base, tmp_path, monkeypatch, capsys, changes, words):
    monkeypatch.chdir(tmp_path)
    Path("empty.jsonl").touch()
    Path("unsolved.jsonl").touch()
    write(Path("broken.jsonl"), [trajectory(1)])
    write(Path("unsolved.jsonl"), [trajectory(1, reward=0.0)])
    with open("broken.jsonl", "a") as file:
        file.write('{"task": 1}\n')
    with pytest.raises(SystemExit) as ended:
        main(command(base, tmp_path, **changes))
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert words in told and "Traceback" not in told


def test_the_layout_of_a_step():
    assert layout(Recipe(batch_size=64), 8, at_once=4) == Layout(8, 4, 2)
    assert layout(Recipe(batch_size=64, micro_batch=8), 8, at_once=4) == Layout(8, 8, 1)
    assert layout(Recipe(batch_size=9), 3, at_once=4) == Layout(3, 3, 1)
    assert layout(Recipe(batch_size=2), 2, at_once=4) == Layout(2, 1, 1)
    with pytest.raises(ValueError, match="batch_size 64 does not divide between 3 processes"):
        layout(Recipe(batch_size=64), 3, at_once=4)
    with pytest.raises(ValueError, match="does not divide between 4 processes"):
        layout(Recipe(batch_size=2), 4, at_once=4)


def test_the_order_takes_every_row_once_an_epoch():
    recipe = Recipe(batch_size=4, steps=9)
    numbers = order([10, 30, 20, 50, 40, 60], recipe)
    assert len(numbers) == 36
    assert numbers == order([10, 30, 20, 50, 40, 60], recipe)
    assert numbers != order([10, 30, 20, 50, 40, 60], Recipe(batch_size=4, steps=9, seed=1))
    assert all(numbers.count(number) == 6 for number in range(6))


def test_every_shipped_recipe_is_read():
    from react.config import parse

    assert len(CONFIGS) >= 4
    for path in CONFIGS:
        (recipe,) = parse((Recipe,), "train", ["--config", str(path)])
        assert recipe.name == path.stem


def test_every_shipped_layout_is_read():
    from accelerate.commands.config.config_args import load_config_from_file

    paths = sorted((ROOT / "configs" / "accelerate").glob("*.yaml"))
    assert {path.stem for path in paths} == {"cpu2", "gpu1", "ddp", "zero2", "zero3", "fsdp2"}
    for path in paths:
        load_config_from_file(str(path))
        assert (yaml.safe_load(path.read_text())["num_processes"] > 1) == (path.stem != "gpu1")


def launch(*words, **kwargs):
    accelerate = Path(sys.executable).with_name("accelerate")
    config = ["--config_file", str(ROOT / "configs" / "accelerate" / "cpu2.yaml")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [accelerate, "launch", *config, str(ROOT / "train.py"), *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **kwargs,
    )


@pytest.mark.slow
def test_two_processes_are_two_and_train_the_same(base, whole_run, tmp_path):
    run = launch(*command(base, tmp_path))
    said, _ = run.communicate(timeout=300)
    assert run.returncode == 0, said
    assert summary(tmp_path / "run")["layout"] == "8 = 2 processes x 1 at once x 4 in turn"
    assert losses(tmp_path / "run") == pytest.approx(losses(whole_run), rel=1e-5)


@pytest.mark.slow
def test_two_processes_save_together_when_they_are_told_to_stop(base, tmp_path):
    words = command(base, tmp_path, steps=2000, save_every=1000, report_to="tensorboard")
    run = launch(*words)
    began = time.monotonic()
    while not list(tmp_path.rglob("events.*")) and time.monotonic() - began < 120:
        time.sleep(0.2)
    time.sleep(5)
    run.send_signal(signal.SIGTERM)
    said, _ = run.communicate(timeout=120)
    assert run.returncode != 0
    (left,) = (tmp_path / "run" / "resume").glob("checkpoint-*/whole.json")
    step = int(left.parent.name.split("-")[1])
    assert 0 < step < 2000, said
    assert said.count(f"Stopped after step {step}; the same command continues.") == 1
    again = launch(*words)
    said = "".join(iter(again.stdout.readline, f"continuing from {left.parent}\n"))
    while len(list(tmp_path.rglob("events.*"))) < 2:
        time.sleep(0.2)
    time.sleep(2)
    again.send_signal(signal.SIGINT)
    said += again.stdout.read()
    assert again.wait(60) != 0 and said.count("Stopped after step") == 1
    assert "Logging error" not in said and "missing keys" not in said


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_two_processes_leave_a_long_step_before_the_launcher_kills_them(base, tmp_path, number):
    """A step of a minute or more: the launcher would wait for 30 seconds."""
    model = student(tmp_path / "wide", 1024)
    run = launch(*command(base, tmp_path, model=model, steps=2, batch_size=1_000, report_to="tensorboard"))
    began = time.monotonic()
    while not list(tmp_path.rglob("events.*")) and time.monotonic() - began < 120:  # made when training begins
        time.sleep(0.2)
    time.sleep(5)
    run.send_signal(number)
    said, _ = run.communicate(timeout=120)
    assert run.returncode != 0
    assert said.count("Stopped after step 0; the same command continues.") == 1, said


@pytest.mark.slow
def test_a_mistake_in_two_processes_is_said_once(base, tmp_path):
    run = launch(*command(base, tmp_path, loss="none"))
    said, _ = run.communicate(timeout=120)
    assert run.returncode != 0
    assert said.count("error: ") == 1 and "unknown loss 'none'" in said


def test_a_folder_that_another_training_has_is_left_as_it_is(base, tmp_path, capsys):
    folder = tmp_path / "run"
    recipe, data = parse((Recipe,), "", command(base, tmp_path, save_every=3))[0], [str(base / "trajectories.jsonl")]
    held = enter(folder, recipe, derived={"data_fingerprint": fingerprint(data)})
    before = (folder / "config.yaml").read_bytes()
    try:
        with pytest.raises(SystemExit) as ended:
            main(command(base, tmp_path, save_every=7))
    finally:
        os.close(held)
    assert ended.value.code == 2 and "is in use by another run" in capsys.readouterr().err
    assert (folder / "config.yaml").read_bytes() == before


@pytest.mark.parametrize("other", ["alfworld", "fever", "webshop"])
def test_a_record_of_another_environment_is_not_trained_on(base, tmp_path, capsys, other):
    """Its text would be in a notation that the student never meets. A record that does not say is taken at its word."""
    own, foreign = (trajectory(n, provenance={"environment": name}) for n, name in ((1, "hotpotqa"), (2, other)))
    write(tmp_path / "mixed.jsonl", [own, trajectory(3), foreign])
    write(tmp_path / "foreign.jsonl", [foreign])
    (recipe,) = parse((Recipe,), "", command(base, tmp_path, data=tmp_path / "mixed.jsonl"))
    rows, (left_out,) = read_rows(recipe, tokenizer("gpt2"))
    assert [row.id for row in rows] == ["t001", "t003"] and (left_out.id, left_out.reason) == (
        "t002",
        "another environment",
    )
    with pytest.raises(SystemExit):
        main(command(base, tmp_path, data=tmp_path / "foreign.jsonl"))
    told = capsys.readouterr().err
    assert f"1 another environment; t002: a record of {other} cannot be written as hotpotqa's" in told
    assert f"--environment {other}" in told


def test_a_name_is_one_folder(base, tmp_path, capsys):
    for name in ("/", "..", "a/b", ""):
        with pytest.raises(SystemExit):
            main(command(base, tmp_path, name=name))
        assert "must be the name of one folder" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="another C library than glibc")
def test_memory_that_a_step_leaves_is_given_back_on_a_cpu_alone():
    import torch

    from train.steady import Tidy

    def held():
        return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS"))

    def given_back(device):
        before = held()
        Tidy().on_step_end(SimpleNamespace(device=torch.device(device)), None, None)
        return before - held()

    kept = [torch.ones(16_000) for _ in range(4_000)]
    last = kept.pop()  # at the end of the heap: what lies before it is not given back by itself
    del kept
    elsewhere, freed = given_back("meta"), given_back("cpu")
    assert last.sum() == 16_000
    assert freed > 150_000 > 50_000 > elsewhere


def test_memory_is_given_back_once_the_heap_has_gaps_and_not_after_every_step(monkeypatch):
    from train import steady

    left, given = iter([400, 300, 370, 350, 380, 290, 375, 390, 500]), []
    monkeypatch.setattr(steady, "resident", lambda: next(left))
    tidy = steady.Tidy()
    tidy._trim = given.append
    trimmed = []
    for _ in range(9):
        before = len(given)
        tidy.on_step_end(SimpleNamespace(device=SimpleNamespace(type="cpu")), None, None)
        trimmed.append(len(given) > before)
    # At first; a quarter over 300; 290 is no less of a need; and a quarter over 300 again.
    assert trimmed == [True, False, False, False, True, False, False, True, False]
