"""The loop over rounds: which commands in which order, what it refuses, and how it goes on, whatever killed it."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from bootstrap import stages
from bootstrap.rounds import accumulated, main, refuse_asked
from react import trajectory
from react.lock import hold
from react.mistakes import Mistake
from react.trajectory import Task
from tests.toys import script

ROOT = Path(__file__).parent.parent
STUB = str(Path(__file__).with_name("round_stages.py"))
ORDER = ["eval/round0"] + [f"{kind}/round{n}" for n in (1, 2) for kind in ("bootstrap", "train", "eval")]
LOOP = """
import sys
from bootstrap import stages
stages.PROGRAMS.update(python=(sys.executable, sys.argv[1]), accelerate=(sys.executable, sys.argv[1]))
from bootstrap.rounds import main
main(sys.argv[2:])
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder whose stages are those of `round_stages.py`."""
    for program in list(stages.PROGRAMS):
        monkeypatch.setitem(stages.PROGRAMS, program, (sys.executable, STUB))
    monkeypatch.setenv("STAGES", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def words(here, **settings):
    values = {"rounds": 2, "output": str(here), "name": "r", **settings}
    (here / "r.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    return ["--config", str(here / "r.yaml")]


def log(here):
    return (here / "log").read_text().splitlines() if (here / "log").exists() else []


def begun(here):
    return [line.removesuffix(" begin") for line in log(here) if line.endswith(" begin")]


def flags(here, stage):
    return json.loads((here / "r" / stage / "summary.json").read_text())["flags"]


def results(folder):
    """All that a loop makes, without what is about the way there."""
    names = ("trajectories.jsonl", "weights", "rounds.md")
    text = {path: path.read_text() for name in names for path in sorted(folder.rglob(name))}
    return {str(path.relative_to(folder)): said.replace(str(folder), "") for path, said in text.items()}


def refused(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_rounds_follow_one_another_and_each_student_teaches_the_next(here):
    sections = {"bootstrap": {"hints": 1}, "later": {"shots": 0}, "train": {"steps": 20}, "eval": {"limit": 8}}
    (here / "a.yaml").touch()
    main(words(here, **sections, launch=f"{here}/a.yaml"))
    assert begun(here) == ORDER
    assert log(here).count("table") == 3 and log(here).count(f"launch --config_file {here}/a.yaml") == 2
    prompted = flags(here, "eval/round0")
    assert (prompted["model"], prompted["backend"], prompted["shots"], prompted["limit"]) == ("base", "local", "6", "8")
    first, second = flags(here, "bootstrap/round1"), flags(here, "bootstrap/round2")
    assert "model" not in first and first["hints"] == second["hints"] == "1"
    assert (second["model"], second["backend"], second["shots"]) == (f"{here}/r/train/round1/checkpoint", "local", "0")
    for n in (1, 2):
        trained = flags(here, f"train/round{n}")
        assert "model" not in trained, "from the base model"
        assert trained["data"] == f"{here}/r/bootstrap/round{n}/trajectories.jsonl" and trained["steps"] == "20"
        assert flags(here, f"eval/round{n}")["model"] == f"{here}/r/train/round{n}/checkpoint"
    main(words(here, **sections, launch=""))
    assert begun(here) == ORDER and log(here).count("table") == 4, "what is finished is not called again"
    main([*words(here, **sections), "--rounds", "3"])
    assert begun(here) == [*ORDER, "bootstrap/round3", "train/round3", "eval/round3"]


def test_rounds_can_add_up_and_grow(here):
    main(words(here, accumulate=True, growth=1.25, rounds=3))
    data = [list(trajectory.read(Path(flags(here, f"train/round{n}")["data"]))) for n in (1, 2, 3)]
    assert [[(row.task.id, row.answer) for row in rows] for rows in data][1:] == [
        [("t1", "1"), ("t2", "2"), ("t3", "2"), ("t4", "2"), ("t5", "2"), ("t6", "2")],
        [("t1", "1"), ("t2", "2"), ("t3", "3"), ("t4", "3"), ("t5", "3"), ("t6", "3"), ("t7", "3")],
    ]
    assert [flags(here, f"train/round{n}")["steps"] for n in (1, 2, 3)] == ["10", "12", "16"]


def test_finished_rounds_are_not_read_again(here, monkeypatch):
    main(words(here, accumulate=True))
    monkeypatch.setattr("react.trajectory.read", lambda path: pytest.fail(f"{path} was read"))
    main(words(here, accumulate=True))
    assert begun(here) == ORDER


def test_of_a_task_the_latest_is_trained_on_at_the_place_of_the_first():
    one, two, other = (script(Task(id, "q", "a"), answer) for id, answer in (("x", "1"), ("x", "2"), ("y", "3")))
    assert accumulated([[one, other], [two]]) == [two, other]


def test_the_base_model_is_evaluated_with_the_exemplars_that_it_collects_with(here, capsys):
    bootstrap = {"shots": 4, "exemplars_by": "kind"}
    main([*words(here, bootstrap=bootstrap, eval={"exemplars": "x.yaml"}), "--dry_run"])
    first = capsys.readouterr().out.splitlines()[0]
    assert "--exemplars '' " in first and "--exemplars_by kind" in first and "--shots 4" in first
    main([*words(here, bootstrap=bootstrap, prompted={"shots": 6, "exemplars_by": "type"}), "--dry_run"])
    first = capsys.readouterr().out.splitlines()[0]
    assert "--exemplars_by type" in first and "--shots 6" in first and "--exemplars " not in first


def test_a_dry_run_prints_what_would_run_and_does_nothing(here, capsys):
    main([*words(here, bootstrap={"rules": ["a", "b"], "limit": -1}, rounds=1), "--dry_run"])
    assert capsys.readouterr().out.splitlines() == [
        f"python -m eval --model base --backend local --shots 6 --name round0 --output {here}/r/eval",
        f"python -m bootstrap --rules a b --limit=-1 --name round1 --output {here}/r/bootstrap",
        f"accelerate launch {os.path.relpath(ROOT / 'train.py')} --data {here}/r/bootstrap/round1/trajectories.jsonl "
        f"--name round1 --output {here}/r/train",
        f"python -m eval --model {here}/r/train/round1/checkpoint --backend local --name round1 --output {here}/r/eval",
    ]
    assert sorted(path.name for path in here.iterdir()) == ["r.yaml"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"rounds": 0}, "rounds is 0; it must be at least 1"),
        ({"rounds": 10**7}, "rounds is 10000000; it must be at most 1000"),
        ({"growth": 1e300}, "growth is 1e+300: from 10 steps, round 2 would have more than 1,000,000,000"),
        ({"growth": 1.2, "rounds": 1000}, "growth is 1.2: from 10 steps, round 1000 would have more"),
        ({"launch": "/nope"}, "launch is '/nope'; it must be a file"),
        ({"growth": 0.5}, "growth is 0.5; it must be at least 1"),
        ({"name": "a/b"}, "must be the name of one folder"),
        ({"bootstrap": {"name": "x"}}, "bootstrap holds 'name', which follows from the round; leave it out"),
        ({"eval": {"model": "x"}}, "eval holds 'model'"),
        ({"later": {"backend": "server"}}, "later holds 'backend'"),
        ({"train": {"steps": None}}, "train: steps is None; give it a value or leave it out"),
        ({"bootstrap": {"hnts": 1}}, "bootstrap/round1: unknown flag --hnts"),
        ({"later": {"hnts": 1}}, "bootstrap/round2: unknown flag --hnts"),
        ({"prompted": {"hnts": 1}}, "eval/round0: unknown flag --hnts"),
        ({"train": {"environment": "f"}}, "bootstrap is in 'e', train in 'f'; a round is in one environment"),
        ({"eval": {"adapter": "x"}}, "eval: adapter is 'x', and students are whole checkpoints: adapter: ''"),
        ({"bootstrap": {"adapter": "x"}}, "later: adapter is 'x'"),
        ({"bootstrap": {"adapter": "x"}, "later": {"adapter": ""}, "eval": {"shots": -1}, "steps": 3}, "unknown key"),
    ],
)
def test_a_mistake_is_told_before_anything_runs(here, capsys, settings, says):
    for more in ([], ["--check"]):
        assert says in refused([*words(here, **settings), *more], capsys)
    assert not (here / "r").exists() and not log(here)


CANARY = "sk-canary-zz"


@pytest.mark.parametrize("section", ["bootstrap", "later", "train", "eval", "prompted"])
@pytest.mark.parametrize(
    "value",
    [f"http://u:{CANARY}@127.0.0.1:9/v1", f"socks5://{CANARY}@h", [f"https://u:{CANARY}@h"], {"a": f"x://{CANARY}@h"}],
)
def test_a_password_in_a_url_comes_into_no_command_and_no_output(here, capsys, section, value):
    for more in ([], ["--check"], ["--dry_run"]):
        with pytest.raises(SystemExit) as ended:
            main([*words(here, **{section: {"base_url": value}}), *more])
        said = "".join(capsys.readouterr())
        assert ended.value.code == 2 and CANARY not in said
        assert f"{section}: base_url has a name or a password in a URL" in said and "environment variable" in said
    assert not (here / "r").exists() and not log(here)


def test_check_asks_the_stages_and_runs_nothing(here, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*words(here, bootstrap={"hints": 1}), "--check"])
    assert ended.value.code == 0 and "hints: 1" in capsys.readouterr().out
    assert not (here / "r").exists() and not log(here)


def test_a_folder_is_not_entered_with_other_settings_but_with_another_pace(here, capsys):
    main(words(here, bootstrap={"hints": 1}))
    for settings, says in (
        ({"bootstrap": {"hints": 0}}, "bootstrap.hints: 1 -> 0"),
        ({"bootstrap": {"hints": 1}, "later": {"shots": 0}}, "later.shots: 6 -> 0"),
        ({"bootstrap": {"hints": 1}, "accumulate": True}, "accumulate: False -> True"),
    ):
        assert says in refused(words(here, **settings), capsys)
    main(words(here, bootstrap={"hints": 1, "limit": 7}))  # the stages here let `limit` change
    assert begun(here) == ORDER


def test_a_stage_that_fails_is_named_and_tried_again(here, capfd):
    (here / "fail").write_text("train/round2")
    said = refused(words(here), capfd)
    assert said.rstrip().endswith(
        "error: train/round2 ended with status 2; what it said stands above, and the same command tries it again"
    )
    assert "error: as told" in said and "Traceback" not in said
    (here / "fail").unlink()
    main(words(here))
    assert begun(here) == [*ORDER[:6], *ORDER[5:]]


def test_a_collection_that_its_budget_ends_is_trained_on(here):
    (here / "spent").touch()
    main(words(here, rounds=1))
    assert begun(here) == ORDER[:4]


def test_a_round_that_kept_too_little_ends_the_loop_with_its_table(here, capfd):
    (here / "keeps").write_text('{"2": 2}')
    said = refused(words(here, least=3), capfd)
    assert "round 2 has 2 trajectories to train on, and least is 3: it ends here" in said
    assert begun(here) == ORDER[:5] and log(here)[-1] == "table"
    main(words(here, least=2))
    assert begun(here) == ORDER


def test_a_student_is_not_asked_what_it_was_trained_on(here, capfd):
    (here / "panel").write_text("[99, 2]")
    said = refused(words(here), capfd)
    assert "1 of 5 kept tasks, such as 't2', are on the panel of eval" in said
    assert "train/round1" not in begun(here)


def test_without_answers_tasks_go_by_their_ids(tmp_path):
    trajectory.write(tmp_path / "panel.jsonl", [script(Task("a", "Put it there.", ""), "x")])
    refuse_asked([script(Task("b", "Put it there.", ""), "x")], tmp_path / "panel.jsonl")
    with pytest.raises(Mistake):
        refuse_asked([script(Task("b", "PUT it there.", "x"), "x")], tmp_path / "panel.jsonl")


@pytest.mark.parametrize("rounds", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_what_follows_a_stage_that_is_made_again_is_called_again(here, rounds):
    order = ORDER[: 1 + 3 * rounds]
    main(words(here, rounds=rounds))
    (here / "r" / "train" / "round1" / "summary.json").unlink()
    main(words(here, rounds=rounds))
    assert begun(here) == [*order, *order[2:]]
    (here / "r" / "finished.json").write_text("[")
    main(words(here, rounds=rounds))
    assert begun(here) == [*order, *order[2:], *order]


def test_a_folder_that_another_loop_has_is_left_as_it_is(here, capsys):
    (here / "r").mkdir()
    held = hold(here / "r" / "run")
    try:
        assert f"in use by another run (process {os.getpid()})" in refused(words(here), capsys)
    finally:
        os.close(held)
    assert not log(here)


def start(here, **settings):
    command = [sys.executable, "-c", LOOP, STUB, *words(here, **settings)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def until(true, seconds=60):
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds
        time.sleep(0.005)


SLOW = [pytest.param(number, marks=pytest.mark.slow) for number in (signal.SIGTERM, signal.SIGHUP)]


@pytest.mark.parametrize("number", [signal.SIGINT, *SLOW])
def test_a_signal_is_handed_on_once_and_ends_with_one_line(here, number):
    (here / "slow").write_text("0.3")
    loop = start(here)
    until(lambda: "bootstrap/round1" in begun(here) or loop.poll() is not None)
    loop.send_signal(number)
    _, said = loop.communicate(timeout=60)
    assert loop.returncode == 128 + number
    assert said.rstrip().endswith("\nStopped in bootstrap/round1; the same command continues there.")
    assert "Traceback" not in said
    heard = [line.split()[1] for line in log(here) if "SIG" in line]
    assert heard == [number.name] if number != signal.SIGHUP else not heard
    (here / "slow").unlink()
    main(words(here))
    assert begun(here) == [*ORDER[:2], *ORDER[1:]]


@pytest.mark.parametrize("kills", [1, pytest.param(60, marks=pytest.mark.slow)])
def test_killed_at_random_moments_it_ends_the_same_and_no_stage_runs_twice_at_once(here, kills):
    """The loop alone is killed, whose stage then goes on by itself, or the loop and its stage at once."""
    chance = random.Random(kills)
    (here / "slow").write_text("0.02")
    main(words(here, name="undisturbed"))
    undisturbed = results(here / "undisturbed")
    (here / "log").unlink()
    for _ in range(kills):
        loop, so_far = start(here), len(log(here))
        enough = so_far + chance.randrange(1, 8)
        until(lambda loop=loop, enough=enough: len(log(here)) >= enough or loop.poll() is not None)
        time.sleep(chance.random() * 0.1)
        alone = chance.random() < 0.5
        stage = [] if alone else children(loop.pid)
        loop.kill()
        for child in stage:
            os.kill(child, signal.SIGKILL)
        _, said = loop.communicate(timeout=60)
        assert "error" not in said, said
    main(words(here))
    assert results(here / "r") == undisturbed
    assert set(begun(here)) == set(ORDER)


def children(pid):
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(path.parent.name))
        except (OSError, ProcessLookupError):
            continue
    return found
