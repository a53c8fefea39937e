"""The command, from files to files: what it keeps, how it goes on after a kill, and what it says of bad input."""

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from bootstrap.collect import Plan
from bootstrap.run import main
from react import trajectory
from react.lock import hold
from react.methods import Sampling
from react.models import ModelError
from react.models.scripted import Scripted
from tests.towns import LOGGED, ROOT, command, make_world, run, seeded

NOT_MADE = (
    "runs/bootstrap/demo_own/trajectories.jsonl: cannot be read: no such file; it is made by: "
    "python -m bootstrap --config configs/bootstrap/demo_own.yaml"
)


def refused(words: list[str], capsys) -> str:
    """What the command says when it ends with status 2."""
    with pytest.raises(SystemExit) as ended:
        main(words[3:])
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


@pytest.fixture(scope="module")
def finished(world, tmp_path_factory):
    """A run that nobody disturbed."""
    out = tmp_path_factory.mktemp("runs")
    done = run(command(world, out, "--target", "110"))
    assert done.returncode == 0, done.stderr
    return out / "r"


def test_those_are_kept_that_were_solved_first_in_passes_over_the_seeded_order(finished):
    kept = list(trajectory.read(finished / "trajectories.jsonl"))
    attempts = list(trajectory.read(finished / "attempts.jsonl"))
    assert all(record.solved for record in kept) and not all(record.solved for record in attempts)
    chosen = {*seeded(2, 3, 4, 5), *seeded(1)[:10]}
    assert [record.task.id for record in kept] == [town for town in seeded(*range(6)) if town in chosen]
    assert {record.provenance["attempt"] for record in kept} == {0, 1}


def test_by_tasks_those_are_kept_that_come_first_however_often_they_are_tried(world, tmp_path):
    main(command(world, tmp_path, "--target", "90", "--order", "tasks")[3:])
    kept = list(trajectory.read(tmp_path / "r" / "trajectories.jsonl"))
    assert [record.task.id for record in kept] == seeded(1, 2, 3, 4, 5)[:90]


def test_the_summary_says_what_happened(finished):
    summary = json.loads((finished / "summary.json").read_text())
    attempts = list(trajectory.read(finished / "attempts.jsonl"))
    assert summary["kept"] == summary["target"] == 110 and summary["complete"]
    assert summary["attempts"] == len(attempts)
    assert summary["left_out"] == {"correct": sum(not record.solved for record in attempts)}
    assert summary["calls"] <= summary["calls_made_now"] == summary["spent"]["calls"]


def test_every_attempt_that_is_not_kept_is_listed_with_its_reason(finished):
    kept, tried = (trajectory.read(finished / name) for name in ("trajectories.jsonl", "attempts.jsonl"))
    left_out = [json.loads(line) for line in (finished / "left_out.jsonl").read_text().splitlines()]
    rest = [(record.task.id, record.provenance["attempt"], record.solved) for record in tried]
    for record in kept:
        rest.remove((record.task.id, record.provenance["attempt"], True))
    said = [(one["id"], one["attempt"], one["reason"] != "correct") for one in left_out]
    assert sorted(said) == sorted(rest) and {one["reason"] for one in left_out} <= {"correct", "beyond the target"}


def test_what_is_said_of_a_run_is_true(world, tmp_path, capsys):
    main(command(world, tmp_path, "--limit", "12")[3:])
    told = capsys.readouterr()
    tried, kept = (list(trajectory.read(tmp_path / "r" / name)) for name in ("attempts.jsonl", "trajectories.jsonl"))
    wrong = sum(not record.solved for record in tried)
    calls = sum(record.provenance["calls"] for record in tried)
    lines = told.err.splitlines()
    assert lines[0] == "r: attempts: 0 of 24; kept 0 of 3,000, 0 calls"
    whole, share = f"{len(tried)} of {len(tried)}", f"(yield {len(kept) / len(tried):.0%}), {calls} calls"
    assert len(lines) == 2 and lines[1].startswith(f"r: attempts: {whole}, ") and "left" not in lines[1]
    assert lines[1].endswith(f"; kept {len(kept)} of 3,000 {share}")
    assert f"Left out, by first reason:\n  {wrong:>6}  correct\n" in told.out
    worth = f"({len(kept)} worth keeping, yield {len(kept) / len(tried):.1%})."
    assert told.out.startswith(
        f"{len(kept)} kept (of 3,000: no more tasks to try), from {len(tried)} attempts at 12 tasks {worth}"
    )
    main(command(world, tmp_path, "--limit", "12")[3:])
    again = f"r: attempts: {whole} so far; kept {len(kept)} of 3,000 {share}"
    assert capsys.readouterr().err.splitlines() == [again]


@pytest.mark.parametrize(
    ("heats", "expected"),
    [
        ((0.7,), [0, 0.7, 0.7, 0.7, 0, 0.7]),
        ((0.4, 1.0), [0, 0.4, 1, 1, 0, 0.4]),
        ((0.0, 1.0, 1.2), [0, 0, 1, 1.2, 0, 0]),
    ],
)
def test_samples_rise_in_temperature_and_the_last_holds_for_all_further_ones(heats, expected):
    plan = Plan(4, 2, heats, Sampling(), ())
    assert [plan.nth(attempt).temperature for attempt in range(6)] == expected


@pytest.mark.parametrize(
    ("flags", "kinds"),
    [
        (["--quota_by", "type", "--target", "31"], {"bridge": 16, "comparison": 15}),
        (["--quota", '{"comparison": 12, "bridge": 30}', "--target", "42"], {"bridge": 30, "comparison": 12}),
        (["--quota", '{"comparison": 12}', "--target", "12"], {"comparison": 12}),
    ],
)
def test_a_quota_is_kept_in_each_stratum(world, tmp_path, flags, kinds):
    main(command(world, tmp_path, *flags)[3:])
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert summary["kinds"] == kinds and summary["complete"] and summary["short"] == {}
    tried = trajectory.read(tmp_path / "r" / "attempts.jsonl")
    assert {record.task.kind for record in tried} == set(kinds), "others are not tried"


def test_a_stratum_that_runs_out_is_said(world, tmp_path, capsys):
    main(command(world, tmp_path, "--limit", "60", "--quota", '{"comparison": 40, "bridge": 5}', "--target", "45")[3:])
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    has = summary["kinds"]["comparison"]
    assert summary["kinds"]["bridge"] == 5 and has < 40 and summary["short"] == {"comparison": [has, 40]}
    assert f"Short of the quota by kind: comparison {has} of 40." in capsys.readouterr().out


def test_what_a_budget_cut_short_is_said_by_the_key_of_the_quota_and_what_is_worth_keeping_beyond_it(
    world, tmp_path, capsys
):
    with pytest.raises(SystemExit) as ended:
        main(command(world, tmp_path, "--quota_by", "type", "--target", "60", "--budget_calls", "60")[3:])
    short = json.loads((tmp_path / "r" / "summary.json").read_text())["short"]
    assert ended.value.code == 3 and short
    said = ", ".join(f"{name} {has} of {share}" for name, (has, share) in short.items())
    assert f"Short of the quota by type: {said}." in capsys.readouterr().out


def test_only_the_tasks_of_a_file_are_tried(world, tmp_path):
    trajectory.write(tmp_path / "some.jsonl", list(trajectory.read(world / "script.jsonl"))[40:60])
    main(command(world, tmp_path, "--tasks_of", str(tmp_path / "some.jsonl"))[3:])
    named = {record.task.id for record in trajectory.read(tmp_path / "some.jsonl")}
    assert {record.task.id for record in trajectory.read(tmp_path / "r" / "attempts.jsonl")} == named


@pytest.mark.parametrize("concurrency", [pytest.param(1, marks=pytest.mark.slow), 7])
def test_what_is_kept_does_not_depend_on_how_many_run_at_once(world, finished, tmp_path, concurrency):
    done = run(command(world, tmp_path, "--target", "110", "--concurrency", str(concurrency)))
    assert done.returncode == 0, done.stderr
    kept = (tmp_path / "r" / "trajectories.jsonl").read_bytes()
    assert kept == (finished / "trajectories.jsonl").read_bytes()


def test_the_same_command_again_calls_nobody_and_changes_nothing(world, finished):
    before = (finished / "trajectories.jsonl").read_bytes()
    again = run(command(world, finished.parent, "--target", "110"))
    assert again.returncode == 0 and (finished / "trajectories.jsonl").read_bytes() == before
    assert json.loads((finished / "summary.json").read_text())["calls_made_now"] == 0


def recorded_calls(folder: Path) -> set[tuple[str, str]]:
    """The calls that a run's record holds, by session and context."""
    path = folder / "completions.sqlite"
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path)) as database:
        return set(database.execute("SELECT session, context FROM calls"))


def killed_until_done(world, out, kills, target):
    """Kills -9 after a random number of further calls, starts again, at last lets it end; the calls of each start."""
    made, chance = [], random.Random(kills)
    for start in range(kills + 1):
        log = out / f"calls{start}"
        recorded = recorded_calls(out / "r")
        flags = ["--target", target, "--hints", "1", "--concurrency", "4"]
        words = [sys.executable, "-c", LOGGED, *command(world, out, *flags)[3:], str(log)]
        process = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        if start < kills:
            enough = chance.randrange(1, 2 * 300 // kills)
            while process.poll() is None and (not log.exists() or log.read_bytes().count(b"\n") < enough):
                pass
            process.send_signal(signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGKILL), errors
        calls = {tuple(json.loads(line)) for line in log.read_text().splitlines()} if log.exists() else set()
        assert not calls & recorded, "a call that was recorded was made again"
        made.append(calls)
    return made


def test_with_hints_more_is_kept_without_a_word_of_the_hint(world, finished, tmp_path):
    main(command(world, tmp_path, "--target", "150", "--hints", "1")[3:])
    kept = list(trajectory.read(tmp_path / "r" / "trajectories.jsonl"))
    tried = list(trajectory.read(tmp_path / "r" / "attempts.jsonl"))
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    hinted = [record for record in kept if record.provenance.get("hinted")]
    assert {int(record.task.id[4:]) % 12 for record in hinted} == {0}
    assert (len(kept), summary["kept_hinted"]) == (125 + len(hinted), len(hinted)) == (138, 13)
    assert summary["left_out"]["hinted: answer ahead of its observation"] == 12
    assert {record.provenance["attempt"] for record in tried if record.provenance.get("hinted")} == {2}
    assert "Hint" not in (tmp_path / "r" / "attempts.jsonl").read_text()
    with closing(sqlite3.connect(tmp_path / "r" / "completions.sqlite")) as database:
        asked = [context for (context,) in database.execute("SELECT context FROM calls WHERE session LIKE '%#2.%'")]
    assert asked and all(f"(Hint: River {context.split()[5][:-1][::-1]})" in context for context in asked)


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_at_random_moments_it_ends_with_the_same_bytes_and_no_call_made_twice(world, tmp_path, kills):
    main(command(world, tmp_path / "undisturbed", "--target", "130", "--hints", "1")[3:])
    made = killed_until_done(world, tmp_path, kills, "130")
    expected = (tmp_path / "undisturbed" / "r" / "trajectories.jsonl").read_bytes()
    assert (tmp_path / "r" / "trajectories.jsonl").read_bytes() == expected and b'"hinted": true' in expected
    assert sum(bool(calls) for calls in made) > kills // 2, "the kills came while it ran"
    assert set.union(*made) == recorded_calls(tmp_path / "r")


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--environment", "hotpot"], "unknown environment 'hotpot'"),
        (
            ["--method", "reakt"],
            "unknown method 'reakt'; did you mean 'react'? there are: standard, cot, cot_sc, act, ",
        ),
        (
            ["--method", "cot_sc"],
            "method is 'cot_sc', which combines others; trajectories to train on are collected with ",
        ),
        (
            ["--backend", "skripted"],
            "unknown model backend 'skripted'; did you mean 'scripted'? there are: local, scripted",
        ),
        (["--model", "none.jsonl"], "none.jsonl"),
        (["--split", "tran"], "no split 'tran'; did you mean 'train'? there are: train"),
        (
            ["--method", "react_im", "--shots", "1"],
            "hotpotqa has no react_im; its exemplars are those of: standard, ",
        ),
        (["--tasks_of", "runs/bootstrap/demo_own/trajectories.jsonl"], NOT_MADE),
        (["--rules", "correct", "lucky"], "unknown rule 'lucky'"),
        (["--target", "0"], "target is 0; it must be at least 1"),
        (["--order", "depth"], "unknown order 'depth'; there are: passes, tasks"),
        (["--temperature", "0.4", "nan"], "'nan' must be a finite number"),
        (["--temperature", "0.4", "-1"], "temperature is [0.4, -1.0]; it must be numbers of at least 0"),
        (["--failed_share", "0"], "failed_share is 0.0; it must be more than 0 and at most 1"),
        (["--quota_by", "levl"], "quota_by is 'levl'; there are: kind, "),
        (["--quota", '{"bridg": 3000}'], "unknown stratum in quota 'bridg'; did you mean 'bridge'? there are: bridge"),
        (["--quota", '{"bridge": 20}'], "target is 3000, and quota adds up to 20: --target 20"),
        (["--quota", '{"bridge": 1.5}'], "quota has 1.5 for 'bridge'; it must be a whole number"),
        (["--hints", "-1"], "hints is -1; it must be at least 0"),
        (["--hints", "1", "--method", "Standard"], "Standard would only copy a hint"),
        (["--method", "cot"], "rule 'grounded' wants observations, and CoT has none; take --rules correct clean"),
        (["--shots", "99"], "shots is 99; there are"),
        (
            ["--rules", "correct", "clean", "--held_out", "x.json"],
            "only the rule 'uncontaminated' compares with such files, and it is not among the "
            "rules: correct clean; add it, or leave held_out out",
        ),
        (["--exemplars", "none.yaml"], "none.yaml"),
        (["--config", "none.yaml"], "none.yaml: cannot be read"),
        (["--environment_options", '{"pagez": "x"}'], "unknown environment option 'pagez'; did you mean 'pages'?"),
        (["--output", "/proc/none"], "/proc/none"),
    ],
)
def test_a_mistake_ends_with_status_2_and_says_what_and_where(world, tmp_path, flags, says, capsys):
    assert says in refused(command(world, tmp_path, *flags), capsys)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("train.json", "[]", "no tasks"),
        ("train.json", "[{", "train.json"),
        ("train.json", '[{"_id": "1", "question": "q"}]', "answer"),
        ("pages.jsonl", '{"title": "a", "sentences": ["b"]}\n{"title": 3}\n', "pages.jsonl:2"),
        ("script.jsonl", '{"task": 3}\n', "script.jsonl:1"),
        ("script.jsonl", "", "script.jsonl"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path, name, content, says, capsys):
    make_world(tmp_path)
    (tmp_path / name).write_text(content)
    assert says in refused(command(tmp_path, tmp_path / "out"), capsys)


def test_another_configuration_on_the_same_folder_is_refused_with_the_difference(world, finished, capsys):
    before = (finished / "trajectories.jsonl").read_bytes()
    assert "target: 110 -> 101" in refused(command(world, finished.parent, "--target", "101"), capsys)
    assert (finished / "trajectories.jsonl").read_bytes() == before


def test_a_damaged_attempt_is_named_with_its_line(world, finished, tmp_path, capsys):
    folder = tmp_path / "r"
    folder.mkdir()
    for name in ("config.yaml", "completions.sqlite", "attempts.jsonl"):
        (folder / name).write_bytes((finished / name).read_bytes())
    lines = (folder / "attempts.jsonl").read_text().splitlines(keepends=True)
    (folder / "attempts.jsonl").write_text("".join([*lines[:4], "{}\n", *lines[5:]]))
    text = (folder / "config.yaml").read_text().replace(str(finished.parent), str(tmp_path))
    (folder / "config.yaml").write_text(text)
    assert "attempts.jsonl:5" in refused(command(world, tmp_path, "--target", "110"), capsys)


@pytest.mark.parametrize("town", ["Town149", "Village"])
def test_a_script_of_other_tasks_is_a_mistake_that_names_file_and_task(world, tmp_path, capsys, town):
    lines = (world / "script.jsonl").read_text().splitlines(keepends=True)
    path = tmp_path / "script.jsonl"
    path.write_text("".join(line.replace("Town149", town) for line in lines if "Town149" in line))
    words = command(world, tmp_path)
    words[words.index(str(world / "script.jsonl"))] = str(path)
    said = refused(words, capsys)
    assert f"error: {path} has no trajectory for task 'Town" in said and "--tasks_of" in said
    assert (tmp_path / "r").exists() == (town == "Town149"), "said before anything runs if it has none of them"
    assert not list(trajectory.read(tmp_path / "r" / "attempts.jsonl") if (tmp_path / "r").exists() else ())[1:]


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "eval").glob("*.yaml")), ids=lambda path: path.stem)
def test_nobody_collects_from_what_is_evaluated_on_by_mistake(path, tmp_path, capsys):
    said = refused(["", "", "", "--config", str(path), "--output", str(tmp_path)], capsys)
    assert re.search(r"split is '\w+', and .* trained on;.* the flag --split \w+$|unknown key", said, re.MULTILINE)


def test_another_split_is_collected_from_where_the_flag_says_so(world, tmp_path, capsys):
    (tmp_path / "c.yaml").write_text("split: dev")
    words = command(world, tmp_path, "--config", str(tmp_path / "c.yaml"))
    assert "c.yaml: split is 'dev', and" in refused(words, capsys)
    for flag in (["--split", "dev"], ["--split=dev"]):
        assert "no split 'dev'; there are: train" in refused([*words, *flag], capsys)
    main([*words, "--split", "train", "--limit", "2"][3:])


def test_a_model_that_cannot_be_reached_stops_the_run_and_keeps_it(world, tmp_path, capsys, monkeypatch):
    def down(self, request):
        raise ModelError("connection refused")

    monkeypatch.setattr(Scripted, "complete", down)
    words = command(world, tmp_path)
    assert "episodes in a row failed, the last with ModelError" in refused([*words, "--concurrency", "4"], capsys)
    assert all(record.end == "failed" for record in trajectory.read(tmp_path / "r" / "attempts.jsonl"))


def test_more_failures_than_a_share_stop_the_run_with_what_there_is(world, tmp_path, capsys, monkeypatch):
    plain, chance = Scripted.complete, random.Random(1)

    def breaking(self, request):
        if chance.random() < 0.5:
            raise ModelError("503: overloaded")
        return plain(self, request)

    monkeypatch.setattr(Scripted, "complete", breaking)
    words = command(world, tmp_path, "--concurrency", "4", "--failures_in_a_row", "50", "--failed_share", "0.3")
    said = refused(words, capsys)
    assert re.search(r"error: \d+ of the last 100 episodes failed, the last with ModelError: 503: overloaded\. ", said)
    assert "the same command then tries them again, and goes on" in said
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    kept = list(trajectory.read(tmp_path / "r" / "trajectories.jsonl"))
    assert summary["kept"] == len(kept) > 0 and summary["n_failed"] > 30
    monkeypatch.setattr(Scripted, "complete", plain)
    main([*words, "--failed_share", "1"][3:])
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert (summary["kept"], summary["n_failing"]) == (125, 0) and summary["n_failed"] > 30


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (lambda task: True, "tries failed"),
        (lambda task: task == seeded(*range(6))[0], "tries failed"),
        (lambda task: False, "no more tasks to try"),
    ],
    ids=["all tries", "the tries of one task", "none"],
)
def test_what_kept_a_run_from_its_target_is_said(world, tmp_path, capsys, monkeypatch, breaks, said):
    """A try that failed is open: there is more to try."""
    plain = Scripted.complete

    def breaking(self, request):
        if breaks(request.session.partition("#")[0]):
            raise ModelError("503: overloaded")
        return plain(self, request)

    monkeypatch.setattr(Scripted, "complete", breaking)
    with suppress(SystemExit):
        main(command(world, tmp_path, "--limit", "12")[3:])
    assert f"(of 3,000: {said})" in capsys.readouterr().out


def test_clocks_that_are_set_change_nothing(world, finished, tmp_path, monkeypatch):
    chance = random.Random(0)
    monkeypatch.setattr("time.time", lambda: chance.uniform(-1e9, 4e9))
    main(command(world, tmp_path, "--target", "110", "--concurrency", "3")[3:])
    kept = [folder / "trajectories.jsonl" for folder in (finished, tmp_path / "r")]
    assert kept[0].read_bytes() == kept[1].read_bytes()


def test_a_summary_counts_what_was_spent_whatever_the_attempts_say(world, tmp_path, capsys):
    words = command(world, tmp_path, "--limit", "12")
    main(words[3:])
    before = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert (
        before["spent_on_unfinished"] == 0 and before["spent"]["calls"] == before["calls"] == before["calls_made_now"]
    )
    lines = (tmp_path / "r" / "attempts.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "r" / "attempts.jsonl").write_text("".join(lines[:-2]) + lines[-2][:100])
    main(words[3:])
    after = json.loads((tmp_path / "r" / "summary.json").read_text())
    now = ("calls_made_now", "seconds_now")
    assert {k: v for k, v in after.items() if k not in now} == {k: v for k, v in before.items() if k not in now}
    assert after["calls_made_now"] == 0, "the attempts that were lost are made again from the record"
    with closing(sqlite3.connect(tmp_path / "r" / "completions.sqlite")) as database, database:
        database.execute("DELETE FROM calls WHERE rowid % 2")
    capsys.readouterr()
    main(words[3:])
    took = before["calls"]
    told = f"warning: the attempts took {took} calls, and completions.sqlite holds {took // 2}: some"
    assert told in capsys.readouterr().err


def test_a_folder_that_another_run_has_is_left_as_it_is(world, tmp_path, capsys):
    main(command(world, tmp_path, "--target", "2", "--concurrency", "3")[3:])
    folder = tmp_path / "r"
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock"}
    held = hold(folder / "run")
    try:
        words = refused(command(world, tmp_path, "--target", "2", "--concurrency", "5"), capsys)
    finally:
        os.close(held)
    assert f"in use by another run (process {os.getpid()})" in words
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock"} == before
    main(command(world, tmp_path, "--target", "2", "--concurrency", "5")[3:])
    assert "concurrency: 5" in (folder / "config.yaml").read_text()


def test_hints_take_exemplars_with_answers(world, tmp_path, capsys):
    told = "exemplars: [{id: a, question: 'On which river is Foo?', steps: [{thought: x, action: 'Finish[Nile]'}]}]"
    (tmp_path / "shots.yaml").write_text(told)
    flags = ["--exemplars", str(tmp_path / "shots.yaml"), "--shots", "1", "--target", "1"]
    assert "has no answer that could be a hint" in refused(command(world, tmp_path, *flags, "--hints", "1"), capsys)
    main(command(world, tmp_path, *flags)[3:])


def test_tasks_that_a_file_names_and_the_split_lacks_are_counted(world, tmp_path, capsys):
    first, *_ = trajectory.read(world / "script.jsonl")
    others = [replace(first, task=replace(first.task, id=id)) for id in ("../../x", "/etc/passwd", "q17")]
    trajectory.write(tmp_path / "some.jsonl", [first, first, *others])
    main(command(world, tmp_path, "--tasks_of", str(tmp_path / "some.jsonl"))[3:])
    assert f"3 of 4 tasks of {tmp_path / 'some.jsonl'} are not in 'train'" in capsys.readouterr().err
    assert {record.task.id for record in trajectory.read(tmp_path / "r" / "attempts.jsonl")} == {first.task.id}


def shown_by_prompts(task, tmp_path):
    """The flags for exemplars of which `task` is the only one, with the tasks of `some.jsonl`."""
    shown = {"id": task.id, "question": task.question, "answer": task.answer}
    shown |= {"steps": [{"thought": "x", "action": f"Finish[{task.answer}]"}]}
    (tmp_path / "shots.yaml").write_text(json.dumps({"exemplars": [shown]}))
    some, shots = str(tmp_path / "some.jsonl"), str(tmp_path / "shots.yaml")
    return ["--tasks_of", some, "--exemplars", shots, "--shots", "1"]


def test_tasks_of_a_file_that_prompts_show_are_said_to_be_exemplars(world, tmp_path, capsys):
    by_id = {record.task.id: record for record in trajectory.read(world / "script.jsonl")}
    first, second, *_ = by_id.values()
    trajectory.write(tmp_path / "some.jsonl", [first, second])
    main(command(world, tmp_path, *shown_by_prompts(first.task, tmp_path))[3:])
    said = f"1 of 2 tasks of {tmp_path / 'some.jsonl'} are exemplars of prompts, and not tried"
    assert said in capsys.readouterr().err.splitlines()


def test_a_file_of_which_only_exemplars_are_in_the_split_is_not_said_to_be_of_another(world, tmp_path, capsys):
    first, *_ = trajectory.read(world / "script.jsonl")
    call = command(world, tmp_path, *shown_by_prompts(first.task, tmp_path))
    path, shown = tmp_path / "some.jsonl", "exemplars of prompts, and not tried; name other tasks, or other exemplars"
    trajectory.write(path, [first])
    assert f"no tasks to try: 1 of 1 tasks of {path} are {shown}" in refused(call, capsys)
    trajectory.write(path, [first, replace(first, task=replace(first.task, id="x"))])
    both = f"no tasks to try: 1 of 2 tasks of {path} are not in 'train'; 1 of 2 tasks of {path} are {shown}"
    assert both in refused(call, capsys)


def test_what_was_imported_without_a_match_is_said_to_need_one(world, tmp_path, capsys):
    first, *_ = trajectory.read(world / "script.jsonl")
    other = replace(first, task=replace(first.task, id="x"), provenance={"imported": "chat"})
    trajectory.write(tmp_path / "some.jsonl", [other])
    assert "imported without its --match SPLIT" in refused(
        command(world, tmp_path, "--tasks_of", str(tmp_path / "some.jsonl")), capsys
    )


def test_whoever_stops_a_run_is_told_how_much_there_is(world, tmp_path, capsys, monkeypatch):
    plain, asked = Scripted.complete, iter(range(10**6))

    def stopping(self, request):
        if next(asked) == 20:
            os.kill(os.getpid(), signal.SIGINT)
        return plain(self, request)

    monkeypatch.setattr(Scripted, "complete", stopping)
    with pytest.raises(SystemExit) as ended:
        main(command(world, tmp_path)[3:])
    there = [line for line in capsys.readouterr().err.splitlines() if line.startswith("There are ")]
    assert ended.value.code == 130
    assert re.fullmatch(r"There are \d+ attempts so far, kept \d+ of 3,000( \(yield \d+%\))?\.", *there)
