"""Panels: which tasks a number is made of, under a hash that depends on the data alone."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from eval import report
from eval.evaluate import main
from eval.job import EvalConfig, panel_of
from eval.page import tables
from eval.pools import pools
from eval.record import Report
from eval.runs import read
from react import environments, trajectory
from react.config import parse
from react.environments import _questions, fever, hotpotqa
from react.environments._questions import drawn, fingerprint
from react.mistakes import Mistake
from react.models import ModelConfig
from react.scene import Scene
from react.trajectory import Step, Task, Trajectory

REAL = Path(__file__).parents[2] / "shared" / "data"
real_data = pytest.mark.skipif(not REAL.exists(), reason="the real data are not there")
DATA = Path(__file__).parents[1] / "data"
FIRST = [3687, 6238, 5388, 3522, 3824, 2866, 1551, 2544, 1557, 5762]


def pages(folder):
    (folder / "pages.jsonl").write_text('{"title": "A", "text": "One. Two."}\n')
    return str(folder / "pages.jsonl")


def staged(environment, shots=0, **options):
    return Scene(environment=environment, environment_options=options, shots=shots).staged()


def numbers(count, spaces=" "):
    return [Task(str(n), f"Which number is{spaces}{n}?", str(n)) for n in range(count)]


@pytest.fixture
def papers(monkeypatch):
    """As if the paper's questions were `numbers`."""
    monkeypatch.setattr(hotpotqa, "_PAPER", fingerprint(f"Which number is {n}?" for n in drawn()))


def test_the_paper_draws_500_of_the_first_7405():
    panel = drawn()
    assert panel[:10] == FIRST and len(set(panel)) == 500 and max(panel) < 7405
    known = fingerprint(f"Which number is {n}?" for n in panel)
    for tasks in (numbers(7405), numbers(9999), numbers(7405, spaces="\n ")):
        assert _questions.paper_panel(tasks, known, "the dev set") == panel
    with pytest.raises(ValueError, match="drawn from 7,405 tasks of the dev set, and there are 7,404"):
        _questions.paper_panel(numbers(7404), known, "the dev set")


@pytest.mark.parametrize("environment", [hotpotqa, fever])
def test_enough_other_questions_are_not_the_papers(environment, monkeypatch):
    """Such as those of the train split, or the dev set in another order."""
    known = fingerprint(f"Which number is {n}?" for n in drawn())
    for tasks in (numbers(8000)[1:], numbers(7405)[::-1]):
        with pytest.raises(ValueError, match="drawn from the dev set, and these tasks are others, or in another order"):
            _questions.paper_panel(tasks, known, "the dev set")
    name = environment.__name__.rpartition(".")[2]
    of = environments.load(name)
    monkeypatch.setattr(of, "tasks", lambda split: numbers(9999))
    with pytest.raises(ValueError, match=r"is drawn from (HotpotQA's dev set|FEVER's paper_dev), and these tasks are"):
        environments.says(name, "paper_panel")(of, "train")


@real_data
def test_the_papers_questions(tmp_path):
    dev = str(REAL / "hotpotqa" / "hotpot_dev_v1_simplified.json")
    panel = panel_of(staged("hotpotqa", dev=dev, pages=pages(tmp_path)), EvalConfig(panel="paper"))
    assert len(panel) == 500 and [task.id for task in panel[:10]] == [f"dev-{index}" for index in FIRST]
    assert panel[0].question == json.loads(Path(dev).read_text())[3687]["question"]


@real_data
def test_the_papers_claims(tmp_path):
    dev = str(REAL / "fever" / "paper_dev.jsonl")
    panel = panel_of(staged("fever", dev=dev, pages=pages(tmp_path)), EvalConfig(panel="paper"))
    lines = Path(dev).read_text().splitlines()
    assert [int(task.id) for task in panel[:10]] == [json.loads(lines[index])["id"] for index in FIRST]
    labels = Counter(task.answer for task in panel)  # recomputed from the reference's saved episodes
    assert labels == {"NOT ENOUGH INFO": 179, "SUPPORTS": 168, "REFUTES": 153}


@pytest.mark.parametrize(
    "config", sorted((DATA.parent / "configs" / "eval").glob("*_paper.yaml")), ids=lambda path: path.stem
)
def test_what_is_called_the_papers_is_not_played_with_the_embedded_data(config, monkeypatch):
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    job, scene, _ = parse((EvalConfig, Scene, ModelConfig), "", ["--config", str(config)])
    with pytest.raises(Mistake, match=r"the paper's panel is .* and there are "):
        panel_of(replace(scene, environment_options={}).staged(), job)


def test_the_papers_games_are_134(monkeypatch):
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    says = r"134 official games of valid_unseen, and there are 24 \(embedded\); give .* folder that alfworld-download"
    with pytest.raises(Mistake, match=says):
        panel_of(staged("alfworld"), EvalConfig(split="valid_unseen", panel="paper"))
    alfworld = environments.load("alfworld")
    monkeypatch.setattr(alfworld, "tasks", lambda split: [Task(f"valid_unseen/a/{n}", "", "") for n in range(134)])
    with pytest.raises(ValueError, match="134 official games of valid_unseen, and there are others;"):
        environments.says("alfworld", "paper_panel")(alfworld, "valid_unseen")


@real_data
def test_the_papers_games(monkeypatch):
    alfworld = environments.load("alfworld")
    with gzip.open(REAL / "alfworld" / "valid_unseen.jsonl.gz") as lines:
        games = [Task(json.loads(line)["game"], "", "") for line in lines]
    monkeypatch.setattr(alfworld, "tasks", lambda split: sorted(games, key=lambda task: task.id))
    assert environments.says("alfworld", "paper_panel")(alfworld, "valid_unseen") == range(134)


def test_an_environment_says_what_its_data_are(tmp_path, monkeypatch):
    monkeypatch.delenv("ALFWORLD_DATA", raising=False)
    for name in environments.names():
        environment = environments.load(name)
        assert environment.data("valid_seen" if name == "alfworld" else "train") == "embedded"
    (tmp_path / "mine.json").write_text('[{"question": "Which number is 1?", "answer": "1"}]')
    mine = [str(tmp_path / "mine.json"), str(DATA / "hotpotqa" / "dev.json.gz")]
    assert (
        environments.load("hotpotqa", {"dev": mine, "pages": pages(tmp_path)}).data("dev") == "dev.json.gz, mine.json"
    )


def test_all_is_the_split_in_its_order():
    scene = staged("fever")
    panel = panel_of(scene, EvalConfig(panel="all"))
    assert panel == list(scene.environment.tasks("dev"))
    assert sorted(task.id for task in panel_of(scene, EvalConfig())) == sorted(task.id for task in panel)


def test_the_sample_is_what_it_was():
    panel = panel_of(staged("hotpotqa"), EvalConfig(limit=128))
    assert len(panel) == 128 and trajectory.fingerprint(panel) == "5898184f00fb9ad6"


def test_what_is_no_panel_is_named(tmp_path):
    for settings, says in (
        ({"panel": "papre"}, "unknown panel 'papre'; did you mean 'paper'"),
        ({"panel": "paper", "limit": 5}, "limit is 5, but the panel 'paper' is whole; .* --panel sample"),
    ):
        with pytest.raises(Mistake, match=says):
            EvalConfig(**settings)
    with pytest.raises(
        Mistake,
        match="split 'dev' of fever: the paper's panel is drawn from 7,405 tasks of FEVER's paper_dev, and there",
    ):
        panel_of(staged("fever"), EvalConfig(panel="paper"))


def test_the_papers_panel_holds_no_exemplar(tmp_path, papers):
    rows = [{"id": str(n), "question": f"Which number is {n}?", "answer": str(n)} for n in range(7405)]
    (tmp_path / "dev.json").write_text(json.dumps(rows))
    scene = staged("hotpotqa", dev=str(tmp_path / "dev.json"), pages=pages(tmp_path))
    panel = panel_of(scene, EvalConfig(panel="paper"))
    (example,) = scene.exemplars.examples[:1]
    shown = replace(example, task=replace(example.task, question=panel[3].question))
    spoilt = replace(scene, exemplars=replace(scene.exemplars, examples=(shown,)))
    with pytest.raises(Mistake, match="1 tasks of the panel 'paper' are exemplars, such as '3522'"):
        panel_of(spoilt, EvalConfig(panel="paper"))
    # One that is not drawn does not move the others, although it is never asked.
    other = replace(example, task=replace(example.task, question="Which number is 0?"))
    assert (
        panel_of(replace(scene, exemplars=replace(scene.exemplars, examples=(other,))), EvalConfig(panel="paper"))
        == panel
    )


def test_a_run_over_the_papers_panel_says_so(tmp_path, monkeypatch, capsys, papers):
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"q{n}", "question": f"Which number is {n}?", "answer": str(n)} for n in range(7405)]
    (tmp_path / "dev.jsonl").write_text("\n".join(map(json.dumps, rows)))
    script = [
        Trajectory(Task(f"q{n}", f"Which number is {n}?", ""), "standard", "m", (Step("", f"Finish[{n % 5000}]"),))
        for n in range(7405)
    ]
    trajectory.write(tmp_path / "script.jsonl", script)
    options = json.dumps({"dev": "dev.jsonl", "pages": pages(tmp_path)})
    words = ["--panel", "paper", "--environment_options", options, "--method", "standard", "--shots", "0"]
    main([*words, "--backend", "scripted", "--model", "script.jsonl"])
    summary = json.loads(Path("runs/eval/demo/summary.json").read_text())
    panel = summary["panel"]
    assert panel["ids"] == [f"q{index}" for index in drawn()] and summary["n"] == 500
    assert (panel["name"], panel["split"], panel["seed"]) == ("paper", "dev", None)
    assert summary["em"]["value"] == sum(index < 5000 for index in drawn()) / 500
    assert f"panel paper of dev (dev.jsonl), hash {panel['hash']}" in capsys.readouterr().out


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """The embedded claims in two files, with a script that judges each third of them wrongly."""
    monkeypatch.chdir(tmp_path)
    environment = environments.load("fever")
    said = []
    for n, task in enumerate(environment.tasks("dev")[:60]):
        steps = (
            Step("I look.", f"Search[{(task.extra['supporting'] or ['x'])[0]}]"),
            Step("So.", f"Finish[{task.answer if n % 3 else 'no'}]"),
        )
        said.append(Trajectory(task, "react", "judge", steps))
    trajectory.write(tmp_path / "script.jsonl", said)
    for name, tasks in (("é.jsonl", said[:25]), ("Z.jsonl", said[25:])):
        rows = [{"id": one.task.id, "claim": one.task.question, "label": one.task.answer} for one in tasks]
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def evaluated(name, listed, concurrency, capsys):
    options = {"dev": listed, "pages": str(DATA / "wikipedia" / "pages.jsonl.gz")}
    words = {"environment": "fever", "environment_options": json.dumps(options), "shots": 3, "backend": "scripted"}
    words |= {"model": "script.jsonl", "concurrency": concurrency, "limit": 50}
    main(["--name", name, *(word for key, value in words.items() for word in (f"--{key}", str(value)))])
    folder = Path("runs/eval") / name
    summary = json.loads((folder / "summary.json").read_text())
    assert f", hash {summary['panel']['hash']}\n" in capsys.readouterr().out
    return summary, (folder / "trajectories.jsonl").read_bytes()


def test_neither_workers_nor_the_order_of_files_change_a_panel_or_a_result(parts, capsys):
    one, records = evaluated("one", ["Z.jsonl", "é.jsonl"], 1, capsys)
    other, again = evaluated("other", ["é.jsonl", "Z.jsonl"], 8, capsys)
    globbed, third = evaluated("globbed", "[Zé].jsonl", 8, capsys)
    assert one["panel"] == other["panel"] == globbed["panel"] and one["em"] == other["em"]
    assert records == again == third
    assert one["panel"]["hash"] == one["tasks_fingerprint"]
    assert yaml.safe_load(Path("runs/eval/one/config.yaml").read_text())["panel"] == "sample"


def test_claims_are_counted_by_label_and_by_the_name_of_their_metric(parts, capsys):
    summary, _ = evaluated("judged", "[Zé].jsonl", 8, capsys)
    assert set(summary["by_kind"]) == {"SUPPORTS", "REFUTES", "NOT ENOUGH INFO"} and summary["metric"] == "accuracy"
    assert sum(part["n"] for part in summary["by_kind"].values()) == 50 and summary["f1"] is None
    report.main(["runs/eval/judged"])
    said, page = capsys.readouterr().out, Path("runs/report/report.md").read_text()
    for text in (said, page):
        assert (
            "| accuracy " in text
            and f"Panel: sample of fever dev (Z.jsonl, é.jsonl), hash {summary['panel']['hash']}" in text
        )
    assert "| EM " not in page and "| F1 " not in page
    run = read(Path("runs/eval/judged"))
    other = replace(run, name="other", environment="hotpotqa", metric="EM", panel="paper", tasks_fingerprint="ff")
    both = tables(Report([run, other], pools([run, other]), [], [], []))
    order = [both.index(text) for text in ("Runs in fever:", "| accuracy ", "Runs in hotpotqa:", "| EM ")]
    assert order == sorted(order)
    assert "paper of hotpotqa dev (Z.jsonl, é.jsonl), hash ff" in both and f"hash {summary['panel']['hash']}" in both
