"""Two rounds of the real stages: a script teaches a model of two small layers, which then teaches the next one."""

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

from react import trajectory
from tests.train_toys import student
from tests.train_toys import trajectory as solved

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
STAGES = ["eval/round0", *(f"{kind}/round{n}" for n in (1, 2) for kind in ("bootstrap", "train", "eval"))]
LOOP = [sys.executable, "-m", "bootstrap.rounds", "--config", "rounds.yaml"]


def make_world(folder: Path) -> Path:
    """Things that are numbers, a page each; a script for the first twelve, of which a trained student solves some."""
    folder.mkdir()
    records = [solved(n, words=1) for n in range(1, 15)]
    pages = [{"title": f"item {one.answer}", "sentences": [one.steps[0].observation]} for one in records]
    (folder / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    for name, some in (("train", records[:12]), ("dev", records[12:])):
        asked = [{"_id": one.task.id, "question": one.task.question, "answer": one.answer} for one in some]
        (folder / f"{name}.json").write_text(json.dumps(asked))
    trajectory.write(folder / "script.jsonl", records[:12])
    student(folder / "base", 64)
    options = {"train": "train.json", "dev": "dev.json", "pages": "pages.jsonl"}
    scene = {"environment_options": options, "shots": 0, "max_tokens": 30, "workers": 1, "batch": 1}
    recipe = {"steps": 150, "batch_size": 12, "micro_batch": 12, "learning_rate": 5e-3, "save_every": 30}
    settings = {
        "name": "r",
        "rounds": 2,
        "bootstrap": {**scene, "backend": "scripted", "model": "script.jsonl", "attempts": 1},
        "train": {**recipe, "model": "base", "dtype": "float32", "report_to": "none"},
        "eval": scene,
    }
    (folder / "rounds.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))
    return folder


def start(world: Path) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    return subprocess.Popen(
        LOOP, cwd=world, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def results(world: Path) -> dict[str, bytes]:
    """What was kept, what was answered, and the table."""
    folder = world / "runs" / "rounds" / "r"
    paths = [*folder.rglob("trajectories.jsonl"), *(folder / f"rounds.{end}" for end in ("md", "csv", "png"))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(paths)}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    world = make_world(tmp_path_factory.mktemp("rounds") / "world")
    loop = start(world)
    _, said = loop.communicate()
    assert loop.returncode == 0, said
    return world


def test_a_student_teaches_the_next_one(undisturbed):
    folder = undisturbed / "runs" / "rounds" / "r"
    first, second = (list(trajectory.read(folder / "bootstrap" / f"round{n}" / "trajectories.jsonl")) for n in (1, 2))
    assert len(first) == 12 and {one.model for one in first} == {"toy"}
    assert 1 <= len(second) <= 12 and {one.model for one in second} == {"runs/rounds/r/train/round1/checkpoint"}
    for n, rows in ((1, first), (2, second)):
        trained = json.loads((folder / "train" / f"round{n}" / "summary.json").read_text())
        config = yaml.safe_load((folder / "train" / f"round{n}" / "config.yaml").read_text())
        assert trained["rows"] == len(rows) and config["model"] == "base"
    rows = [line.split("|") for line in (folder / "rounds.md").read_text().splitlines() if line.startswith("| ")]
    assert [cell.strip() for cell in rows[4][1:4]] == ["2", "student 1", f"{len(second)} of 12"]
    loop = start(undisturbed)
    before = results(undisturbed)
    _, said = loop.communicate()
    assert loop.returncode == 0 and "round1" not in said, "nothing is left to do"
    assert results(undisturbed) == before


def descendants(pid: int) -> list[int]:
    """All processes below, with those of other sessions."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, ProcessLookupError):
            continue
    found, todo = [], [pid]
    while todo:
        below = [child for child, parent in parents.items() if parent in todo]
        found, todo = found + below, below
    return found


def test_killed_in_every_stage_it_ends_with_the_same_kept_sets_and_table(undisturbed, tmp_path):
    """At a random moment of each: the loop with all that it started, or, every third time, the loop alone."""
    world, chance = make_world(tmp_path / "world"), random.Random(0)
    for number, stage in enumerate(STAGES):
        loop = start(world)
        while loop.poll() is None and not (world / "runs" / "rounds" / "r" / stage).exists():
            time.sleep(0.02)
        time.sleep(3 * chance.random())
        below = descendants(loop.pid) if number % 3 else []
        for process in [loop.pid, *below]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        _, said = loop.communicate()
        assert "error:" not in said, said
    loop = start(world)
    _, said = loop.communicate()
    assert loop.returncode == 0, said
    assert results(world) == results(undisturbed)
