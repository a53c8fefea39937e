"""The embedded households as they lie in the repository: each is won by its walkthrough, none is odd."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from data.households.chores import KINDS
from data.households.files import write
from data.households.games import games
from data.households.language import ACTIONS, domain, grammar
from react.environments.household.game import Game, parse_game, read_game, release_of
from react.environments.household.play import NOTHING, Play
from react.environments.household.release import EMBEDDED, MOVE, recognise

ROOT = Path(__file__).resolve().parents[1]
GAMES = ROOT / "data" / "alfworld" / "json_2.1.1"
EACH = {"train": 10, "valid_seen": 2, "valid_unseen": 4, "exemplars": 3}
STATES = {"clean": "cleanable", "heat": "heatable", "cool": "coolable"}


@cache
def embedded() -> dict[str, Game]:
    """All games by id."""
    return {
        path.parent.relative_to(GAMES).as_posix(): read_game(path) for path in sorted(GAMES.glob("*/*/*/game.tw-pddl"))
    }


def parts(id: str) -> tuple[str, str, str, str, int]:
    """Split, kind, thing, where it goes, and the scene."""
    split, task, _ = id.split("/")
    kind, thing, _, to, scene = task.split("-")
    return split, kind, thing, to, int(scene)


def of_type(game: Game, predicate: str, type: str) -> set[str]:
    return {one for one, found in game.facts[predicate] if found == f"{type}type".lower()}


def lying(game: Game, type: str) -> dict[str, str]:
    """Where the things of a type lie at first."""
    wanted = of_type(game, "objecttype", type)
    return {thing: place for thing, place in game.facts["inreceptacle"] if thing in wanted}


def test_the_seed_makes_the_files_again_byte_for_byte(tmp_path):
    command = [sys.executable, "-m", "data.households", "--out", str(tmp_path), "--seed", "0"]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONHASHSEED": "1"})
    made = tmp_path / "alfworld" / "json_2.1.1"
    files = [path.relative_to(made) for path in sorted(made.rglob("*")) if path.is_file()]
    assert files == [path.relative_to(GAMES) for path in sorted(GAMES.rglob("*")) if path.is_file()]
    assert len(files) == 2 * 114
    assert all((made / file).read_bytes() == (GAMES / file).read_bytes() for file in files)


def test_games_are_not_mixed_with_others(tmp_path):
    other = tmp_path / "json_2.1.1" / "train" / "pick_and_place_simple-Mug-None-Desk-1" / "trial_T1"
    other.mkdir(parents=True)
    (other / "game.tw-pddl").write_text("{}")
    with pytest.raises(
        FileExistsError, match=r"has 1 other games, train/pick_and_place_simple-Mug-None-Desk-1/trial_T1"
    ):
        write(tmp_path, [])


def test_another_seed_makes_other_games_of_the_same_kinds():
    made = games(1)
    assert Counter(parts(one.id)[:2] for one in made) == Counter(parts(id)[:2] for id in embedded())
    facts = {frozenset(game.facts["inreceptacle"]) for game in embedded().values()}
    assert not facts & {frozenset(parse_game(one.content).facts["inreceptacle"]) for one in made}


def test_kinds_are_balanced():
    counts = Counter(parts(id)[:2] for id in embedded())
    assert counts == {(split, kind): each for split, each in EACH.items() for kind in KINDS}


def test_no_task_is_asked_for_twice_in_a_room_and_no_thing_often():
    assert len({parts(id)[1:] for id in embedded()}) == len(embedded())
    assert max(Counter(parts(id)[:3] for id in embedded()).values()) == 2


def test_a_game_is_won_by_its_walkthrough_and_no_earlier():
    for id, game in embedded().items():
        play = Play(game)
        assert 3 <= len(game.walkthrough) <= 25 and game.solvable
        for command in game.walkthrough:
            assert not play.won, id
            assert play.act(command) != NOTHING, (id, command)
        assert play.won, id


def test_what_is_asked_for_lies_elsewhere_and_suits_the_task():
    for id, game in embedded().items():
        _, kind, thing, to, _ = parts(id)
        places = lying(game, thing)
        assert len(places) >= 1 + (kind == "pick_two_obj_and_place"), id
        if kind == "look_at_obj_in_light":
            (lamp,) = lying(game, to)
            assert game.has("toggleable", lamp) and not game.has("pickupable", lamp)
            continue
        goals = of_type(game, "receptacletype", to)
        assert goals and not goals & set(places.values()), id
        for one in places:
            assert goals <= game.fits[one] and game.has("pickupable", one), id
            assert all(game.has(quality, one) for verb, quality in STATES.items() if f"_{verb}_" in kind), id


def test_things_lie_in_one_place_that_they_fit_and_are_not_seen_from_the_door():
    for id, game in embedded().items():
        inside = game.facts["inreceptacle"]
        assert len({thing for thing, _ in inside}) == len(inside)
        assert game.facts["objectatlocation"] == {(thing, game.receptacles[place]) for thing, place in inside}, id
        for thing, place in inside:
            assert place in game.fits.get(thing, ()) or game.has("toggleable", thing), (id, thing, place)
        assert game.start not in game.receptacles.values() and not game.facts.get("opened")
        seen = re.findall(r"\ba (\w+ \d+)", Play(game).room)
        assert sorted(seen) == sorted(game.names[receptacle] for receptacle in game.receptacles)


def test_many_things_are_hidden_and_many_are_not():
    hidden = [
        all(game.has("openable", place) for place in lying(game, parts(id)[2]).values())
        for id, game in embedded().items()
    ]
    assert len(hidden) / 6 <= sum(hidden) <= len(hidden) / 2


def test_unseen_rooms_are_new_and_seen_ones_are_not():
    layouts: dict[str, dict[int, set[tuple[str, ...]]]] = {split: {} for split in EACH}
    for id, game in embedded().items():
        split, *_, scene = parts(id)
        layout = tuple(sorted(type for _, type in game.facts["receptacletype"]))
        layouts[split].setdefault(scene, set()).add(layout)
    assert all(len(found) == 1 for rooms in layouts.values() for found in rooms.values())
    train, seen, unseen = (set.union(*layouts[split].values()) for split in list(EACH)[:3])
    assert seen <= train and not unseen & train
    scenes = {split: set(rooms) for split, rooms in layouts.items()}
    assert scenes["valid_seen"] <= scenes["train"] and not scenes["valid_unseen"] & scenes["train"]
    assert len(unseen) == len(layouts["valid_unseen"]) == 8


def test_some_receptacles_share_a_spot_as_in_the_official_games():
    shared = [len(set(game.receptacles.values())) < len(game.receptacles) for game in embedded().values()]
    assert sum(shared) > len(shared) / 2


def test_the_sentence_and_the_other_file_say_what_the_goal_says():
    for id, game in embedded().items():
        _, kind, thing, to, scene = parts(id)
        about = json.loads((GAMES / id / "traj_data.json").read_text(encoding="utf-8"))
        assert game.task in {f"{form.format(o=thing.lower(), r=to.lower())}." for form in KINDS[kind]}
        assert (about["task_type"], about["scene"]["scene_num"]) == (kind, scene)
        looks = kind == "look_at_obj_in_light"
        assert about["pddl_params"]["object_target"] == thing
        assert about["pddl_params"]["toggle_target" if looks else "parent_target"] == to
        said = {term for condition in game.goal for atom in condition.atoms for term in atom}
        assert {f"{thing}type".lower(), f"{to}type".lower()} <= said


def test_the_files_are_few_and_small():
    assert sum(path.stat().st_size for path in GAMES.rglob("*") if path.is_file()) < 2_700_000


# The domain and the grammar.


def test_our_texts_are_a_release_of_their_own_that_speaks_as_the_newer_one():
    assert recognise(domain(), grammar("put a mug in desk.")) == (EMBEDDED, "put a mug in desk.")
    assert (EMBEDDED.release, EMBEDDED.put, EMBEDDED.help) == ("embedded", MOVE.put, MOVE.help)
    assert {release_of((GAMES / id / "game.tw-pddl").read_bytes()) for id in embedded()} == {EMBEDDED.release}


@pytest.mark.parametrize("number", range(len(ACTIONS)), ids=[action.name for action in ACTIONS])
def test_no_action_can_be_left_out(number):
    """Each stands in both texts; without it the texts are those of no known release."""
    action = ACTIONS[number]
    rule = next(line for line in grammar("x.").splitlines() if line.startswith(f"action {action.name} "))
    with pytest.raises(ValueError, match="no known release"):
        recognise(domain(), grammar("x.").replace(rule, ""))
    with pytest.raises(ValueError, match="no known release"):
        recognise(domain().replace(f"(:action {action.name}\n", "(:action other\n"), grammar("x."))


def test_every_command_of_a_play_is_one_of_an_action():
    forms = [re.sub(r"\\{\w\\}", r"\\w+ \\d+", re.escape(action.command)) for action in ACTIONS]
    seen = set()
    for game in list(embedded().values())[::8]:
        play = Play(game)
        for command in game.walkthrough:
            for possible in play.admissible():
                found = [form for form in forms if re.fullmatch(form, possible)]
                assert found, possible
                seen.update(found)
            play.act(command)
    assert len(seen) >= len(set(forms)) - 1  # nobody slices anything on the way
