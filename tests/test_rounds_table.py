"""The table of rounds: what stands in it, as far as the rounds are."""

import csv
import json
from pathlib import Path

import pytest

from eval.job import EvalConfig
from eval.rounds import main
from eval.summary import Session, Sources, summarize, write
from react import trajectory
from react.scene import Scene
from react.trajectory import Step, Task, Trajectory

PANEL = [Task(f"q{n:02}", f"Which number is {n}?", str(n)) for n in range(40)]


def evaluated(folder: Path, number: int, solved: int, shots: int = 0) -> None:
    steps = (Step("I know.", "Finish[it]"),)
    tried = [Trajectory(task, "react", "m", steps, "x", float(n < solved)) for n, task in enumerate(PANEL)]
    place = folder / "eval" / f"round{number}"
    place.mkdir(parents=True)
    trajectory.write(place / "trajectories.jsonl", tried)
    job, session = EvalConfig(name=place.name, output=str(place.parent)), Session(1.0, len(PANEL), 10, 4, 0)
    prints = {"environment_fingerprint": "e", "tasks_fingerprint": trajectory.fingerprint(PANEL)}
    write(place, summarize(job, Scene(shots=shots), tried, PANEL, session, Sources("local", "toys"), prints))


def summary(folder: Path, kind: str, number: int, **said: object) -> None:
    place = folder / kind / f"round{number}"
    place.mkdir(parents=True)
    (place / "summary.json").write_text(json.dumps(said))


def collected(folder: Path, number: int, kept: int, hinted: int) -> None:
    said = {"kept": kept, "kept_hinted": hinted, "tasks_tried": 50, "attempts": 80, "attempts_hinted": 30}
    summary(folder, "bootstrap", number, model="base", **said, **{"yield": kept / 80})


@pytest.fixture
def rounds(tmp_path):
    """Two whole rounds, and a third of which only the collecting is done."""
    folder = tmp_path / "some"
    evaluated(folder, 0, 10, shots=6)
    for number, (kept, hinted, seen, solved) in {1: (20, 5, 20, 30), 2: (30, 0, 24, 28)}.items():
        collected(folder, number, kept, hinted)
        summary(folder, "train", number, rows=kept, rows_seen=seen, steps=20, final_loss=0.5)
        evaluated(folder, number, solved)
    collected(folder, 3, 1, 1)
    return folder


def test_every_round_has_its_row(rounds, capsys):
    main([str(rounds)])
    page = (rounds / "rounds.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    assert rows[0][-3:] == ["EM [95%]", "against round 0", "against the round before"]
    assert rows[2] == ["0", "(the base model, prompted)", *[""] * 7, "0.250 [0.142, 0.402]", "", ""]
    assert rows[3][:9] == ["1", "base", "20 of 50", "80", "25.0%", "5 (25%)", "20", "20", "0.500"]
    assert rows[3][9:] == ["0.750 [0.598, 0.858]", "+0.500 [+0.352, +0.648], p < 0.001", "as left"]
    assert rows[4][1:7] == ["student 1", "30 of 50", "80", "37.5%", "0 (0%)", "24 of 30"]
    assert rows[4][10:] == ["+0.450 [+0.307, +0.602], p < 0.001", "-0.050 [-0.165, +0.042], p 0.500"]
    assert rows[5] == ["3", "student 2", "1 of 50", "80", "1.2%", "1 (100%)", *[""] * 6]
    assert all(line in capsys.readouterr().out + page for line in page.splitlines() if line.startswith("| "))
    assert "Panel: 40 of hotpotqa dev (toys), hash " in page and "![" in page
    assert (rounds / "rounds.png").read_bytes()[:4] == b"\x89PNG"


def test_the_numbers_are_there_for_programs(rounds):
    main([str(rounds)])
    with (rounds / "rounds.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["round"] for row in rows] == ["0", "1", "2", "3"]
    assert [row["collected.kept_hinted"] for row in rows] == ["", "5", "0", "1"]
    assert [row["em.value"] for row in rows] == ["0.25", "0.75", "0.7", ""]
    tests = [float(row[f"{name}.p"]) for row in rows for name in ("to_round_0", "to_round_before") if row[f"{name}.p"]]
    raw = [2 / 2**20, 2 / 2**18, 0.5]
    assert tests == pytest.approx([3 * raw[0], 2 * raw[1], raw[2]]), "Holm's, over the three of them"
    assert rows[1]["to_round_before.p"] == "", "which is round 0"


def test_the_same_folder_gives_the_same_bytes(rounds):
    main([str(rounds)])
    first = {path.name: path.read_bytes() for path in rounds.iterdir() if path.is_file()}
    main([str(rounds)])
    assert first == {path.name: path.read_bytes() for path in rounds.iterdir() if path.is_file()}
    assert set(first) == {"rounds.md", "rounds.csv", "rounds.png"}


def test_an_evaluation_under_way_has_no_score_yet(rounds):
    path = rounds / "eval" / "round2" / "trajectories.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:7]))
    main([str(rounds)])
    line = next(line for line in (rounds / "rounds.md").read_text().splitlines() if line.startswith("| 2 "))
    assert "37.5%" in line and "0.700" not in line


@pytest.mark.parametrize(
    ("text", "says"),
    [(None, "no rounds; they are made by: python -m bootstrap.rounds"), ("{", "not JSON"), ("3", "must")],
)
def test_a_folder_that_is_none_is_named(tmp_path, capsys, text, says):
    place = tmp_path / "bootstrap" / "round0"
    if text:
        place.mkdir(parents=True)
        (place / "summary.json").write_text(text)
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path)])
    assert ended.value.code == 2 and says in capsys.readouterr().err
