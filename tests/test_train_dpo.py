"""Preferring what solved a task: which attempts are paired, which tokens count, and that the loss is DPO's."""

from __future__ import annotations

import json
import math
import random
from collections import Counter

import pytest

from react.trajectory import Step, Trajectory, write
from tests.test_train_sft import losses, stopped, summary
from tests.tokenizer_toys import tokenizer
from tests.train_toys import NOTATIONS, student, trajectory
from train.dpo import main
from train.pairs import build, choose_pairs
from train.preference import Preference

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = {
    **{"steps": 5, "batch_size": 6, "learning_rate": 1e-3, "dtype": "float32", "logging_every": 1},
    **{"report_to": "none", "pairs": 2},
}


def attempt(n: int, number: int, answer: str, **changes) -> Trajectory:
    """Attempt `number` at task `n`, which is solved by its own number."""
    steps = (
        Step(f"I need to search item {n}.", f"Search[item {n}]", f"Item {n} is a thing that ends."),
        Step(f"It says {answer}. So the answer is {answer}.", f"Finish[{answer}]"),
    )
    changes = {"steps": steps, "answer": answer, "reward": float(answer == str(n)), **changes}
    provenance = {"attempt": number, **changes.pop("provenance", {})}
    return trajectory(n, **changes, provenance=provenance)


def attempts(tasks: int = 8) -> list[Trajectory]:
    """Of each task a failed attempt and a solved one, and of every second one another failed one."""
    found = []
    for n in range(tasks):
        found += [attempt(n, 0, "fox"), attempt(n, 1, str(n))]
        found += [attempt(n, 2, "the lazy dog of the river")] * (n % 2)
    return found


def paired(records, **changes):
    recipe = Preference(**{"max_length": 400, **changes})
    return build(records, NOTATIONS["questions"], tokenizer("gpt2"), recipe)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    write(folder / "attempts.jsonl", attempts())
    return student(folder / "base").parent


def command(base, folder, name="run", **changes):
    values = {"model": base / "base", "data": base / "attempts.jsonl", "output": folder, "name": name}
    return [word for key, value in {**values, **SETTINGS, **changes}.items() for word in (f"--{key}", str(value))]


@pytest.fixture(scope="module")
def whole_run(base, tmp_path_factory):
    """A run of one pair at once, that nothing disturbed."""
    output = tmp_path_factory.mktemp("runs")
    main(command(base, output))
    return output / "run"


def test_a_pair_is_a_solved_and_a_failed_attempt_at_one_task():
    pairs, left_out = paired([*attempts(), attempt(90, 0, "90"), attempt(91, 0, "fox")])
    assert len(pairs) == 8 + 4
    for pair in pairs:
        assert pair.chosen.row.id == pair.rejected.row.id
        assert pair.chosen.reward == 1 and pair.rejected.reward == 0
    assert {row.id: row.reason for row in left_out} == {"t090": "no failed attempt", "t091": "no solved attempt"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"end": "failed", "error": "ModelError: gone"}, "infrastructure"),
        ({"end": "out_of_budget"}, "out of budget"),
        ({"provenance": {"hinted": True}}, "hinted"),
        ({"provenance": {"bad_calls": 1}}, "not word for word"),
        ({"provenance": {"repaired_calls": 2}}, "not word for word"),
        ({"provenance": {"cut_calls": 1}}, "not word for word"),
        ({"provenance": {"form": "tools"}}, "not word for word"),
        ({"provenance": {"environment": "fever"}}, "another environment"),
    ],
)
@pytest.mark.parametrize("answer", ["fox", "3"])
def test_what_is_neither_solved_nor_failed_by_the_model_is_in_no_pair(changes, reason, answer):
    records = [attempt(3, 0, answer, **changes), attempt(3, 1, "dog" if answer == "3" else "3")]
    pairs, left_out = paired(records)
    assert not pairs and left_out[0].reason == reason
    also = paired(records, repaired=True)[0]
    assert bool(also) == (reason == "not word for word")


def test_the_same_words_that_once_solved_and_once_failed_are_no_pair():
    pairs, left_out = paired([attempt(3, 0, "3"), attempt(3, 1, "3", reward=0.0)])
    assert not pairs and left_out[0].reason == "no failed attempt"


@pytest.mark.parametrize(("solved", "failed"), [(1, 1), (2, 3), (4, 6), (6, 4), (5, 5)])
def test_pairs_are_different_and_use_attempts_evenly(solved, failed):
    sides = [f"s{i}" for i in range(solved)], [f"f{i}" for i in range(failed)]
    every = list(choose_pairs(*sides, 10_000, random.Random(0)))
    assert len({(it.chosen, it.rejected) for it in every}) == len(every) == solved * failed
    for most in range(1, solved * failed):
        some = list(choose_pairs(*sides, most, random.Random(0)))
        assert some == every[:most]
        for side, of in zip(("chosen", "rejected"), sides, strict=True):
            used = Counter({name: 0 for name in of}) + Counter(getattr(it, side) for it in some)
            counts = [used[name] for name in of]
            assert max(counts) - min(counts) <= 1


def test_which_pairs_are_taken_depends_on_the_seed_and_not_on_other_tasks():
    records = [attempt(n, i, answer) for n in (3, 4) for i, answer in enumerate(["3", "4", "a", "b", "c", "d"])]

    def taken(records, seed):
        return [(it.id, it.chosen.number, it.rejected.number) for it in paired(records, pairs=3, seed=seed)[0]]

    assert taken(records, 0) == taken(records, 0)
    assert taken(records[:6], 0) == taken(records, 0)[:3]
    assert len({tuple(taken(records, seed)) for seed in range(6)}) > 1


@pytest.mark.parametrize("loss", ["without_observations", "actions_only"])
def test_only_what_the_model_wrote_counts(loss):
    from train.dpo import schedule

    recipe = Preference(max_length=400, loss=loss, steps=4, batch_size=2)
    pairs, _ = paired(attempts(2), loss=loss)
    data, seen = schedule(pairs, recipe)
    words = tokenizer("gpt2")
    for example in data:
        for side in ("chosen", "rejected"):
            row = getattr(pairs[example["pair"]], side).row
            assert tuple(example[f"{side}_ids"]) == row.tokens
            told = [words.decode(t) for t, counts in zip(row.tokens, example[f"{side}_mask"], strict=True) if counts]
            answer = row.text[row.text.index("Finish[") :]
            thoughts = " I need to search item {0}." if loss == "without_observations" else ""
            assert "thing that ends" not in "".join(told) and "Which thing" not in "".join(told)
            assert "Thought" not in "".join(told) and answer in "".join(told)
            assert ("I need to search" in "".join(told)) == bool(thoughts)
    assert seen["rows_seen"] == len(pairs) and len(data) == 8


def hand_written(model, reference, pair, recipe):
    """DPO's loss of one pair, token by token."""
    import torch

    def log_probability(of, row):
        tokens = torch.tensor([row.tokens])
        each = of(tokens).logits[0].log_softmax(-1)
        trained = recipe.trained()
        places = [at for at, kind in enumerate(row.kinds) if trained.get(kind) and at]
        return sum(each[at - 1, row.tokens[at]] for at in places)

    ahead = [log_probability(of, pair.chosen.row) - log_probability(of, pair.rejected.row) for of in (model, reference)]
    return -torch.nn.functional.logsigmoid(recipe.beta * (ahead[0] - ahead[1]))


@pytest.mark.parametrize("loss", ["without_observations", "actions_only"])
def test_the_loss_and_its_gradient_are_those_of_a_hand_written_one(base, tmp_path, loss):
    """Of a padded batch, with a student that has left its reference."""
    import torch
    from transformers import AutoModelForCausalLM

    from train.dpo import arguments, schedule
    from train.preferring import PreferenceTrainer
    from train.recipe import Layout

    recipe = Preference(
        output=str(tmp_path), loss=loss, steps=1, batch_size=8, dtype="float32", report_to="none", beta=0.7
    )
    pairs, _ = paired([*attempts(5), attempt(3, 7, "a much longer answer than all the others")], loss=loss)
    data, _ = schedule(pairs, recipe)
    start, reference = (AutoModelForCausalLM.from_pretrained(base / "base") for _ in range(2))
    words = tokenizer("gpt2")
    trainer = PreferenceTrainer(
        model=start, args=arguments(recipe, Layout(1, 8, 1)), train_dataset=data, processing_class=words
    )
    torch.manual_seed(1)
    with torch.no_grad():
        for weight in start.parameters():
            weight += torch.randn_like(weight) * 0.05
    batch = trainer.data_collator(list(trainer.train_dataset))
    assert not batch["attention_mask"].all()
    said = trainer.compute_loss(start, batch)
    said.backward()
    gradient = start.lm_head.weight.grad.clone()
    start.zero_grad()
    expected = torch.stack([hand_written(start, reference, pairs[n], recipe) for n in data["pair"]]).mean()
    expected.backward()
    assert abs(float(expected) - math.log(2)) > 1e-3
    assert float(said) == pytest.approx(float(expected), rel=1e-4)
    assert torch.allclose(gradient, start.lm_head.weight.grad, atol=1e-5)


def test_a_run_begins_at_its_reference_and_goes_where_it_is_told(whole_run):
    from transformers import AutoModelForCausalLM

    curve = [json.loads(line) for line in (whole_run / "losses.jsonl").read_text().splitlines()]
    assert curve[0]["loss"] == pytest.approx(math.log(2), abs=1e-5)
    assert curve[-1]["loss"] < curve[0]["loss"] - 0.01
    assert curve[-1]["rewards/accuracies"] == 1 and curve[-1]["rewards/margins"] > curve[1]["rewards/margins"]
    facts = summary(whole_run)
    assert (facts["rows"], facts["tasks"], facts["steps"], facts["rows_seen"]) == (12, 8, 5, 12)
    listed = [json.loads(line) for line in (whole_run / "pairs.jsonl").read_text().splitlines()]
    assert len(listed) == 12 and {it["chosen"]["attempt"] for it in listed} == {1}
    card = (whole_run / "checkpoint" / "README.md").read_text()
    assert "direct preference optimisation" in card and "12 pairs of 8 tasks, attempted by `toy`; beta 0.1" in card
    AutoModelForCausalLM.from_pretrained(whole_run / "checkpoint")


def test_a_batch_is_the_same_however_many_pairs_are_computed_at_once(base, whole_run, tmp_path):
    main(command(base, tmp_path, micro_batch=6))
    assert losses(tmp_path / "run") == pytest.approx(losses(whole_run), abs=1e-5)


def test_a_stopped_run_continues_to_the_same_losses(base, whole_run, tmp_path, capsys):
    """Its reference is the start, however far it had come."""
    stop(command(base, tmp_path), 2 * 6 + 3)
    assert "Stopped after step 2" in capsys.readouterr().err
    main(command(base, tmp_path))
    assert losses(tmp_path / "run") == pytest.approx(losses(whole_run), abs=1e-6)


def stop(words, at):
    """Runs a training that gets a signal in micro-batch `at`."""
    import tests.test_train_sft as sft
    import train.trainer
    from train.preferring import PreferenceTrainer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sft, "main", main)
        patch.setattr(train.trainer, "StudentTrainer", PreferenceTrainer)
        stopped(words, at)


def test_another_start_under_the_same_name_is_refused(base, whole_run, tmp_path, capsys):
    other = student(tmp_path / "base", width=64)
    stop(command(base, tmp_path, model=other), 1)
    student(other)
    with pytest.raises(SystemExit) as refused:
        main(command(base, tmp_path, model=other))
    assert refused.value.code == 2 and "reference_fingerprint" in capsys.readouterr().err


def test_with_lora_the_reference_is_the_start_too(base, tmp_path):
    main(command(base, tmp_path, finetune="lora", lora_r=4, steps=3, learning_rate=1e-2))
    curve = losses(tmp_path / "run")
    assert curve[0] == pytest.approx(math.log(2), abs=1e-5) and curve[-1] < curve[0]
    assert (tmp_path / "run" / "adapter" / "adapter_config.json").exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"loss": "whole"}, "unknown loss of pairs 'whole'"),
        ({"weights": '{"action": 2}'}, "is no setting of pairs"),
        ({"packing": "true"}, "packing is True, and is no setting of pairs"),
        ({"beta": 0}, "beta is 0.0; it must be greater than 0"),
        ({"pairs": 0}, "pairs is 0"),
        ({"form": "tools"}, "form is 'tools', and pairs are of the form text"),
        ({"max_length": 10}, "no task has a solved and a failed attempt: 20 over-long, 8 no solved attempt; t000: "),
    ],
)
def test_a_mistake_ends_with_one_message(base, tmp_path, capsys, changes, words):
    with pytest.raises(SystemExit) as ended:
        main(command(base, tmp_path, **changes))
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
