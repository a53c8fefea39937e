"""What others wrote reaches a terminal as plain lines: it cannot command it, nor forge a line of ours."""

from collections.abc import Iterator

import pytest

from bootstrap import summary
from bootstrap.job import BootstrapConfig
from bootstrap.summary import Counts
from react.mistakes import Mistake, mistakes, plain
from react.models._endpoints import Endpoint
from react.rollout import Outage, Patience
from react.run_folder import folder_name
from react.trajectory import Task, Trajectory

EVIL = "x\x1b[2J\x1b]0;pwned\x07\x9b31m\u202e\r\nOSError: fake: all good"


def lines_of(text: str) -> Iterator[str]:
    for line in text.splitlines():
        assert line.isprintable(), line
        yield line


def test_a_servers_words_are_one_plain_line():
    said = Endpoint("http://127.0.0.1:1/v1", "secret").clean(f"{EVIL} secret")
    assert len(list(lines_of(said))) == 1 and "pwned" in said and said.endswith("all good ***")


@pytest.mark.parametrize("kind", [Mistake, Outage])
def test_a_message_at_the_end_cannot_command_the_terminal(kind, capsys):
    with pytest.raises(SystemExit), mistakes(Outage):
        raise kind(f"first\n  {plain(EVIL)}\n  {EVIL}")
    said = list(lines_of(capsys.readouterr().err))
    assert said[0] == "error: first" and said[1].startswith("  x ")


def test_patience_that_ends_says_why_on_one_line():
    with pytest.raises(Outage) as caught:
        Patience(1).bear(EVIL)
    assert len(list(lines_of(str(caught.value)))) == 1


def test_stored_failures_and_kinds_are_told_on_lines_of_their_own():
    counts = Counts()
    counts.add(Trajectory(Task("q", "", ""), "react", "m", end="failed", error=EVIL))
    found = {"kept": 1, "target": 1, "complete": True, "attempts": 1, "attempts_hinted": 0, "tasks_tried": 1}
    found |= {"yield": 1.0, "kinds": {EVIL: 1}, "left_out": {}, "left_out_examples": {}, "spare": {}, "n_failed": 1}
    found |= {"failures": dict(counts.failures), "failure_examples": sorted(counts.errors), "n_failing": 0}
    found |= {"compared_with": {EVIL: 1}, "budget_used_up": ""}
    said = list(lines_of(summary.told(BootstrapConfig(), found)))
    assert not any(line.startswith("OSError") for line in said) and len(said) == 6
    assert all(key.isprintable() for key in counts.failures)


@pytest.mark.parametrize("name", ["x\x1b[2Jy", "a\nb", "a\x07", "\x9b", "\u202ea", "\ud800"])
def test_a_name_has_no_letters_that_cannot_be_shown(name):
    with pytest.raises(ValueError, match="name is '"):
        folder_name(name)
    assert folder_name("Zürich 3000") == "Zürich 3000"
