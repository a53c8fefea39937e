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
from eval.pools import merged, pools
from eval.record import report_of
from eval.reference import references
from eval.report import FILES, main
from eval.report import made as report_made
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

GOLDEN = Path(__file__).parent / "golden"
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
    preferring = {"model": "runs/train/demo/checkpoint", "data": ["runs/bootstrap/tried/attempts.jsonl"], "beta": 0.1}
    assert replace(run, trained_on={**preferring, "rows": 12, "rows_seen": 8}).source == (
        "train/demo, then DPO on bootstrap/tried (8 of 12 pairs)"
    )


def test_a_report_is_written(four, tmp_path, capsys):
    main([*map(str, four), "--output", str(tmp_path / "out")])
    said = capsys.readouterr()
    page = (tmp_path / "out" / "report.md").read_text()
    assert said.err == "" and "Warning" not in page
    for text in (said.out, page):
        assert "| tuned_react " in text and "prompted, 6 shots" in text
        assert "| finetuned on bootstrap/demo (43 rows) |" in text
        assert "+0.500 [+0.352, +0.648]" in text and "0 / 20" in text and "| < 0.001 | < 0.001" in text
    assert "![" in page and "McNemar" in page and "smallest detectable difference is 0.3" in page
    assert (tmp_path / "out" / "figure.png").read_bytes()[:4] == b"\x89PNG"


def test_the_numbers_are_there_for_programs(four, tmp_path):
    main([*map(str, four), "--output", str(tmp_path)])
    numbers = json.loads((tmp_path / "report.json").read_text())
    assert [pair["first_method"] for pair in numbers["pairs"]] == ["standard", "cot", "act", "react"]
    assert numbers["pairs"][3]["result"]["change"]["value"] == 0.5 and numbers["pairs"][0]["result"]["p"] == 1
    with (tmp_path / "report.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [run["name"] for run in numbers["runs"]]
    assert float(rows[0]["em.value"]) == 0.25 and float(rows[0]["em.low"]) < 0.25 < float(rows[0]["em.high"])
    assert {row["condition"] for row in rows} == {"prompted", "finetuned"}


def test_the_same_folders_in_any_order_give_the_same_bytes(four, tmp_path):
    main([*map(str, four), "--output", str(tmp_path / "a")])
    main([*map(str, reversed(four)), "--output", str(tmp_path / "b")])
    for file in FILES.split(", "):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_runs_are_paired_over_what_both_finished(tmp_path):
    runs = [
        read(made(tmp_path, "p", solved=10, failed=4)),
        read(made(tmp_path, "f", shots=0, solved=20, panel=PANEL[:30])),
        read(made(tmp_path, "other", "act", shots=0)),
    ]
    (pair,), refused = paired(runs)
    assert (pair.first, pair.second, pair.result.n, pair.asked) == ("p", "f", 30, 36) and not refused
    said = " ".join(warnings_on(runs))
    assert "panels differ" in said and "p: the infrastructure failed 4 of 40 episodes (ModelError 4);" in said


def test_rewards_in_parts_make_a_score_beside_the_share(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(hotpotqa, "SCORED", True, raising=False)
    folders = [made(tmp_path / "r", "p", solved=10, part=0.5), made(tmp_path / "r", "f", shots=0, solved=20, part=0.5)]
    prompted = read(folders[0])
    assert prompted.score.value == pytest.approx(62.5) and prompted.em.value == 0.25
    assert 50 <= prompted.score.low < 62.5 < prompted.score.high < 75
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert "| 62.5 [" in said and "| 0.250 [" in said and "| +12.5 [+" in said
    numbers = json.loads((tmp_path / "out" / "report.json").read_text())
    score = numbers["pairs"][0]["score"]
    assert (
        numbers["runs"][0]["score"]["value"] == 62.5 and score["change"]["value"] == 12.5 and score["test"] == "signs"
    )
    assert score["p"] < numbers["pairs"][0]["score_p"] < 0.05, "corrected for two claims"
    assert "rewards" not in numbers["runs"][0]


def test_sides_without_a_common_task_are_refused_and_not_silently(tmp_path, capsys):
    folders = [made(tmp_path / "r", "p", panel=PANEL[:20]), made(tmp_path / "r", "f", shots=0, panel=PANEL[20:])]
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    said = capsys.readouterr()
    assert "warning: p and f have no task in common, and are not compared\n" in said.err
    assert "n pairs" not in said.out
    assert "not compared" in (tmp_path / "out" / "report.md").read_text()


def test_all_claims_of_a_report_are_corrected_together(four, tmp_path, capsys):
    report = report_of(four, ["conditions", "methods"])
    kinds = [pair.kind for pair in report.pairs]
    assert kinds == ["conditions"] * 4 + ["methods"] * 6
    best = report.pairs[3]
    assert best.p == pytest.approx(10 * best.result.p), "of ten"
    methods = [(pair.first, pair.second) for pair in report.pairs[4:]]
    assert ("prompted_cot", "prompted_react") in methods and ("tuned_act", "tuned_react") in methods
    main([*map(str, four), "--claims", "methods", "--output", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert "ReAct against the other methods:" in said and "Prompted against finetuned:" not in said


def test_prompted_models_are_compared_where_that_is_asked(tmp_path):
    folders = [made(tmp_path, name, model=name, solved=n) for name, n in (("b", 9), ("a", 20), ("c", 20))]
    pairs = report_of(folders, ["models"]).pairs
    assert [(pair.first, pair.second) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_students_are_compared_where_that_is_asked(tmp_path):
    cells = (("b", 0), ("a", 0), ("c", 6))
    folders = [made(tmp_path, name, model=name, shots=shots, solved=9) for name, shots in cells]
    pairs = report_of(folders, ["students"]).pairs
    assert [(pair.kind, pair.first, pair.second) for pair in pairs] == [("students", "a", "b")]


def test_a_folder_of_runs_stands_for_them(four, tmp_path):
    for folder in four:
        (folder / "config.yaml").write_text("name: x")
    assert len(report_of([four[0].parent]).runs) == 8


def seeds(root, solved, shots=6, **changes):
    """Runs of one cell: `solved` of the tasks each, from another one on."""
    folders = []
    for n, count in enumerate(solved):
        folder = made(root, f"{'p' if shots else 'f'}{n}", shots=shots, panel=PANEL[n:] + PANEL[:n], solved=count)
        summary = {"tasks_fingerprint": "same", **({"seed": n} if shots else {}), **changes}
        edit(folder, lambda s, summary=summary: s.update(summary))
        if not shots:
            origin = {"recipe": "r", "data_fingerprint": "d", "seed": n}
            edit(folder, lambda s, origin=origin: s["trained_on"].update(origin))
            edit(folder, lambda s, n=n: s.update(model=f"runs/train/seed{n}/checkpoint"))
        folders.append(folder)
    return folders


def test_several_seeds_count_an_item_once_and_make_one_claim(tmp_path, capsys):
    folders = [*seeds(tmp_path / "r", (10, 12, 14)), *seeds(tmp_path / "r", (20, 22, 24), shots=0)]
    report = report_of(folders)
    prompted, tuned = report.pools
    assert (prompted.what, tuned.what) == ("3 seeds", "3 seeds") and len(prompted.solved) == 40
    assert prompted.em.value == pytest.approx(36 / 120) and tuned.em.value == pytest.approx(66 / 120)
    # Wider than for 120 independent answers, for runs solve mostly the same; not as wide as for 40.
    width, most, least = (e.high - e.low for e in (prompted.em, wilson(12, 40), wilson(36, 120)))
    assert least < width < 1.05 * most
    assert prompted.spread.deviation == pytest.approx(0.05) and prompted.spread.high == 0.35
    (pair,) = report.pairs
    assert pair.result.test == "signs" and pair.result.change.value == pytest.approx(0.25) and pair.result.n == 40
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert "Several runs of one cell:" in said and "| 3 seeds | 40 " in said and "0.250 to 0.350" in said
    assert "| p0, ... (3 seeds) 0.300 | f0, ... (3 seeds) 0.550 | 40 " in said
    numbers = json.loads((tmp_path / "out" / "report.json").read_text())
    assert numbers["pools"][0]["runs"] == ["p0", "p1", "p2"] and numbers["pools"][0]["n"] == 40


@pytest.mark.parametrize("change", [{"recipe": "other"}, {"data_fingerprint": "other"}, {"recipe": ""}])
def test_students_of_other_recipes_or_data_are_no_seeds_of_one_another(tmp_path, change):
    one, other = seeds(tmp_path, (10, 12), shots=0)
    assert len(pools([read(one), read(other)])) == 1
    edit(other, lambda s: s["trained_on"].update(change))
    assert pools([read(one), read(other)]) == []


def test_every_environment_has_a_table_with_its_own_metric(tmp_path, capsys):
    folders = [made(tmp_path / "r", name) for name in ("asked", "claimed")]
    edit(folders[1], lambda s: s.update(environment="fever", metric="accuracy", f1=None))
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    said = capsys.readouterr().out
    asked, claimed = said.index("Runs in hotpotqa:"), said.index("Runs in fever:")
    tables = [said[at:].split("\n\n")[1].splitlines()[0] for at in (asked, claimed)]
    assert "| EM " in tables[0] and "| F1 " in tables[0] and "accuracy" not in tables[0]
    assert "| accuracy " in tables[1] and "F1" not in tables[1]


def test_a_claim_over_a_part_of_the_tasks_is_marked(tmp_path, capsys):
    folders = [made(tmp_path / "r", "p"), made(tmp_path / "r", "f", shots=0, panel=PANEL[:30])]
    main([*map(str, folders), "--output", str(tmp_path / "out")])
    assert "| 30 of 40 |" in capsys.readouterr().out


@pytest.mark.parametrize("environment", ["hotpotqa", "fever", "alfworld", "webshop"])
def test_what_others_reported_stands_beside_with_its_source(tmp_path, capsys, environment):
    rows = references(environment)
    assert all("arXiv" in row.source or "ReAct@6bdb3a1" in row.source or "ALFWorld" in row.source for row in rows)
    assert all(row.differs and 0 <= value <= 100 for row in rows for value in row.values.values())
    columns = {"hotpotqa": {"EM"}, "fever": {"accuracy"}, "webshop": {"score", "success"}}
    known = columns.get(environment, {*alfworld.KINDS, "all"})
    assert {metric for row in rows for metric in row.values} == known
    folder = made(tmp_path / "r", "run")
    edit(folder, lambda s: s.update(environment=environment))
    main([str(folder), "--output", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert f"Reference numbers for {environment}, in percent, not measured here:" in said
    assert f"1: {rows[0].source}. " in said


def test_reference_numbers_are_those_of_the_papers():
    """By hand from tables 1, 3 and 4 of arXiv 2210.03629."""
    said = {(row.model, row.method): row.values for name in environments.names() for row in references(name)}
    assert said["PaLM-540B", "ReAct, average of 6 prompts"]["all"] == 57
    assert said["people", "Human expert"] == {"score": 82.1, "success": 59.6}
    assert said["BERT and BART", "IL+RL"] == {"score": 62.4, "success": 28.7}
    assert {row.method: row.values for row in references("fever")}["CoT-SC -> ReAct"] == {"accuracy": 64.6}


def test_latex_is_made_of_the_same_tables(tmp_path, request):
    folders = [made(tmp_path / "r", "p_1", solved=10), made(tmp_path / "r", "100%", shots=0, solved=20, model="a&b")]
    for folder in folders:
        edit(folder, lambda s: s.update(environment="toyland"))
    report_made(folders, tmp_path / "out")
    said, path = (tmp_path / "out" / "report.tex").read_text(), GOLDEN / "report.tex"
    if request.config.getoption("--update-golden"):
        path.write_text(said, encoding="utf-8")
    assert said == path.read_text(encoding="utf-8")


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
    pairs, _ = paired([read(folder) for folder in four])
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
