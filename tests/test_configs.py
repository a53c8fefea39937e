"""Every shipped config goes through the real parser of its stage."""

from pathlib import Path

import pytest
import yaml

from bootstrap.job import BootstrapConfig
from bootstrap.plan import OURS, Rounds
from bootstrap.stages import flags
from eval.cells import Grid, cells
from eval.job import EvalConfig
from react.config import parse
from react.models import ModelConfig
from react.scene import Scene
from train.preference import Preference
from train.recipe import Recipe

ROOT = Path(__file__).parent.parent
CLASSES = {
    "bootstrap": (BootstrapConfig, Scene, ModelConfig),
    "eval": (EvalConfig, Scene, ModelConfig),
    "train": (Recipe,),
    "dpo": (Preference,),
    "rounds": (Rounds,),
    "grid": (Grid,),
}
CONFIGS = sorted(path for stage in CLASSES for path in (ROOT / "configs" / stage).rglob("*.yaml"))


def test_every_stage_ships_some():
    assert {path.parent.name for path in CONFIGS} == set(CLASSES)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_shipped_config_is_read_by_its_stage(path):
    job = parse(CLASSES[path.parent.name], "A job.", ["--config", str(path)])[0]
    assert job.name == path.stem, "a run is called by its config"


def test_no_folder_holds_configs_that_nobody_reads():
    assert {path.name for path in (ROOT / "configs").iterdir()} == {*CLASSES, "accelerate", "slurm", "templates"}


def test_what_the_configs_train_on_is_what_others_collect():
    read = {
        kind: [yaml.safe_load(path.read_text()) for path in CONFIGS if path.parent.name == kind] for kind in CLASSES
    }
    made = {f"runs/bootstrap/{config['name']}/trajectories.jsonl" for config in read["bootstrap"]}
    assert {config["data"] for config in read["train"]} <= made
    tried = {f"runs/bootstrap/{config['name']}/attempts.jsonl" for config in read["bootstrap"]}
    assert {config["data"] for config in read["dpo"]} <= tried
    students = {f"runs/train/{config['name']}/checkpoint" for config in read["train"]}
    assert {config["model"] for config in read["dpo"]} <= students
    students |= {f"runs/train/{config['name']}/checkpoint" for config in read["dpo"]}
    assert {config["model"] for config in read["eval"] if not config["shots"]} <= students


@pytest.mark.parametrize("path", [path for path in CONFIGS if path.parent.name == "grid"], ids=lambda path: path.name)
def test_a_grid_has_cells_whose_students_are_what_others_train(path):
    (grid,) = parse((Grid,), "A job.", ["--config", str(path)])
    students = {f"runs/train/{path.stem}/checkpoint" for path in CONFIGS if path.parent.name == "train"}
    there = [cell for cell in cells(grid) if not cell.without]
    assert there and {cell.model.model for cell in there} <= {"smollm2", *students}


@pytest.mark.parametrize("path", [path for path in CONFIGS if path.parent.name == "rounds"], ids=lambda path: path.name)
def test_what_rounds_say_of_their_stages_is_read_by_these(path):
    (job,) = parse((Rounds,), "A job.", ["--config", str(path)])
    kinds = {"later": "bootstrap", "prompted": "eval"}
    for section in OURS:
        said = getattr(job, section)
        assert parse(CLASSES[kinds.get(section, section)], "A job.", flags(said))
    assert not job.launch or (ROOT / job.launch).is_file()
