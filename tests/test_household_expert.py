"""An expert of households wins by looking, says what it thinks, and is replayed as it was."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from react import environments, models
from react.completions import Recorded
from react.environments import alfworld
from react.environments.household import release
from react.environments.household.expert.__main__ import main
from react.environments.household.expert.goal import Goal, read_goal
from react.environments.household.expert.places import ordered
from react.environments.household.expert.play import VOICES, demonstrate
from react.environments.household.expert.policy import Expert
from react.environments.household.expert.thinking import Silent
from react.environments.household.play import NOTHING
from react.methods import SINGLE, Sampling, Solver
from react.models import ModelConfig
from react.rollout import attempt
from react.trajectory import Step, Trajectory, read
from tests.households import GOALS, KNOWN, content, written

ROOT = Path(__file__).resolve().parents[1]
SHOWN = ROOT / "data" / "alfworld" / "demonstrations.jsonl.gz"
REAL = ROOT.parent / "shared" / "data" / "alfworld"
real_data = pytest.mark.skipif(not REAL.exists(), reason="the real data are not there")


@cache
def embedded() -> alfworld.AlfWorld:
    return environments.load("alfworld")


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a few toy games that can be recognised."""
    for found, dialect in KNOWN.items():
        monkeypatch.setitem(release._KNOWN, found, dialect)
    return tmp_path


def actions(trajectory: Trajectory) -> list[str]:
    return [step.action for step in trajectory.steps if step.action]


@pytest.mark.parametrize(
    ("sentence", "goal"),
    [
        ("put a mug in desk.", Goal("mug", "desk")),
        ("put some candle on toilet.", Goal("candle", "toilet")),
        ("put a clean apple in fridge.", Goal("apple", "fridge", verb="clean")),
        ("put a hot egg in garbagecan.", Goal("egg", "garbagecan", verb="heat")),
        ("put a cool pan in stoveburner.", Goal("pan", "stoveburner", verb="cool")),
        ("clean some cloth and put it in drawer.", Goal("cloth", "drawer", verb="clean")),
        ("heat some cup and put it in cabinet.", Goal("cup", "cabinet", verb="heat")),
        ("cool some mug and put it in shelf.", Goal("mug", "shelf", verb="cool")),
        ("put two cd in safe.", Goal("cd", "safe", count=2)),
        ("find two pillow and put them in sofa.", Goal("pillow", "sofa", count=2)),
        ("look at bowl under the desklamp.", Goal("bowl", lamp="desklamp")),
        ("examine the pen with the desklamp.", Goal("pen", lamp="desklamp")),
    ],
)
def test_the_twelve_sentences_are_understood(sentence, goal):
    assert read_goal(sentence) == goal


@pytest.mark.parametrize(
    "sentence", ["", "put a red mug in desk.", "put a mug in desk. then rest.", "water the plant."]
)
def test_another_sentence_is_named(sentence):
    with pytest.raises(ValueError, match="is no task that the expert knows"):
        read_goal(sentence)


def test_one_looks_first_where_a_thing_is_kept_and_everywhere_in_the_end():
    room = ["drawer 2", "drawer 1", "fridge 1", "countertop 2", "countertop 1", "toilet 1", "sofa 1"]
    assert ordered("apple", room)[:3] == ["countertop 1", "countertop 2", "fridge 1"]
    assert all(sorted(ordered(thing, room)) == sorted(room) for thing in ("apple", "unheard"))


@pytest.mark.parametrize("split", ["train", "valid_seen", "valid_unseen", "exemplars"])
def test_all_embedded_games_are_won_and_thoughts_change_no_action(split):
    for task in embedded().tasks(split):
        shown = {method: demonstrate(embedded(), task, method) for method in ("react", "act")}
        assert all(one.solved and one.model == "expert" for one in shown.values()), task.id
        assert actions(shown["react"]) == actions(shown["act"])
        assert not any(step.thought for step in shown["act"].steps)
        assert {step.thought and step.action for step in shown["react"].steps} == {""}


def test_thoughts_are_few_and_differ():
    shown = list(read(SHOWN))
    counts = [sum(bool(step.thought) for step in one.steps) for one in shown]
    assert min(counts) >= 2 and max(counts) <= 7 and sum(counts) / len(counts) < 4.5
    said = Counter(step.thought for one in shown for step in one.steps if step.thought)
    assert len(said) > 0.9 * said.total()
    text = "\n".join(said)
    assert all(word in text for word in ("most likely", "so far", "is clean now", "I have seen", "one of two is done"))


def test_a_monologue_is_dense_and_says_only_goal_and_subgoal():
    for task in embedded().tasks("valid_unseen"):
        steps = demonstrate(embedded(), task, "react_im").steps
        thoughts = [step.thought for step in steps if step.thought]
        assert thoughts[0].startswith("My goal is to ") and all(one.startswith("I need to ") for one in thoughts[1:])
        went = [i for i, step in enumerate(steps) if step.action.startswith("go to ")]
        assert all(steps[i - 1].thought for i in went)


def test_where_two_places_share_a_spot_it_looks_at_the_second_from_there():
    shared = 0
    for one in read(SHOWN):
        for step, next_ in zip(one.steps, one.steps[1:], strict=False):
            if step.observation == NOTHING:
                shared += 1
                assert next_.action.endswith(step.action.removeprefix("go to "))
    assert shared > 3


def test_it_is_told_nothing_but_what_it_sees():
    room = "You are in the middle of a room. Looking quickly around you, you see a desk 1, a shelf 1, and a bed 1."
    expert = Expert(read_goal("put a book in shelf."), room, Silent()).steps()
    assert next(expert) == Step(action="go to bed 1")
    assert expert.send("On the bed 1, you see a pillow 1.") == Step(action="go to desk 1")
    assert expert.send("On the desk 1, you see a book 2, and a book 1.") == Step(action="take book 2 from desk 1")
    assert expert.send("You pick up the book 2 from the desk 1.") == Step(action="go to shelf 1")
    assert expert.send("On the shelf 1, you see nothing.") == Step(action="put book 2 in/on shelf 1")


def test_it_gives_up_after_the_last_place():
    room = "You are in the middle of a room. Looking quickly around you, you see a desk 1, and a bed 1."
    expert = Expert(read_goal("put a book in shelf."), room, Silent()).steps()
    said = [next(expert), expert.send("On the desk 1, you see nothing.")]
    assert {step.action for step in said} == {"go to bed 1", "go to desk 1"}
    with pytest.raises(StopIteration):
        expert.send("On the bed 1, you see nothing.")


@pytest.mark.parametrize("goal", GOALS)
def test_toy_games_are_won(toys, goal):
    sentence = {
        "put": "put a mug in desk.",
        "clean": "put a clean mug in desk.",
        "puttwo": "put two mug in desk.",
        "examine": "look at mug under the desklamp.",
    }[goal]
    written(
        toys,
        "train/pick_and_place_simple-Mug-None-Desk-1/trial_1",
        goal=GOALS[goal],
        grammar=content()["grammar"].replace("put a mug in desk.", sentence),
    )
    environment = alfworld.load(str(toys))
    assert demonstrate(environment, environment.tasks("train")[0]).solved


# The shipped demonstrations.


def test_the_shipped_demonstrations_are_those_of_all_train_games():
    shown = list(read(SHOWN))
    assert [one.task.id for one in shown] == [task.id for task in embedded().tasks("train")]
    assert shown == [demonstrate(embedded(), task) for task in embedded().tasks("train")]
    assert Counter(one.task.kind for one in shown) == dict.fromkeys(alfworld.KINDS, 10)


@pytest.mark.parametrize("method", ["react", "act"])
def test_a_replay_earns_the_reward_of_each(tmp_path, method):
    main(["--split", "train", "--method", method, "--out", str(tmp_path / "expert.jsonl.gz")])
    model = models.load(ModelConfig("scripted", str(tmp_path / "expert.jsonl.gz")))
    solver = Solver(SINGLE[method], embedded(), Recorded(model, tmp_path / "calls.sqlite"), lambda task: "")
    for one in read(tmp_path / "expert.jsonl.gz"):
        replayed = attempt(solver, one.task, Sampling())
        assert replayed.solved and replayed.steps == one.steps and replayed.method == method


# The command.


def test_the_command_counts_what_it_solved(tmp_path, capsys):
    out = tmp_path / "new" / "expert.jsonl"
    main(["--split", "valid_seen", "--out", str(out), "--limit", "3"])
    said = capsys.readouterr().out
    assert "examine: 2 of 2 solved\nput: 1 of 1 solved\nall: 3 of 3 solved, " in said and f"Written: {out}" in said
    assert len(list(read(out))) == 3


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--split", "dev"], "no split 'dev'; there are: exemplars, train, valid_seen, valid_unseen"),
        (["--path", "nowhere"], "nowhere is no folder"),
        (["--method", "cot"], "invalid choice: 'cot'"),
    ],
)
def test_a_mistake_is_named(tmp_path, capsys, flags, says):
    with pytest.raises(SystemExit) as stopped:
        main([*flags, "--out", str(tmp_path / "expert.jsonl")])
    assert stopped.value.code == 2 and says in capsys.readouterr().err


def test_the_methods_that_act_have_a_voice():
    assert set(VOICES) == {name for name, method in SINGLE.items() if method.actions}


# The official games.


@cache
def official(root: Path) -> alfworld.AlfWorld:
    """A sixth of the unseen games, laid out by the script that comes with them."""
    for n, (name, game) in enumerate(runpy.run_path(str(REAL / "unpack.py"))["games"]("valid_unseen")):
        if n % 6 == 0:
            path = root / "json_2.1.1" / name / "game.tw-pddl"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(game))
    return alfworld.load(str(root))


@real_data
def test_official_games_are_won_and_what_looks_alike_is_begun_alike(tmp_path):
    environment = official(tmp_path)
    seen: dict[tuple[str, ...], Step] = {}
    for task in environment.tasks("valid_unseen"):
        shown = demonstrate(environment, task)
        assert shown.solved and len(shown.steps) <= environment.max_steps, task.id
        before = (task.extra["room"], task.question)
        for step in shown.steps:
            assert seen.setdefault(before, Step(step.thought, step.action)) == Step(step.thought, step.action)
            before = (*before, step.observation)


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--limit", "-1"], "--limit: '-1' must be a whole number of at least 0"),
        (["--out", "."], "--out: '.' is a folder; it must be the name of a file"),
        (["--out", ""], "is a folder"),
    ],
)
def test_a_flag_that_makes_no_sense_is_refused_before_a_game_is_played(tmp_path, capsys, flags, says):
    with pytest.raises(SystemExit) as ended:
        main(["--out", str(tmp_path / "o.jsonl"), *flags])
    assert ended.value.code == 2 and says in capsys.readouterr().err and not list(tmp_path.iterdir())
