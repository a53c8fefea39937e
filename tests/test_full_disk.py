"""A disk that is really full: the run stops with one line, and the same command goes on once there is room."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from react import trajectory
from tests.towns import command, make_world, run

pytestmark = pytest.mark.slow


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if not mount or subprocess.run([mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]).returncode:
        pytest.skip("only root may mount a small disk")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_stops_the_run_and_more_room_lets_it_go_on(tmp_path: Path, small: Path) -> None:
    make_world(tmp_path)
    stopped = run(command(tmp_path, small))
    last = stopped.stderr.splitlines()[-1]
    assert stopped.returncode == 2 and "Traceback" not in stopped.stderr
    assert last.startswith("error: ") and str(small / "r") in last and ("full" in last or "No space" in last)
    attempts = list(trajectory.read(small / "r" / "attempts.jsonl"))
    assert attempts and all(one.end != "failed" for one in attempts)
    again = run(command(tmp_path, small))
    assert again.returncode == 2 and "Traceback" not in again.stderr
    subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
    finished, undisturbed = run(command(tmp_path, small)), run(command(tmp_path, tmp_path / "elsewhere"))
    assert finished.returncode == undisturbed.returncode == 0, finished.stderr
    kept = [folder / "r" / "trajectories.jsonl" for folder in (small, tmp_path / "elsewhere")]
    assert kept[0].read_bytes() == kept[1].read_bytes()
