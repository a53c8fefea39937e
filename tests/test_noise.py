"""Noise in tool outputs: which are replaced and by what, in every environment, and what runs lose by it."""

import csv
import json
from functools import cache
from pathlib import Path

import pytest

from eval.evaluate import main
from eval.noise import main as report
from eval.runs import read
from react import environments, exemplars, trajectory
from react._outputs import tool
from react.methods import METHODS, Sampling, Solver
from react.mistakes import Mistake
from react.models.scripted import Scripted
from react.noise import NOTHING, Noise
from react.rollout import attempt
from react.scene import Scene
from react.trajectory import Step, Task, Trajectory
from tests.test_evaluate import words
from tests.test_evaluate import world as world
from tests.toys import Said

NAMES = environments.names()


def load(name, options=None):
    """As `environments.load`, once for each; what takes a file is opened anew."""
    options = options or {}
    return environments.load(name, options) if "noise_from" in options else once(name, json.dumps(options))


@cache
def once(name, options):
    return environments.load(name, json.loads(options))


OTHER = {"noise": 1, "noise_kind": "other"}


def examples(name):
    return exemplars.load(exemplars.of(name)).examples


def played(environment, example):
    """The observations of an exemplar's steps, thoughts among them."""
    episode, notation = environment.start(example.task), environment.notation(thoughts=True, actions=True)
    turns = [
        part
        for step in example.steps
        for part in ([Step(step.thought), Step(action=step.action)] if step.thought and step.action else [step])
    ]
    told = turns if notation.command(Step("x")) else example.steps
    return [(notation.command(step), episode.act(notation.command(step))) for step in told if notation.command(step)]


@pytest.mark.parametrize("name", NAMES)
def test_an_exemplar_ends_as_it_does_whatever_is_replaced(name):
    clean = load(name)
    example = examples(name)[0]
    for options in ({"noise": 1}, OTHER):
        noisy = load(name, options)
        for (action, true), (_, shown) in zip(played(clean, example), played(noisy, example), strict=True):
            assert (shown.done, shown.reward, shown.valid) == (true.done, true.reward, true.valid)
            kept = true.done or tool(action) == "think"
            assert shown.replaced == (not kept) and (shown == true) == kept
            if shown.replaced and "noise_kind" not in options:
                assert (shown.text, shown.page) == (NOTHING, "")
            if shown.replaced:
                assert shown.text and shown.text != true.text
        assert played(noisy, example)[-1][1].reward == 1 and played(noisy, example) == played(noisy, example)


@pytest.mark.parametrize("name", NAMES)
def test_a_rate_of_0_changes_nothing_and_everything_else_changes_the_fingerprint(name):
    clean = load(name)
    assert type(load(name, {"noise": 0, "noise_kind": "other", "noise_seed": 4})) is type(clean)
    ways = [{"noise": 0.5}, {"noise": 0.6}, {"noise": 0.5, "noise_seed": 1}, {**OTHER, "noise": 0.5}]
    prints = [load(name, way).fingerprint for way in ways]
    assert len(set(prints)) == 4 and environments.load(name, ways[3]).fingerprint == prints[3]
    assert all(found.startswith(f"{clean.fingerprint}+noise:") for found in prints)
    noisy, split = load(name, ways[0]), clean.held_out[0]
    assert noisy.tasks(split) == clean.tasks(split) and noisy.data(split) == clean.data(split)
    assert (noisy.held_out, noisy.max_steps, noisy.name) == (clean.held_out, clean.max_steps, clean.name)
    assert noisy.normalise("The Vaal") == clean.normalise("The Vaal")


@pytest.mark.parametrize("name", NAMES)
def test_which_outputs_are_hit_depends_on_nothing_but_seed_task_and_number(name):
    task = examples(name)[0].task
    rare, often, other = (load(name, way) for way in ({"noise": 0.3}, {"noise": 0.6}, {"noise": 0.3, "noise_seed": 1}))

    def hit(environment, *actions):
        episode = environment.start(task)
        return [shown.replaced for action in actions if (shown := episode.act(action)) and tool(action) != "think"]

    numbers = [f"gibberish {n}" for n in range(24)]
    few, many = hit(rare, *numbers), hit(often, *numbers)
    assert sum(few) < sum(many) and all(b for a, b in zip(few, many, strict=True) if a), "a higher rate hits those too"
    assert 2 <= sum(few) <= 14 and few != hit(other, *numbers)
    assert few == hit(rare, *reversed(numbers))
    if name in ("alfworld", "webshop"):
        thought = {"alfworld": "think: hm", "webshop": "think[hm]"}[name]
        thinking = [part for number in numbers for part in (thought, number)]
        assert few == hit(rare, *thinking), "thoughts are not counted"


@pytest.mark.parametrize("name", NAMES)
def test_other_is_what_an_action_of_that_kind_brought_in_another_task(name):
    noisy = load(name, OTHER)
    outputs = noisy._outputs
    assert len({output.task for output in outputs}) > 8 and len(outputs) > 40
    task = next(task for task in noisy.tasks("train") if task.id == outputs[0].task)
    shown = noisy.start(task)
    action = {"alfworld": "go to nowhere 1", "webshop": "search[nothing at all]"}.get(name, "Search[Nowhere at all]")
    texts = {shown.act(action).text for _ in range(12)}
    of_kind = {output.text for output in outputs if output.tool == tool(action) and output.task != task.id}
    assert texts <= of_kind and len(texts) > 3


def test_outputs_of_an_earlier_run_are_taken_from_its_file(tmp_path):
    task = load("hotpotqa").tasks("dev")[0]
    mine = Trajectory(task, "react", "m", (Step("x", "Search[a]", "mine"), Step("", "Finish[b]")))
    others = [
        Trajectory(
            Task(f"o{n}", f"Which {n}?", "1"),
            "react",
            "m",
            (Step("x", "Search[a]", f"told {n}"), Step("x", "Lookup[a]", "noise")),
            provenance={"noisy_steps": [2]},
        )
        for n in range(3)
    ]
    file = tmp_path / "trajectories.jsonl"
    trajectory.write(file, [mine, *others])
    noisy = load("hotpotqa", {**OTHER, "noise_from": str(file)})
    episode = noisy.start(task)
    assert {episode.act("Search[x]").text for _ in range(20)} == {"told 0", "told 1", "told 2"}
    assert episode.act("Lookup[x]").text.startswith("told"), "of no such tool there is one: any"
    before = noisy.fingerprint
    trajectory.write(file, [mine, *others[:2]])
    assert load("hotpotqa", {**OTHER, "noise_from": str(file)}).fingerprint != before
    trajectory.write(file, [mine])
    with pytest.raises(Mistake, match="outputs of one task alone are known; give noise_from"):
        load("hotpotqa", {**OTHER, "noise_from": str(file)})
    trajectory.write(file, [Trajectory(task, "act", "m", provenance={"environment": "alfworld"})])
    with pytest.raises(Mistake, match="holds trajectories of 'alfworld', not of 'hotpotqa'"):
        load("hotpotqa", {**OTHER, "noise_from": str(file)})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"noise": 1.5}, "noise is 1.5; it must be a number from 0 to 1"),
        ({"noise": True}, "noise is True; it must be a number"),
        ({"noise": "0.5"}, "noise is '0.5'; it must be a number"),
        ({"noise_kind": "others"}, "unknown noise_kind 'others'; did you mean 'other'?"),
        ({"noise_seed": "1"}, "noise_seed is '1'; it must be a whole number"),
        ({"noise": 0.5, "noise_from": "x"}, "from which only noise_kind 'other' takes outputs"),
        ({"nois": 1}, "unknown environment option 'nois'; did you mean 'noise'?"),
    ],
)
def test_a_mistake_in_the_options_is_named(options, says):
    with pytest.raises(Mistake, match=says):
        load("fever", options)


def test_a_record_says_which_of_its_steps_were_told_noise():
    environment = load("hotpotqa", {"noise": 0.5})
    task = environment.tasks("dev")[1]
    model = Said(lambda request: " Hm.\nAction 1: Search[Bolivia]")
    record = attempt(Solver(METHODS["react"], environment, model, lambda task: ""), task, Sampling())
    noisy = record.provenance["noisy_steps"]
    assert noisy == [n for n, step in enumerate(record.steps, 1) if step.observation == NOTHING] and 0 < len(noisy) < 7
    assert len(record.provenance["pages"]) == 7 - len(noisy), "what was not shown was not read"
    assert model.asked[noisy[0]].prompt.count(f"Observation {noisy[0]}: {NOTHING}\n") == 1
    clean = attempt(Solver(METHODS["react"], load("hotpotqa"), model, lambda task: ""), task, Sampling())
    assert "noisy_steps" not in clean.provenance


def test_what_an_environment_has_beyond_the_protocol_is_there():
    shop = load("webshop", {"noise": 0.5})
    assert shop.official is False and shop.stock
    with pytest.raises(ValueError, match="the paper's panel is"):
        environments.says("webshop", "paper_panel")(shop, "test")


def test_noise_is_told_in_words():
    assert (Noise().told, Noise(0.5).told) == ("", "noise 0.5 (nothing)")
    assert Noise(0.25, "other", 3).told == "noise 0.25 (other, seed 3)"


PLAIN = Scripted.complete


def test_what_runs_lose_is_told_against_the_run_that_differs_in_noise_alone(world, monkeypatch, capsys):
    def credulous(self, request):
        """It hands in what it was told at its first step."""
        (one,) = PLAIN(self, request)
        if request.prompt.endswith("Thought 2:"):
            told = request.prompt.rpartition("\nObservation 1: ")[2].partition("\n")[0]
            return [type(one)(f" So.\nAction 2: Finish[{told.removeprefix('You said ').removesuffix('.')}]")]
        return [one]

    monkeypatch.setattr(Scripted, "complete", credulous)
    main(words("clean"))
    main(words("noisy", environment_options='{"noise": 0.5}'))
    assert "  noise 0.5, noise_kind nothing, noise_seed 0: 0." in capsys.readouterr().out
    main(words("all", environment_options='{"noise": 1}'))
    main(words("again", environment_options='{"noise": 0.5}', concurrency=1))
    records = [(Path("runs/eval") / name / "trajectories.jsonl").read_bytes() for name in ("noisy", "again")]
    assert records[0] == records[1]
    main(words("lonely", environment_options='{"noise": 1}', method="act"))
    runs = {name: read(Path("runs/eval") / name) for name in ("clean", "noisy", "all")}
    hit = [one.task.id for one in trajectory.read(Path("runs/eval/noisy/trajectories.jsonl")) if not one.solved]
    assert 2 < len(hit) < 19 and runs["all"].em.value == 0
    assert runs["noisy"].source == "prompted, 2 shots, noise 0.5 (nothing)"
    capsys.readouterr()
    report([str(Path("runs/eval") / name) for name in ("clean", "noisy", "all", "lonely")])
    said = capsys.readouterr()
    assert "lonely: no run differs from it in noise alone" in said.err and "-100.0%" in said.out
    with open("runs/report/noise.csv") as file:
        rows = list(csv.DictReader(file))
    assert [row["run"] for row in rows] == ["noisy", "all"] and rows[1]["noise"] == "1 nothing"
    assert rows[1]["only clean / only noisy"] == f"{runs['clean'].em.value * 19:.0f} / 0" and rows[1]["n"] == "19"
    numbers = json.loads(Path("runs/report/noise.json").read_text())
    assert numbers[1]["relative"] == -1 and numbers[1]["result"]["p"] <= numbers[1]["p_corrected"] < 0.01
    assert numbers[0]["result"]["only_second"] == 0 and numbers[0]["replaced"] > 0
    with pytest.raises(SystemExit, match="2"):
        report(["runs/eval/lonely"])
    assert "no run with noise has one beside it" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(words("noisy", environment_options='{"noise": 0.6}'))
    assert "environment_options: {'noise': 0.5} -> {'noise': 0.6}" in capsys.readouterr().err


def test_a_toy_without_a_glance_needs_a_file(world):
    with pytest.raises(Mistake, match="toy has no outputs of its own to take; give noise_from"):
        Scene(environment="toyland", exemplars="shots.yaml", shots=2, environment_options=OTHER).staged()
