"""The record of calls: nothing is asked twice, nothing that was recorded is lost, and what is wrong names the file."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react import exemplars
from react._store import Store
from react.completions import Recorded, _Key, replay
from react.methods import SINGLE, Sampling, Solver
from react.models import Completion, ContextFull, ModelError, Request
from react.notation import Numbered
from react.rollout import attempt
from tests.toys import Said, Toy

ROOT = Path(__file__).parents[1]


class Echo:
    """A model that answers with what it was asked, and counts."""

    def __init__(self, fingerprint: str = "f00d") -> None:
        self.name, self.fingerprint, self.asked, self.closed = "echo", fingerprint, 0, 0
        self.wait = 0.0

    def complete(self, request: Request) -> list[Completion]:
        self.asked += 1
        time.sleep(self.wait)
        if "down" in request.prompt:
            raise ModelError("the server is down")
        if "long" in request.prompt:
            raise ContextFull("the prompt has 9 tokens, the window 8")
        return [Completion(f" {request.prompt[-20:]}/{i}", "length", 7, 3, 2) for i in range(request.n)]

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "completions.sqlite"


REQUESTS = st.builds(
    Request,
    prompt=st.text(st.characters(), max_size=50),
    stop=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    max_tokens=st.integers(1, 2**40),
    temperature=st.floats(0, 2),
    top_p=st.floats(0, 1),
    n=st.integers(1, 3),
    seed=st.integers(0, 2**40),
    attempt=st.integers(0, 99),
    shared=st.integers(0, 60),
    session=st.text(st.characters(), max_size=5),
)


def test_any_request_round_trips_and_only_its_hints_are_no_part_of_it(tmp_path: Path) -> None:
    model = Echo()
    recorded = Recorded(model, tmp_path / "completions.sqlite")
    seen: dict[Request, list[Completion]] = {}

    @settings(max_examples=100, deadline=None)
    @given(REQUESTS)
    def check(request: Request) -> None:
        asked = model.asked
        first = recorded.complete(request)
        assert model.asked == asked + (request not in seen)
        assert seen.setdefault(request, first) == first
        assert recorded.complete(replace(request, shared=0, session="other")) == first
        assert model.asked == asked + (asked + 1 == len(seen))

    check()
    recorded.close()
    replayed = replay(tmp_path / "completions.sqlite")
    assert all(replayed.complete(request) == answer for request, answer in seen.items())


HINTS = {"session", "shared"}  # of Request: they say how to be fast, and nothing of what comes out
_KINDS = {name: kind for name, kind in get_type_hints(Request).items()}
_VALUES = {
    str: st.text(st.characters(), max_size=40),
    int: st.integers(0, 2**40),
    float: st.floats(0, 2),
    tuple[str, ...]: st.lists(st.text(max_size=5), max_size=3).map(tuple),
}


def _key(request: Request) -> bytes:
    return _Key("f00d").of(request)[0]


@pytest.mark.parametrize("name", [field.name for field in fields(Request)])
def test_each_field_changes_the_call_but_the_hints(name: str) -> None:
    """Also one that is added later: it is in the key, or a hint, and then it says so here."""

    @settings(max_examples=50, deadline=None)
    @given(st.builds(Request, **{name: _VALUES[kind] for name, kind in _KINDS.items()}), _VALUES[_KINDS[name]])
    def check(request: Request, value: object) -> None:
        changed = replace(request, **{name: value})
        same = getattr(request, name) == value or name in HINTS
        assert (_key(changed) == _key(request)) is same and (changed == request) is same

    check()


def test_each_letter_of_a_prompt_each_stop_string_and_another_model_change_the_call() -> None:
    shots = exemplars.load(exemplars.of("hotpotqa"))
    prompt = shots.prompt(Numbered("Question"), 6, thoughts=True, actions=True) + "Question: Why?\nThought 1:"
    others = [f"{prompt[:at]}{chr(ord(prompt[at]) ^ 1)}{prompt[at + 1 :]}" for at in range(len(prompt))]
    others += [prompt[:at] + prompt[at + 1 :] for at in (0, len(prompt) // 2, len(prompt) - 1)]
    keys = {_key(Request(text, stop=("\n",))) for text in (prompt, *others)}
    assert len(prompt) > 5000 and len(keys) == len(set(others)) + 1
    stops = [(), ("",), ("\n",), ("\n", "\n"), ("\n\n",), ("\nx",), ("x", "\n"), ("\n", "x"), ('", "',), ("[", "]")]
    assert len({_key(Request(prompt, stop=stop)) for stop in stops}) == len(stops)
    assert _Key("beef").of(Request(prompt))[0] != _key(Request(prompt))


def test_what_sampling_says_is_what_keys_a_call() -> None:
    """From the settings of an attempt down to the key: none is lost on the way."""
    asked: list[bytes] = []

    def key(request: Request) -> str:
        asked.append(_key(request))
        return " I say 1.\nAction 1: Finish[1]"

    base = Sampling(temperature=0.5)
    changes = {field.name: getattr(base, field.name) + 1 for field in fields(Sampling)}
    for sampling in (base, *(replace(base, **{name: value}) for name, value in changes.items())):
        solver = Solver(SINGLE["react"], Toy(), Said(key), lambda task: "")
        attempt(solver, Toy().tasks("train")[0], sampling)
    attempt(solver, replace(Toy().tasks("train")[0], id="another"), base)
    assert len(changes) >= 6 and len(set(asked)) == len(asked) == len(changes) + 2


def test_one_number_written_in_two_ways_is_one_call(path: Path) -> None:
    model = Echo()
    recorded = Recorded(model, path)
    for temperature in (0.0, 0, -0.0):
        recorded.complete(Request("a", temperature=temperature))
    assert model.asked == 1


def test_counts_and_a_second_run_asks_nothing(path: Path) -> None:
    first = Recorded(Echo(), path)
    answers = [first.complete(Request(f"q{i}")) for i in range(5)]
    first.complete(Request("q0"))
    assert (first.calls, first.answered) == (5, 1)
    first.close()
    model = Echo()
    second = Recorded(model, path)
    assert [second.complete(Request(f"q{i}")) for i in range(5)] == answers
    assert (second.calls, second.answered, second.seconds, model.asked) == (0, 5, 0.0, 0)
    assert (second.name, second.fingerprint) == ("echo", "f00d")


def test_a_row_says_what_was_asked(path: Path) -> None:
    recorded = Recorded(Echo(), path)
    recorded.complete(Request("shots|Question: a\ud800?", stop=("\n",), shared=6, session="q1/0"))
    recorded.close()
    with sqlite3.connect(path) as database:
        [(key, session, context, parameters, completions, seconds)] = database.execute("SELECT * FROM calls")
    assert len(key) == 32 and (session, context) == ("q1/0", "Question: a\\ud800?") and seconds >= 0
    assert '"stop": ["\\n"]' in parameters and '"reason": "length"' in completions


def test_failures_are_no_answers_but_a_replay_knows_a_full_context(path: Path) -> None:
    model = Echo()
    recorded = Recorded(model, path)
    for prompt, kind in (("down", ModelError), ("long", ContextFull)) * 2:
        with pytest.raises(kind):
            recorded.complete(Request(prompt))
    assert (model.asked, recorded.calls, recorded.answered) == (4, 0, 0)
    recorded.close()
    replayed = replay(path)
    with pytest.raises(ContextFull, match="9 tokens, the window 8"):
        replayed.complete(Request("long"))
    with pytest.raises(ModelError, match=rf"{re.escape(str(path))} has no record of this call: 'down'"):
        replayed.complete(Request("down"))


def test_threads_that_ask_the_same_make_one_call(path: Path) -> None:
    model = Echo()
    model.wait = 0.05
    recorded = Recorded(model, path)
    answers: list[list[Completion]] = []

    def ask() -> None:
        for i in range(3):
            answers.append(recorded.complete(Request(f"q{i}")))

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (model.asked, recorded.calls, recorded.answered, len(answers)) == (3, 3, 45, 48)


def test_threads_that_ask_the_same_share_its_failure(path: Path) -> None:
    model = Echo()
    model.wait = 0.1
    recorded = Recorded(model, path)
    failed: list[str] = []

    def ask() -> None:
        try:
            recorded.complete(Request("down"))
        except ModelError as error:
            failed.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == ["the server is down"] * 8 and model.asked == 1


def test_one_run_at_a_time(path: Path) -> None:
    recorded = Recorded(Echo(), path)
    with pytest.raises(OSError, match=rf"in use by another run \(process {os.getpid()}\)"):
        Recorded(Echo(), path)
    recorded.close()
    recorded.close()
    with pytest.raises(OSError, match="is closed"):
        recorded.complete(Request("a"))
    Recorded(Echo(), path).close()


def test_a_record_belongs_to_one_model(path: Path) -> None:
    Recorded(Echo(), path).close()
    with pytest.raises(ValueError, match=r"records calls of 'echo' \(f00d\), not of 'echo' \(beef\)"):
        Recorded(Echo("beef"), path)
    Recorded(Echo(), path).close()


def test_close_leaves_one_plain_file_and_closes_the_model(path: Path) -> None:
    model = Echo()
    recorded = Recorded(model, path)
    recorded.complete(Request("a"))
    recorded.close()
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, f"{path.name}.lock"] and model.closed == 1


def _not_a_database(path: Path) -> None:
    path.write_bytes(b"not a database at all\n" * 100)


def _another_database(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (x)")


def _from_the_future(path: Path) -> None:
    Recorded(Echo(), path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 9")


def _filled(path: Path) -> bytes:
    recorded = Recorded(Echo(), path)
    for i in range(50):
        recorded.complete(Request(f"{'x' * 500}{i}"))
    recorded.close()
    return path.read_bytes()


def _truncated(path: Path) -> None:
    content = _filled(path)
    path.write_bytes(content[: len(content) // 2])


def _emptied(path: Path) -> None:
    _filled(path)
    path.write_bytes(b"")


def _overwritten(path: Path) -> None:
    content = bytearray(_filled(path))
    content[8192:20480] = bytes(12288)
    path.write_bytes(content)


@pytest.mark.parametrize(
    "damage", [_not_a_database, _another_database, _from_the_future, _truncated, _emptied, _overwritten]
)
def test_what_is_no_record_is_refused_by_name_and_left_alone(path: Path, damage: object) -> None:
    damage(path)  # type: ignore[operator]
    before = path.read_bytes()
    for opened in (lambda: Recorded(Echo(), path), lambda: replay(path)):
        with pytest.raises(ValueError, match=re.escape(str(path))):
            opened()
    assert path.read_bytes() == before


def _known(path: Path, keys: list[bytes]) -> list[bool] | str:
    """Which calls a record still knows, each with its own answer; or why it is refused."""
    try:
        store = Store(path)
    except ValueError as error:
        return str(error)
    found = [store.get(key) for key in keys]
    store.close()
    assert all(answer in ([], Echo().complete(Request(str(i)))) for i, answer in enumerate(found))
    return [bool(answer) for answer in found]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there can be one: what is made and synced hundreds of times need not reach a disk."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if os.access(shared, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


@pytest.mark.parametrize("which", ["the file", "the log", "the file of a log"])
def test_a_record_cut_at_any_byte_is_whole_or_refused_or_lacks_its_last_calls(memory: Path, which: str) -> None:
    """`the log` is of a process that was killed; a power cut may end it anywhere."""
    path, keys = memory / "c.sqlite", [_key(Request(str(i))) for i in range(12)]
    recorded = Recorded(Echo(), path)
    for i in range(12):
        recorded.complete(Request(str(i)))
    if which == "the file":
        recorded.close()
    names = [path.name, f"{path.name}-wal"]
    whole = {name: (memory / name).read_bytes() for name in names if (memory / name).exists()}
    recorded.close()
    assert len(whole) == 1 + (which != "the file")
    cut = names[which == "the log"]
    size = len(whole[cut])
    fate: Counter[object] = Counter()
    for at in sorted({*range(0, size, 397), *range(40), *range(4090, 4100), *range(size - 20, size + 1)}):
        again = memory / "again"
        again.mkdir()
        for name, content in whole.items():
            (again / name).write_bytes(content[:at] if name == cut else content)
        known = _known(again / path.name, keys)
        if isinstance(known, str):
            assert known.startswith(f"{again / path.name}: ") and "move it away" in known
            assert all((again / name).read_bytes()[:at] == whole[name][:at] for name in whole), "it is left as it is"
        else:
            assert known == sorted(known, reverse=True), "none is missing before another"
        fate["refused" if isinstance(known, str) else sum(known)] += 1
        shutil.rmtree(again)
    assert set(fate) == ({*range(12 + 1)} if which == "the log" else {"refused", 12}), fate


def test_a_kill_while_a_record_is_closed_is_mended(tmp_path: Path) -> None:
    path, torn = tmp_path / "c.sqlite", tmp_path / "torn.sqlite"
    _filled(path)
    with sqlite3.connect(path, isolation_level=None) as database:
        database.executescript("PRAGMA cache_size = 1; BEGIN; UPDATE calls SET completions = 'x'")
        shutil.copy(f"{path}-journal", f"{torn}-journal")
        shutil.copy(path, torn)
        database.execute("ROLLBACK")
    assert torn.read_bytes() != path.read_bytes()
    model = Echo()
    recorded = Recorded(model, torn)
    assert recorded.complete(Request(f"{'x' * 500}7")) == Echo().complete(Request(f"{'x' * 500}7")) and not model.asked


def test_a_kill_while_a_record_is_made_leaves_none_or_a_whole_one(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "c.sqlite"
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        Recorded(Echo(), path)
    assert not path.exists()
    monkeypatch.undo()
    Recorded(Echo(), path).close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c.sqlite", "c.sqlite.lock"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "missing" / "c.sqlite", tmp_path / "file" / "c.sqlite"):
        with pytest.raises(OSError, match=re.escape(str(place))):
            Recorded(Echo(), place)
        with pytest.raises(OSError, match=re.escape(str(place))):
            replay(place)
    with pytest.raises(OSError, match=re.escape(str(tmp_path))):
        Recorded(Echo(), tmp_path)


FULL_DISK = """
import resource, sys
from pathlib import Path
from react.completions import Recorded
from react.models import Request
from tests.test_completions import Echo
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
model = Echo()
recorded = Recorded(model, Path(sys.argv[1]))
for i in range(1000):
    try:
        recorded.complete(Request(f"{'x' * 1000}{i}"))
    except OSError as error:
        asked = model.asked
        assert asked == i + 1, "the failed write was noticed at once"
        try:
            recorded.complete(Request("another"))
        except OSError:
            pass
        assert model.asked == asked, "no further call is made"
        recorded.close()
        print(i, error)
        sys.exit()
"""


def test_a_full_disk_stops_the_calls_and_keeps_the_record(path: Path) -> None:
    said = _python(FULL_DISK, str(path)).communicate(timeout=60)[0]
    count, _, message = said.partition(" ")
    assert message.startswith(f"{path}: the record of calls cannot be used: ")
    model = Echo()
    recorded = Recorded(model, path)
    for i in range(int(count)):
        recorded.complete(Request(f"{'x' * 1000}{i}"))
    assert int(count) > 10 and model.asked == 0


RECORDING = """
import sys
from pathlib import Path
from react.completions import Recorded
from react.models import Request
from tests.test_completions import Echo
recorded = Recorded(Echo(), Path(sys.argv[1]))
for i in range(int(sys.argv[2]), 10**9):
    recorded.complete(Request(f"{'x' * 700}{i}", shared=100))
    sys.stdout.write(f"{i}\\n")
    sys.stdout.flush()
"""


def _python(program: str, *args: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *args]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_nothing_recorded_is_lost_to_a_kill(path: Path) -> None:
    chance, done = random.Random(17), 0
    for _ in range(5):
        process = _python(RECORDING, str(path), str(done))
        assert process.stdout is not None
        assert process.stdout.readline() == f"{done}\n"
        time.sleep(chance.uniform(0, 0.4))
        process.send_signal(signal.SIGKILL)
        lines = process.communicate()[0].splitlines(keepends=True)
        done = int(next((line for line in reversed(lines) if line.endswith("\n")), done)) + 1
    replayed = replay(path)
    replayed.complete(Request(f"{'x' * 700}{done - 1}", shared=100))
    replayed.close()
    model = Echo()
    recorded = Recorded(model, path)
    for i in range(done):
        recorded.complete(Request(f"{'x' * 700}{i}", shared=100))
    assert model.asked == 0 and done >= 5


def test_what_other_records_know_is_copied_and_not_asked(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.sqlite" for name in ("one", "two", "own")]
    for path, prompts in zip(paths[:2], ("ab", "bc"), strict=True):
        recorded = Recorded(Echo(), path)
        answers = {prompt: recorded.complete(Request(prompt)) for prompt in prompts}
        recorded.close()
    before = [path.read_bytes() for path in paths[:2]]
    model = Echo()
    own = Recorded(model, paths[2], reuse=paths[:2])
    assert own.complete(Request("c")) == answers["c"]
    assert [own.complete(Request(prompt))[0].text for prompt in "abd"] == [" a/0", " b/0", " d/0"]
    assert (own.calls, own.answered, model.asked) == (1, 3, 1)
    own.close()
    assert [path.read_bytes() for path in paths[:2]] == before
    alone = replay(paths[2])
    assert [alone.complete(Request(prompt))[0].text for prompt in "abcd"] == [" a/0", " b/0", " c/0", " d/0"]


def test_another_models_record_a_missing_and_an_open_one_are_not_reused(tmp_path: Path) -> None:
    own, other = tmp_path / "own.sqlite", tmp_path / "other.sqlite"
    Recorded(Echo("beef"), other).close()
    with pytest.raises(ValueError, match=r"other\.sqlite records calls of 'echo' \(beef\), not of 'echo' \(f00d\)"):
        Recorded(Echo(), own, reuse=[other])
    with pytest.raises(OSError, match=r"nowhere\.sqlite: there is no record of calls"):
        Recorded(Echo(), own, reuse=[tmp_path / "nowhere.sqlite"])
    with pytest.raises(OSError, match=r"own\.sqlite: the record of calls cannot be used"):
        Recorded(Echo(), own, reuse=[own])
    with pytest.raises(ValueError, match="not a record of calls"):
        (tmp_path / "junk.sqlite").write_bytes(b"junk " * 1000)
        Recorded(Echo(), own, reuse=[tmp_path / "junk.sqlite"])
    Recorded(Echo(), own).close()
