"""Runs side by side: what is paired, what is warned of, and what is no run at all."""

import csv
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from bootstrap.job import BootstrapConfig
from eval import sweep
from eval.compare import ordered, paired, warnings_on
from eval.figure import COLOURS, clusters, draw, labels
from eval.job import EvalConfig
from eval.page import NOTES
from eval.prompts import merged
from eval.report import main
from eval.runs import RunError, read
from eval.statistics import score, wilson
from eval.summary import Session, Sources, summarize, write
from react import environments, trajectory
from react.config import parse
from react.environments import alfworld, hotpotqa
from react.methods import METHODS
from react.run_folder import enter
from react.scene import Scene
from react.trajectory import Step, Task, Trajectory
from train.recipe import Recipe

PANEL = [Task(f"q{n:02}", f"Which number is {n}?", str(n)) for n in range(40)]


def made(
    root,
    name,
    method="react",
    shots=6,
    solved=20,
    panel=PANEL,
    failed=0,
    model="smollm2",
    environment="e",
    part=0.0,
    backend="local",
):
    """A run folder in which the first `solved` tasks are solved, others in `part`, the last `failed` failures."""
    steps = (Step("I know.", "Finish[it]"),)
    tried = [
        Trajectory(task, method, model, steps, task.answer if n < solved else "no", 1.0 if n < solved else part)
        for n, task in enumerate(panel)
    ]
    tried = [
        replace(one, end="failed", error="ModelError: down", reward=0.0) if n >= len(panel) - failed else one
        for n, one in enumerate(tried)
    ]
    data = {"model": "smollm2", "data": ["runs/bootstrap/demo/trajectories.jsonl"], "rows": 43}
    prints = {"environment_fingerprint": environment, "tasks_fingerprint": trajectory.fingerprint(panel)}
    folder = root / name
    folder.mkdir(parents=True)
    trajectory.write(folder / "trajectories.jsonl", tried)
    job, scene, session = (
        EvalConfig(name=name, output=str(root)),
        Scene(shots=shots),
        Session(1.0, len(panel), 10, 4, 0),
    )
    write(
        folder, summarize(job, scene, tried, panel, session, Sources(backend, "toys", None if shots else data), prints)
    )
    return folder


@pytest.fixture
def four(tmp_path):
    """The four methods, prompted and finetuned."""
    gains = {"standard": 10, "cot": 12, "act": 18, "react": 30}
    folders = []
    for method, solved in gains.items():
        folders.append(made(tmp_path / "runs", f"prompted_{method}", method, solved=10))
        folders.append(made(tmp_path / "runs", f"tuned_{method}", method, shots=0, solved=solved, model="checkpoint"))
    return folders


def test_a_short_training_is_not_said_to_have_seen_all_rows(tmp_path):
    folder = made(tmp_path, "tuned", "react", shots=0)
    run = read(folder)
    assert replace(run, trained_on={**run.trained_on, "rows_seen": 24}).source == (
        "finetuned on bootstrap/demo (24 of 43 rows)"
    )
    assert replace(run, trained_on={**run.trained_on, "rows_seen": 43}).source == run.source


def test_a_report_is_written(four, tmp_path, capsys):
    main([*map(str, four), "--output", str(tmp_path / "out")])
    said = capsys.readouterr()
    page = (tmp_path / "out" / "report.md").read_text()
    assert said.err == "" and "Warning" not in page
    for text in (said.out, page):
        assert "| tuned_react " in text and "prompted, 6 shots" in text
        assert "| finetuned on bootstrap/demo (43 rows) |" in text
        assert "+0.500 [+0.350, +0.650]" in text and "0 / 20" in text and "| < 0.001 | < 0.001" in text
    assert "![" in page and "McNemar" in page and "smallest detectable difference is 0.3" in page
    assert (tmp_path / "out" / "figure.png").read_bytes()[:4] == b"\x89PNG"


def test_the_numbers_are_there_for_programs(four, tmp_path):
    main([*map(str, four), "--output", str(tmp_path)])
    numbers = json.loads((tmp_path / "report.json").read_text())
    assert [pair["method"] for pair in numbers["pairs"]] == ["standard", "cot", "act", "react"]
    assert numbers["pairs"][3]["result"]["change"]["value"] == 0.5 and numbers["pairs"][0]["result"]["p"] == 1
    with (tmp_path / "report.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [run["name"] for run in numbers["runs"]]
    assert float(rows[0]["em.value"]) == 0.25 and float(rows[0]["em.low"]) < 0.25 < float(rows[0]["em.high"])
    assert {row["condition"] for row in rows} == {"prompted", "finetuned"}


def test_the_same_folders_in_any_order_give_the_same_bytes(four, tmp_path):
    main([*map(str, four), "--output", str(tmp_path / "a")])
    main([*map(str, reversed(four)), "--output", str(tmp_path / "b")])
    for file in ("report.md", "report.csv", "report.json", "figure.png"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_runs_are_paired_over_what_both_finished(tmp_path):
    runs = [
        read(made(tmp_path, "p", solved=10, failed=4)),
        read(made(tmp_path, "f", shots=0, solved=20, panel=PANEL[:30])),
        read(made(tmp_path, "other", "act", shots=0)),
    ]
    (pair,) = paired(runs)
    assert (pair.prompted, pair.finetuned, pair.result.n) == ("p", "f", 30)
    said = " ".join(warnings_on(runs))
    assert "panels differ" in said and "p: the infrastructure failed 4 of 40 episodes" in said


def test_rewards_in_parts_make_a_score_beside_the_share_and_what_others_reported(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(hotpotqa, "SCORED", True, raising=False)
    rows = {"ReAct": (66.6, 40.0), "human": (82.1, 59.6)}
    monkeypatch.setattr(hotpotqa, "PUBLISHED", ("paper, table 4", rows), raising=False)
    folders = [made(tmp_path / "r", "p", solved=10, part=0.5), made(tmp_path / "r", "f", shots=0, solved=20, part=0.5)]
    prompted = read(folders[0])
    assert prompted.score.value == pytest.approx(62.5) and prompted.em.value == 0.25
    assert 50 <= prompted.score.low < 62.5 < prompted.score.high < 75
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert "| 62.5 [" in said and "| 0.250 [" in said and "| +12.5 [+" in said
    assert "Reference numbers for hotpotqa, not measured here (paper, table 4):" in said
    assert "| ReAct  | 66.6  | 40.0% |" in said and "| human  | 82.1  | 59.6% |" in said
    numbers = json.loads((tmp_path / "out" / "report.json").read_text())
    assert numbers["runs"][0]["score"]["value"] == 62.5 and numbers["pairs"][0]["score"]["value"] == 12.5
    assert "rewards" not in numbers["runs"][0]


def test_where_rewards_are_whole_there_is_no_score(four, tmp_path, capsys):
    main([*map(str, four), "--output", str(tmp_path)])
    assert "score, difference" not in capsys.readouterr().out and read(four[0]).score is None


def test_what_made_environments_differ_is_told(tmp_path, capsys):
    """Forms, goals and seeds of a shop, say: their hashes tell nobody what is what."""
    shops = {"p": {"form": "text"}, "f": {"form": "text", "seed": 3}, "g": {}}
    for n, (name, options) in enumerate(shops.items()):
        folder = made(tmp_path / "r", name, shots=6 - 6 * bool(n), environment=f"rule-1:{n}{'ab' * 32}")
        (folder / "config.yaml").write_text(json.dumps({"environment_options": options}))
    main([*(str(tmp_path / "r" / name) for name in shops), "--output", str(tmp_path / "out")])
    told = capsys.readouterr().err
    groups = dict(re.findall(r"rule-1:(\w)[ab]{15}: ([^;)]*)", told))
    assert groups == {"0": 'p {"form": "text"}', "1": 'f {"form": "text", "seed": 3}', "2": "g"}


def test_other_environments_are_not_paired_and_not_silent(tmp_path, capsys):
    folders = [made(tmp_path / "r", "p"), made(tmp_path / "r", "f", shots=0, environment="other")]
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    assert "different states of hotpotqa, and are not paired (e: p; other: f)" in capsys.readouterr().err
    page = (tmp_path / "out" / "report.md").read_text()
    assert "> **Warning:** runs were made in different states" in page and "n pairs" not in page


def test_a_student_of_unknown_origin_is_not_passed_over(tmp_path):
    run = replace(read(made(tmp_path, "bare", shots=0)), trained_on={})
    assert "bare: counts as finetuned for its 0 shots" in warnings_on([run])[0] and run.source == "finetuned"


def test_p_values_are_corrected_for_the_number_of_pairs(four):
    pairs = paired([read(folder) for folder in four])
    assert [pair.p for pair in pairs] == sorted((pair.p for pair in pairs), reverse=True)
    assert pairs[3].p == pytest.approx(4 * pairs[3].result.p)


def test_students_of_one_base_stand_together_and_doubles_apart(four, tmp_path):
    runs = ordered([read(folder) for folder in (*four, made(tmp_path, "again", solved=11))])
    groups = clusters(runs)
    assert [(group.condition, group.model, len(group.runs)) for group in groups] == [
        ("prompted", "smollm2", 4),
        ("prompted", "smollm2", 1),
        ("finetuned", "smollm2", 4),
    ]


def test_a_run_without_a_finished_episode_is_shown(tmp_path, capsys):
    folders = [made(tmp_path / "r", "dead", failed=40), made(tmp_path / "r", "well", shots=0)]
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    assert "| dead" in capsys.readouterr().out
    assert json.loads((tmp_path / "out" / "report.json").read_text())["runs"][0]["em"] is None


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda run: run.joinpath("summary.json").unlink(), "is no run of `python -m eval`"),
        (lambda run: run.joinpath("summary.json").rename(run / "config.yaml"), "is unfinished"),
        (lambda run: run.joinpath("summary.json").write_text('{"name": "x"'), "summary.json: cannot be read"),
        (lambda run: run.joinpath("summary.json").write_text("[]"), "must hold a JSON object, not list"),
        (lambda run: edit(run, lambda s: s.pop("em")), "summary.json: has no 'em'"),
        (lambda run: edit(run, lambda s: s["em"].pop("low")), "summary.json: has no 'em.low'"),
        (lambda run: edit(run, lambda s: s.update(n="many")), "summary.json: 'n' is 'many'; it must be a whole number"),
        (lambda run: edit(run, lambda s: s.update(n=math.inf)), "'n' is inf; it must be a whole number"),
        (lambda run: edit(run, lambda s: s["ends"].update(finished=math.inf)), "'ends.finished' is inf; it must be a"),
        (lambda run: edit(run, lambda s: s["em"].update(value=10**400)), "'em.value' is 1000"),
        (lambda run: edit(run, lambda s: s["em"].update(value=math.inf)), "'em.value' is inf; it must be a finite"),
        (lambda run: edit(run, lambda s: s["em"].update(value=math.nan)), "'em.value' is nan; it must be a finite"),
        (lambda run: edit(run, lambda s: s["em"].update(low=0.9)), "'em' is {'value': 0.5, 'low': 0.9"),
        (lambda run: edit(run, lambda s: s.update(em=[1])), "'em' is [1]; it must be a JSON object"),
        (lambda run: edit(run, lambda s: s.update(name=5)), "'name' is 5; it must be a text"),
        (lambda run: edit(run, lambda s: s.update(name="a\ud800")), "'name' holds half of a character: 'a\\ud800'"),
        (
            lambda run: edit(run, lambda s: s.update(trained_on={"data": 5})),
            "'trained_on.data' is 5; it must be a text",
        ),
        (lambda run: edit(run, lambda s: s.update(trained_on=[1])), "'trained_on' is [1]; it must be a JSON object"),
        (lambda run: run.joinpath("summary.json").write_text("[" * 100_000), "summary.json: cannot be read"),
        (lambda run: edit(run, lambda s: s.update(ends=3)), "summary.json: "),
        (lambda run: edit(run, lambda s: s.update(panel=None)), "summary.json: "),
        (lambda run: edit(run, lambda s: s.update(method="guess")), "method is 'guess'; there are: standard, cot"),
        (lambda run: run.joinpath("trajectories.jsonl").unlink(), "trajectories.jsonl: cannot be read"),
        (lambda run: run.joinpath("trajectories.jsonl").write_text("{}\n"), "trajectories.jsonl:1: not a trajectory"),
        (lambda run: run.joinpath("trajectories.jsonl").write_text(""), "holds 0"),
    ],
)
def test_what_is_no_run_is_named(tmp_path, capsys, spoil, says):
    run = made(tmp_path, "run")
    spoil(run)
    with pytest.raises(SystemExit) as stop:
        main([str(run), "--output", str(tmp_path / "out")])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {run}") and says in said and said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_names_are_no_mathematics(tmp_path):
    run = made(tmp_path, "$\\bad{$", model="$\\bad{$")
    edit(run, lambda s: s.update(metric="$\\bad{$", environment="$x^{$"))
    main([str(run), "--output", str(tmp_path / "out")])
    assert "$\\bad{$" in (tmp_path / "out" / "report.md").read_text()


def edit(run, change):
    path = run / "summary.json"
    summary = json.loads(path.read_text())
    change(summary)
    path.write_text(json.dumps(summary))


@pytest.mark.parametrize(
    ("classes", "says"), [((BootstrapConfig, Scene), "is a collection, not an"), ((Recipe,), "is a training, not an")]
)
@pytest.mark.parametrize("command", [main, sweep.main])
def test_the_folder_of_another_stage_is_called_what_it_is(tmp_path, capsys, classes, says, command):
    folder = tmp_path / "run"
    job, *others = parse(classes, "", ["--name", "run", "--output", str(tmp_path)])
    os.close(enter(folder, job, *others))
    for there in (False, True):
        if there:
            (folder / "summary.json").write_text('{"n": 3}')
        with pytest.raises(SystemExit) as stop:
            command([str(folder), "--output", str(tmp_path / "out")])
        assert stop.value.code == 2 and f"error: {folder}: {says}" in capsys.readouterr().err


def test_a_replay_is_not_taken_for_the_model(tmp_path, capsys):
    folders = [made(tmp_path / "r", name, backend=name) for name in ("scripted", "local")]
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    said = capsys.readouterr()
    assert "| smollm2 (scripted) |" in said.out and "| smollm2 (local) " in said.out
    assert said.err == "warning: scripted: replays trajectories of smollm2; its numbers are not those of a model\n"
    assert "> **Warning:** scripted: replays" in (tmp_path / "out" / "report.md").read_text()
    assert labels(clusters([read(folder) for folder in folders])) == [
        "prompted\nsmollm2 (scripted)",
        "prompted\nsmollm2",
    ]


def test_the_report_says_what_was_asked_and_what_is_a_mean(tmp_path, capsys):
    main([str(made(tmp_path, "run")), "--output", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert "Panel: sample of hotpotqa dev (toys), hash " in said and "| mean steps | mean tokens in/out |" in said


def test_a_missing_folder_and_a_double_name_are_named(tmp_path, capsys):
    for folders, says in (
        ([tmp_path / "nowhere"], "nowhere: does not exist"),
        ([made(tmp_path / "a", "run"), made(tmp_path / "b", "run")], "two runs are called 'run'"),
    ):
        with pytest.raises(SystemExit):
            main([*map(str, folders), "--output", str(tmp_path / "out")])
        assert says in capsys.readouterr().err
    with pytest.raises(RunError, match="is no folder"):
        read(made(tmp_path, "x") / "summary.json")


@pytest.mark.parametrize("module", ["eval", "eval.report"])
def test_help_loads_nothing_heavy(module):
    code = (
        f"import runpy, sys; sys.argv = ['x', '--help']\n"
        f"try: runpy.run_module({module!r}, run_name='__main__')\n"
        "except SystemExit: print(sorted({'torch', 'matplotlib', 'scipy', 'numpy'} & sys.modules.keys()))"
    )
    root = Path(__file__).parents[1]
    said = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert said.stdout.strip().endswith("[]") and "usage" in said.stdout


def test_students_of_one_base_are_told_apart_by_their_data(tmp_path):
    one, other = (made(tmp_path, name, shots=0) for name in ("one", "other"))
    saved = json.loads((other / "summary.json").read_text())
    saved["trained_on"]["data"] = ["runs/bootstrap/expert/trajectories.jsonl"]
    (other / "summary.json").write_text(json.dumps(saved))
    found = labels(clusters([read(one), read(other)]))
    assert found == ["finetuned\nsmollm2\non demo", "finetuned\nsmollm2\non expert"]
    assert labels(clusters([read(one)])) == ["finetuned\nsmollm2"]


def test_an_unfinished_run_is_left_out_with_a_warning(four, tmp_path, capsys):
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "config.yaml").write_text("name: begun")
    main([*map(str, four), str(tmp_path / "begun"), "--output", str(tmp_path / "out")])
    said = capsys.readouterr()
    assert "warning" in said.err and "begun: is unfinished" in said.err and "| begun" not in said.out


def test_every_method_has_its_title_its_place_and_its_colour(tmp_path, capsys):
    folders = [made(tmp_path / "r", method, method) for method in reversed(METHODS)]
    edit(folders[-3], lambda summary: summary.update(samples=21))
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split(" | ")[1].strip() for row in rows[: len(METHODS)]] == [
        "Standard",
        "CoT",
        "CoT-SC",
        "Act",
        "ReAct",
        "ReAct-IM",
        "CoT-SC -> ReAct",
        "ReAct -> CoT-SC",
    ]
    assert "prompted, 6 shots, 21 samples" in rows[2] and "samples" not in rows[1]
    assert set(COLOURS) == set(METHODS)
    picture = imread(tmp_path / "out" / "figure.png")
    assert (picture[:, :3] == 1).all() and (picture[:3] == 1).all(), "nothing is drawn over the edge"


def household(root, name, solved, **changes):
    """A run over four games, of which `solved` are solved."""
    panel = [
        Task(f"g{n}", "put a mug in desk.", "", {"kind": kind}) for n, kind in enumerate(["put"] * 2 + ["heat"] * 2)
    ]
    method = changes.get("method", "react")
    tried = [Trajectory(task, method, "m", (Step("", "look"),), "", float(task.id in solved)) for task in panel]
    settings = {"shots": 2, "environment": "alfworld", **changes}
    prints = {"environment_fingerprint": "e", "tasks_fingerprint": trajectory.fingerprint(panel)}
    folder = root / name
    folder.mkdir(parents=True)
    trajectory.write(folder / "trajectories.jsonl", tried)
    job, session = EvalConfig(name=name, output=str(root), split="valid_unseen"), Session(1.0, 4, 10, 4, 0)
    write(folder, summarize(job, Scene(**settings), tried, panel, session, Sources("local", "embedded"), prints))
    return folder


def test_runs_that_differ_in_the_prompt_set_are_told_as_average_and_best(tmp_path, capsys):
    solved = [{"g0"}, {"g0", "g1"}, {"g2", "g3"}, set(), {"g0", "g1", "g2"}, {"g1"}]
    folders = [household(tmp_path / "r", f"p{n}", ids, prompt_set=n) for n, ids in enumerate(solved)]
    # Twice with one set: the first by name counts.
    folders.append(household(tmp_path / "r", "again", {"g0", "g1", "g2", "g3"}, prompt_set=5))
    folders.append(household(tmp_path / "r", "other", {"g0"}, prompt_set=1, max_tokens=7))
    folders += [household(tmp_path / "r", f"tuned{n}", {"g3"}, shots=0) for n in range(2)]
    main([*map(str, reversed(folders)), "--output", str(tmp_path / "out")])
    said = capsys.readouterr().out
    table = said[said.index("By kind of task") :].split("\n\n")[1].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in (table[0], *table[2:])]
    assert rows[0] == ["run or prompts", "method", *alfworld.KINDS, "all"]
    put, heat = rows[0].index("put"), rows[0].index("heat")
    found = {row[0]: (row[put], row[heat], row[-1], row[rows[0].index("cool")]) for row in rows[1:]}
    assert found["average of 6 prompts of m"] == ("0.58", "0.42", "0.50", "-")
    assert found["best of 6 prompts of m"] == ("1.00", "1.00", "1.00", "-")
    assert found["other"] == ("0.50", "0.00", "0.25", "-") and {"tuned0", "tuned1"} <= set(found)
    assert len(found) == 5 and "By kind of task" in (tmp_path / "out" / "report.md").read_text()
    assert all(said.count(f" shots, prompt set {n} ") == (1, 2, 1, 1, 1, 2)[n] for n in range(1, 6))


def test_kinds_are_told_apart_where_the_environment_says_so_alone(four, tmp_path, capsys):
    main([*map(str, four), "--output", str(tmp_path)])
    assert "By kind" not in capsys.readouterr().out


def test_bars_of_several_prompts_are_their_average_and_their_best_and_no_two_look_alike(tmp_path):
    solved = [{"g0"}, {"g0", "g1"}, {"g2", "g3"}, set(), {"g0", "g1", "g2"}, {"g1"}]
    folders = [
        household(tmp_path, f"{method}{n}", ids, prompt_set=n, method=method)
        for method in ("act", "react")
        for n, ids in enumerate(solved)
    ]
    folders += [household(tmp_path, f"short{n}", {"g0"}, prompt_set=3, max_tokens=n) for n in (7, 8)]
    runs = ordered([read(folder) for folder in folders])
    group = clusters(runs)
    assert labels(group) == [
        "prompted\nm\naverage of 6 prompts",
        "prompted\nm\nbest of 6 prompts",
        "prompted\nm\nprompt set 3\nshort7",
        "prompted\nm\nprompt set 3\nshort8",
    ]
    values = [[run.em.value for run in cluster.runs.values()] for cluster in group]
    assert values == [[pytest.approx(9 / 24)] * 2, [0.75] * 2, [0.25], [0.25]]
    assert group[0].runs["act"].em.low < 9 / 24 < group[0].runs["act"].em.high
    main([*map(str, folders), "--output", str(tmp_path / "out")])


@pytest.mark.parametrize("changes", [{"max_tokens": 7}, {"environment": "hotpotqa"}, {"shots": 3}, {"shots": 0}])
def test_runs_that_differ_in_more_than_the_prompt_are_not_averaged(tmp_path, changes):
    runs = [read(household(tmp_path, "one", {"g0"})), read(household(tmp_path, "two", {"g1"}, prompt_set=1, **changes))]
    assert [shown for shown, _ in merged(runs)] == runs


@pytest.mark.parametrize("change", [{"environment": "other"}, {"panel": PANEL[:30]}])
def test_methods_stand_together_where_they_were_measured_alike_alone(tmp_path, change):
    runs = ordered([read(made(tmp_path, "acted", "act")), read(made(tmp_path, "thought", **change))])
    assert labels(clusters(runs)) == ["prompted\nsmollm2\nacted", "prompted\nsmollm2\nthought"]
    alike = ordered([read(made(tmp_path, "a", "act")), read(made(tmp_path, "b"))])
    assert labels(clusters(alike)) == ["prompted\nsmollm2"]


def test_labels_do_not_run_into_one_another(tmp_path, monkeypatch):
    names = ["an-organisation/a-model-with-a-long-name", "another-organisation/another-model", "m"]
    runs = ordered([read(made(tmp_path, f"run{n}", model=name)) for n, name in enumerate(names)])
    found = []

    def look(figure, *args, **kwargs):
        figure.draw_without_rendering()
        found.extend(label.get_window_extent() for label in figure.axes[0].get_xticklabels())

    monkeypatch.setattr(Figure, "savefig", look)
    draw(runs, tmp_path / "figure.png")
    assert len(found) == 3 and all(one.x1 < other.x0 for one, other in pairwise(found))


def test_headings_of_narrow_panels_do_not_run_into_one_another(tmp_path, monkeypatch):
    runs = [replace(read(made(tmp_path, name)), environment=name, split="valid_unseen") for name in ("a", "b", "c")]
    found = []

    def look(figure, *args, **kwargs):
        figure.draw_without_rendering()
        found.extend(ax._left_title.get_window_extent() for ax in figure.axes)
        found.append(figure.bbox)

    monkeypatch.setattr(Figure, "savefig", look)
    draw(runs, tmp_path / "figure.png")
    *headings, edge = found
    assert len(headings) == 3 and all(one.x1 < other.x0 for one, other in pairwise(headings))
    assert headings[-1].x1 < edge.x1


def test_values_over_bars_are_rounded_as_people_round(tmp_path, monkeypatch):
    shares = {"one": (1, 8), "all": (8, 8), "none": (0, 8), "other": (29, 200)}
    runs = []
    for name, (solved, n) in shares.items():
        panel = [Task(f"q{i}", f"Which number is {i}?", str(i)) for i in range(n)]
        runs.append(read(made(tmp_path, name, solved=solved, panel=panel)))
    found = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *args, **kwargs: found.extend(figure.axes[0].texts))
    draw(ordered(runs), tmp_path / "figure.png")
    assert sorted(text.get_text() for text in found) == [".00", ".13", ".15", "1.00"]


@pytest.mark.parametrize("environment", environments.names())
def test_the_page_explains_what_every_environment_reports(environment):
    notes = " ".join(NOTES.split())
    assert environments.says(environment, "METRIC", "EM") in notes.partition(" is the share of tasks")[0]
    if environments.says(environment, "SCORED"):
        same, all_zero = score([0.25] * 4), score([0.0] * 4)
        assert "(F1 and score: where all tasks have the same, Wilson's)" in notes
        assert (all_zero.low, all_zero.high) == (0.0, 100 * wilson(0, 4).high) and same.high == 100 * wilson(1, 4).high
