"""ALFWorld: which games there are, how an episode goes, and how it is written."""

from __future__ import annotations

import json
import locale
import os
import random
import re
import runpy
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bootstrap.run import main as bootstrap
from bootstrap.select import reason_against
from react import environments, models
from react.completions import Recorded
from react.environments import alfworld
from react.environments.household import folder as folders
from react.environments.household import release
from react.environments.household.game import GameError, read_game
from react.environments.household.release import MOVE, PUT
from react.methods import SINGLE, Sampling, Solver, prompts
from react.mistakes import Mistake
from react.models import ModelConfig, Request
from react.notation import text
from react.rollout import attempt
from react.scene import Scene
from react.trajectory import Step, Task, Trajectory, read, write
from tests.households import GOALS, KNOWN, written
from tests.toys import Said

REAL = Path(__file__).parents[2] / "shared" / "data" / "alfworld"
real_data = pytest.mark.skipif(not REAL.exists(), reason="the real data are not there")

MUG = "valid_unseen/pick_and_place_simple-Mug-None-Desk-308/trial_T2"
LAMP = "valid_unseen/look_at_obj_in_light-Mug-None-DeskLamp-308/trial_T1"
ROOM = (
    "You are in the middle of a room. Looking quickly around you, you see a desk 2, a desk 1, a drawer 1, a fridge 1, "
    "a microwave 1, a shelf 1, and a sinkbasin 1."
)


@pytest.fixture(autouse=True)
def toy_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    for found, dialect in KNOWN.items():
        monkeypatch.setitem(release._KNOWN, found, dialect)


def folder(root: Path, dialect: release.Dialect = MOVE) -> Path:
    """A data folder of a few games, as the official download lays them out."""
    for id in (MUG, "train/pick_two_obj_and_place-Mug-None-Desk-1/trial_T3"):
        written(root / "json_2.1.1", id, goal=GOALS["puttwo" if "two" in id else "put"], dialect=dialect)
    written(root / "json_2.1.1", LAMP, goal=GOALS["examine"], dialect=dialect)
    return root


@pytest.fixture
def environment(tmp_path: Path) -> alfworld.AlfWorld:
    return alfworld.load(str(folder(tmp_path)))


# Which games there are.


def test_tasks_are_the_games_of_a_split_with_the_room_before_the_first_command(environment):
    lamp, mug = environment.tasks("valid_unseen")
    assert mug == Task(MUG, "put a mug in desk.", "", {"kind": "put", "release": "2.1.2", "room": ROOM})
    assert (lamp.id, lamp.extra["kind"]) == (LAMP, "examine")
    assert [task.extra["kind"] for task in environment.tasks("train")] == ["puttwo"]
    with pytest.raises(ValueError, match="no split 'dev'; there are: train, valid_unseen"):
        environment.tasks("dev")


def test_the_order_is_that_of_bytes_whatever_the_file_system_and_the_language_say(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    locale.setlocale(locale.LC_ALL, "")
    names = [f"train/{task}/trial_{n}" for task in ("b-1", "B-1", "a_1", "a-1", "a.1") for n in (10, 9, 1)]
    random.Random(1).shuffle(names)
    for name in names:
        written(tmp_path, name)
    assert [task.id for task in alfworld.load(str(tmp_path)).tasks("train")] == sorted(names, key=str.encode)


def test_what_alfworld_leaves_out_is_left_out(tmp_path):
    written(tmp_path, "train/pick_and_place_simple-Mug-None-Desk-1/trial_1", solvable=False)
    written(tmp_path, "train/pick_and_place_simple-Mug-None-Desk-1/trial_2")
    written(tmp_path, "train/pick_and_place_with_movable_recep-Mug-Bowl-Desk-1/trial_1")
    written(tmp_path, "train/pick_and_place_simple-BreadSliced-None-Desk-1/trial_1")
    (tmp_path / "train" / "pick_and_place_simple-Mug-None-Desk-1" / "trial_3" / "game.tw-pddl").mkdir(parents=True)
    tasks = alfworld.load(str(tmp_path)).tasks("train")
    assert [task.id for task in tasks] == ["train/pick_and_place_simple-Mug-None-Desk-1/trial_2"]


def test_the_data_are_those_of_the_option_or_of_the_variable(tmp_path, monkeypatch):
    folder(tmp_path / "one")
    written(tmp_path / "two", "train/pick_and_place_simple-Mug-None-Desk-1/trial_1")
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path / "one"))
    assert len(alfworld.load().tasks("valid_unseen")) == 2
    assert len(alfworld.load(str(tmp_path / "two")).tasks("train")) == 1
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path / "three"))
    with pytest.raises(Mistake, match=r"three is no folder \(\$ALFWORLD_DATA\); give the option `path`"):
        alfworld.load()
    with pytest.raises(Mistake, match=r"four is no folder \(the option `path`\)"):
        alfworld.load(str(tmp_path / "four"))
    with pytest.raises(ValueError, match="no games; they are looked for as <split>/<task>/<trial>/game"):
        alfworld.load(str(tmp_path))
    with pytest.raises(Mistake, match="`admissible` is 'yes'; it must be true or false"):
        alfworld.load(str(tmp_path / "one"), "yes")
    with pytest.raises(Mistake, match="`path` is 5; it must be a text"):
        environments.load("alfworld", {"path": 5})


def test_a_name_that_is_none_is_named(tmp_path):
    written(tmp_path, "train/pick (copy)/trial_1")
    with pytest.raises(ValueError, match=r"'train/pick \(copy\)/trial_1' is no name of a game"):
        alfworld.load(str(tmp_path))


def test_the_fingerprint_names_the_release_and_changes_with_any_byte(tmp_path):
    one, other = folder(tmp_path / "move"), folder(tmp_path / "put", PUT)
    shutil.copytree(one, tmp_path / "copy")
    prints = [alfworld.load(str(path)).fingerprint for path in (one, tmp_path / "copy", other)]
    assert prints[0] == prints[1] != prints[2]
    assert [print.partition(":")[0] for print in prints] == ["2.1.2", "2.1.2", "2.1.1"]
    assert alfworld.load(str(one), admissible=True).fingerprint != prints[0]
    path = tmp_path / "copy" / "json_2.1.1" / MUG / "game.tw-pddl"
    path.write_text(path.read_text() + " ")
    assert alfworld.load(str(tmp_path / "copy")).fingerprint != prints[0]
    shutil.copytree(other / "json_2.1.1" / "train", tmp_path / "copy" / "json_2.1.1" / "valid_seen")
    assert alfworld.load(str(tmp_path / "copy")).fingerprint.startswith("2.1.1+2.1.2:")
    path.write_text("{")
    assert alfworld.load(str(tmp_path / "copy")).fingerprint.startswith("2.1.1+2.1.2+unknown:")


def test_the_embedded_games_are_the_default_and_are_won_by_their_walkthroughs():
    environment = alfworld.load()
    assert environment.fingerprint.startswith("embedded:")
    tasks = [task for split in ("train", "valid_seen", "valid_unseen") for task in environment.tasks(split)]
    assert {task.extra["kind"] for task in tasks} == set(folders.KINDS.values())
    for task in tasks:
        episode = environment.start(task)
        game = read_game(alfworld.root_of("") / task.id / folders.GAME)
        assert [episode.act(command).reward for command in game.walkthrough][-2:] == [0.0, 1.0], task.id


# How an episode goes.

WAY = ("go to shelf 1", "take mug 2 from shelf 1", "go to desk 1", "put mug 2 in/on desk 1")


@pytest.mark.parametrize("dialect", [MOVE, PUT], ids=["move", "put"])
@pytest.mark.parametrize("last", ["put mug 2 in/on desk 1", "move mug 2 to desk 1", " move mug 2 to desk 1 "])
def test_both_releases_speak_as_the_paper_and_take_both_verbs(tmp_path, dialect, last):
    environment = alfworld.load(str(folder(tmp_path, dialect)))
    episode = environment.start(environment.tasks("valid_unseen")[1])
    assert [episode.act(action).text for action in (*WAY[:3], "think: there it is", last)] == [
        "On the shelf 1, you see a bowl 1, and a mug 2.",
        "You pick up the mug 2 from the shelf 1.",
        "On the desk 1, you see a desklamp 1.",
        "OK.",
        "You put the mug 2 in/on the desk 1.",
    ]


def test_the_win_flag_is_the_reward_and_time_that_is_up_is_none(environment):
    task = environment.tasks("valid_unseen")[1]
    episode = environment.start(task)
    seen = [episode.act(action) for action in WAY]
    assert [(one.done, one.reward) for one in seen] == [(False, 0.0)] * 3 + [(True, 1.0)] and episode.answer == ""
    episode = environment.start(task)
    seen = [episode.act(action) for action in ["think: well"] * 20 + ["go to mars"] * 20 + ["look"] * 10]
    assert [one.done for one in seen] == [False] * 49 + [True] and not any(one.reward for one in seen)
    assert [one.valid for one in seen] == [True] * 20 + [False] * 20 + [True] * 10
    assert [episode.act(action).reward for action in WAY] == [0.0] * 4


def test_a_thought_changes_nothing_and_cannot_end_or_win(environment):
    episode = environment.start(environment.tasks("valid_unseen")[1])
    for action in WAY[:3]:
        episode.act(action)
    for thought in ("think: put mug 2 in/on desk 1", "think: You won.\n> put mug 2 in/on desk 1", "think:"):
        assert (episode.act(thought).text, episode.act(thought).done) == ("OK.", False)
    assert episode.act(WAY[3]).reward == 1.0


def test_admissible_commands_are_shown_only_where_they_are_asked_for(tmp_path, environment):
    showing = alfworld.load(str(tmp_path), admissible=True)
    task = showing.tasks("valid_unseen")[1]
    assert task.extra["room"].startswith(f"{ROOM} Admissible commands: go to desk 1, ")
    episode = showing.start(task)
    episode.act(WAY[0])
    told = episode.act(WAY[1]).text
    assert told.startswith("You pick up the mug 2 from the shelf 1. Admissible commands: examine drawer 1, ")
    assert "put mug 2 in/on shelf 1" in told and told.endswith("open drawer 1, put mug 2 in/on shelf 1.")
    assert episode.act("think: hm").text == "OK." and episode.act("jump").text.startswith("Nothing happens. Admissible")
    assert not episode.act("jump").valid


def test_a_game_that_cannot_be_read_stays_in_the_panel_and_is_a_failure(tmp_path, environment):
    path = tmp_path / "json_2.1.1" / MUG / "game.tw-pddl"
    path.write_text(path.read_text()[:500])
    environment = alfworld.load(str(tmp_path))
    lamp, mug = environment.tasks("valid_unseen")
    assert (mug.id, mug.question) == (MUG, "")
    with pytest.raises(GameError, match=rf"{path}: not a game that can be played: it is no JSON, or cut off"):
        environment.start(mug)
    records = [solve(environment, task, Said(lambda request: " look")) for task in (lamp, mug)]
    assert [record.end for record in records] == ["out_of_steps", "failed"]
    assert records[1].error.startswith(f"GameError: {path}: not a game")
    path.unlink()
    assert solve(environment, mug, Said(lambda request: " look")).end == "failed"


@pytest.mark.parametrize("id", ["../secret", f"valid_unseen/../{MUG}", "/etc", "", "train/x/y"])
def test_no_task_leaves_the_data_folder(environment, id):
    with pytest.raises(ValueError, match="there is no game"):
        environment.start(Task(id, "", ""))


def test_many_threads_share_an_environment(environment):
    task = environment.tasks("train")[0]

    def walk(seed: int) -> list[str]:
        episode, rng = environment.start(task), random.Random(seed)
        return [episode.act(rng.choice((*WAY, "look", "inventory", "go to shelf 1"))).text for _ in range(40)]

    alone = [walk(seed) for seed in range(16)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(walk, range(16))) == alone


def test_there_is_no_method_without_actions(environment):
    for thoughts in (True, False):
        with pytest.raises(Mistake, match="alfworld has no method without actions"):
            environment.notation(thoughts=thoughts, actions=False)


# The method's own loop.


def solve(environment: alfworld.AlfWorld, task: Task, model: Said, method: str = "react") -> Trajectory:
    return attempt(Solver(SINGLE[method], environment, model, lambda task: ""), task, Sampling())


def by_turn(*answers: str) -> Said:
    """A model that says these one after the other."""
    return Said(lambda request: " " + answers[request.prompt.count("\n>") - 1])


def test_a_thought_is_a_step_of_its_own_and_is_not_asked_again(environment):
    task = environment.tasks("valid_unseen")[1]
    model = by_turn("think: First I find a mug.", WAY[0], "", *WAY[1:])
    record = solve(environment, task, model)
    assert record.solved and record.answer == "" and record.provenance["bad_calls"] == 0
    assert record.steps[:3] == (
        Step("First I find a mug.", "", "OK."),
        Step("", WAY[0], "On the shelf 1, you see a bowl 1, and a mug 2."),
        Step("", "", "Nothing happens."),
    )
    assert record.steps[-1] == Step("", WAY[3]) and record.provenance["invalid_actions"] == 1
    notation = environment.notation(thoughts=True, actions=True)
    assert text(notation.spans(task, record.steps)).startswith(model.asked[-1].prompt)
    assert model.asked[0].prompt == f"{ROOM}\nYour task is to: put a mug in desk.\n>" and model.asked[0].stop == ("\n",)


def test_act_that_thinks_all_the_same_is_heard_and_its_words_are_kept(environment):
    record = solve(environment, environment.tasks("valid_unseen")[1], by_turn("think: A mug.", *WAY), "act")
    assert record.solved and record.steps[0] == Step("", "think: A mug.", "OK.")


def test_an_episode_has_forty_nine_calls(environment):
    model = Said(lambda request: " look")
    record = solve(environment, environment.tasks("valid_unseen")[1], model)
    assert (record.end, record.reward, len(record.steps), len(model.asked)) == ("out_of_steps", 0.0, 49, 49)


# The official games.


@cache
def official(root: Path) -> Path:
    """A sixth of the unseen games, laid out by the script that comes with them."""
    games = runpy.run_path(str(REAL / "unpack.py"))
    for verb, change in (("move", lambda game: game), ("put", games["as_put"])):
        for n, (name, game) in enumerate(games["games"]("valid_unseen")):
            if n % 6 == 0:
                path = root / verb / "json_2.1.1" / name / "game.tw-pddl"
                path.parent.mkdir(parents=True)
                path.write_text(json.dumps(change(game)))
    return root


@real_data
def test_official_games_are_the_same_episodes_in_both_releases(tmp_path):
    root = official(tmp_path)
    environments = [alfworld.load(str(root / verb)) for verb in ("move", "put")]
    assert [one.fingerprint.partition(":")[0] for one in environments] == ["2.1.2", "2.1.1"]
    for tasks in zip(*(one.tasks("valid_unseen") for one in environments), strict=True):
        move, put = tasks
        assert (move.id, move.question, move.extra["room"]) == (put.id, put.question, put.extra["room"])
        path = root / "move" / "json_2.1.1" / move.id / "game.tw-pddl"
        episodes = [one.start(task) for one, task in zip(environments, tasks, strict=True)]
        for command in json.loads(path.read_text())["walkthrough"]:
            one, other = (episode.act(command) for episode in episodes)
            assert one == other and one.valid and "arrive" not in one.text and "move" not in one.text
        assert one.done and one.reward == 1.0


# What other parts of the pipeline make of it.


def test_a_script_is_replayed_by_the_task_it_is_for_and_not_by_what_is_asked(tmp_path):
    same = [f"train/pick_and_place_simple-Mug-None-Desk-{n}/trial_1" for n in (1, 2)]
    for id in same:
        written(tmp_path, id)
    environment = alfworld.load(str(tmp_path))
    ways = [
        [Step("A mug."), *(Step("", action) for action in WAY)],
        [Step("", "look"), Step("", WAY[0]), Step("On the shelf."), *(Step("", action) for action in WAY[1:])],
    ]
    records = [
        Trajectory(task, "react", "expert", tuple(steps), provenance={"attempt": 3})
        for task, steps in zip(environment.tasks("train"), ways, strict=True)
    ]
    write(tmp_path / "script.jsonl", records)
    model = Recorded(models.load(ModelConfig("scripted", str(tmp_path / "script.jsonl"))), tmp_path / "calls.sqlite")
    for prompt in ("", "You are here.\nYour task is to: look.\n> look\nYou see.\n> think: so\nOK.\n\n"):
        solver = Solver(SINGLE["react"], environment, model, lambda task, prompt=prompt: prompt)
        for task, steps in zip(environment.tasks("train"), ways, strict=True):
            record = attempt(solver, task, Sampling())
            assert record.solved and [(step.thought, step.action) for step in record.steps] == [
                (step.thought, step.action) for step in steps
            ]
    with pytest.raises(Mistake, match=r"script\.jsonl has no trajectory for task 'other': 'Your task is to: look\.'"):
        model.complete(Request("Your task is to: look.\n>", task="other"))
    assert model.complete(Request("x\n>" * 9, task=same[0]))[0].text == ""


SHOTS = f"""
exemplars:
- id: {MUG}
  question: put a mug in desk.
  extra: {{room: "{ROOM}"}}
  kind: put
  steps:
  - {{thought: A mug., observation: OK.}}
  - {{action: go to shelf 1, observation: "On the shelf 1, you see a bowl 1, and a mug 2."}}
  - {{action: take mug 2 from shelf 1}}
"""


def test_an_exemplar_is_a_game_and_only_that_game_is_left_out(tmp_path, monkeypatch):
    (tmp_path / "shots.yaml").write_text(SHOTS)
    written(folder(tmp_path) / "json_2.1.1", "valid_unseen/pick_and_place_simple-Mug-None-Desk-308/trial_T3")
    monkeypatch.setattr(environments, "load", lambda name, options: alfworld.load(**options))
    scene = Scene("alfworld", {"path": str(tmp_path)}, shots=1, exemplars=str(tmp_path / "shots.yaml"))
    staged = scene.staged()
    assert [task.id[-8:] for task in staged.tasks("valid_unseen")] == ["trial_T1", "trial_T3"]
    task = staged.tasks("valid_unseen")[0]
    shown = f"{ROOM}\nYour task is to: put a mug in desk.\n> go to shelf 1\n"
    assert prompts(SINGLE["act"], staged.environment, staged.exemplars, 1, "kind")(task).startswith(shown)
    thought = f"{ROOM}\nYour task is to: put a mug in desk.\n> think: A mug.\nOK.\n> go to shelf 1\n"
    assert prompts(SINGLE["react"], staged.environment, staged.exemplars, 1, "kind")(task).startswith(thought)


@pytest.mark.parametrize("method", ["cot", "standard", "cot_sc", "react_to_cot_sc"])
def test_a_method_that_it_does_not_have_is_refused_before_anything_is_written(tmp_path, monkeypatch, method):
    folder(tmp_path)
    monkeypatch.setattr(environments, "load", lambda name, options: alfworld.load(**options))
    with pytest.raises(Mistake, match="alfworld has no method without actions"):
        Scene("alfworld", {"path": str(tmp_path)}, method).staged()


def test_an_episode_is_kept_although_it_went_twice_to_a_place_and_answered_nothing():
    done = (Step("So."), Step("", "go to desk 1", "nothing"), Step("Now."), Step("", "go to desk 1", "a mug 1"))
    record = Trajectory(
        Task("t", "put a mug in desk.", ""), "react", "m", (*done, Step("", "put mug 1 in/on desk 1")), "", 1.0
    )
    assert reason_against(record, ("correct", "clean", "grounded", "complete", "supported")) == ""
    for again in (Step("", "go to desk 1", "a mug 1"), Step("So.")):
        assert reason_against(replace(record, steps=(*done, again)), ("clean",)) == "unrepeated"


def _unreadable(path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes no file of a game."""
    path.parent.mkdir(parents=True, exist_ok=True)
    match how:
        case "dangling":
            path.symlink_to("nowhere")
        case "loop":
            path.symlink_to(path.name)
        case "pipe":
            os.mkfifo(path)
        case "locked":
            path.write_text("{}")
            opened = Path.open

            def deny(self: Path, *args: Any, **kwargs: Any) -> Any:
                if self == path:
                    raise PermissionError(13, "Permission denied", str(self))
                return opened(self, *args, **kwargs)

            monkeypatch.setattr(Path, "open", deny)


@pytest.mark.parametrize("how", ["dangling", "loop", "pipe", "locked"])
def test_a_game_that_cannot_be_read_stays_in_its_split_and_is_named(tmp_path, how, monkeypatch):
    folder(tmp_path)
    path = tmp_path / "json_2.1.1" / MUG.replace("trial_T2", "trial_T9") / "game.tw-pddl"
    _unreadable(path, how, monkeypatch)
    environment = alfworld.load(str(tmp_path))
    _, lost = (task for task in environment.tasks("valid_unseen") if task.extra["kind"] == "put")
    assert lost.id.endswith("trial_T9") and environment.fingerprint.startswith("2.1.2+unknown:")
    with pytest.raises(GameError, match=re.escape(str(path))):
        environment.start(lost)


def _collects(tmp_path: Path, *flags: str) -> None:
    demonstrations = Path(alfworld.__file__).parents[2] / "data" / "alfworld" / "demonstrations.jsonl.gz"
    scene = ["--environment", "alfworld", "--backend", "scripted", "--model", str(demonstrations), "--attempts", "1"]
    bootstrap([*scene, "--rules", "correct", "--output", str(tmp_path), "--name", "r", *flags])


@pytest.mark.parametrize("method", ["act", "react", "react_im"])
def test_trajectories_are_collected_with_exemplars_in_the_prompt(tmp_path, method):
    _collects(tmp_path, "--shots", "2", "--exemplars_by", "kind", "--method", method, "--limit", "2", "--target", "2")
    kept = list(read(tmp_path / "r" / "trajectories.jsonl"))
    assert [record.provenance["environment"] for record in kept] == ["alfworld"] * 2


def test_a_game_that_breaks_the_collection_is_named(tmp_path, capsys):
    folder(tmp_path / "data")
    (path,) = (tmp_path / "data" / "json_2.1.1" / "train").rglob("game.tw-pddl")
    path.write_bytes(path.read_bytes()[:999])
    task = Task(path.parent.relative_to(tmp_path / "data" / "json_2.1.1").as_posix(), "put a mug in desk.", "")
    write(tmp_path / "script.jsonl", [Trajectory(task, "react", "expert", (Step("", "look"),))])
    options = json.dumps({"path": str(tmp_path / "data")})
    with pytest.raises(SystemExit, match="2"):
        _collects(tmp_path, "--shots", "0", "--environment_options", options, "--model", str(tmp_path / "script.jsonl"))
    assert f"such as GameError: {path}: not a game that can be played: " in capsys.readouterr().out


def test_exemplars_without_a_kind_are_not_chosen_by_it():
    with pytest.raises(Mistake, match="exemplars_by is 'kind', but no exemplar of webshop says of what kind it is"):
        Scene(environment="webshop", shots=2, exemplars_by="kind").staged().tasks("train")


@pytest.mark.parametrize("key", ["release", "room"])
def test_exemplars_are_not_chosen_by_what_none_of_them_is(key):
    with pytest.raises(Mistake, match=f"exemplars_by is '{key}', of which no task has .*: clean, cool, examine"):
        Scene(environment="alfworld", shots=2, exemplars_by=key).staged().tasks("train")
    assert Scene(environment="alfworld", shots=0, exemplars_by=key).staged().tasks("train")
