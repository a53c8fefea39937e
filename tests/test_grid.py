"""A grid: its cells, what they share, and what is left of it after kills, failures and changes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from eval.cells import Grid, cells
from eval.grid import main
from eval.runs import read
from react import environments, models, trajectory
from react.mistakes import Mistake
from react.models import ModelError
from react.models.scripted import Scripted
from tests import toyland
from tests.toys import Said

ROOT = Path(__file__).parents[1]
PLACE = {"environment": "toyland", "exemplars": "shots.yaml", "shots": 2, "limit": 6}
EXPERT = {"backend": "scripted", "model": "expert.jsonl"}
SMALL = {"methods": ["standard", "react"], "models": {"expert": EXPERT}, "environments": {"toys": PLACE}}


@pytest.fixture
def world(tmp_path, monkeypatch):
    yield from toyland.found(tmp_path, monkeypatch)


def grid(*words, **settings):
    """Runs a grid; its exit status."""
    Path("grid.yaml").write_text(yaml.safe_dump({"name": "g", **SMALL, **settings}, sort_keys=False))
    try:
        main(["--config", "grid.yaml", *words])
    except SystemExit as stop:
        return stop.code
    return 0


def summary(name):
    return json.loads((Path("runs/grid/g") / name / "summary.json").read_text())


def bytes_of(name):
    return (Path("runs/grid/g") / name / "trajectories.jsonl").read_bytes()


def test_cells_are_ordinary_runs_with_a_report(world, capsys):
    students = {"expert": EXPERT, "student": {**EXPERT, "shots": 0, "only": ["react"]}}
    assert grid(models=students) == 0
    names = ["expert-toys-standard-2shots", "expert-toys-react-2shots", "student-toys-react-0shots"]
    runs = [read(Path("runs/grid/g") / name) for name in names]
    assert [run.name for run in runs] == names and {run.n for run in runs} == {6}
    said = capsys.readouterr()
    assert "left out, student is for react only: student-toys-standard-0shots\n4 cells: " in said.err
    assert "expert-toys-react-2shots (2 of 3): EM 0." in said.out and "| n pairs " in said.out
    report = json.loads(Path("runs/grid/g/report/report.json").read_text())
    assert [pair["first"] for pair in report["pairs"]] == ["expert-toys-react-2shots"] and len(report["runs"]) == 3


def test_what_is_finished_is_not_played_again_nor_its_model_loaded(world, monkeypatch, capsys):
    assert grid() == 0
    monkeypatch.setattr(models, "load", None)
    assert grid() == 0 and "2 cells: 2 finished" in capsys.readouterr().err


def test_a_grid_grows(world, monkeypatch):
    assert grid() == 0
    before = bytes_of("expert-toys-react-2shots")
    assert grid(methods=["act", "react", "standard"], claims=["methods"]) == 0
    assert bytes_of("expert-toys-react-2shots") == before and summary("expert-toys-act-2shots")["n"] == 6
    assert yaml.safe_load(Path("runs/grid/g/config.yaml").read_text())["methods"] == ["act", "react", "standard"]


def test_a_model_is_loaded_once_and_an_environment_once(world, monkeypatch):
    loaded, closed, opened = [], [], []
    load, open_ = models.load, environments.load

    class Counted(Scripted):
        def close(self):
            closed.append(self.name)

    monkeypatch.setattr("react.models.scripted.Scripted", Counted)
    monkeypatch.setattr(models, "load", lambda config: loaded.append(config.model) or load(config))
    monkeypatch.setattr(environments, "load", lambda *words: opened.append(words[0]) or open_(*words))
    other = {**PLACE, "split": "dev", "limit": 4}
    second = {**EXPERT, "dtype": "float32"}
    assert grid(models={"one": EXPERT, "two": second}, environments={"a": PLACE, "b": other}) == 0
    assert len(loaded) == 2 and opened == ["toyland"] and len(closed) == 2


def test_back_offs_take_the_calls_of_their_parts(world):
    methods = ["react_to_cot_sc", "cot_sc_to_react", "react", "cot_sc"]
    assert grid(methods=methods, settings={"samples": 3}) == 0
    for method in ("cot_sc_to_react", "react_to_cot_sc"):
        (session,) = summary(f"expert-toys-{method}-2shots")["sessions"]
        assert session["calls"] == 0 and session["answered"] > 0
    assert grid(methods=methods[:1], name="alone", settings={"samples": 3}) == 0


def test_what_cannot_be_is_named_with_its_rule(world, capsys):
    shots = {**PLACE, "shots": [1, 2, 3]}
    bare = {**EXPERT, "shots": 0, "environments": ["toys"]}
    assert grid(environments={"toys": shots, "more": PLACE}, models={"expert": EXPERT, "bare": bare}) == 0
    said = capsys.readouterr().err
    three = "expert-toys-standard-3shots, expert-toys-react-3shots"
    assert f"left out, toyland has 2 exemplars: {three}\n" in said
    assert "left out, bare is for toys only: bare-more-standard-0shots, bare-more-react-0shots\n" in said


def test_seeds_and_prompts_are_cells_where_they_change_something(world):
    one = Grid(**{**SMALL, "methods": ["react", "cot_sc"]}, seeds=[0, 1], prompt_sets=[0, 1])
    there = {cell.name: cell.without for cell in cells(one)}
    assert there["expert-toys-cot_sc-2shots-set1-seed1"] == ""
    assert there["expert-toys-react-2shots-seed1"] == "greedy, so that a seed changes nothing"
    warm = Grid(**{**SMALL, "settings": {"temperature": 0.5}}, seeds=[0, 1])
    assert not any(cell.without for cell in cells(warm))
    bare = Grid(**{**SMALL, "models": {"bare": {**EXPERT, "shots": 0}}}, prompt_sets=[0, 1])
    assert {cell.without for cell in cells(bare)} == {"", "without exemplars there are no prompt sets"}


def test_a_cell_that_fails_leaves_the_others_and_is_tried_again(world, monkeypatch, capsys):
    down = True

    def answer(request):
        if down and "Thought" in request.prompt.rpartition("Which number is")[2]:
            raise ModelError("the server is down")
        return " It is.\nAction 1: Finish[7]"

    monkeypatch.setattr(models, "load", lambda config: Said(answer))
    monkeypatch.setattr(models, "fingerprint", lambda config: "")
    assert grid(methods=["react", "standard"], settings={"concurrency": 2}) == 2
    said = capsys.readouterr()
    assert "1 of 2 cells failed; the same command tries them again:\n  expert-toys-react-2shots: " in said.err
    assert "6 of 6 episodes failed: ModelError: the server is down" in said.err and "Traceback" not in said.err
    assert summary("expert-toys-standard-2shots")["n"] == 6
    assert "| expert-toys-react-2shots" in said.out, "it is in the report, as failed"
    down = False
    assert grid(methods=["react", "standard"], settings={"concurrency": 2}) == 0
    assert summary("expert-toys-react-2shots")["n"] == 6


def test_a_bug_in_one_cell_is_shown_and_costs_no_other(world, monkeypatch, capsys):
    from eval import grid as command

    play = command.played

    def broken(asked, files, title):
        if asked.scene.method == "standard":
            raise KeyError("a bug")
        return play(asked, files, title)

    monkeypatch.setattr(command, "played", broken)
    assert grid() == 2
    said = capsys.readouterr().err
    assert "Traceback" in said and "expert-toys-standard-2shots: KeyError: 'a bug'" in said
    assert summary("expert-toys-react-2shots")["n"] == 6


def test_a_model_that_is_not_there_costs_no_other(world, capsys):
    gone = {"backend": "local", "model": "runs/train/x/checkpoint", "shots": 0}
    assert grid(models={"gone": gone, "expert": EXPERT}) == 2
    assert "gone-toys-react-0shots: " in (said := capsys.readouterr().err) and "there is no such folder" in said
    assert summary("expert-toys-react-2shots")["n"] == 6


def test_a_cell_made_with_another_model_or_other_settings_is_refused(world, capsys):
    assert grid() == 0
    tried = list(trajectory.read(Path("expert.jsonl")))
    trajectory.write(Path("expert.jsonl"), tried[:40])
    assert grid() == 2
    assert "was made with other settings" in (said := capsys.readouterr().err) and "model_fingerprint" in said
    trajectory.write(Path("expert.jsonl"), tried)
    assert grid(environments={"toys": {**PLACE, "limit": 5}}) == 2
    assert "limit: 6 -> 5" in capsys.readouterr().err
    assert summary("expert-toys-react-2shots")["n"] == 6


def test_check_tells_the_cells_and_changes_nothing(world, capsys):
    assert grid("--check") == 0
    said = capsys.readouterr().out
    assert "| expert-toys-react-2shots    | to do |" in said and "2 to do; in runs/grid/g" in said
    assert not Path("runs").exists()
    assert grid() == 0
    (Path("runs/grid/g/expert-toys-react-2shots") / "summary.json").unlink()
    before = sorted(Path("runs").rglob("*"))
    capsys.readouterr()
    assert grid("--check") == 0
    said = capsys.readouterr().out
    assert "| begun    | 6 of 6" in said and "| finished | EM 0." in said and "1 finished, 1 begun" in said
    assert sorted(Path("runs").rglob("*")) == before


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"methods": ["reakt"]}, "unknown method 'reakt'; did you mean 'react'?"),
        ({"methods": ["react", "react"]}, "methods holds 'react' twice"),
        ({"models": {}}, "models is empty"),
        ({"claims": ["all"]}, "unknown claim 'all'"),
        ({"models": {"a/b": EXPERT}}, "name is 'a/b'"),
        ({"models": {"a": {**EXPERT, "modle": 1}}}, "models: a: unknown key 'modle'; did you mean 'model'?"),
        ({"models": {"a": {**EXPERT, "name": "b"}}}, "models: a holds 'name', which follows from the cell"),
        ({"models": {"a": 5}}, "models: a: 5 must hold settings"),
        ({"models": {"a": {**EXPERT, "only": "reakt"}}}, "unknown name in models: a: only: 'reakt'"),
        ({"models": {"a": {**EXPERT, "base_url": ["http://me:key@host/v1"]}}}, "a password in a URL"),
        ({"environments": {"toys": {**PLACE, "limit": "x"}}}, "limit: 'x' is str; it must be int"),
        ({"environments": {"toys": {**PLACE, "limit": -1}}}, "limit is -1; it must be at least 0"),
        ({"environments": {"toys": {**PLACE, "limit": 99}}}, "react-2shots: limit is 99"),
        ({"environments": {"toys": {**PLACE, "environment": "toyworld"}}}, "unknown environment 'toyworld'"),
        ({"environments": {"toys": {**PLACE, "only": "react"}}}, "environments: toys: unknown key 'only'"),
        ({"settings": {"samples": 0}}, "samples is 0; it must be at least 1"),
        ({"shots": []}, "shots is empty"),
    ],
)
def test_a_mistake_is_named_before_anything_runs(world, capsys, settings, says):
    base = {"methods": ["react"]}
    assert grid(**{**base, **settings}) == 2
    said = capsys.readouterr().err
    assert says in said and "Traceback" not in said and not Path("runs").exists()


def test_one_grid_at_a_time(world, capsys):
    from react.lock import hold

    Path("runs/grid/g").mkdir(parents=True)
    held = hold(Path("runs/grid/g/run"))
    try:
        assert grid() == 2 and "is in use by another run" in capsys.readouterr().err
    finally:
        os.close(held)


def test_a_killed_grid_continues_to_the_same_bytes(world):
    slow = {**PLACE, "limit": 30, "environment_options": {"size": 60, "pause": 0.05}}
    settings = {"environments": {"toys": slow}, "settings": {"concurrency": 2}, "methods": ["act", "react"]}
    Path("grid.yaml").write_text(yaml.safe_dump({"name": "g", **SMALL, **settings}))
    code = f"import react.environments as e; e.__path__.append({str(world / 'home')!r}); "
    code += "from eval.grid import main; main(['--config', 'grid.yaml'])"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    acted, reacted = (Path("runs/grid/g") / f"expert-toys-{method}-2shots" for method in ("act", "react"))
    for folder, number, status in ((acted, signal.SIGKILL, -9), (reacted, signal.SIGTERM, 143)):
        process = subprocess.Popen([sys.executable, "-c", code], env=environ, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        path = folder / "trajectories.jsonl"
        while not path.exists() or path.read_bytes().count(b"\n") < 4:
            assert process.poll() is None and time.monotonic() < deadline, process.stderr.read()
            time.sleep(0.02)
        os.kill(process.pid, number)
        assert process.wait(timeout=60) == status
        assert not (folder / "summary.json").exists()
        process.stderr.close()
    assert grid(**settings) == 0
    done = [(folder / "trajectories.jsonl").read_bytes() for folder in (acted, reacted)]
    assert summary("expert-toys-act-2shots")["sessions"][0]["episodes"] <= 26
    again = {**settings, "output": "elsewhere"}
    assert grid(**again) == 0
    assert done == [
        (Path("elsewhere/g") / folder.name / "trajectories.jsonl").read_bytes() for folder in (acted, reacted)
    ]


def test_a_cell_says_which_one_is_wrong(world):
    with pytest.raises(Mistake, match="cell expert-toys-react-2shots: limit is 7, but the panel 'all' is whole"):
        cells(Grid(**{**SMALL, "methods": ["react"], "environments": {"toys": {**PLACE, "limit": 7, "panel": "all"}}}))
