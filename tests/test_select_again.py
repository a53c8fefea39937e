"""Selecting again over stored attempts: no model, nothing of the source changed, the same as the run itself kept."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import bootstrap.stored
from bootstrap import again, reasons, run
from bootstrap.collect import seeded_order
from bootstrap.merge import homes
from bootstrap.select import LeftOut, Selection
from react import trajectory
from react.trajectory import Step, Task, Trajectory
from tests.towns import TOWNS, command, make_world

SEEN = [task.id for task in seeded_order([Task(town, "", "") for town in TOWNS], 0)[:2]]
GOLDEN = Path(__file__).parent / "golden" / "left_out.txt"


def collect(world: Path, out: Path, name: str, *flags: str) -> Path:
    options = {"train": str(world / "train.json"), "dev": str(world / "dev.json"), "pages": str(world / "pages.jsonl")}
    base = ["--backend", "scripted", "--model", str(world / "script.jsonl"), "--shots", "0", "--attempts", "2"]
    place = ["--output", str(out), "--name", name, "--environment_options", json.dumps(options), "--limit", "60"]
    run.main([*base, *place, *flags])
    return out / name


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The towns; the evaluation asks of two of them again, in other words and letters."""
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    asked = [
        f"on which river...is {SEEN[0].upper()}",
        f"Could you say on which river is {SEEN[1]}, please?",
        "Who is X?",
    ]
    items = [{"_id": f"d{n}", "question": text, "answer": "x"} for n, text in enumerate(asked)]
    (folder / "dev.json").write_text(json.dumps(items))
    return folder


@pytest.fixture(scope="module")
def source(world, tmp_path_factory):
    return collect(world, tmp_path_factory.mktemp("runs"), "react", "--target", "60")


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def select(*flags: str | Path) -> None:
    again.main([str(flag) for flag in flags])


def refused(capsys, *flags: str | Path) -> str:
    with pytest.raises(SystemExit) as ended:
        select(*flags)
    assert ended.value.code == 2
    return capsys.readouterr().err


def kept(folder: Path) -> list[Trajectory]:
    return list(trajectory.read(folder / "trajectories.jsonl"))


def test_with_the_runs_own_rules_it_keeps_the_same_bytes_and_leaves_the_run_as_it_is(source, tmp_path, monkeypatch):
    monkeypatch.setattr("react.models.load", lambda config: pytest.fail("a model was opened"))
    before = bytes_of(source)
    for _ in range(2):  # again into the same folder: the same
        select("--run", source, "--out", tmp_path / "again")
    assert bytes_of(source) == before
    for name in ("trajectories.jsonl", "left_out.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == before[name]
    says = (tmp_path / "again" / "config.yaml").read_text()
    assert all(f"{what}_fingerprint: " in says for what in ("attempts", "environment", "tasks", "model", "exemplars"))


def test_an_item_of_the_evaluation_is_not_even_tried_and_is_named(source, capsys, tmp_path):
    tried = {record.task.id for record in trajectory.read(source / "attempts.jsonl")}
    left_out = [json.loads(line) for line in (source / "left_out.jsonl").read_text().splitlines()]
    found = {one["id"]: one["detail"] for one in left_out if one["reason"] == "uncontaminated"}
    order = set(tried) | set(found)
    assert set(found) == set(SEEN) and not tried & set(SEEN) and len(order) == 60
    select("--run", source, "--out", tmp_path / "again")
    told = capsys.readouterr()
    assert "2 tasks are items of an evaluation" in told.err
    for id, detail in found.items():
        assert id in told.err and detail in told.err and "of hotpotqa dev" in detail
    assert "Compared with what is evaluated on: 3 of hotpotqa dev." in told.out


def test_other_rules_another_number_and_held_out_files(world, source, tmp_path):
    held = [{"task": {"id": "x", "question": f"On  which RIVER is {town}", "answer": ""}} for town in TOWNS[:50]]
    (tmp_path / "held.jsonl").write_text("".join(json.dumps(one) + "\n" for one in held))
    rules = ["--rules", "correct", "steps:2", "uncontaminated"]
    select("--run", source, *rules, "--held_out", tmp_path / "held.jsonl", "--target", "7", "--out", tmp_path / "few")
    rows = kept(tmp_path / "few")
    assert len(rows) == 7 and not {row.task.id for row in rows} & set(TOWNS[:50])
    own = [row.task.id for row in kept(source)]
    assert [row.task.id for row in rows] == [id for id in own if id not in TOWNS[:50]][:7]
    summary = json.loads((tmp_path / "few" / "summary.json").read_text())
    assert summary["compared_with"] == {"hotpotqa dev": 3, "held.jsonl": 50}
    details = [one["detail"] for one in summary["left_out_examples"]["uncontaminated"]]
    assert any(detail.endswith(" x of held.jsonl") for detail in details)


def test_what_a_run_held_out_binds_no_selection_without_its_rule(world, source, tmp_path):
    """Only what is asked for now contradicts the rules of now."""
    (tmp_path / "held.jsonl").write_text('{"question": "On which river is nothing?"}\n')
    run.main(command(world, tmp_path, "--limit", "9", "--held_out", str(tmp_path / "held.jsonl"))[3:])
    select("--run", tmp_path / "r", "--rules", "correct", "--out", tmp_path / "again")
    assert json.loads((tmp_path / "again" / "summary.json").read_text())["compared_with"] is None


def test_whole_lines_of_a_run_that_is_torn_at_any_byte_are_selected_from(source, tmp_path):
    shutil.copytree(source, tmp_path / "torn")
    path = tmp_path / "torn" / "attempts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for cut in range(0, len(lines[3]), 97):
        path.write_bytes(b"".join(lines[:3]) + lines[3][:cut])
        select("--run", tmp_path / "torn", "--out", tmp_path / f"out{cut}", "--rules", "correct")
        whole = [trajectory.from_json(line.decode()) for line in lines[:3]]
        assert {row.task.id for row in kept(tmp_path / f"out{cut}")} == {row.task.id for row in whole if row.solved}


@pytest.fixture(scope="module")
def act(world, source):
    """Another method: it never solves every fourth town."""
    script = []
    for record in trajectory.read(world / "script.jsonl"):
        steps = tuple(replace(step, thought="") for step in record.steps)
        if int(record.task.id[4:]) % 4 == 0:
            steps = (*steps[:-1], Step("", "Finish[Nile]"))
        script.append(replace(record, steps=steps))
    folder = source.parent / "world"
    shutil.copytree(world, folder)
    trajectory.write(folder / "script.jsonl", script)
    for name in ("train.json", "dev.json", "pages.jsonl"):
        (folder / name).unlink()
    model = ["--model", str(folder / "script.jsonl"), "--method", "act", "--target", "60"]
    return collect(world, source.parent, "act", *model)


def test_paired_keeps_the_tasks_that_every_method_solved_in_one_order(source, act, tmp_path):
    select("--paired", source, act, "--out", tmp_path / "pairs")
    select("--paired", source, act, "--out", tmp_path / "few", "--target", "20")
    both, few = (
        [[row.task.id for row in kept(tmp_path / out / name)] for name in ("react", "act")] for out in ("pairs", "few")
    )
    mine, other = ([row.task.id for row in kept(run)] for run in (source, act))
    assert both[0] == both[1] == [id for id in mine if id in other] and len(mine) > len(other) > 20
    assert few[0] == few[1] and len(few[0]) == 20 and set(few[0]) < set(both[0])
    methods = [{row.method for row in kept(tmp_path / "pairs" / name)} for name in ("react", "act")]
    assert methods == [{"react"}, {"act"}]
    summary = json.loads((tmp_path / "pairs" / "react" / "summary.json").read_text())
    assert summary["spare"]["not solved by all"] == len(set(mine) - set(other))


def test_paired_refuses_runs_of_other_tasks(world, source, tmp_path, capsys):
    other = collect(world, tmp_path, "few", "--limit", "50")
    said = refused(capsys, "--paired", source, other, "--out", tmp_path / "x")
    assert "tasks_fingerprint differs" in said and str(other) in said


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ([], "name a run by --run, or several by --paired, and a folder to write to by --out"),
        (["--run", "RUN"], "--out"),
        (["--run", "RUN", "--out", "RUN"], "would be written over"),
        (["--run", "none", "--out", "OUT"], "none is no run of bootstrap: it lacks config.yaml or attempts.jsonl"),
        (["--paired", "RUN", "--out", "OUT"], "one run is selected from by --run"),
        (["--paired", "RUN", "RUN", "--out", "OUT"], "two runs of one name"),
        (["--run", "RUN", "--out", "OUT", "--rules", "lucky"], "unknown rule 'lucky'"),
        (["--run", "RUN", "--out", "OUT", "--rules", "steps:0"], "as in steps:20"),
        (["--run", "RUN", "--out", "OUT", "--rules", "steps"], "did you mean 'steps:N'?"),
        (["--run", "RUN", "--out", "OUT", "--per_task", "0"], "per_task is 0"),
        (["--run", "RUN", "--out", "OUT", "--held_out", "none.json"], "none.json"),
        (["--run", "RUN", "--out", "OUT", "--rules", "correct", "--held_out", "x"], "rules: correct; add it, or leave"),
        (["--run", "RUN", "--out", "OUT", "--held_out", str(GOLDEN.parent)], "is a folder; held_out names files"),
        (["--run", "RUN", "--out", "OUT", "--rules", "steps:" + "9" * 5000], "9…' is no bound"),
    ],
)
def test_a_mistake_ends_with_status_2_and_says_what_and_where(source, tmp_path, capsys, flags, says):
    places = {"RUN": str(source), "OUT": str(tmp_path / "out")}
    assert says in refused(capsys, *(places.get(flag, flag) for flag in flags))
    assert not (tmp_path / "out").exists()


def test_other_rules_into_the_same_folder_are_refused(source, tmp_path, capsys):
    select("--run", source, "--out", tmp_path / "a", "--rules", "correct")
    before = bytes_of(tmp_path / "a")
    assert "give another --out" in refused(capsys, "--run", source, "--out", tmp_path / "a", "--rules", "valid")
    assert bytes_of(tmp_path / "a") == before


def test_what_is_left_out_is_told_to_a_person(request):
    left = [LeftOut(f"q{n}", 0, "correct", f"reward 0: 'Nile {n}', not 'Oder'") for n in range(1234)]
    left += [
        LeftOut("q7", 1, "unrepeated", "'Search[Lima]' a second time"),
        LeftOut("q8", 2, "well_formed", f"step 2 has '\x1b[2JThought 3:' in it {'x' * 200}"),
        LeftOut("q9", None, "uncontaminated", "'Who is X?' has the same words as d4 of hotpotqa dev"),
        LeftOut("q5", 3, "beyond the target"),
        LeftOut("q6", 1, "hinted: answer ahead of its observation", "answer 'Oder'"),
    ]
    selection = Selection((), tuple(left))
    said = [*reasons.told(reasons.summarized(selection)), *reasons.compared({"hotpotqa dev": 7405, "mine.jsonl": 12})]
    said += [*reasons.compared({}), *reasons.compared(None), *reasons.warned(left)]
    text = "\n".join(said) + "\n"
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
    assert text.replace("\n", "").isprintable()


def test_what_ranks_have_that_were_killed_is_selected_from_as_if_it_were_merged(source, tmp_path):
    shutil.copytree(source, tmp_path / "dam")
    lines = (source / "attempts.jsonl").read_bytes().splitlines(keepends=True)
    third = len(lines) // 3
    (tmp_path / "dam" / "attempts.jsonl").write_bytes(b"".join(lines[: third + 2]))  # a merge was killed
    for rank, share in enumerate((lines[third : 2 * third], [*lines[2 * third :], lines[0][:90]])):
        (tmp_path / "dam" / "ranks" / str(rank)).mkdir(parents=True)
        (tmp_path / "dam" / "ranks" / str(rank) / "attempts.jsonl").write_bytes(b"".join(share))
    select("--run", tmp_path / "dam", "--out", tmp_path / "out")
    for name in ("trajectories.jsonl", "left_out.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (source / name).read_bytes()


def test_what_is_merged_while_it_is_read_is_read_once(source, tmp_path, monkeypatch):
    """A merge may begin and end at any moment: when the ranks were found, before a line, at the end."""
    lines = (source / "attempts.jsonl").read_bytes().splitlines(keepends=True)[:12]
    expected = [trajectory.from_json(line.decode()) for line in lines]
    home = tmp_path / "run" / "ranks" / "1"

    def merge():
        with (tmp_path / "run" / "attempts.jsonl").open("ab") as whole:
            whole.writelines(lines[6:])
        shutil.rmtree(home)

    def found(folder):
        there = homes(folder)
        if when < 0:
            merge()
        return there

    monkeypatch.setattr(bootstrap.stored, "homes", found)
    for when in range(-1, len(lines)):
        shutil.copytree(source, tmp_path / "run")
        home.mkdir(parents=True)
        (home / "attempts.jsonl").write_bytes(b"".join(lines[6:]))
        (tmp_path / "run" / "attempts.jsonl").write_bytes(b"".join(lines[:6]))
        read = []
        for number, record in enumerate(bootstrap.stored.stored(tmp_path / "run").attempts()):
            if number == when:
                merge()
            read.append(record)
        assert read == expected
        shutil.rmtree(tmp_path / "run")


FOREIGN = {
    "its method is 'act', and the run's 'react'": {"method": "act"},
    "its environment is 'fever', and the run's 'hotpotqa'": {"provenance": {"environment": "fever"}},
    "its environment is None": {"provenance": {"environment": None}},
    "its model_fingerprint is 'other'": {"provenance": {"model_fingerprint": "other"}},
    "its exemplars_fingerprint is 'other'": {"provenance": {"exemplars_fingerprint": "other"}},
    "its task 'q17' is none that the run tries": {"task": {"id": "q17"}},
    "the question of task": {"task": {"question": "Who is X?"}},
    "the answer of task": {"task": {"answer": "Nile"}},
    "the extra of task": {"task": {"extra": {"supporting": []}}},
}


@pytest.mark.parametrize("says", FOREIGN)
def test_a_record_that_is_not_the_runs_is_refused_with_its_line_and_what_differs(source, tmp_path, capsys, says):
    shutil.copytree(source, tmp_path / "odd")
    path = tmp_path / "odd" / "attempts.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    record = json.loads(lines[4])
    change = {key: {**record[key], **to} if isinstance(to, dict) else to for key, to in FOREIGN[says].items()}
    path.write_text("".join([*lines[:4], json.dumps({**record, **change}) + "\n", *lines[5:]]))
    said = refused(capsys, "--run", tmp_path / "odd", "--out", tmp_path / "out")
    assert f"{path}:5: not a record of this run: " in said and says in said


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("[1]", "it must hold `key: value` lines"),
        ("null", "it must hold `key: value` lines"),
        ("rules: 5", "rules: 5 must be a list of str"),
        ("target: many", "target: 'many' is str; it must be int"),
        ("quota: [1]", "quota: [1] is list; it must be dict"),
        ("temperature: [hot]", "temperature: 'hot' must be a finite number"),
        ("seed: true", "seed: True is bool; it must be int"),
        ('name: "x\\e[2Jy"', r"name is 'x\x1b[2Jy'; it must be the name of one folder"),
    ],
)
def test_a_damaged_configuration_of_the_run_is_named_with_the_value(tmp_path, capsys, settings, says):
    (tmp_path / "attempts.jsonl").touch()
    (tmp_path / "config.yaml").write_text(settings)
    said = refused(capsys, "--run", tmp_path, "--out", tmp_path / "out")
    assert f"{tmp_path / 'config.yaml'}: is no run's configuration: " in said and says in said


@pytest.mark.parametrize("there", ["notes.txt", "summary.json", "config.yaml/x", "trajectories.jsonl", "a/b"])
def test_a_folder_with_other_things_is_not_written_to(source, tmp_path, capsys, there):
    other = tmp_path / "out" / there
    other.parent.mkdir(parents=True)
    other.write_text("mine")
    said = refused(capsys, "--run", source, "--out", tmp_path / "out")
    assert f"holds other things ({other.relative_to(tmp_path / 'out').parts[0]}); give a new folder" in said
    said = refused(capsys, "--run", source, "--out", other)
    assert "(it is a file)" in said
    assert bytes_of(tmp_path / "out") == {other.name: b"mine"}


def test_a_selection_that_was_killed_at_any_file_is_made_again(source, tmp_path):
    out = tmp_path / "out"
    select("--run", source, "--out", out)
    whole = bytes_of(out)
    ends = [["config.yaml.partial"], *(["config.yaml", f"{name}.partial"] for name in again._WRITTEN)]
    for left in (["run.lock"], *(["run.lock", *names] for names in ends)):
        shutil.rmtree(out)
        out.mkdir()
        for name in left:
            (out / name).write_bytes(whole.get(name, b""))
        select("--run", source, "--out", out)
        assert bytes_of(out).keys() == whole.keys()
        assert all((out / name).read_bytes() == whole[name] for name in whole if name != "run.lock")


@pytest.mark.parametrize("place", ["ranks", "ranks/3", "ranks/3.json"])
def test_a_link_among_the_ranks_is_refused_by_its_name(source, tmp_path, capsys, place):
    shutil.copytree(source, tmp_path / "run")
    link, there = tmp_path / "run" / place, tmp_path / "elsewhere"
    link.parent.mkdir(exist_ok=True)
    there.mkdir()
    link.symlink_to(there)
    says = f"error: {link} is a link to {there}; ranks have folders of their own: remove it"
    assert says in refused(capsys, "--run", tmp_path / "run", "--out", tmp_path / "out")
    assert not list(there.iterdir())
