"""The loss of each token: weighted, packed, in TRL's form and in the lean one; and that what carries it is learnt."""

from __future__ import annotations

import json

import pytest

from react.environments.hotpotqa import notation
from react.models import Request
from react.notation import text
from react.trajectory import Step, write
from tests.tokenizer_toys import tokenizer
from tests.train_toys import prompts, student, trajectory
from train.recipe import Layout, Recipe
from train.sft import arguments, main, read_rows, schedule
from train.weights import IGNORED

pytestmark = pytest.mark.usefixtures("one_thread")

REACT = notation(thoughts=True, actions=True)
RECORDS = [
    trajectory(
        n, steps=(Step(f"I seek {n}.", f"Search[{n}]", f"It is a {word}."), Step(f"A {word}.", f"Finish[{word}]"))
    )
    for n, word in enumerate(("fox", "lazy dog", "café", "thing", "bottle", "river"))
]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    write(folder / "trajectories.jsonl", RECORDS)
    return student(folder / "base").parent


@pytest.fixture(scope="module")
def batched(base):
    """A trainer, one batch of all rows, and the rows; in the form that a recipe says."""
    import torch
    from transformers import AutoModelForCausalLM

    from train.trainer import StudentTrainer

    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_pretrained(base / "base")
    torch.nn.init.normal_(model.get_input_embeddings().weight)  # so that tokens differ much in their loss

    def make(**changes):
        settings = {"batch_size": 6, "steps": 1, "dtype": "float32", "report_to": "none", "max_length": 800, **changes}
        recipe = Recipe(data=[str(base / "trajectories.jsonl")], output=str(base / "runs"), **settings)
        rows, _ = read_rows(recipe, tokenizer("gpt2"))
        data, _ = schedule(rows, recipe)
        once = data.select(range(1 if recipe.packing else len(rows)))
        words = tokenizer("gpt2")
        trainer = StudentTrainer(
            model=model, args=arguments(recipe, Layout(1, 6, 1)), train_dataset=once, processing_class=words
        )
        return trainer, trainer.data_collator(list(once)), rows, recipe

    return make


def each_loss(trainer, batch, how):
    """{the tokens of a row up to a trained one: its loss}, whatever the form of the batch."""
    import torch

    tokens, labels = batch["input_ids"], batch["labels"]
    places = batch.get("position_ids", torch.arange(tokens.shape[1]).expand(tokens.shape))
    inputs = {key: value for key, value in batch.items() if key not in ("labels", "weights")}
    with torch.no_grad():
        losses, columns, _ = getattr(trainer, how)(trainer.model, inputs, labels)
    columns = torch.arange(labels.shape[1])[columns].tolist()
    return {
        tuple(tokens[row, at - int(places[row, at]) : at + 1].tolist()): float(losses[row, i])
        for row in range(len(labels))
        for i, at in enumerate(columns)
        if labels[row, at] != IGNORED
    }


@pytest.mark.parametrize("loss", ["whole", "without_observations", "actions_only"])
def test_packed_and_padded_rows_have_the_same_loss_for_each_token(batched, loss):
    """And TRL's loss and the lean one are the same, token by token."""
    trainer, batch, rows, _ = batched(loss=loss)
    padded = each_loss(trainer, batch, "_losses")
    assert each_loss(trainer, batch, "_lean_losses") == pytest.approx(padded, rel=1e-5, abs=1e-6)
    trainer, batch, *_ = batched(loss=loss, packing=True)
    assert len(batch["input_ids"]) == 1 and int((batch["position_ids"] == 0).sum()) == len(rows) == 6
    for how in ("_losses", "_lean_losses"):
        packed = each_loss(trainer, batch, how)
        assert len(packed) > 100 and packed == pytest.approx(padded, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("packing", [False, True])
def test_the_loss_is_the_weighted_mean(batched, packing):
    import torch

    trainer, batch, rows, recipe = batched(packing=packing, weights={"action": 3, "observation": 0, "thought": 0.5})
    each = each_loss(trainer, batch, "_losses")
    weight = {
        row.tokens[: at + 1]: weight
        for row in rows
        for at, weight in enumerate(row.weights(recipe.trained()))
        if weight and at
    }
    assert weight.keys() == each.keys() and set(weight.values()) == {0.5, 1.0, 3.0}
    mean = sum(weight[key] * loss for key, loss in each.items()) / sum(weight.values())
    for lean in (True, False):
        trainer._lean = lean
        assert float(trainer.compute_loss(trainer.model, dict(batch)).detach()) == pytest.approx(mean, rel=1e-5)
    _, whole = trainer.get_batch_samples(iter([batch, batch]), 2, torch.device("cpu"))
    assert float(whole) == pytest.approx(2 * sum(weight.values()))


@pytest.mark.parametrize("lean", [True, False])
def test_weights_that_are_all_the_same_give_the_plain_loss(batched, lean):
    trainer, plain, *_ = batched()
    trainer._lean = lean
    expected = float(trainer.compute_loss(trainer.model, dict(plain)).detach())
    weighted = {**plain, "weights": plain["labels"].ne(IGNORED) * 2.0}
    assert float(trainer.compute_loss(trainer.model, weighted).detach()) == pytest.approx(expected, rel=1e-5)


def test_a_mixture_of_experts_is_trained_with_its_auxiliary_loss_on_a_cpu(batched):
    """With and without weights: TRL's loss, in which the router's has a part."""
    import torch
    from transformers import MixtralConfig, MixtralForCausalLM
    from trl import SFTTrainer

    from train.trainer import StudentTrainer

    words = tokenizer("gpt2")
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    sizes |= {"num_key_value_heads": 2, "num_local_experts": 4, "router_aux_loss_coef": 0.5}
    model = MixtralForCausalLM(MixtralConfig(vocab_size=len(words), **sizes))
    _, batch, rows, recipe = batched()
    data, _ = schedule(rows, recipe)
    trainer = StudentTrainer(
        model=model, args=arguments(recipe, Layout(1, 6, 1)), train_dataset=data, processing_class=words
    )
    trainer.current_gradient_accumulation_steps = 3
    count = batch["labels"][:, 1:].ne(IGNORED).sum()
    for given in (None, count):
        expected = float(SFTTrainer.compute_loss(trainer, model, dict(batch), num_items_in_batch=given).detach())
        weighted = {**batch, "weights": batch["labels"].ne(IGNORED).float()}
        for inputs in (dict(batch), weighted):
            said = trainer.compute_loss(model, inputs, num_items_in_batch=given)
            assert float(said.detach()) == pytest.approx(expected, rel=1e-5)
        each = each_loss(trainer, batch, "_losses")
        assert expected > sum(each.values()) / len(each) + 0.1


def command(base, folder, **changes):
    values = {
        **{"model": base / "base", "data": base / "trajectories.jsonl", "output": folder, "name": "run"},
        **{"steps": 3, "batch_size": 6, "dtype": "float32", "logging_every": 1, "report_to": "none", **changes},
    }
    return [word for key, value in values.items() for word in (f"--{key}", str(value))]


def curve(folder):
    return [json.loads(line)["loss"] for line in (folder / "run" / "losses.jsonl").read_text().splitlines()]


def test_a_weighted_batch_is_the_same_in_every_layout(base, tmp_path):
    """The weights of its tokens are summed over all of its micro-batches. Packed, a step is the same rows here."""
    weights = {"weights": json.dumps({"action": 4, "observation": 0.1}), "learning_rate": 1e-2}
    main(command(base, tmp_path / "1", micro_batch=1, **weights))
    main(command(base, tmp_path / "6", micro_batch=6, **weights))
    main(command(base, tmp_path / "packed", packing="true", batch_size=1, max_length=800, **weights))
    main(command(base, tmp_path / "plain", learning_rate=1e-2))
    assert curve(tmp_path / "6") == pytest.approx(curve(tmp_path / "1"), rel=1e-5)
    assert curve(tmp_path / "packed") == pytest.approx(curve(tmp_path / "1"), rel=1e-5)
    assert curve(tmp_path / "plain") != pytest.approx(curve(tmp_path / "1"), rel=1e-3)
    assert "`whole` with weights {'action': 4, 'observation': 0.1}" in (tmp_path / "1/run/README.md").read_text()


@pytest.mark.parametrize(
    "loss",
    [
        pytest.param("whole", marks=pytest.mark.slow),
        "without_observations",
        pytest.param("actions_only", marks=pytest.mark.slow),
    ],
)
def test_a_student_ends_its_turns_by_itself(base, tmp_path, loss):
    """Asked without any stop string, it writes the whole of a turn and then the header that the runtime stops it at."""
    from transformers import AutoModelForCausalLM

    from react.models._engine import Engine

    write(tmp_path / "two.jsonl", RECORDS[:2])
    settings = {"steps": 100, "batch_size": 2, "micro_batch": 2, "learning_rate": 2e-2}
    main(command(base, tmp_path, loss=loss, data=tmp_path / "two.jsonl", **settings))
    engine = Engine(AutoModelForCausalLM.from_pretrained(tmp_path / "run" / "checkpoint"), tokenizer("gpt2"))

    def say(prompt, stop=()):
        said = []
        engine.submit(Request(prompt, stop=stop, max_tokens=80), said.append)
        while engine.busy:
            engine.step()
        return said[0][0]

    for record in RECORDS[:2]:
        whole = text(REACT.spans(record.task, record.steps))
        first, last = prompts(record, record.steps, REACT)
        if loss == "actions_only":  # its thoughts are its base's: it is shown the right one
            first += text(REACT.spans(record.task, [Step(record.steps[0].thought)]))[len(first) :]
            last = whole[: whole.rindex(" Finish")]
        stop = REACT.stops(1)[0]
        turn = whole[len(first) : whole.index(stop)]
        assert say(first).text.startswith(turn + stop)
        told = say(first, stop=REACT.stops(1))
        assert (told.text, told.reason) == (turn, "stop")
        ended = say(last)
        assert (ended.text, ended.reason) == (whole[len(last) :], "stop")


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_packed_rows_do_not_see_one_another_however_attention_is_computed(batched, attention):
    trainer, batch, *_ = batched()
    trainer.model.set_attn_implementation(attention)
    padded = each_loss(trainer, batch, "_losses")
    trainer, batch, *_ = batched(packing=True, attention=attention)
    trainer.model.set_attn_implementation(attention)
    assert each_loss(trainer, batch, "_losses") == pytest.approx(padded, rel=1e-5, abs=1e-6)


@pytest.mark.gpu
def test_packed_rows_do_not_see_one_another_in_flash_attention(batched):
    import torch

    pytest.importorskip("flash_attn")
    found = []
    for packing in (False, True):
        trainer, batch, *_ = batched(packing=packing, dtype="bfloat16", attention="flash_attention_2")
        trainer.model.to("cuda").set_attn_implementation("flash_attention_2")
        on_gpu = {key: value.to("cuda") if hasattr(value, "to") else value for key, value in batch.items()}
        with torch.autocast("cuda", torch.bfloat16):
            found.append(each_loss(trainer, on_gpu, "_losses"))
    assert found[1] == pytest.approx(found[0], rel=2e-2, abs=2e-2)
