"""Builds of a catalogue against a world that does not hold still: full disks, other builders, data that change."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from react.environments.shop import indexing, stages
from react.environments.shop.__main__ import main
from react.environments.shop.build import open_catalogue
from react.environments.shop.seal import SUMS
from react.environments.shop.store import Store
from tests.shops import files, official

pytestmark = pytest.mark.usefixtures("cache")

ROOT = Path(__file__).parents[1]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return official(tmp_path / "data", 100)


def told(source: Path, out: Path | None, capsys: pytest.CaptureFixture[str]) -> str:
    """What is said of data that cannot be built of: for a folder, or without one for the cache."""
    if out is None:
        with pytest.raises((OSError, ValueError)) as raised:
            open_catalogue(source)
        return str(raised.value)
    with pytest.raises(SystemExit) as ended:
        main(["build", str(source), "--out", str(out)])
    assert ended.value.code == 2
    return capsys.readouterr().err


def refused(*command: object) -> str:
    """Carries out a command that cannot succeed; its one line."""
    process = python("from react.environments.shop.__main__ import main; main(sys.argv[1:])", *command)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2 and said.startswith("error: ") and said.count("\n") == 1, said
    return said


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", f"import sys\n{code}", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# In a file system of its own, which is larger each time, until the build succeeds.
FILLED = """
import subprocess
from contextlib import redirect_stderr
from io import StringIO
from react.environments.shop.__main__ import main
source, place = sys.argv[1:]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", place], check=True)
for size in range(4, 4000, 4):
    subprocess.run(["mount", "-o", f"remount,size={size}k", place], check=True)
    said = StringIO()
    try:
        with redirect_stderr(said):
            main(["build", source, "--out", f"{place}/shop"])
        break
    except SystemExit as ended:
        print(ended.code, said.getvalue(), end="")
subprocess.run(["cp", "-r", f"{place}/shop", f"{source}/made"], check=True)
"""


def test_a_disk_that_is_full_at_any_moment_costs_nothing_that_was_built(tmp_path: Path, source: Path) -> None:
    (tmp_path / "disk").mkdir()
    own = ["unshare", "--mount", "--map-root-user"]
    mount = [*own, "mount", "-t", "tmpfs", "tmpfs", tmp_path / "disk"]
    if not shutil.which("unshare") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    command = [*own, sys.executable, "-c", f"import sys{FILLED}", source, tmp_path / "disk"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    *failed, built = done.stdout.splitlines()
    assert "100 products" in built and len(failed) > 10
    for line in failed:
        assert line.startswith(f"2 error: {tmp_path}/disk/shop.partial"), line
        assert line.endswith(": no space left on the disk; once there is room, the same command goes on"), line
    named = {Path(line.split(": ")[1]).name for line in failed}
    assert named >= {"catalogue.sqlite", "documents.bin"} and len(named) > 3, named
    main(["build", str(source), "--out", str(tmp_path / "whole")])
    assert files(source / "made") == files(tmp_path / "whole")


# No file of the process may be larger: a write beyond fails with EFBIG, which SQLite calls a disk I/O error.
LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), -1))
from react.environments.shop.__main__ import main
main(sys.argv[2:])
"""


@pytest.mark.parametrize("size", [1 << 10, 1 << 15])
def test_an_error_of_the_disk_names_the_file_and_costs_nothing(tmp_path: Path, source: Path, size: int) -> None:
    command = ["build", source, "--out", tmp_path / "shop"]
    process = python(LIMITED, size, *command)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 2 and said.count("\n") == 1, said
    assert said.startswith(f"error: {tmp_path}/shop.partial/catalogue.sqlite: disk I/O error"), said
    main([str(word) for word in command])
    main(["build", str(source), "--out", str(tmp_path / "whole")])
    assert files(tmp_path / "shop") == files(tmp_path / "whole")


def test_a_build_that_cannot_be_read_now_is_not_thrown_away(tmp_path: Path, source: Path) -> None:
    partial = tmp_path / "shop.partial"
    partial.mkdir()
    (partial / "catalogue.sqlite").symlink_to("/proc/self/mem")  # a real EIO
    said = refused("build", source, "--out", tmp_path / "shop")
    assert f"{partial}/catalogue.sqlite: " in said and (partial / "catalogue.sqlite").is_symlink()


def test_a_build_that_is_damaged_is_removed_and_begins_anew(
    tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("react.environments._build._SAVED_SECONDS", -1.0)
    command = ["build", str(source), "--out", str(tmp_path / "shop")]
    with monkeypatch.context() as patch:
        patch.setattr(indexing, "runs", stopped)
        with pytest.raises(SystemExit):
            main(command)
    path = tmp_path / "shop.partial" / "catalogue.sqlite"
    content = bytearray(path.read_bytes())
    at = content.index(b"B0050") >> 12 << 12
    content[at : at + 4096] = bytes(4096)  # a page of rows, not what says how far the build is
    path.write_bytes(content)
    assert f"{tmp_path}/shop.partial: damaged" in told(source, tmp_path / "shop", capsys)
    main(command)
    main(["build", str(source), "--out", str(tmp_path / "whole")])
    assert files(tmp_path / "shop") == files(tmp_path / "whole")


@pytest.mark.parametrize("name", ["items_shuffle", "items_ins_v2", "items_human_ins", "splits"])
@pytest.mark.parametrize("in_cache", [True, False])
def test_data_that_cannot_be_read_are_named(
    tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str], name: str, in_cache: bool
) -> None:
    path = source / f"{name}.json"
    path.unlink(missing_ok=True)
    path.symlink_to("/proc/self/mem")
    assert str(path) in told(source, None if in_cache else tmp_path / "shop", capsys)


# Says when it really builds, and takes its time.
SLOW = """
import time
from react.environments.shop import rows, stages
from react.environments.shop.__main__ import main
from react.environments.shop.build import open_catalogue
run, add = stages.run, rows.add_product
stages.run = lambda *given: (print("BUILDS", flush=True), run(*given))
rows.add_product = lambda *given: (time.sleep(0.005), add(*given))
print("READY", flush=True)
sys.stdin.readline()
"""


def at_once(code: str, arguments: list[list[object]]) -> list[tuple[int, str, str]]:
    """Status, output and errors of processes that were let go together."""
    processes = []
    for given in arguments:
        command = [sys.executable, "-c", f"import sys{SLOW}{code}", *map(str, given)]
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        processes.append(subprocess.Popen(command, cwd=ROOT, text=True, **pipes))
    for process in processes:
        assert process.stdout and process.stdout.readline() == "READY\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    told = [process.communicate(timeout=120) for process in processes]
    return [(process.returncode, *said) for process, said in zip(processes, told, strict=True)]


@pytest.mark.parametrize("way", [pytest.param("command", marks=pytest.mark.slow), "damaged cache"])
def test_of_three_builders_one_builds_and_all_have_its_catalogue(
    tmp_path: Path, source: Path, cache: Path, way: str
) -> None:
    if way == "command":
        ended = at_once("main(sys.argv[1:])", [["build", source, "--out", tmp_path / "shop"]] * 3)
    else:
        (open_catalogue(source).folder / "order.bin").write_bytes(b"")
        ended = at_once("print(open_catalogue(sys.argv[1]).search(['lamp']))", [[source]] * 3)
    assert [code for code, *_ in ended] == [0, 0, 0], ended
    assert sum(said.count("BUILDS") for _, said, _ in ended) == 1
    assert len({said.replace("BUILDS\n", "") for _, said, _ in ended}) == 1
    assert any("one at a time may write it; waiting for it" in said for *_, said in ended)
    made = tmp_path / "shop" if way == "command" else next(path for path in (cache / "shops").iterdir())
    main(["build", str(source), "--out", str(tmp_path / "whole")])
    assert files(made) == files(tmp_path / "whole")
    assert [*made.parent.glob(f"{made.name}.*")] == []


def test_of_builders_of_different_data_one_wins_and_the_other_is_refused(tmp_path: Path, source: Path) -> None:
    other, out = official(tmp_path / "other", 60), ["--out", tmp_path / "shop"]
    ended = at_once("main(sys.argv[1:])", [["build", source, *out], ["build", other, *out]])
    assert sorted(code for code, *_ in ended) == [0, 2]
    assert any(f"--out {tmp_path}/shop: is there, and was made of other data" in said for *_, said in ended)
    winner = source if ended[0][0] == 0 else other
    main(["build", str(winner), "--out", str(tmp_path / "whole")])
    assert files(tmp_path / "shop") == files(tmp_path / "whole")


@pytest.mark.parametrize("name", ["items_shuffle", "items_ins_v2", "items_human_ins"])
@pytest.mark.parametrize("stage", ["_known", "_merged"])
@pytest.mark.parametrize("in_cache", [True, False])
def test_data_that_change_meanwhile_are_named(
    tmp_path: Path,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    stage: str,
    in_cache: bool,
) -> None:
    real, path = getattr(stages, stage), source / f"{name}.json"

    def changed(*given: Any) -> Any:
        path.write_text(json.dumps(json.loads(path.read_text()), indent=1))
        return real(*given)

    with monkeypatch.context() as patch:
        patch.setattr(stages, stage, changed)
        said = told(source, None if in_cache else tmp_path / "shop", capsys)
    assert f"{path}: changed while a catalogue was built of it" in said
    assert not [*tmp_path.rglob("*.partial")] and not [*tmp_path.rglob(SUMS)]
    assert open_catalogue(source).facts["products"] == "100"


def test_two_builds_are_the_same_bytes_however_often_they_are_saved(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["build", str(source), "--out", str(tmp_path / "one")])
    monkeypatch.setattr("react.environments._build._SAVED_SECONDS", -1.0)
    monkeypatch.setattr(stages, "_PART", 7)
    main(["build", str(source), "--out", str(tmp_path / "two")])
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert Store(tmp_path / "one").fingerprint == open_catalogue(source).fingerprint
    assert os.path.getsize(tmp_path / "one" / "catalogue.sqlite") < 100_000  # nothing that was needed on the way
