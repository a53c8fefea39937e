"""ALFWorld's games: played as TextWorld plays them, and read as data."""

from __future__ import annotations

import gzip
import json
import os
import random
import runpy
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react.environments.household import crosscheck, release
from react.environments.household.game import Game, GameError, numbered, parse_game, read_game
from react.environments.household.play import NOTHING, Play
from react.environments.household.release import MOVE, PUT, as_in_the_paper
from tests.households import GOALS, KNOWN, PROBLEM, content, written

GOLDEN = Path(__file__).parent / "golden"
REAL = Path(__file__).parents[2] / "shared" / "data" / "alfworld"
real_data = pytest.mark.skipif(not REAL.exists(), reason="the real data are not there")
RELEASES = pytest.mark.parametrize("dialect", [PUT, MOVE], ids=["put", "move"])


@pytest.fixture(autouse=True)
def toy_release(monkeypatch: pytest.MonkeyPatch) -> None:
    for found, dialect in KNOWN.items():
        monkeypatch.setitem(release._KNOWN, found, dialect)


def toy(goal: str = "put", dialect: release.Dialect = MOVE, **changes: Any) -> Game:
    return parse_game(content(GOALS[goal], dialect, **changes))


# A play, as text to review.

PLAY = """
look | go to shelf 1 | look | take mug 2 from shelf 1 | examine mug 2 | examine shelf 1 | look | inventory
go to drawer 1 | put mug 2 in/on drawer 1 | open drawer 1 | put mug 2 in/on drawer 1 | look | close drawer 1
take mug 2 from drawer 1 | open drawer 1 | take mug 2 from drawer 1 | go to sinkbasin 1 | clean mug 2 with sinkbasin 1
examine mug 2 | go to microwave 1 | heat mug 2 with microwave 1 | examine mug 2 | go to fridge 1
cool mug 2 with fridge 1 | examine mug 2 | put mug 2 in/on fridge 1 | open fridge 1 | put mug 2 in/on fridge 1
take mug 1 from fridge 1 | cool mug 1 with fridge 1 | examine mug 1 | heat mug 1 with microwave 1
go to desk 2 | take knife 1 from desk 2 | put mug 1 in/on desk 2 | take knife 1 from desk 2 | slice apple 1 with knife 1
examine knife 1 | put knife 1 in/on desk 2 | go to drawer 1 | put knife 1 in/on drawer 1 | go to desk 2
take apple 1 from desk 2 | examine apple 1 | go to sinkbasin 1 | clean apple 1 with sinkbasin 1 | examine apple 1
go to desk 1 | use desklamp 1 | examine desklamp 1 | put apple 1 in/on desk 1 | go to shelf 1 | take bowl 1 from shelf 1
examine bowl 1 | inventory | help | Look | look. | think: what now? | go to desk 3
"""


@RELEASES
def test_a_play_is_the_golden_one(dialect, request):
    play = Play(toy("examine", dialect))
    lines = [play.intro]
    for command in PLAY.replace("\n", " | ").strip(" |").split(" | "):
        move = command.replace("put ", "move ").replace(" in/on ", " to ") if dialect is MOVE else command
        lines += [f"[{', '.join(play.admissible())}]", f"> {move}", play.act(move)]
    text = "\n".join(lines) + "\n"
    path = GOLDEN / f"alfworld_play_{dialect.put.split()[0]}.txt"
    if request.config.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("goal", "commands"),
    [
        ("put", "go to shelf 1|take mug 2 from shelf 1|go to desk 1|move mug 2 to desk 1"),
        (
            "clean",
            "go to shelf 1|take mug 2 from shelf 1|go to desk 1|move mug 2 to desk 1|take mug 2 from desk 1"
            "|go to sinkbasin 1|clean mug 2 with sinkbasin 1|go to desk 2|move mug 2 to desk 2",
        ),
        (
            "puttwo",
            "go to shelf 1|take mug 2 from shelf 1|go to desk 1|move mug 2 to desk 1|go to fridge 1|open fridge 1"
            "|take mug 1 from fridge 1|go to desk 2|move mug 1 to desk 2|take mug 1 from desk 2|go to desk 1"
            "|move mug 1 to desk 1",
        ),
        ("examine", "go to desk 1|use desklamp 1|go to shelf 1|take mug 2 from shelf 1|go to desk 1"),
    ],
)
def test_a_game_is_won_by_its_last_command_and_no_earlier(goal, commands):
    play = Play(toy(goal))
    won = []
    for command in commands.split("|"):
        assert play.act(command) != NOTHING, command
        won.append(play.won)
    assert won == [False] * (len(won) - 1) + [True]


def test_what_is_no_longer_true_is_no_longer_won():
    play = Play(toy())
    for command in toy().walkthrough:
        play.act(command)
    assert play.won
    play.act("take mug 2 from desk 1")
    assert not play.won


def test_one_who_begins_before_a_receptacle_faces_it():
    problem = PROBLEM.replace("GOAL", GOALS["put"]).replace("agent1 loc_bar_9", "agent1 loc_bar_1")
    assert (
        Play(toy(pddl_problem=problem)).room == "You are facing the drawer 1, and shelf 1. Next to it, you see nothing."
    )


@pytest.mark.parametrize(
    ("is_", "text"),
    [
        ("isHot", "This is a hot {}."),
        ("isCool", "This is a cold {}."),
        ("isClean", "This is a clean {}."),
        ("isClean isHot", "This is a hot and clean {}."),
        ("isClean isCool", "This is a cool and clean {}."),
        ("isCool isHot", "This is a hot {}."),
        ("isSliced", "There's nothing special about {}."),
        ("isSliced sliceable", "This is a sliced {}."),
        ("isSliced isCool", "This is a cool sliced {}."),
        ("isSliced isClean isHot", "This is a hot and clean sliced {}."),
        ("isSliced isClean isCool isHot", "This is a hot and clean sliced {}."),
        ("isToggled", "There's nothing special about {}."),
        ("isToggled toggleable sliceable isSliced", "This {} is on."),
        ("isToggled toggleable isClean", "This is a clean {}."),
        ("isReceptacleObject isClean", "This is a normal {}. In it, you see nothing."),
    ],
)
def test_an_object_is_described_by_the_first_rule_of_the_grammar_that_holds(is_, text):
    problem = PROBLEM.replace("GOAL", GOALS["put"]).replace("agent1 loc_bar_9)", "agent1 loc_bar_1)")
    facts = " ".join(f"({quality} Mug_bar_1)" for quality in is_.split())
    play = Play(toy(pddl_problem=problem.replace("(:init", f"(:init {facts}")))
    play.act("take mug 2 from shelf 1")
    assert play.act("examine mug 2") == text.format("mug 2")


def test_numbers_go_down_as_ids_go_up():
    assert numbered(["mug_bar_2", "mug_bar_10", "sink_bar_1_bar_sinkbasin", "agent1"]) == {
        "mug_bar_10": "mug 2",
        "mug_bar_2": "mug 1",
        "sink_bar_1_bar_sinkbasin": "sinkbasin 1",
    }


walks = st.lists(st.one_of(st.integers(0, 10**6), st.text(max_size=20)), max_size=40)


@settings(max_examples=60, deadline=None)
@given(walks, st.sampled_from(sorted(GOALS)))
def test_exactly_the_admissible_commands_do_something_and_nothing_raises(walk, goal):
    play = Play(toy(goal))
    for choice in walk:
        possible, before = play.admissible(), play.won
        command = possible[choice % len(possible)] if isinstance(choice, int) else choice
        feedback = play.act(command)
        assert (feedback == NOTHING) == (command.strip() not in possible)
        if feedback == NOTHING:
            assert (play.admissible(), play.won) == (possible, before)


@settings(max_examples=40, deadline=None)
@given(walks)
def test_both_releases_are_the_same_game_in_the_words_of_the_paper(walk):
    plays = [Play(game, as_in_the_paper(game.dialect)) for game in (toy(dialect=PUT), toy(dialect=MOVE))]
    for choice in walk:
        one, other = (play.admissible() for play in plays)
        assert one == [command for command in other if command != "help"]
        command = one[choice % len(one)] if isinstance(choice, int) else choice
        if command.strip() != "help":
            assert plays[0].act(command) == plays[1].act(command) and plays[0].won == plays[1].won


def test_threads_give_what_one_gives():
    game = toy("puttwo")

    def walk(seed: int) -> list[str]:
        play, rng = Play(game), random.Random(seed)
        return [play.act(rng.choice(play.admissible())) for _ in range(100)]

    alone = [walk(seed) for seed in range(16)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(walk, range(16))) == alone


# Files from outside.

CUT = json.dumps(content())[:700]


@pytest.mark.parametrize(
    ("file", "says"),
    [
        (CUT, "no JSON, or cut off"),
        ("", "no JSON, or cut off"),
        (b"\xff\xfe{", "no JSON, or cut off"),
        ("[" * 100_000, "recursion"),
        ('{"a":' * 100_000, "recursion"),
        ("[]", "it holds a list, not an object of JSON"),
        ("null", "it holds a NoneType"),
        (" " * 8_000_001, "larger than 8000000 bytes"),
    ],
)
def test_a_file_that_is_no_game_is_named_with_the_reason(tmp_path, file, says):
    path = tmp_path / "game.tw-pddl"
    path.write_bytes(file if isinstance(file, bytes) else file.encode())
    with pytest.raises(GameError, match=f"^{path}: not a game that can be played: ") as error:
        read_game(path)
    assert says in str(error.value) and len(str(error.value)) < 400


def test_a_file_that_is_not_there_or_no_file_is_named(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "missing", tmp_path, tmp_path / "pipe"):
        with pytest.raises(GameError, match=f"^{path}: .* there is no such file"):
            read_game(path)


TASK = '"Your task is to: put a mug in desk."'


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"pddl_domain": None}, "its `pddl_domain` must be a text"),
        ({"grammar": ["x"]}, "its `grammar` must be a text"),
        ({"pddl_problem": 3}, "its `pddl_problem` must be a text"),
        ({"walkthrough": "go"}, "its `walkthrough` must be a list of commands"),
        ({"walkthrough": [["go"]]}, "its `walkthrough` must be a list of commands"),
        ({"pddl_domain": "(define (domain other))"}, "those of no known release; there are: 2.1.1, 2.1.2"),
        ({"grammar": f"2.1.2 {TASK} and a new rule"}, "those of no known release"),
        ({"grammar": "2.1.2"}, "has 0 task sentences"),
        ({"grammar": f"2.1.2 {TASK} {TASK}"}, "has 2 task sentences"),
        ({"grammar": '2.1.2 "Your task is to: {__import__(1)}."'}, "has 0 task sentences"),
        ({"grammar": '2.1.2 "Your task is to: #look.feedback#"'}, "has 0 task sentences"),
        ({"pddl_problem": ""}, "no :init followed by a :goal"),
        ({"pddl_problem": PROBLEM[:900]}, "no :init followed by a :goal"),
        ({"pddl_problem": PROBLEM.replace("(:goal GOAL))", "(:goal (and (exists")}, "the goal is cut off"),
        ({"pddl_problem": PROBLEM.replace("GOAL", "(" * 30)}, "nested more than 20 deep"),
        ({"pddl_problem": "(:init " + "(openable a)" * 200_000 + ")(:goal (and))"}, "more than 2000000"),
    ],
)
def test_what_is_not_known_is_refused_with_the_reason(changes, says):
    with pytest.raises(ValueError) as error:
        parse_game(content(**changes))
    assert says in str(error.value) and len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(atLocation agent1 loc_bar_9)", "", "0 agents have a place"),
        ("(atLocation agent1 loc_bar_9)", "(atLocation agent1 loc_bar_9)(atLocation a loc_bar_9)", "2 agents"),
        ("(openable Drawer_bar_1)", "(opeable Drawer_bar_1)", "(opeable drawer_bar_1), which is no fact"),
        ("(openable Drawer_bar_1)", "(openable Drawer_bar_1 Mug_bar_1)", "which is no fact of the domain"),
        ("(openable Drawer_bar_1)", "(holds agent1 Mug_bar_1)", "(holds agent1 mug_bar_1), which is no fact"),
        ("(openable Drawer_bar_1)", "(not (openable Drawer_bar_1))", "which is no fact"),
        ("(openable Drawer_bar_1)", "(openable Drawer_bar_1", ":init has"),
        ("(openable Drawer_bar_1)", "(inReceptacle Mug Desk_bar_1)", "'mug' has no number"),
        ("(openable Drawer_bar_1)", "(receptacleAtLocation Desk_bar_1 loc_bar_7)", "stands in two places"),
        ("(openable Drawer_bar_1)", "(receptacleType Desk_bar_1 SinkType)", "of type Sink"),
    ],
)
def test_facts_that_are_not_understood_are_refused(old, new, says):
    problem = PROBLEM.replace("GOAL", GOALS["put"])
    with pytest.raises(ValueError) as error:
        toy(pddl_problem=problem.replace(old, new))
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("goal", "says"),
    [
        ("(and)", "the goal is empty"),
        ("()", "not known in goals"),
        ("(and (forall (?o - object) (isClean ?o)))", "not known in goals"),
        ("(or (isClean Mug_bar_1) (isClean Mug_bar_2))", "not known in goals"),
        ("(exists (?o - object) (checked ?o))", "not known in goals"),
        ("(exists (?o - object) (isClean ?o ?o))", "isclean of 2"),
        ("(exists (?o - object) (isClean ?x))", "declares ['?o'] and uses ['?x']"),
        ("(isClean ?x)", "declares [] and uses ['?x']"),
        ("(exists (?o - object) (exists (?o - object) (isClean ?o)))", "declares ['?o', '?o'] and uses ['?o']"),
        ("(exists (?o - object) (and (isClean ?o) (not (= ?o ?x))))", "declares"),
        ("(isClean Mug_bar_1)) (:metric maximize (x)", "after the goal stands"),
        (
            f"(exists ({' '.join(f'?x{n}' for n in range(9))}) (and {' '.join(f'(isClean ?x{n})' for n in range(9))}))",
            "takes a search through",
        ),
    ],
)
def test_goals_that_are_not_understood_are_refused(goal, says):
    with pytest.raises(ValueError) as error:
        parse_game(content(goal))
    assert says in str(error.value)


def test_costs_and_a_metric_are_read_over():
    problem = PROBLEM.replace("GOAL", GOALS["put"] + ") (:metric minimize (total-cost)")
    problem = problem.replace("(:init", "(:init (= (total-cost) 0) (= (distance loc_bar_1 loc_bar_2) 7)")
    assert parse_game(content(pddl_problem=problem)) == toy()


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_damaged_problem_is_a_game_or_a_value_error(data):
    problem = PROBLEM.replace("GOAL", GOALS["puttwo"])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(problem)))
        length = data.draw(st.integers(0, 30))
        problem = problem[:at] + data.draw(st.text("() ?=-andmug_bar1\n;", max_size=12)) + problem[at + length :]
    try:
        play = Play(parse_game(content(pddl_problem=problem)))
    except ValueError:
        return
    for command in play.admissible():
        assert play.act(command)


# The official games.


@cache
def unpack() -> dict[str, Any]:
    return runpy.run_path(str(REAL / "unpack.py"))


def official(split: str, every: int = 1) -> list[tuple[str, dict[str, Any]]]:
    """Every so-manieth game of a split, by name."""
    return [named for n, named in enumerate(unpack()["games"](split)) if n % every == 0]


def variants(game: dict[str, Any]) -> list[dict[str, Any]]:
    return [game, unpack()["as_put"](game)]


def is_won(game: dict[str, Any], dialect: release.Dialect) -> bool:
    play = Play(parse_game(game))
    assert play.dialect == dialect and not play.won
    assert all(play.act(command) != NOTHING for command in game["walkthrough"])
    return play.won


@real_data
@pytest.mark.parametrize("split", ["valid_seen", "valid_unseen"])
def test_official_games_are_won_by_their_walkthroughs(split):
    for name, game in official(split, every=6):
        assert [is_won(*pair) for pair in zip(variants(game), (MOVE, PUT), strict=True)] == [True, True], name


@real_data
@pytest.mark.slow
def test_all_official_games_are_won_by_their_walkthroughs_in_both_releases():
    won = 0
    for split in ("train", "valid_seen", "valid_unseen", "valid_train"):
        for name, game in unpack()["games"](split):
            assert [is_won(*pair) for pair in zip(variants(game), (MOVE, PUT), strict=True)] == [True, True], name
            won += 1
    assert won == 4027


def traced(file: str) -> None:
    """Every text, list of commands and win flag of TextWorld's traces."""
    traces = [json.loads(line) for line in (REAL / "traces" / file).read_text().splitlines()]
    wanted = {trace["game"] for trace in traces}
    games = {name: game for split in {name.split("/")[0] for name in wanted} for name, game in picked(split, wanted)}
    for trace in traces:
        game = games[trace["game"]]
        play = Play(parse_game(unpack()["as_put"](game) if trace["release"] == "put" else game))
        assert (play.intro, play.admissible()) == (trace["initial"], trace["admissible"])
        for number, step in enumerate(trace["steps"]):
            place = trace["game"], number, step["action"]
            assert (play.act(step["action"]), play.won) == (step["observation"], step["won"]), place
            assert step["admissible"] is None or play.admissible() == step["admissible"], place


def picked(split: str, wanted: set[str]) -> list[tuple[str, dict[str, Any]]]:
    return [(name, game) for name, game in unpack()["games"](split) if name in wanted]


@real_data
@pytest.mark.parametrize("file", ["move.jsonl", "put.jsonl"])
def test_traces_of_textworld_are_reproduced(file):
    traced(file)


@real_data
@pytest.mark.slow
def test_traces_of_train_games_are_reproduced():
    traced("train_move.jsonl")


@real_data
def test_a_bowl_is_said_to_hold_what_lay_in_it_at_first():
    """Seen in TextWorld 1.7.0; no trace has it."""
    id = "valid_unseen/pick_and_place_simple-PepperShaker-None-Drawer-10/trial_T20190918_154424_844749"
    ((_, game),) = picked("valid_unseen", {id})
    play = Play(parse_game(game))
    play.act("go to countertop 3")
    play.act("take plate 3 from countertop 3")
    assert play.act("examine plate 3") == "This is a normal plate 3. In it, you see a knife 2."


@real_data
def test_official_sentences_are_recognised_in_every_game_and_comments_do_not_matter():
    (_, game), *_ = official("valid_unseen")
    game["pddl_domain"] = game["pddl_domain"].replace(";; agent heats-up", "; another word\n;; agent heats-up")
    assert parse_game(game).task == "examine the alarmclock with the desklamp."
    with gzip.open(REAL / "valid_unseen.jsonl.gz", "rt") as lines:
        tasks = [json.loads(line)["task"] for line in lines]
    assert [parse_game(game).task for _, game in official("valid_unseen", every=3)] == tasks[::3]


# The cross-check itself, with our own player in the place of TextWorld.


class Other:
    """A TextWorld that says one thing differently after some steps."""

    def __init__(self, path: Path) -> None:
        self.text, self.steps, self._play = "", 0, Play(read_game(path))
        self.text = self._play.intro

    @property
    def admissible(self) -> list[str]:
        return self._play.admissible()[self.steps > 20 :]

    @property
    def won(self) -> bool:
        return self._play.won

    def act(self, command: str) -> None:
        self.text = self._play.act(command)
        self.steps += 1


def test_the_crosscheck_reports_the_first_difference(tmp_path, monkeypatch, capsys):
    path = written(tmp_path, "train/pick_and_place_simple-Mug-None-Desk-1/trial_1")
    monkeypatch.setattr(crosscheck, "TextWorld", Other)
    for steps, status, says in ((20, 0, "20 steps alike"), (40, 1, "step 21, ")):
        for named in (path, path.parent):
            with pytest.raises(SystemExit) as stopped:
                crosscheck.main([str(named), "--steps", str(steps)])
            assert stopped.value.code == status and says in capsys.readouterr().out


def test_the_crosscheck_names_what_it_lacks(tmp_path, capsys, monkeypatch):
    path = written(tmp_path, "train/pick_and_place_simple-Mug-None-Desk-1/trial_1")
    monkeypatch.setitem(sys.modules, "textworld", None)
    for game, says in ((path, "TextWorld is not installed"), (tmp_path, "there is no such file")):
        with pytest.raises(SystemExit) as stopped:
            crosscheck.main([str(game)])
        assert stopped.value.code == 2 and says in capsys.readouterr().err


@real_data
@pytest.mark.slow
def test_textworld_itself_says_the_same(tmp_path):
    pytest.importorskip("alfworld")
    pytest.importorskip("textworld")
    for name, game in official("valid_unseen", every=60):
        for verb, variant in zip(("move", "put"), variants(game), strict=True):
            path = tmp_path / verb / name / "game.tw-pddl"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(variant))
            assert crosscheck.compare(path, 60, random.Random(0)) == ""


@pytest.mark.parametrize("steps", ["0", "-3"])
def test_a_crosscheck_of_nothing_is_refused(tmp_path, capsys, steps):
    with pytest.raises(SystemExit) as ended:
        crosscheck.main([str(written(tmp_path, "train/a/b")), "--steps", steps])
    assert ended.value.code == 2 and f"steps is {steps}; it must be at least 1" in capsys.readouterr().err
