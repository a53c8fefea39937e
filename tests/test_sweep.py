"""The sweep over samples says what real runs with so many samples come to, without asking anything again."""

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from eval import curves, evaluate, sweep
from eval.runs import read
from eval.statistics import wilson
from react import trajectory
from react.trajectory import Step, Trajectory
from tests.toys import Toy

MOST = 7
TASKS = Toy(size=24).tasks("dev")


@pytest.fixture
def world(tmp_path, monkeypatch):
    """Scripts over HotpotQA's own machinery: a few questions without pages, a model that answers them as it pleases."""
    questions = [{"_id": task.id, "question": task.question, "answer": task.answer} for task in TASKS]
    (tmp_path / "dev.json").write_text(json.dumps(questions))
    (tmp_path / "pages.jsonl").write_text('{"title": "One", "text": "One is a number."}\n')
    trajectory.write(tmp_path / "script.jsonl", [one for task in TASKS for one in scripts(task)])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STARACT_CACHE", str(tmp_path / "cache"))
    return tmp_path


def scripts(task):
    """Samples that agree on some tasks and not on others, right and wrong; every third task has no answer by acting."""
    number = int(task.answer)
    for sample in range(1, MOST):
        said = (task.answer, "99", "", f"the {task.answer}!")[(number * (sample + 3) + sample // 2) % 4]
        steps = (Step("So.", f"Finish[{said}]" if said else ""),)
        yield Trajectory(task, "cot", "toy", steps, provenance={"sample": sample})
    acts = [Step("Hm.", "Search[One]")] * 7 if number % 3 == 0 else [Step("Hm.", f"Finish[{number + number % 2}]")]
    yield Trajectory(task, "react", "toy", tuple(acts))


def run(method, samples=MOST, name="", **settings):
    words = {
        "name": name or f"{method}_{samples}",
        "method": method,
        "samples": samples,
        "shots": 0,
        "backend": "scripted",
        "model": "script.jsonl",
        "environment_options": '{"dev": "dev.json", "pages": "pages.jsonl"}',
        **settings,
    }
    evaluate.main([word for key, value in words.items() for word in (f"--{key}", *str(value).split("|"))])
    folder = Path("runs/eval") / words["name"]
    return json.loads((folder / "summary.json").read_text()), list(trajectory.read(folder / "trajectories.jsonl"))


def swept(*args):
    sweep.main(["runs/eval/cot_sc_7", *args])
    with Path("runs/sweep/sweep.csv").open(newline="") as file:
        return {(row["method"], row["samples"]): row for row in csv.DictReader(file)}


def test_the_sweep_is_what_real_runs_give(world, capsys):
    for method in ("cot_sc", "react", "cot"):
        run(method)
    rows = swept("--react", "runs/eval/react_7", "--cot", "runs/eval/cot_7")
    said = capsys.readouterr().out
    values = set()
    for samples in (1, 4, MOST):
        for method in ("cot_sc", "cot_sc_to_react", "react_to_cot_sc"):
            summary, _ = run(method, samples, f"real_{method}_{samples}", reuse="runs/eval/cot_sc_7|runs/eval/react_7")
            row = rows[method, str(samples)]
            for key, column in (("value", "em"), ("low", "low"), ("high", "high")):
                assert summary["em"][key] == pytest.approx(float(row[column]), abs=1e-6)
            assert summary.get("backed_off", 0) == int(row["backed_off"])
            assert summary["samples"] == samples and summary["sessions"][0]["calls"] == 0
            values.add((method, row["em"]))
    assert max(Counter(method for method, _ in values).values()) > 1, "the number of samples matters in this world"
    assert {method for method, samples in rows if not samples} == {"cot", "react"}
    assert "| samples | CoT-SC " in said and "| CoT-SC -> ReAct " in said and "ReAct: 0." in said
    assert Path("runs/sweep/sweep.png").read_bytes()[:4] == b"\x89PNG" and said.count("\n| ") == MOST + 2
    assert "| 7       | 1.000 " in Path("runs/sweep/sweep.md").read_text()


def test_what_the_figure_shows_is_seen(tmp_path, monkeypatch):
    """A line over the curve that has its values, at 0 too, and intervals that do not cover one another."""
    found = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *args, **kwargs: found.extend(figure.axes))
    curves.draw(
        {name: [wilson(0, 16)] * 3 for name in ("cot_sc", "react_to_cot_sc")},
        {"react": wilson(0, 16)},
        "",
        "EM",
        tmp_path,
    )
    (ax,) = found
    *curved, line = ax.lines
    assert line.get_label() == "ReAct" and all(line.get_zorder() > curve.get_zorder() for curve in curved)
    assert ax.get_ylim()[0] < 0 and len({curve.get_marker() for curve in curved}) == 2
    bars = [bar.get_segments() for bar in ax.collections]
    assert not {segment[0][0] for segment in bars[0]} & {segment[0][0] for segment in bars[1]}


def test_without_a_run_of_react_there_is_one_curve(world):
    run("cot_sc")
    assert {method for method, _ in swept()} == {"cot_sc"}


def test_a_run_that_reuses_others_asks_nothing_and_stands_alone(world, monkeypatch, capsys):
    for method in ("cot_sc", "react"):
        run(method)
    whole = run("react_to_cot_sc", name="whole")
    assert whole[0]["sessions"][0]["answered"] == 0
    monkeypatch.setattr("react.models.scripted.Scripted.complete", None)
    reuse = "runs/eval/cot_sc_7|runs/eval/react_7"
    summary, tried = run("react_to_cot_sc", reuse=reuse)
    assert tried == whole[1] and summary["em"] == whole[0]["em"]
    assert summary["sessions"][0]["calls"] == 0 and summary["sessions"][0]["answered"] == summary["calls"]["sum"] > 0
    said = capsys.readouterr().out
    assert f"this time: 0 calls made, {summary['calls']['sum']} answered from records" in said
    assert f"backed off: {summary['backed_off']} of 24" in said and 0 < summary["backed_off"] < 24
    Path("runs/eval/cot_sc_7/completions.sqlite").unlink()
    Path("runs/eval/react_to_cot_sc_7/trajectories.jsonl").unlink()
    assert run("react_to_cot_sc")[1] == tried, "reuse is no part of what a run is"


def test_failures_are_in_no_curve_and_runs_share_their_tasks(world):
    run("cot_sc")
    run("react", limit=20)
    path = Path("runs/eval/cot_sc_7/trajectories.jsonl")
    tried = list(trajectory.read(path))
    panel = [one.task.id for one in trajectory.read(Path("runs/eval/react_7/trajectories.jsonl"))]
    broken = [replace(one, end="failed", provenance={}) if one.task.id == panel[0] else one for one in tried]
    trajectory.write(path, broken)
    summary = Path("runs/eval/cot_sc_7/summary.json")
    summary.write_text(json.dumps(json.loads(summary.read_text()) | {"n": 23}))
    assert {row["n"] for row in swept("--react", "runs/eval/react_7").values()} == {"19"}


def test_one_sample_is_a_sweep_too(world):
    run("cot_sc", samples=1, name="cot_sc_7")
    assert set(swept()) == {("cot_sc", "1")} and Path("runs/sweep/sweep.png").stat().st_size


def test_other_questions_under_the_same_ids_are_other_tasks(world, capsys):
    """Those of files without ids are called by their numbers."""
    run("cot_sc")
    asked = [{"_id": task.id, "question": f"{task.question} Now?", "answer": task.answer} for task in TASKS[:12]]
    same = [{"_id": task.id, "question": task.question, "answer": task.answer} for task in TASKS[12:20]]
    others = [replace(task, question=f"{task.question} Now?") for task in TASKS[:12]]
    trajectory.write(world / "script.jsonl", [one for task in (*TASKS, *others) for one in scripts(task)])
    options = '{"dev": "%s.json", "pages": "pages.jsonl"}'
    for name, rows in (("some", asked + same), ("none", asked)):
        (world / f"{name}.json").write_text(json.dumps(rows))
        run("react", name=name, environment_options=options % name)
    for name in ("some", "none"):  # one model, which has only learned more questions
        path = Path("runs/eval", name, "summary.json")
        print_of = json.loads(Path("runs/eval/cot_sc_7/summary.json").read_text())["model_fingerprint"]
        path.write_text(json.dumps(json.loads(path.read_text()) | {"model_fingerprint": print_of}))
    assert {row["n"] for row in swept("--react", "runs/eval/some").values()} == {"8"}
    assert len(set(read(Path("runs/eval/some")).solved) & set(read(Path("runs/eval/cot_sc_7")).solved)) == 8
    with pytest.raises(SystemExit):
        swept("--react", "runs/eval/none")
    assert "no finished task in common" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--react", "runs/eval/cot_sc_7"], "cot_sc_7: is a run of CoT-SC, not of ReAct"),
        (
            ["--react", "runs/eval/other"],
            "the runs cannot be combined: max_tokens differs (runs/eval/cot_sc_7: 100, runs/eval/other: 99)",
        ),
        (["--react", "runs/eval/none"], "none: does not exist"),
    ],
)
def test_what_cannot_be_combined_is_named(world, capsys, args, says):
    run("cot_sc", limit=2)
    run("react", limit=2, name="other", max_tokens=99)
    with pytest.raises(SystemExit) as stop:
        swept(*args)
    assert stop.value.code == 2 and says in capsys.readouterr().err


def test_runs_of_one_name_are_told_apart(world, capsys):
    run("cot_sc", limit=2)
    run("react", limit=2)
    for folder, changes in (("cot_sc_7", {}), ("react_7", {"model": "another"})):
        path = Path("runs/eval", folder, "summary.json")
        path.write_text(json.dumps(json.loads(path.read_text()) | {"name": "run"} | changes))
    with pytest.raises(SystemExit):
        swept("--react", "runs/eval/react_7")
    assert "model differs (runs/eval/cot_sc_7: toy, runs/eval/react_7: another)" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["votes", "rewards"])
def test_a_record_without_its_vote_is_named(world, capsys, key):
    run("cot_sc", limit=2)
    path = Path("runs/eval/cot_sc_7/trajectories.jsonl")
    first, last = trajectory.read(path)
    for value in (..., None, 3, [], [["a"]], "ab", [1.0] * 6 + [True], ["a"] * 6 + [None], [1.0]):
        said = dict(first.provenance) | {key: value}
        if value is ...:
            del said[key]
        trajectory.write(path, [replace(first, provenance=said), last])
        with pytest.raises(SystemExit) as stop:
            swept()
        assert stop.value.code == 2
        assert f"error: runs/eval/cot_sc_7: task {first.task.id}: `{key}` is " in capsys.readouterr().err


def test_another_models_calls_are_not_reused(world, capsys):
    run("cot_sc", limit=2)
    trajectory.write(world / "script.jsonl", [one for task in TASKS[1:] for one in scripts(task)])
    with pytest.raises(SystemExit):
        run("cot_sc", limit=2, name="other", reuse="runs/eval/cot_sc_7")
    assert "cot_sc_7/completions.sqlite records calls of 'toy'" in capsys.readouterr().err
