"""A run over a panel: its records and numbers, whatever the concurrency, through kills and failures."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from eval.evaluate import Score, main
from eval.job import EvalConfig, panel_of
from eval.origin import origin
from eval.summary import Session
from react import environments, models, trajectory
from react.lock import hold
from react.methods import METHODS
from react.mistakes import Mistake
from react.models import ModelConfig, ModelError
from react.scene import Scene
from react.trajectory import Task, Trajectory
from tests import toyland
from tests.toys import Said

ROOT = Path(__file__).parents[1]


@pytest.fixture
def world(tmp_path, monkeypatch):
    yield from toyland.found(tmp_path, monkeypatch)


def words(name="run", **settings):
    settings = {
        "environment": "toyland",
        "exemplars": "shots.yaml",
        "shots": 2,
        "backend": "scripted",
        "model": "expert.jsonl",
        **settings,
    }
    return ["--name", name, *(word for key, value in settings.items() for word in (f"--{key}", str(value)))]


def evaluate(name="run", failing=False, **settings):
    with pytest.raises(SystemExit, match="2") if failing else nullcontext():
        main(words(name, **settings))
    folder = Path("runs/eval") / name
    return json.loads((folder / "summary.json").read_text()), (folder / "trajectories.jsonl").read_bytes()


@pytest.mark.parametrize("environment", environments.names())
def test_progress_has_the_words_and_the_unit_of_the_printout_from_the_first_reward_on(environment):
    metric = environments.says(environment, "METRIC", "EM")
    scored = "score 100.0, " if environments.says(environment, "SCORED") else ""
    score = Score(environment, [])
    score.add(Trajectory(Task("a", "?", ""), "react", "m", (), reward=1.0, end="finished"))
    assert score.told() == f"{scored}{metric} 1.000"
    score.add(Trajectory(Task("b", "?", ""), "react", "m", (), reward=0.0, end="finished"))
    assert score.told() == f"{scored and 'score 50.0, '}{metric} 0.500"
    score.add(Trajectory(Task("c", "?", ""), "react", "m", (), end="failed", error="x"))
    assert score.told().endswith(f"{metric} 0.500, 1 failed")


def test_a_run_is_counted(world, capsys):
    summary, _ = evaluate(limit=12)
    tried = list(trajectory.read(Path("runs/eval/run/trajectories.jsonl")))
    solved = sum(int(one.task.answer) % 5 != 0 for one in tried)
    assert summary["n"] == 12 and summary["n_failed"] == 0 and summary["failures"] == {}
    assert summary["em"]["value"] == pytest.approx(solved / 12, abs=1e-6)
    assert summary["em"]["low"] < summary["em"]["value"] < summary["em"]["high"]
    assert summary["f1"]["value"] == pytest.approx((solved + 0.5 * (12 - solved)) / 12, abs=1e-6)
    assert sum(kind["n"] for kind in summary["by_kind"].values()) == 12 and set(summary["by_kind"]) == {"even", "odd"}
    assert summary["ends"] == {"finished": 12} and summary["steps"] == {"sum": 24, "mean": 2.0, "histogram": {"2": 12}}
    assert summary["calls"]["sum"] == 24 and summary["invalid_actions"]["sum"] == 0
    assert summary["panel"]["ids"] == [one.task.id for one in tried]
    assert summary["versions"]["python"] and tried[0].provenance["tasks_fingerprint"] == summary["tasks_fingerprint"]
    assert {one.provenance["environment"] for one in tried} == {"toyland"}
    assert "EM 0." in capsys.readouterr().out and summary["sessions"][0]["episodes"] == 12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shots", [0, 2])
def test_every_method_runs_with_and_without_exemplars(world, method, shots):
    summary, _ = evaluate(method=method, shots=shots)
    assert summary["em"]["value"] == pytest.approx(15 / 19, abs=1e-6)
    assert (summary["method"], summary["shots"]) == (method, shots)


def test_the_records_do_not_depend_on_concurrency(world):
    assert evaluate("one", concurrency=1)[1] == evaluate("many", concurrency=16)[1]


def test_a_finished_run_is_not_run_again(world, monkeypatch):
    before = evaluate()
    monkeypatch.setattr("react.models.scripted.Scripted.complete", None)
    assert evaluate(concurrency=2) == before


def test_a_panel_is_the_start_of_a_larger_one_and_holds_no_exemplar(world):
    staged = Scene(environment="toyland", exemplars="shots.yaml", shots=2).staged()
    panels = [[task.id for task in panel_of(staged, EvalConfig(limit=n))] for n in (5, 10, 0)]
    assert panels[2][:10] == panels[1] and panels[1][:5] == panels[0] != sorted(panels[0])
    assert len(panels[2]) == 19 and "t003" not in panels[2]
    assert panels[2] != [task.id for task in panel_of(staged, EvalConfig(panel_seed=1))]


def test_exemplars_of_the_kind_come_first(world, monkeypatch):
    model = Said(lambda request: " It is.\nAction 1: Finish[1]")
    monkeypatch.setattr(models, "load", lambda config: model)
    evaluate(shots=1, exemplars_by="kind", limit=10)
    for request in model.asked:
        asked = int(request.prompt.rpartition("Which number is ")[2].split("?")[0])
        assert ("Which number is 3?" in request.prompt) == bool(asked % 2)


def test_failures_are_counted_apart_and_tried_again(world, monkeypatch):
    down = {"t001", "t002"}

    def answer(request):
        if request.session.split("#")[0] in down:
            raise ModelError("the server is down")
        return " It is.\nAction 1: Finish[7]"

    monkeypatch.setattr(models, "load", lambda config: Said(answer))
    summary, _ = evaluate(failing=True)
    assert (summary["n"], summary["n_failed"], summary["failures"]) == (17, 2, {"ModelError": 2})
    assert summary["em"]["value"] == pytest.approx(1 / 17, abs=1e-6)
    down.clear()
    model = Said(answer)
    monkeypatch.setattr(models, "load", lambda config: model)
    again, records = evaluate()
    assert (again["n"], again["n_failed"], len(model.asked)) == (19, 0, 2)
    assert [session["episodes"] for session in again["sessions"]] == [19, 2]
    assert records == evaluate("whole")[1]


def test_where_all_failed_the_printout_speaks_of_that_alone(world, monkeypatch, capsys):
    def refuse(request):
        raise ModelError("the server is down")

    monkeypatch.setattr(models, "load", lambda config: Said(refuse))
    evaluate(failing=True, limit=4)
    said = capsys.readouterr().out
    assert said.startswith("run: react, said (scripted), 2 shots, 4 tasks\n  panel sample of dev (toys), hash ")
    assert "  failed: 4 of 4: ModelError 4, such as\n    ModelError: the server is down\n" in said
    assert not any(text in said for text in ("{", "ended", " 0 tasks", "an episode", "EM"))


def test_the_printout_says_what_this_start_did_and_what_is_an_average(world, capsys):
    evaluate(limit=12)
    assert "  ended: finished 12; 2.0 steps and 2.0 calls an episode, on average\n" in capsys.readouterr().out
    Path("runs/eval/run/trajectories.jsonl").unlink()
    evaluate(limit=12)
    assert "  this time: 0 calls made, 24 answered from records\n" in capsys.readouterr().out
    evaluate(limit=12)
    said = capsys.readouterr().out
    assert "nothing was left to do" in said and "calls made" not in said


def test_an_outage_ends_the_run_which_then_goes_on(world, monkeypatch, capsys):
    def refuse(request):
        raise ModelError("connection refused")

    monkeypatch.setattr(models, "load", lambda config: Said(refuse))
    with pytest.raises(SystemExit) as stop:
        main(words(concurrency=2))
    assert (
        stop.value.code == 2
        and "10 episodes in a row failed, the last with ModelError: conn" in capsys.readouterr().err
    )
    assert not Path("runs/eval/run/summary.json").exists()
    monkeypatch.setattr(models, "load", lambda config: Said(lambda request: " It is.\nAction 1: Finish[7]"))
    assert evaluate(concurrency=2)[0]["n"] == 19


def test_a_killed_run_continues_to_the_same_bytes(world):
    settings = {"limit": 50, "environment_options": '{"size": 60, "pause": 0.05}'}
    folder = Path("runs/eval/run")
    code = f"import react.environments as e; e.__path__.append({str(world / 'home')!r}); "
    code += "from eval.evaluate import main; main()"
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *words(**settings, concurrency=2)]
    for lines in (4, 15):
        process = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 30
        while count(folder / "trajectories.jsonl") < lines and time.monotonic() < deadline:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert lines <= count(folder / "trajectories.jsonl") < 50
    with (folder / "trajectories.jsonl").open("a") as file:
        file.write('{"task": {"id": "t0')
    summary, records = evaluate(**settings, concurrency=8)
    assert records == evaluate("whole", **settings, concurrency=25)[1]
    assert summary["n"] == 50 and summary["sessions"][-1]["episodes"] <= 35


def count(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"method": "reakt"}, "unknown method 'reakt'; did you mean 'react'?"),
        ({"environment": "toyworld"}, "unknown environment 'toyworld'"),
        ({"limit": 20}, "limit is 20; the split 'dev' of toyland has 19 tasks"),
        ({"limit": -1}, "limit is -1; it must be at least 0"),
        ({"shots": 3}, "shots is 3; there are 2 exemplars (shots.yaml): --shots 2"),
        ({"prompt_set": 2}, "prompt_set is 2; 2 of 2 exemplars make 2, counted from 0"),
        ({"prompt_set": 1, "shots": 1, "exemplars_by": "kind"}, "prompt_set is 1; 1 of 1 exemplars make 1"),
        ({"exemplars_by": "type"}, "exemplars_by is 'type'; the tasks have kind"),
        ({"model": "nobody.jsonl"}, "nobody.jsonl"),
        ({"concurrency": 0}, "concurrency is 0"),
    ],
)
def test_a_mistake_is_named(world, capsys, settings, says):
    with pytest.raises(SystemExit) as stop:
        main(words(**settings))
    assert stop.value.code == 2 and says in capsys.readouterr().err
    assert not Path("runs").exists()


def test_a_folder_is_not_entered_with_other_settings(world, capsys):
    evaluate(limit=3)
    with pytest.raises(SystemExit):
        main(words(limit=4))
    assert "limit: 3 -> 4" in capsys.readouterr().err


def test_a_name_is_one_folder():
    for name in ("a/b", "", ".."):
        with pytest.raises((ValueError, Mistake), match="name of one folder"):
            EvalConfig(name=name)


def test_the_training_of_a_checkpoint_is_read_where_there_is_one(tmp_path):
    checkpoint = tmp_path / "student" / "checkpoint"
    checkpoint.mkdir(parents=True)
    config, summary = checkpoint.parent / "config.yaml", checkpoint.parent / "summary.json"
    assert origin(ModelConfig(model=str(checkpoint))) is None
    config.write_text("model: smollm2\ndata: [runs/bootstrap/demo/trajectories.jsonl]\nseed: 1\n")
    said = {"run": "student", "model": "smollm2", "data": ["runs/bootstrap/demo/trajectories.jsonl"], "seed": 1}
    found = origin(ModelConfig(model=str(checkpoint)))
    said["recipe"] = found["recipe"]
    assert found == said
    config.write_text(config.read_text().replace("seed: 1", "seed: 2"))
    other = origin(ModelConfig(model=str(checkpoint)))
    assert (other["seed"], other["recipe"]) == (2, found["recipe"]), "two seeds of one recipe"
    config.write_text(config.read_text() + "learning_rate: 1.0\n")
    assert origin(ModelConfig(model=str(checkpoint)))["recipe"] != found["recipe"]
    config.write_text("model: smollm2\ndata: [runs/bootstrap/demo/trajectories.jsonl]\nseed: 1\n")
    summary.write_text('{"rows": 43, "rows_seen": 24, "final_loss": 1}')
    assert origin(ModelConfig(adapter=str(checkpoint))) == {**said, "rows": 43, "rows_seen": 24}
    summary.write_text("{")
    assert origin(ModelConfig(model=str(checkpoint))) == said
    assert origin(ModelConfig(model="smollm2")) is None


def test_tokens_a_second_leave_out_what_the_record_answered():
    assert Session(10.0, 5, 1000, calls=30, answered=10).tokens_per_second == 75.0
    assert Session(0.0, 0, 0, 0, 0).tokens_per_second == 0.0


def test_a_folder_that_another_run_has_is_left_as_it_is(world, capsys):
    evaluate(limit=3, concurrency=3)
    folder = Path("runs/eval/run")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock"}
    held = hold(folder / "run")
    try:
        evaluate(failing=True, limit=3, concurrency=5)
    finally:
        os.close(held)
    assert f"in use by another run (process {os.getpid()})" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock"} == before
    evaluate(limit=3, concurrency=5)
    assert "concurrency: 5" in (folder / "config.yaml").read_text()
