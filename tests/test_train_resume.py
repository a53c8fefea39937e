"""A training that is stopped anywhere goes on as if it had not been; and it is the same however it is laid out."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.train_toys import dropping, student, trajectories
from train.sft import main

ROOT = Path(__file__).parent.parent
EXACT = 1e-5  # relative, of a loss in float32
WEIGHTS = json.dumps({"action": 3, "observation": 0.25})


@pytest.fixture(scope="module")
def undisturbed(toys, tmp_path_factory):
    """A training of the plain layout, to its end at once."""
    folder = tmp_path_factory.mktemp("undisturbed")
    run(command(toys, folder, "whole"))
    return folder / "whole"


@pytest.fixture(scope="module")
def toys(tmp_path_factory):
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("toys")
    trajectories(folder / "24.jsonl")
    trajectories(folder / "3.jsonl", 3)
    student(folder / "plain")
    dropping(folder / "dropping")
    yield folder
    torch.set_num_threads(before)


def command(toys, output, name, model="plain", rows=24, **changes):
    values = {
        **{"model": toys / model, "data": toys / f"{rows}.jsonl", "output": output, "name": name},
        **{"steps": 8, "batch_size": 4, "micro_batch": 2, "learning_rate": 3e-3, "dtype": "float32"},
        **{"logging_every": 1, "report_to": "none", **changes},
    }
    return [word for key, value in values.items() for word in (f"--{key}", str(value))]


def curve(folder):
    return [json.loads(line) for line in (folder / "losses.jsonl").read_text().splitlines()]


def same(folder, other, within=EXACT):
    """Each step once, with the loss, the gradient and the learning rate of the other run."""
    ours, theirs = curve(folder), curve(other)
    assert [entry["step"] for entry in ours] == [entry["step"] for entry in theirs]
    for key in ("loss", "grad_norm", "learning_rate"):
        assert [entry[key] for entry in ours] == pytest.approx([entry[key] for entry in theirs], rel=within, abs=1e-12)
    return max(abs(one["loss"] / two["loss"] - 1) for one, two in zip(ours, theirs, strict=True))


def run(words, *stops, ends=lambda: os.kill(os.getpid(), signal.SIGTERM)):
    """Trains to the end, in as many sittings as that takes: sitting `i` is ended in its micro-batch `stops[i]`."""
    from train.trainer import StudentTrainer

    original = StudentTrainer.training_step
    for stop in [*stops, None]:
        computed = []

        def step(self, *args, computed=computed, stop=stop, **kwargs):
            if len(computed) == stop:
                ends()
            computed.append(self.state.global_step)
            return original(self, *args, **kwargs)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(StudentTrainer, "training_step", step)
            try:
                main(words() if callable(words) else words)
            except SystemExit as ended:
                assert stop is not None and ended.code == 143


def die():
    raise SystemExit(143)  # and nothing is saved


LAYOUTS = {
    "plain": {},
    "dropout": {"model": "dropping"},
    "lora": {"finetune": "lora", "lora_r": 4},
    "packed and weighted": {"packing": "true", "max_length": 300, "weights": WEIGHTS},
}


# Dropout is the hardest to go on with; the others are as slow.
@pytest.mark.parametrize(
    "layout", [name if name == "dropout" else pytest.param(name, marks=pytest.mark.slow) for name in LAYOUTS]
)
def test_a_training_goes_on_as_if_never_stopped(toys, tmp_path, layout):
    """Inside a step, at the end of one, in the first after going on; the curve has three steps each.

    With dropout it goes on with what an unstopped one draws.
    """
    settings = {**LAYOUTS[layout], "logging_every": 3}
    run(command(toys, tmp_path, "whole", **settings))
    run(command(toys, tmp_path, "stopped", **settings), 7, 5, 1)
    assert same(tmp_path / "stopped", tmp_path / "whole") < 1e-6


def test_a_training_that_is_killed_goes_on_from_its_last_state(toys, tmp_path):
    """Losses since the last entry of the curve are part of the state."""
    settings = {"model": "dropping", "logging_every": 3, "save_every": 4}
    run(command(toys, tmp_path, "whole", **settings))
    run(command(toys, tmp_path, "killed", **settings), 13, 3, ends=die)
    assert same(tmp_path / "killed", tmp_path / "whole") < 1e-6


@pytest.mark.slow
def test_a_training_is_stopped_in_epoch_40(toys, tmp_path):
    settings = {"rows": 3, "steps": 62, "batch_size": 2, "logging_every": 5}
    run(command(toys, tmp_path, "whole", **settings))
    run(command(toys, tmp_path, "stopped", **settings), 58, 2)
    assert json.loads((tmp_path / "stopped" / "summary.json").read_text())["epochs"] == 41.33
    assert same(tmp_path / "stopped", tmp_path / "whole") < 1e-6


def test_a_training_may_go_on_with_other_micro_batches(toys, undisturbed, tmp_path):
    sittings = iter([command(toys, tmp_path, "changed"), command(toys, tmp_path, "changed", micro_batch=4)])
    run(lambda: next(sittings), 9)
    same(tmp_path / "changed", undisturbed)


def test_a_repeated_signal_is_one_request_and_a_later_one_ends_at_once(monkeypatch):
    """A scheduler tells all processes; a launcher among them passes it on to the same ones."""
    from train import interruption

    told = []
    monkeypatch.setattr(signal, "raise_signal", told.append)
    before = {number: signal.getsignal(number) for number in interruption.SIGNALS}
    one = interruption.Interruption()
    try:
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
            os.kill(os.getpid(), number)
        assert (one.asked, one.status, told) == (signal.SIGTERM, 143, [])
        monkeypatch.setattr(interruption, "ONE_REQUEST", 0.0)
        os.kill(os.getpid(), signal.SIGINT)
        assert told == [signal.SIGINT]
    finally:
        one.restore()
    assert {number: signal.getsignal(number) for number in interruption.SIGNALS} == before


def test_a_signal_while_a_state_is_saved_and_an_end_while_the_student_is_written_lose_nothing(
    toys, undisturbed, tmp_path, capsys
):
    def tell(self, *args):
        if self.state.global_step == 4:
            os.kill(os.getpid(), signal.SIGTERM)

    words = command(toys, tmp_path, "ended", save_every=4)
    for place, what in (("transformers.Trainer._save_scaler", tell), ("train.course.export", lambda *_: die())):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit):
            patch.setattr(place, what)
            main(words)
    assert "Stopped after step 4" in capsys.readouterr().err
    main(words)
    assert same(tmp_path / "ended", undisturbed) < 1e-6


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(OSError(28, "No space left on device"), marks=pytest.mark.slow),
        Exception("Error while serializing: No space left (os error 28)"),
    ],
)
def test_a_state_that_the_disk_has_no_room_for_is_taken_away_and_the_one_before_stays(toys, tmp_path, capsys, error):
    from transformers import Trainer

    def fail(self, *args):
        if self.state.global_step == 8:
            raise error

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(Trainer, "_save_scaler", fail)
        main(command(toys, tmp_path, "run", save_every=4))
    assert ended.value.code == 2 and "No space left on device" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "run" / "resume").iterdir()] == ["checkpoint-4"]


def launch(words, processes, **kwargs):
    """As a user does: by accelerate, which starts one process in a way and two in another."""
    accelerate = str(Path(sys.executable).with_name("accelerate"))
    start = [accelerate, "launch", "--cpu"]
    if processes > 1:
        start = [accelerate, "launch", "--config_file", str(ROOT / "configs" / "accelerate" / "cpu2.yaml")]
    return subprocess.Popen(
        [*start, str(ROOT / "train.py"), *words],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        **kwargs,
    )


def finish(words, processes):
    began = launch(words, processes)
    said, _ = began.communicate(timeout=600)
    assert began.returncode == 0, said


MATRIX = {
    "plain": ({}, {"processes": 2, "micro_batch": 1}),
    "dropout": ({"model": "dropping"}, {"processes": 2}),
    "lora": ({"finetune": "lora", "lora_r": 4}, {"processes": 2}),
    "weighted": ({"weights": WEIGHTS}, {"processes": 2, "micro_batch": 1}),
    # All rows are one step, so that packed and unpacked have the same ones in it.
    "packed": (
        {"weights": WEIGHTS, "batch_size": 24, "micro_batch": 8, "max_length": 512},
        {"processes": 2, "packing": "true", "batch_size": 4, "micro_batch": 1},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("layout", MATRIX)
def test_two_processes_that_are_killed_at_random_train_as_one_undisturbed(toys, tmp_path, layout):
    """kill -9 of the launcher and of its processes, at a random time, also while a state is saved: one each step."""
    settings, other = MATRIX[layout]
    other = dict(other)
    settings, processes = {"steps": 40, **settings}, other.pop("processes")
    finish(command(toys, tmp_path, "one", **settings), 1)
    words = command(toys, tmp_path, "two", **{**settings, **other, "save_every": 1})
    chance = random.Random(layout)
    for _ in range(2):
        process = launch(words, processes)
        for line in process.stdout:
            if "two: step: " in line:
                break
        time.sleep(chance.uniform(0, 1.0))
        ours = children(process.pid)
        for pid in [process.pid, *ours]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=60)
    finish(words, processes)
    same(tmp_path / "two", tmp_path / "one")


def children(pid):
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text().split()] if path.exists() else []


@pytest.mark.slow
def test_a_training_of_one_process_goes_on_with_two(toys, tmp_path):
    """With what dropout would have drawn in one."""
    run(command(toys, tmp_path, "one", model="dropping"))
    words = command(toys, tmp_path, "both", model="dropping")
    sittings = iter([words])
    with pytest.raises(StopIteration):  # it has but one sitting here
        run(lambda: next(sittings), 7)
    finish(words, 2)
    same(tmp_path / "both", tmp_path / "one")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of a parent's death")
@pytest.mark.parametrize(("processes", "all_of_them"), [(1, False), (1, True), (2, False), (2, True)])
def test_a_scheduler_that_wants_the_machine_has_it_and_nothing_is_lost(toys, tmp_path, processes, all_of_them):
    """SIGTERM to the launcher alone, or to all processes as SLURM does, some of which then get it twice."""
    words = command(toys, tmp_path, "run", steps=100_000, save_every=100_000)
    process = launch(words, processes)
    for line in process.stdout:
        if "run: step: " in line:
            break
    time.sleep(3)
    ours = children(process.pid)
    for pid in [process.pid, *(ours if all_of_them else [])]:
        os.kill(pid, signal.SIGTERM)
    said, _ = process.communicate(timeout=60)  # to the end of what its processes say, so these have ended
    assert process.returncode != 0
    assert said.count("the same command continues.") == 1, said
    step = said.split("Stopped after step ")[1].split(";")[0]
    assert int(step) and (tmp_path / "run" / "resume" / f"checkpoint-{step}" / "whole.json").exists()
