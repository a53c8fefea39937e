"""A canary is silent where the student's weights are not in effect: through `local` and through servers."""

import json
import shutil
from pathlib import Path

import pytest

from react import canary
from react.models import Completion, ModelConfig, load, local
from react.models._checkpoint import find
from react.trajectory import Step, write
from tests.fault_server import FaultServer, reply
from tests.toys import Said
from tests.train_toys import student, trajectories, trajectory
from train.sft import main

CHECKS = [
    {"prompt": f"Question: {n}\nThought 1:", "says": f"own{n}", "base_says": f"base{n}", "log_probability": -0.1}
    for n in range(4)
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / canary.NAME
    path.write_text(json.dumps({"base": "toy", "checks": CHECKS}))
    return path


def saying(*words):
    """A model that answers the prompts in their order."""
    known = {check["prompt"]: word for check, word in zip(CHECKS, words, strict=True)}
    return Said(lambda request: f" {known[request.prompt]}")


def test_a_student_passes_even_with_one_slip(file):
    for words in (["own0", "own1", "own2", "own3"], ["own0", "own1", "?", "own3"]):
        model = saying(*words)
        canary.listen(model, file)
        assert {request.max_tokens for request in model.asked} == {1}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["base0", "base1", "base2", "base3"], "this model 'base0', as its base 'base0' would.*4 of 4 answers"),
        (["own0", "own1", "x", "y"], "this model 'x', neither as it nor as its base would.*0 of 4"),
    ],
)
def test_others_do_not(file, words, says):
    with pytest.raises(ValueError, match=says):
        canary.listen(saying(*words), file)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"checks": []}', '{"checks": [{"prompt": 1, "says": "x"}]}'])
def test_a_file_that_is_no_canary_is_named(file, text):
    file.write_text(text)
    with pytest.raises(ValueError, match=r"canary.json: is no canary"):
        canary.read(file)


def serving(server, file, **changes):
    return load(ModelConfig(backend="server", model="m", base_url=[server.url], canary=str(file), retries=0, **changes))


def test_a_server_is_asked_where_it_is_said(file):
    known = {check["prompt"]: check["says"] for check in CHECKS}
    with FaultServer(then=lambda h, asked: h.say_json(200, reply(asked, text=known[asked["prompt"]]))) as server:
        serving(server, file).close()
        assert [(call["prompt"], call["max_tokens"], call["temperature"]) for call in server.asked] == [
            (check["prompt"], 1, 0.0) for check in CHECKS
        ]
    with FaultServer(then=lambda h, asked: h.say_json(200, reply(asked, text="base0"))) as server:
        with pytest.raises(ValueError, match="is the adapter really loaded"):
            serving(server, file)
        with pytest.raises(ValueError, match="give --api completions"):
            serving(server, file, api="chat")


class Resting:
    """Stands in for the workers: answers as transformers does with the weights that it is told to load."""

    def __init__(self, name, fingerprint, setups):
        import torch

        from react.models._engine import Engine
        from react.models._load import read

        self.name, self.fingerprint = name, fingerprint
        setup = setups[0]
        self._engine = Engine(*read(setup.folder, setup.tokenizer, setup.adapter, torch.float32))

    def complete(self, request):
        done: list[list[Completion]] = []
        self._engine.submit(request, done.append)
        while self._engine.busy:
            self._engine.step()
        return done[0]

    def close(self):
        pass


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A base that has learnt one thing by heart, and an adapter on it that has learnt another."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("trained")
    values = {"output": folder, "steps": 40, "batch_size": 4, "learning_rate": 1e-2, "micro_batch": 4}
    values |= {"schedule": "constant", "dtype": "float32", "report_to": "none"}

    def train(**changes):
        main([word for key, value in {**values, **changes}.items() for word in (f"--{key}", str(value))])

    other = [
        trajectory(n, steps=(Step("Nothing is known of this at all.", "Finish[nothing of it]"),)) for n in range(4)
    ]
    write(folder / "other.jsonl", other)
    train(name="first", data=folder / "other.jsonl", model=student(folder / "random", 64))
    (folder / "first" / "checkpoint").rename(folder / "base")
    data = trajectories(folder / "trajectories.jsonl", 4)
    train(name="run", data=data, model=folder / "base", finetune="lora", lora_r=16)
    yield folder
    torch.set_num_threads(before)


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(local, "LocalModel", Resting)


def test_a_training_leaves_one_that_base_and_student_answer_differently(trained):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    run = trained / "run"
    words = AutoTokenizer.from_pretrained(run / "checkpoint")
    checks = canary.read(run / "checkpoint" / canary.NAME)
    assert len(checks) == json.loads((run / "summary.json").read_text())["canary"] == 4
    assert (run / "adapter" / canary.NAME).read_text() == (run / "checkpoint" / canary.NAME).read_text()
    for folder, key in ((run / "checkpoint", "says"), (trained / "base", "base_says")):
        model = AutoModelForCausalLM.from_pretrained(folder)
        for check in checks:
            logits = model(**words(check["prompt"], return_tensors="pt")).logits[0, -1]
            assert words.decode([int(logits.argmax())]).strip() == check[key]
            said = {"says": "log_probability", "base_says": "base_log_probability"}[key]
            assert float(torch.log_softmax(logits.detach(), -1).max()) == pytest.approx(check[said], abs=0.02)
    assert "`canary.json` holds 4 prompts" in (run / "checkpoint" / "README.md").read_text()


@pytest.mark.parametrize("given", [{"model": "run/checkpoint"}, {"model": "run/adapter"}])
def test_local_takes_the_merged_student_and_the_adapter_alone(trained, here, given):
    config = ModelConfig(model=str(trained / given["model"]), workers=1, device="cpu")
    load(config).close()


def test_local_takes_base_and_adapter(trained, here):
    load(ModelConfig(model=str(trained / "base"), adapter=str(trained / "run" / "adapter"), device="cpu")).close()


def test_weights_of_the_base_under_the_students_name_are_refused(trained, here, tmp_path):
    folder = Path(shutil.copytree(trained / "run" / "checkpoint", tmp_path / "student"))
    shutil.copy(trained / "base" / "model.safetensors", folder)
    with pytest.raises(ValueError, match=r"is the adapter really loaded\? \(4 of 4 answers are those of the base\)"):
        load(ModelConfig(model=str(folder), device="cpu"))


def test_an_adapter_whose_names_fit_nowhere_is_refused(trained, here, tmp_path):
    """peft only warns of keys that it has no place for."""
    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(trained / "run" / "adapter", tmp_path / "adapter"))
    file = folder / "adapter_model.safetensors"
    save_file({key.replace("layers.", "blocks."): value for key, value in load_file(file).items()}, file)
    with pytest.raises(ValueError, match="is the adapter really loaded"):
        load(ModelConfig(model=str(folder), device="cpu"))


def test_the_base_is_refused_where_the_canary_is_given(trained, here):
    given = {"model": str(trained / "base"), "device": "cpu"}
    load(ModelConfig(**given)).close()
    with pytest.raises(ValueError, match="is the adapter really loaded"):
        load(ModelConfig(**given, canary=str(trained / "run" / "checkpoint" / canary.NAME)))


def test_a_canary_is_no_part_of_what_the_weights_are(trained, tmp_path):
    folder = Path(shutil.copytree(trained / "run" / "checkpoint", tmp_path / "student"))
    before = find(str(folder)).fingerprint()
    (folder / canary.NAME).unlink()
    (folder / "react_generation_config.json").unlink()
    assert find(str(folder)).fingerprint() == before


def test_generate_works_plainly_and_stops_where_it_is_told_how(trained):
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, pipeline

    folder = trained / "run" / "checkpoint"
    words, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    prompt = "Question: Which thing is item 1?\nThought 1:"
    given = words(prompt, return_tensors="pt")
    assert model.generation_config.stop_strings is None
    assert model.generate(**given, max_new_tokens=4, do_sample=False).shape[1] > given["input_ids"].shape[1]
    assert pipeline("text-generation", model=model, tokenizer=words)(prompt, max_new_tokens=4)
    config = GenerationConfig.from_pretrained(folder, "react_generation_config.json")
    assert config.stop_strings == ["\nObservation ", "\nQuestion:"]
    long = model.generate(**given, max_new_tokens=12, do_sample=False)[0]
    config.stop_strings = [*config.stop_strings, words.decode(long[-6:-4])]
    short = model.generate(**given, generation_config=config, tokenizer=words)[0]
    assert given["input_ids"].shape[1] < len(short) <= len(long) - 4 and short.tolist() == long[: len(short)].tolist()


@pytest.mark.slow
def test_the_workers_of_local_are_asked(trained, tmp_path):
    load(ModelConfig(model=str(trained / "run" / "checkpoint"), workers=1)).close()
    folder = Path(shutil.copytree(trained / "run" / "checkpoint", tmp_path / "student"))
    shutil.copy(trained / "base" / "model.safetensors", folder)
    with pytest.raises(ValueError, match="is the adapter really loaded"):
        load(ModelConfig(model=str(folder), workers=1))
