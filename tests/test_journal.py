"""The journal keeps what it took: torn lines are cut off, a full disk tears none."""

import os
import signal
import subprocess
import sys

import pytest

from react.journal import Journal
from react.trajectory import Task, Trajectory


def record(n):
    return Trajectory(Task(f"t{n}", "question " * 20, "a"), "react", "m")


def test_what_was_appended_comes_back_over_restarts(tmp_path):
    for n in range(3):
        journal = Journal(tmp_path / "a.jsonl")
        journal.append(record(n))
        journal.close()
        journal.close()
    assert list(journal.read()) == [record(n) for n in range(3)]


@pytest.mark.parametrize("cut", [1, 2, 50, 10_000_000])
def test_a_torn_line_is_cut_off_wherever_it_was_torn(tmp_path, cut):
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    for n in range(3):
        journal.append(record(n))
    journal.close()
    whole = path.read_bytes()
    third = len(whole.splitlines(keepends=True)[2])
    path.write_bytes(whole[: len(whole) - min(cut, third - 1)])
    journal = Journal(path)
    journal.append(record(3))
    assert [row.task.id for row in journal.read()] == ["t0", "t1", "t3"]


def test_a_journal_cut_at_any_byte_lacks_its_last_lines_and_no_other(tmp_path):
    path, written = tmp_path / "a.jsonl", [Trajectory(Task(f"t{n}", "q", "a"), "react", "m") for n in range(2)]
    journal = Journal(path)
    for row in written:
        journal.append(row)
    journal.close()
    whole = path.read_bytes()
    for at in range(len(whole) + 1):
        for tail in (b"", b"\0" * 50)[: 1 + (at % 7 == 0)]:  # what a power cut may leave of what was not synced
            path.write_bytes(whole[:at] + tail)
            opened = Journal(path)
            assert list(opened.read()) == written[: whole[:at].count(b"\n")]
            os.close(opened._file)


def test_a_file_of_one_torn_line_is_emptied(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"x" * 200_000)
    journal = Journal(tmp_path / "a.jsonl")
    assert list(journal.read()) == []


FULL = """
import resource, signal, sys
from pathlib import Path
from react.journal import Journal
from tests.test_journal import record
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
journal = Journal(Path(sys.argv[1]))
for n in range(100):
    journal.append(record(n))
"""


def test_a_disk_that_is_full_is_named_and_leaves_whole_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    run = subprocess.run([sys.executable, "-c", FULL, path], capture_output=True, text=True)
    assert run.returncode == 1 and "File too large" in run.stderr and str(path) in run.stderr
    rows = list(Journal(path).read())
    assert rows and rows == [record(n) for n in range(len(rows))]


KILLED = """
import sys
from pathlib import Path
from react.journal import Journal
from tests.test_journal import record
journal = Journal(Path(sys.argv[1]))
for n in range(10**6):
    journal.append(record(n))
    print(n, flush=True)
"""


def test_what_was_reported_survives_a_kill(tmp_path):
    path = tmp_path / "a.jsonl"
    run = subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE, text=True)
    for line in run.stdout:
        if int(line) == 300:
            break
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert [row.task.id for row in Journal(path).read()][:301] == [f"t{n}" for n in range(301)]
