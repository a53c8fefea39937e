"""What benchmarks/train.py measures against: a loop by hand that learns the same, step by step."""

from dataclasses import replace

import pytest

from tests.tokenizer_toys import tokenizer
from tests.train_toys import trajectories
from train.recipe import Recipe
from train.sft import read_rows
from train.shapes import FAMILIES, Shape

pytestmark = pytest.mark.usefixtures("one_thread")

SHAPE = Shape("llama", 32, 64, 2, 4, 2, 8, 1024, tied=True)


class Turns(list):
    """All turns at once: the tokens of each step."""

    __call__ = list.append

    def begin(self):
        self.clear()


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    data = [str(trajectories(folder / "trajectories.jsonl"))]
    settings = {"steps": 3, "batch_size": 8, "micro_batch": 4, "learning_rate": 1e-2, "logging_every": 1}
    return Recipe(output=str(folder), data=data, dtype="float32", report_to="none", max_length=512, **settings)


def trained(by, recipe, shape):
    from benchmarks import _training

    words, turns = tokenizer("gpt2"), Turns()
    losses = getattr(_training, by)(recipe, shape, words, read_rows(recipe, words)[0], turns)
    return losses, turns


def test_the_loop_by_hand_learns_the_same_from_the_same_rows(recipe):
    losses, tokens = trained("ours", recipe, SHAPE)
    assert trained("by_hand", recipe, SHAPE) == (pytest.approx(losses, abs=1e-4), tokens)
    assert losses[-1] < losses[0] - 0.5 and len(tokens) == 3


def test_the_loop_by_hand_learns_the_same_as_an_adapter(recipe):
    recipe = replace(recipe, name="lora", finetune="lora", learning_rate=1e-3)
    assert trained("by_hand", recipe, SHAPE)[0] == pytest.approx(trained("ours", recipe, SHAPE)[0], abs=1e-3)


def test_padding_is_no_token_and_packed_sequences_are_whole(recipe):
    rows = read_rows(recipe, tokenizer("gpt2"))[0]
    one = replace(recipe, name="all", batch_size=24, micro_batch=4, steps=1)
    packed = replace(one, name="packed", packing=True, batch_size=8, micro_batch=1)
    everything = sum(len(row.tokens) for row in rows)
    assert trained("ours", one, SHAPE)[1] == [everything]
    assert 0 < trained("ours", packed, SHAPE)[1][0] <= 8 * 512


@pytest.mark.parametrize("family", FAMILIES)
def test_a_random_model_has_the_parameters_of_its_shape(recipe, family):
    from benchmarks._training import random_model

    shape = replace(SHAPE, family=family, heads=2)
    assert sum(weight.numel() for weight in random_model(shape, recipe).parameters()) == shape.parameters


def test_trainings_that_learnt_something_else_are_not_compared():
    from benchmarks.train import same

    same({"ours": [2.0, 1.01], "bare": [2.0, 1.0]})
    with pytest.raises(SystemExit, match="step 2: our loss is 1"):
        same({"ours": [2.0, 1.1], "bare": [2.0, 1.0]})


def test_a_ratio_is_the_median_of_those_of_the_rounds():
    from benchmarks.train import Match

    rounds = [{"ours": (2.0, 10), "bare": (1.0, 10)}, {"ours": (1.0, 10), "bare": (1.0, 10)}] * 2
    assert Match([*rounds, rounds[1]], {}).ratio("ours", "bare") == 1.0
