"""The shipped recipes: each prints a plan and fits where it says; the launches over several GPUs and computers run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from react.config import parse
from tests.train_toys import student, trajectories
from train import dry_run
from train.dry_run import show
from train.memory import GIB
from train.plan import Rows, Wish, machine_of, plan
from train.recipe import Recipe
from train.sft import main
from train.shapes import shape_of

ROOT = Path(__file__).parent.parent
CONFIGS = {path.stem: path for path in sorted((ROOT / "configs" / "train").glob("*.yaml"))}
# The slowest to hold them of each size, of those that people have.
SIZES = {"24": "rtx4090-24", "40": "a100-40", "80": "a100-80"}
SHARDINGS = {"gpu1": "none", "ddp": "ddp", "zero2": "zero2", "zero3": "zero3", "fsdp2": "fsdp2"}


def recipe_of(name):
    (recipe,) = parse((Recipe,), "A job.", ["--config", str(CONFIGS[name])])
    return recipe


def where(name):
    """The launch that a config's first lines tell: layout, number of GPUs, their size."""
    text = CONFIGS[name].read_text()
    launch = re.match(
        r"# accelerate launch (?:--config_file configs/accelerate/(\w+)\.yaml )?train\.py --config ", text
    )
    gpus = re.search(r"^# On (\d+) GPUs? of (\d+) GB\.", text, re.M)
    return launch and launch[1], gpus and (int(gpus[1]), gpus[2])


LARGE = [name for name in CONFIGS if where(name)[1]]


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch):
    monkeypatch.setattr(dry_run, "here", lambda: None)


@pytest.mark.parametrize("name", CONFIGS)
def test_the_dry_run_of_a_shipped_config_prints_a_plan(name, monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("went to the network"))
    monkeypatch.chdir(ROOT / "configs")  # where no data is
    said = show(recipe_of(name), Wish(), 1, list)
    assert "GiB on each GPU" in said and "about" in said and re.search(r"^(fits|does not fit)", said, re.M)
    assert f"--config configs/train/{name}.yaml" in CONFIGS[name].read_text().split("\n")[0]


def planned(name):
    recipe, (layout, (gpus, size)) = recipe_of(name), where(name)
    rows = Rows(1, recipe.max_length, recipe.max_length, bound=True)
    return plan(recipe, shape_of(recipe.model), rows, SHARDINGS[layout], gpus, machine_of(SIZES[size]), False)


@pytest.mark.parametrize("name", LARGE)
def test_a_recipe_fits_where_it_says(name):
    found = planned(name)
    assert found.fits, f"{found.memory.total / GIB:.1f} of {found.machine.room / GIB:.1f} GiB"
    assert where(name)[0] != "gpu1" or found.shared.processes == 1


def test_the_papers_table_is_there():
    """Appendix B.1: batch 64; ReAct and Act 4,000 steps; Standard and CoT 2,000 at 8B and 1,000 at 62B."""
    steps = {"react": (4000, 4000), "act": (4000, 4000), "cot": (2000, 1000), "standard": (2000, 1000)}
    for method, wanted in steps.items():
        found = [recipe_of(f"{method}_{size}") for size in ("8b", "70b")]
        assert tuple(recipe.steps for recipe in found) == wanted
        assert {recipe.batch_size for recipe in found} == {64}
        assert all(recipe.data == [f"runs/bootstrap/{method}_3000/trajectories.jsonl"] for recipe in found)
    assert {recipe_of(name).finetune for name in LARGE} == {"full", "lora", "qlora"}
    assert {shape_of(recipe_of(name).model).family for name in LARGE} == {
        "llama",
        "qwen2",
        "qwen3",
        "gemma3_text",
        "smollm3",
    }


def test_gated_models_are_said_to_be():
    for name in LARGE:
        gated = recipe_of(name).model.startswith(("meta-llama/", "google/"))
        assert ("The model is gated" in CONFIGS[name].read_text()) == gated


def test_the_table_of_the_docs_is_the_plans():
    text = (ROOT / "docs" / "recipes.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `([\w./-]+)` \| (\w+) \| (\d+) x (\d+) GB, (\w+) \| ([\d.]+) \|", text, re.M)
    assert [row[0] for row in rows] == sorted(LARGE, key=[row[0] for row in rows].index)
    for name, model, finetune, gpus, size, layout, gib in rows:
        recipe, found = recipe_of(name), planned(name)
        assert (model, finetune) == (recipe.model, recipe.finetune)
        assert (layout, (int(gpus), size)) == where(name)
        assert float(gib) == pytest.approx(found.memory.total / GIB, abs=0.06), name


@pytest.mark.parametrize(
    ("environment", "changes", "message"),
    [
        ({"ACCELERATE_USE_FSDP": "true"}, {}, "this launch is fsdp2, which needs GPUs; without, there is configs/"),
        (
            {"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_TORCH_DEVICE": "cpu"},
            {"finetune": "qlora"},
            "this launch is zero2, and finetune is 'qlora', whose weights are whole on each GPU: launch it with",
        ),
        (
            {},
            {"finetune": "qlora"},
            "finetune is 'qlora', and bitsandbytes is not installed: pip install -e '.[qlora]'",
        ),
        ({}, {"attention": "flash_attention_2"}, "attention is 'flash_attention_2', and it needs a GPU and bfloat16"),
        ({}, {"attention": "flash"}, "unknown attention 'flash'; there are: auto, eager, sdpa"),
    ],
)
def test_what_a_launch_cannot_do_is_told(base, tmp_path, monkeypatch, capsys, environment, changes, message):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("train.base.gpu", lambda: False)
    monkeypatch.setattr("transformers.utils.import_utils.is_bitsandbytes_available", lambda: False)
    settings = {"model": base / "base", "data": base / "trajectories.jsonl", "output": tmp_path, **changes}
    with pytest.raises(SystemExit) as end:
        main([word for key, value in settings.items() for word in (f"--{key}", str(value))])
    assert end.value.code == 2 and message in capsys.readouterr().err


def stub(folder, name, text):
    path = folder / name
    path.write_text(f"#!/usr/bin/env bash\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def cluster(tmp_path):
    """What a job of two computers sees of SLURM; `accelerate` notes its words and goes on until it is told to stop."""
    (tmp_path / "bin").mkdir()
    stub(tmp_path / "bin", "scontrol", f'[ "$1" = requeue ] && echo "requeued $2" >> {tmp_path}/said || echo first')
    stub(tmp_path / "bin", "srun", 'shift; export SLURM_NODEID=1; exec "$@"')
    stub(
        tmp_path / "bin",
        "accelerate",
        f'trap "echo saved >> {tmp_path}/said; exit 130" TERM\necho "$@" > {tmp_path}/words\n'
        f'[ -z "${{BRIEF:-}}" ] || exit "$BRIEF"\nwhile :; do sleep 0.05; done',
    )
    environment = {"SLURM_JOB_NODELIST": "x[1-2]", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_ID": "7", **os.environ}
    environment["PATH"] = f"{tmp_path}/bin:{environment['PATH']}"

    def start(**more):
        script = ROOT / "configs" / "slurm" / "train.sbatch"
        return subprocess.Popen(["bash", script, "--config", "a b.yaml"], env={**environment, **more}, cwd=ROOT)

    return tmp_path, start


def until(path):
    end = time.monotonic() + 30
    while not (path.is_file() and path.read_text()):
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGUSR1, 0, "saved\nrequeued 7\n"), (signal.SIGTERM, 130, "saved\n")]
)
def test_a_job_saves_before_its_time_is_over_and_is_queued_again(cluster, number, code, said):
    folder, start = cluster
    job = start()
    until(folder / "words")
    job.send_signal(number)
    assert job.wait(30) == code and (folder / "said").read_text() == said


@pytest.mark.parametrize("code", ["0", "2"])
def test_a_job_ends_as_its_training_does(cluster, code):
    folder, start = cluster
    assert start(BRIEF=code, LAYOUT="fsdp2").wait(30) == int(code) and not (folder / "said").exists()
    words = (folder / "words").read_text()
    assert "--machine_rank 1 --config_file configs/accelerate/fsdp2.yaml --num_machines 2 --num_processes 16" in words
    assert words.endswith("--main_process_ip first --main_process_port 20007 train.py --config a b.yaml\n")


def test_the_words_of_the_job_are_accelerates():
    from accelerate.commands.launch import launch_command_parser

    script = (ROOT / "configs" / "slurm" / "train.sbatch").read_text()
    known = {word for action in launch_command_parser()._actions for word in action.option_strings}
    assert {word for word in re.findall(r"--\w+(?= )", script.split("srun ")[1].split("train.py")[0])} - known == set()


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    trajectories(folder / "trajectories.jsonl")
    return student(folder / "base").parent


def train(base, output, name, launcher, finetune):
    """A run of five steps; its losses, and its checkpoint's folder."""
    settings = {"model": base / "base", "data": base / "trajectories.jsonl", "output": output, "name": name}
    settings |= {"steps": 5, "batch_size": 8, "learning_rate": 1e-2, "dtype": "float32", "logging_every": 1}
    settings |= {"report_to": "none", "finetune": finetune}
    words = [word for key, value in settings.items() for word in (f"--{key}", str(value))]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    run = subprocess.run([*launcher, *words], env=environment, capture_output=True, text=True, cwd=output)
    assert run.returncode == 0, run.stdout + run.stderr
    lines = (output / name / "losses.jsonl").read_text().splitlines()
    return [json.loads(line)["loss"] for line in lines], output / name / "checkpoint"


def weights(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


@pytest.fixture(scope="module", params=["full", "lora"])
def alone(request, base, tmp_path_factory):
    """What is trained, and what came of the same training in one process."""
    launcher = [sys.executable, str(ROOT / "train.py")]
    return request.param, *train(base, tmp_path_factory.mktemp("alone"), "run", launcher, request.param)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["zero2", "zero3", "fsdp2"])
def test_two_processes_that_share_weights_out_train_the_same(base, alone, tmp_path, layout):
    """DeepSpeed's and PyTorch's own engines, over gloo. The checkpoint is whole, and each tied weight in it once."""
    import torch
    from transformers import AutoModelForCausalLM

    if layout != "fsdp2":
        pytest.importorskip("deepspeed")
    settings = yaml.safe_load((ROOT / "configs" / "accelerate" / f"{layout}.yaml").read_text())
    settings |= {"num_processes": 2, "mixed_precision": "no", "main_process_port": 0}
    (tmp_path / "launch.yaml").write_text(yaml.safe_dump(settings))
    accelerate = str(Path(sys.executable).with_name("accelerate"))
    script = str(ROOT / "tests" / "sharded_launch.py")
    launcher = [accelerate, "launch", "--config_file", str(tmp_path / "launch.yaml"), script]
    finetune, expected, whole = alone
    losses, checkpoint = train(base, tmp_path, "run", launcher, finetune)
    assert losses == pytest.approx(expected, abs=1e-4)
    found, wanted = weights(checkpoint), weights(whole)
    assert found.keys() == wanted.keys()
    assert all(torch.allclose(found[name], wanted[name], atol=1e-3) for name in wanted)
    assert AutoModelForCausalLM.from_pretrained(checkpoint).num_parameters() == shape_of(str(base / "base")).parameters


@pytest.mark.slow
def test_an_adapter_over_weights_in_four_bits_is_trained_in_float32(base, tmp_path):
    """bitsandbytes computes in 4 bits on a CPU, too."""
    pytest.importorskip("bitsandbytes")
    from safetensors.torch import load_file

    launcher = [sys.executable, str(ROOT / "train.py")]
    losses, checkpoint = train(base, tmp_path, "run", launcher, "qlora")
    assert losses[-1] < losses[0] - 0.05
    adapter = load_file(checkpoint.with_name("adapter") / "adapter_model.safetensors")
    assert {str(tensor.dtype) for tensor in adapter.values()} == {"torch.float32"}
    assert "over a base in 4 bits (NF4)" in (checkpoint / "README.md").read_text()
    assert not any("absmax" in name for name in weights(checkpoint)), "merged into the whole base"
