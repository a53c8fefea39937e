"""Building a snapshot: killed at any moment it goes on, nothing is left behind, and the command says what is wrong."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from react.environments import _build
from react.environments.wikipedia import letters, stages
from react.environments.wikipedia.__main__ import main
from react.environments.wikipedia.build import build, open_snapshot
from react.environments.wikipedia.snapshot import Snapshot
from react.environments.wikipedia.sources import pages
from react.lock import hold

pytestmark = pytest.mark.usefixtures("cache")

ROOT = Path(__file__).parents[1]
PAGES = 60


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder of three files; the last repeats two pages, one with a longer text."""
    folder = tmp_path / "source"
    folder.mkdir()
    rows = [
        {"title": f"Page {n}", "text": f"Number {n}. It is one.\nIt is page {n}.", "redirects": [f"P{n}", f"No. {n}"]}
        for n in range(PAGES)
    ]
    rows += [rows[0], {**rows[1], "text": "Number 1, at length. It is one, and one alone, and the first of all."}]
    for number in range(3):
        part = rows[number * PAGES // 3 :][: PAGES // 3 + 2 * (number == 2)]
        (folder / f"part-{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part))
    return folder


def command(source: Path, out: Path) -> list[str]:
    return ["build", str(source), "--out", str(out)]


# Runs the command in a process that saves each step, and kills itself (-9) in the `call`-th call of a function.
KILLED = """
import os, sys
from react.environments import _build
from react.environments.wikipedia import letters, stages
from react.environments.wikipedia.__main__ import main
_build._SAVED_SECONDS, stages._PART, stages._RUN = -1.0, 50, 50
module, name, call = {"stages": stages, "letters": letters}[sys.argv[1]], sys.argv[2], int(sys.argv[3])
real, calls = getattr(module, name), 0
def deadly(*args):
    global calls
    calls += 1
    if calls == call:
        os.kill(os.getpid(), 9)
    return real(*args)
setattr(module, name, deadly)
main(sys.argv[4:])
"""


@pytest.mark.parametrize(
    ("module", "name", "call", "most_read"),
    [
        ("stages", "_insert", 35, PAGES + 2 - 33),
        pytest.param("stages", "_insert", PAGES + 2, 2, marks=pytest.mark.slow),
        pytest.param("stages", "_fingerprint", 1, 0, marks=pytest.mark.slow),
        pytest.param("letters", "add", 3, 0, marks=pytest.mark.slow),
        ("letters", "merge", 1, 0),
        pytest.param("stages", "key", 100, 0, marks=pytest.mark.slow),
        pytest.param("stages", "key", 235, 0, marks=pytest.mark.slow),
    ],
)
def test_a_killed_build_goes_on(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, call: int, most_read: int
) -> None:
    out = tmp_path / "out" / "wiki.sqlite"
    run = [sys.executable, "-c", KILLED, module, name, str(call), *command(source, out)]
    killed = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not out.exists() and Path(f"{out}.partial").exists()

    read: list[Any] = []
    insert = stages._insert
    monkeypatch.setattr(stages, "_insert", lambda database, page: (read.append(page), insert(database, page))[1])
    main(command(source, out))
    assert len(read) <= most_read
    assert [path.name for path in out.parent.iterdir()] == ["wiki.sqlite"]

    build(pages(source), tmp_path / "straight.sqlite")
    snapshot, straight = Snapshot(out), Snapshot(tmp_path / "straight.sqlite")
    assert snapshot.fingerprint == straight.fingerprint
    assert {**snapshot.facts, "sources": ""} == {**straight.facts, "sources": ""}
    assert snapshot.facts["differing_texts"] == "1" and snapshot.facts["pages"] == str(PAGES)
    for title in ("Page 1", "p59", "no. 17", "Pag 10"):
        assert snapshot.find(title) == straight.find(title)
        assert snapshot.similar(f"{title}x") == straight.similar(f"{title}x")


def test_a_build_that_lacks_only_its_name_is_not_built_again(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "wiki.sqlite"
    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr("react.environments.wikipedia.build._publish", stopped)
        main(command(source, out))
    assert not out.exists()
    monkeypatch.setattr(stages, "_insert", lambda *_: pytest.fail("read again"))
    main(command(source, out))
    assert Snapshot(out).facts["pages"] == str(PAGES) and not list(tmp_path.glob("*.partial"))


def test_changed_sources_are_built_anew(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "wiki.sqlite"
    run = [sys.executable, "-c", KILLED, "stages", "_insert", "50", *command(source, out)]
    assert subprocess.run(run, cwd=ROOT, capture_output=True).returncode == -signal.SIGKILL
    (source / "part-0.jsonl").write_text('{"title": "Only", "text": "One."}\n')
    main(command(source, out))
    assert Snapshot(out).find("Page 5") is None and Snapshot(out).find("Only") is not None


def test_in_the_cache_what_a_build_left_damaged_is_built_anew(tmp_path: Path, source: Path, cache: Path) -> None:
    made = open_snapshot(source).path
    made.rename(tmp_path / "whole.sqlite")
    Path(f"{made}.partial").write_bytes(b"no database")
    assert open_snapshot(source).path.read_bytes() == (tmp_path / "whole.sqlite").read_bytes()


@pytest.mark.parametrize("damage", [b"no database", b"SQLite format 3\0" + b"x" * 5000])
@pytest.mark.parametrize("suffix", ["partial", "lock"])
def test_a_file_that_is_no_build_is_left_alone(tmp_path: Path, source: Path, damage: bytes, suffix: str) -> None:
    out = tmp_path / "wiki.sqlite"
    foreign = Path(f"{out}.{suffix}")
    foreign.write_bytes(damage)
    with pytest.raises(SystemExit):
        main(command(source, out))
    assert foreign.read_bytes() == damage and not out.exists()


def test_an_empty_partial_file_is_replaced(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "wiki.sqlite"
    Path(f"{out}.partial").touch()
    main(command(source, out))
    assert Snapshot(out).find("Page 0") is not None and not Path(f"{out}.partial").exists()


def test_the_cache_goes_on_too_and_is_swept(cache: Path, source: Path) -> None:
    code = KILLED.replace(
        "main(sys.argv[4:])", f"from react.environments.wikipedia.build import open_snapshot as o; o({str(source)!r})"
    )
    run = [sys.executable, "-c", code, "stages", "_insert", "50"]
    assert subprocess.run(run, cwd=ROOT, capture_output=True).returncode == -signal.SIGKILL
    snapshots = cache / "snapshots"
    (partial,) = snapshots.glob("*.partial")
    stale = snapshots / "0123.sqlite.partial"
    stale.write_bytes(b"left behind")
    os.utime(stale, (time.time() - 2e5, time.time() - 2e5))
    snapshot = open_snapshot(source)
    assert snapshot.path.name == partial.name.removesuffix(".partial")
    assert list(snapshots.iterdir()) == [snapshot.path]


def test_only_what_nobody_goes_on_with_is_swept(cache: Path, source: Path) -> None:
    snapshots = cache / "snapshots"
    snapshots.mkdir(parents=True)
    for name in ("old", "held", "new"):
        (snapshots / f"{name}.sqlite.partial").touch()
        (snapshots / f"{name}.sqlite.partial-journal").touch()
    for name in ("old", "held"):
        os.utime(snapshots / f"{name}.sqlite.partial", (time.time() - 2e5, time.time() - 2e5))
    (snapshots / "ended.sqlite.partial").symlink_to("where it was")  # found, and gone: another process ended it since
    lock = hold(snapshots / "held.sqlite")
    snapshot = open_snapshot(source)
    os.close(lock)
    left = {f"{name}.sqlite.partial{part}" for name in ("held", "new") for part in ("", "-journal")}
    left |= {snapshot.path.name, "held.sqlite.lock", "ended.sqlite.partial"}
    assert {path.name for path in snapshots.iterdir()} == left


def test_a_folder_that_cannot_be_locked_is_not_waited_for(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuses(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuses)
    with pytest.raises(ValueError, match=r"wiki\.sqlite: cannot be written \(.*cannot be locked: .*No locks available"):
        build(pages(source), tmp_path / "wiki.sqlite")
    assert "waiting" not in capsys.readouterr().err


def test_the_same_command_again_does_nothing(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "wiki.sqlite"
    main(command(source, out))
    said = capsys.readouterr().out
    assert said.startswith(f"{out}: 60 pages, 180 names, fingerprint ") and "1 titles came with more than one" in said
    monkeypatch.setattr(stages, "run", lambda *_: pytest.fail("built again"))
    main(command(source, out))
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (
            ["build", "{source}", "--out", "{made}"],
            "was made of other sources (or these have changed since); remove it",
        ),
        (["build", "{source}", "--out", "{tmp}/wiki.db"], "must end in .sqlite"),
        (["build", "{tmp}/none*.jsonl", "--out", "{tmp}/x.sqlite"], "none*.jsonl: no such file"),
        (["build", "{tmp}/text", "--out", "{tmp}/x.sqlite"], "no format of pages that is known; known are"),
        (["build", "{tmp}/text.sqlite", "--out", "{tmp}/x.sqlite"], "no format of pages that is known; known are"),
        (["build", "{source}", "--out", "{tmp}/text.sqlite"], "text.sqlite: not a Wikipedia snapshot"),
        (["build", "{source}", "--out", "{tmp}/text/x.sqlite"], "cannot be written"),
        (["build", "hf://a", "--out", "{tmp}/x.sqlite"], "neither a folder nor hf://OWNER/NAME/CONFIG"),
        (["build", "", "--out", "{tmp}/x.sqlite"], "is empty; give a file"),
        (["build", "{tmp}/pipe", "--out", "{tmp}/x.sqlite"], "pipe: neither a file nor a folder"),
        (["build", "{source}", "--out", "{tmp}/folder.sqlite"], "folder.sqlite: is there, and is no file"),
        (["build", "~nobodyx/a", "--out", "{tmp}/x.sqlite"], "~nobodyx/a: no such file"),
        (["build", "{source}"], "--out"),
        (["make"], "invalid choice: 'make'"),
        ([], "required"),
    ],
)
def test_a_mistake_is_one_line(
    tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str], args: list[str], problem: str
) -> None:
    (tmp_path / "one.jsonl").write_text('{"title": "A", "text": "B."}\n')
    made = tmp_path / "made.sqlite"
    main(command(tmp_path / "one.jsonl", made))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder.sqlite").mkdir()
    for name in ("text", "text.sqlite"):
        (tmp_path / name).write_text("No pages here.")
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([arg.format(source=source, tmp=tmp_path, made=made) for arg in args])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.startswith("error: ") and said.count("\n") == 1
    assert problem in said and "STARACT_CACHE" not in said
    assert not list(tmp_path.glob("*.partial")) and Snapshot(made).find("A") is not None


def test_a_full_disk_keeps_what_was_built(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(_build, "_SAVED_SECONDS", -1.0)
    with monkeypatch.context() as patch:
        patch.setattr(letters, "merge", full)
        with pytest.raises(SystemExit) as ended:
            main(command(source, tmp_path / "wiki.sqlite"))
        said = capsys.readouterr().err
        assert ended.value.code == 2 and f"{tmp_path / 'wiki.sqlite.partial'}: database or disk is full" in said
    monkeypatch.setattr(stages, "_insert", lambda *_: pytest.fail("read again"))
    main(command(source, tmp_path / "wiki.sqlite"))
    assert Snapshot(tmp_path / "wiki.sqlite").find("Page 7") is not None


def test_progress_is_said(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_build, "_SHOWN_SECONDS", -1.0)
    main(command(source, tmp_path / "wiki.sqlite"))
    said = capsys.readouterr().err
    assert "Wikipedia: reading pages (MB of the sources): 0 of 1\n" in said
    assert re.search(r"Wikipedia: indexing words of pages: 0 of 62\n.*: 62 of 62, [\d,.]+/s", said)
    assert "so far" not in said
    build(pages(source), tmp_path / "other.sqlite")
    assert re.search(r"reading pages: 62, .*/s; 62 pages, [\d,]+/s", capsys.readouterr().err)


def test_a_build_under_way_is_waited_for(tmp_path: Path, source: Path) -> None:
    out = tmp_path / "wiki.sqlite"
    held = hold(out)
    waiting = subprocess.Popen(
        [sys.executable, "-m", "react.environments.wikipedia", *command(source, out)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert waiting.stderr is not None and "waiting for it" in waiting.stderr.readline()
    main_thread_builds = tmp_path / "elsewhere.sqlite"
    main(command(source, main_thread_builds))
    main_thread_builds.rename(out)
    Path(f"{out}.lock").unlink()
    os.close(held)
    assert waiting.communicate(timeout=60)[0].startswith(f"{out}: 60 pages") and waiting.returncode == 0


def test_help_is_quick_to_come() -> None:
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('LOADED', *sys.modules))\n"
        "sys.argv = ['wikipedia', '--help']\n"
        "import runpy; runpy.run_module('react.environments.wikipedia', run_name='__main__', alter_sys=True)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    text, _, loaded = run.stdout.partition("LOADED ")
    assert run.returncode == 0 and "hf://wikimedia/wikipedia/20231101.en" in text
    assert not {"torch", "transformers", "datasets", "numpy", "libzim"} & set(loaded.split())
