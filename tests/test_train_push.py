"""What others get of a student: a folder that loads, a card that says what it is worth, and no more than is meant."""

import json
import shutil

import pytest

from react.models._checkpoint import find
from tests.hub_server import hub, visit
from tests.train_toys import student
from train.push import main


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "run"
    student(folder / "checkpoint")
    (folder / "checkpoint" / "canary.json").write_text("{}")
    shutil.copytree(folder / "checkpoint", folder / "adapter")
    for name in ("checkpoint", "adapter"):
        (folder / name / "README.md").write_text("---\ntags: [react, agents, staract]\n---\n\n# run\n")
    (folder / "summary.json").write_text("{}")
    return folder


def evaluated(folder, **changes):
    folder.mkdir()
    said = {
        "name": folder.name,
        "model": "some/where",
        "backend": "local",
        "method": "react",
        "shots": 0,
        "panel": {"split": "dev", "name": "sample"},
        "n": 128,
        "n_failed": 0,
        "metric": "EM",
        "em": {"value": 0.5, "low": 0.4, "high": 0.6},
        "model_fingerprint": "other",
    }
    (folder / "summary.json").write_text(json.dumps(said | changes))
    return str(folder)


def test_a_folder_holds_all_and_its_card_what_eval_found(made, tmp_path, capsys):
    own = evaluated(tmp_path / "own", model_fingerprint=find(str(made / "checkpoint")).fingerprint())
    prompted = evaluated(tmp_path / "prompted", model="smollm2", shots=6, n_failed=2)
    out = tmp_path / "out"
    for _ in range(2):  # in place of what it wrote before
        main(["--run", str(made), "--eval", own, prompted, "--out", str(out)])
    assert find(str(out)).fingerprint() == find(str(made / "checkpoint")).fingerprint()
    assert (out / "canary.json").exists() and (out / "adapter" / "model.safetensors").exists()
    card = (out / "README.md").read_text()
    assert card.count("## Evaluations") == 1 and card == (out / "adapter" / "README.md").read_text()
    assert "| own | **this one** | react | 0 | dev, sample | 128 | EM 0.500 [0.400, 0.600] |  |" in card
    assert (
        "| prompted | `smollm2` (local) | react | 6 | dev, sample | 128 | EM 0.500 [0.400, 0.600] | 2 failed |" in card
    )


def test_it_is_pushed_and_stays_private(made, tmp_path, monkeypatch, capsys):
    with hub() as there:
        visit(monkeypatch, there)
        main(["--run", str(made), "--push", "me/student"])
        assert there.private is True and {"README.md", "config.json", "adapter/config.json"} <= there.files.keys()
    said = capsys.readouterr().out
    assert "Pushed: " in said and "secret" not in said


def test_what_would_be_seen_by_all_is_refused(made, monkeypatch, capsys):
    with hub(private=False) as there:
        visit(monkeypatch, there)
        with pytest.raises(SystemExit):
            main(["--run", str(made), "--push", "me/student"])
        assert not there.files
    assert "is there already, and public" in capsys.readouterr().err


def test_mistakes_are_one_line_and_leave_nothing(made, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    other, none = evaluated(tmp_path / "other"), tmp_path / "none"
    none.mkdir()
    (none / "summary.json").write_text("{}")
    out = str(tmp_path / "out")
    for args, says in (
        (["--run", str(made)], "nowhere to put it"),
        (["--run", str(made), "--push", "student"], "it must be USER/NAME"),
        (["--run", str(tmp_path), "--out", out], "is no finished run of train.py"),
        (["--run", str(made), "--out", str(tmp_path / "mine")], "holds other things"),
        (["--run", str(made), "--out", out, "--eval", other], "is of this student: its weights are others"),
        (["--run", str(made), "--out", out, "--eval", str(none)], "is no summary of eval"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(args)
        said = capsys.readouterr().err
        assert ended.value.code == 2 and says in said and len(said.splitlines()) == 1
    assert not (tmp_path / "out").exists() and (tmp_path / "mine" / "letter.txt").exists()
