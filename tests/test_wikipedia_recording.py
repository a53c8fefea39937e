"""What a live wiki answered is kept, and answers again: without network, after kill -9, for many threads."""

from __future__ import annotations

import gc
import hashlib
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from eval.evaluate import main
from react import trajectory
from react.environments.wikipedia import opening
from react.environments.wikipedia.__main__ import build
from react.environments.wikipedia.api import Api, WikiError
from react.environments.wikipedia.mediawiki import MediaWiki
from react.environments.wikipedia.opening import open_wikipedia
from react.environments.wikipedia.recording import Recording, is_recording
from react.environments.wikipedia.snapshot import Snapshot
from react.environments.wikipedia.tools import WikipediaEpisode
from react.trajectory import Step, Task, Trajectory
from tests import fault_server as faults
from tests.wiki_server import TEXTS, Clock, WikiServer

pytestmark = pytest.mark.usefixtures("cache")

ROOT = Path(__file__).parent.parent
ENTITIES = [
    "Vaal River",
    "vaal rivier",
    "Mercury",
    "Nowhere town",
    "[x] Vaal",
    "Breyten",
    "Be\u0301la Bartok",
    '"Breyten"',
]
ACTIONS = [*(f"Search[{entity}]" for entity in ENTITIES), "Lookup[Dr.]", "Lookup[Dr.]"]


@pytest.fixture
def server() -> Iterator[WikiServer]:
    with WikiServer() as server:
        yield server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recording.sqlite"


@pytest.fixture
def live(server: WikiServer, path: Path) -> Iterator[Callable[[], MediaWiki]]:
    """Opens the wiki with its recording, for the first time or again."""
    with ExitStack() as stack:

        def opened() -> MediaWiki:
            stack.close()
            clock = Clock()
            recording = Recording(path, Api(server.endpoint, clock=clock.now, sleep=clock.sleep, timeout=30))
            stack.callback(recording.close)
            return MediaWiki(recording)

        yield opened


def observations(wiki: Any) -> list[str]:
    episode = WikipediaEpisode(wiki, lambda answer: 0.0)
    return [episode.act(action).text for action in ACTIONS]


def test_a_live_run_is_repeated_from_what_it_saw(server: WikiServer, path: Path, live) -> None:
    seen = observations(live())
    asked = len(server.queries)
    assert observations(live()) == seen and len(server.queries) == asked
    live().close()
    server.stop()
    assert observations(open_wikipedia(path)) == seen
    assert len(server.queries) == asked
    assert seen[2].startswith("Could not find [Mercury]. Similar: ['Mercury (planet)'") and seen[0] != seen[3]


def test_what_was_not_seen_is_a_failure_and_no_miss(path: Path, live) -> None:
    live().find("Breyten")
    wiki = open_wikipedia(path)
    assert wiki.find("Breyten") and wiki.find("[Breyten]") is None
    for _ in range(2):
        with pytest.raises(
            WikiError, match=r"recording\.sqlite: not in this recording of http://127\.0\.0\.1.*Mercury"
        ):
            wiki.find("Mercury")


def test_a_failure_is_not_kept(server: WikiServer, live) -> None:
    wiki = live()
    server.script += [faults.status(403)]
    with pytest.raises(WikiError):
        wiki.find("Breyten")
    page = wiki.find("Breyten")
    assert page is not None and page.title == "Breyten"


def test_threads_that_want_the_same_ask_once(server: WikiServer, live) -> None:
    wiki = live()
    server.queries.clear()
    server.pause = 0.02
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda i: wiki.find(sorted(TEXTS)[i % 4]), range(64)))
    assert [page.title for page in found if page] == sorted(TEXTS)[:4] * 16
    assert sorted(query["titles"] for query in server.queries) == sorted(TEXTS)[:4]


def test_the_fingerprint_is_the_wiki_while_it_is_asked_and_the_content_after(path: Path, live, tmp_path: Path) -> None:
    wiki = live()
    before = wiki.fingerprint
    wiki.find("Breyten"), wiki.find("Vaal River")
    assert live().fingerprint == before
    one = open_wikipedia(path).fingerprint
    assert one != before and open_wikipedia(path).fingerprint == one
    path.unlink()
    wiki = live()
    wiki.find("Vaal River"), wiki.find("Breyten")
    assert open_wikipedia(path).fingerprint == one, "the order of questions, or the date, is in it"
    wiki.find("Mercury")
    assert open_wikipedia(path).fingerprint != one


def test_a_recording_that_grows_is_read_as_it_was_when_opened(path: Path, live) -> None:
    wiki = live()
    wiki.find("Breyten")
    offline = open_wikipedia(path)
    wiki.find("Mercury")
    with pytest.raises(WikiError):
        offline.find("Mercury")
    assert open_wikipedia(path).find("Mercury")


def test_a_read_only_recording_in_a_read_only_folder_is_read(path: Path, live) -> None:
    live().find("Breyten")
    live().close()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert open_wikipedia(path).find("Breyten")
    finally:
        path.parent.chmod(0o755)


def test_an_answer_is_kept_as_it_came_with_its_date(path: Path, live) -> None:
    live().find("Breyten")
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT parameters, digest, retrieved FROM answers ORDER BY id").fetchall()
    assert '"titles": "Breyten"' in rows[1][0] and "maxlag" not in rows[1][0] and len(rows[1][1]) == 32
    assert abs(datetime.fromisoformat(rows[1][2]).timestamp() - path.stat().st_mtime) < 60


def test_a_recording_has_one_process_that_asks(path: Path, server: WikiServer, live) -> None:
    live()
    with pytest.raises(OSError, match=r"recording\.sqlite is in use by another run \(process \d+\)"):
        Recording(path, Api(server.endpoint))


def test_a_recording_is_of_one_wiki(path: Path, live) -> None:
    live().close()
    with pytest.raises(
        ValueError, match=r"records http://127.0.0.1.*, not http://127.0.0.1:9/w/api.php: choose another"
    ):
        Recording(path, Api("http://127.0.0.1:9/w/api.php"))
    Recording(path).close()


def test_an_empty_recording_says_that_it_is_empty(path: Path) -> None:
    Recording(path, Api("http://127.0.0.1:9/w/api.php")).close()
    with pytest.raises(
        ValueError, match=r"recording\.sqlite: this recording is empty: http://127.*has answered nothing"
    ):
        open_wikipedia(path)


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"x" * 200])
def test_another_file_is_left_alone(path: Path, server: WikiServer, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"recording\.sqlite: not a recording of a wiki"):
        Recording(path, Api(server.endpoint))
    assert path.read_bytes() == content and not is_recording(path)
    with pytest.raises(ValueError, match=r"recording\.sqlite: not a Wikipedia snapshot"):
        open_wikipedia(path)


def test_a_snapshot_is_no_recording(path: Path, server: WikiServer) -> None:
    (path.with_name("pages.jsonl")).write_text('{"title": "Breyten", "text": "Breyten is a town."}')
    build([str(path.with_name("pages.jsonl"))], path.with_name("s.sqlite"))
    with pytest.raises(ValueError, match="of format 'staract-wikipedia-"):
        Recording(path.with_name("s.sqlite"), Api(server.endpoint))
    assert isinstance(open_wikipedia(path.with_name("s.sqlite")), Snapshot)


@pytest.mark.parametrize("damage", ["zeroblob(9)", "substr(answer, 1, 20)", "x''"])
def test_a_damaged_answer_stops_the_run(path: Path, live, damage: str) -> None:
    live().find("Breyten")
    live().close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"UPDATE answers SET answer = {damage} WHERE parameters LIKE '%Breyten%'")
    with pytest.raises(OSError, match=r"damaged at .*Breyten"):
        open_wikipedia(path).find("Breyten")


def test_an_answer_is_not_given_to_another_question(path: Path, live) -> None:
    """A few bits of the index make each answer, itself whole, the answer to another question."""
    seen = observations(live())
    live().close()
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT parameters FROM answers WHERE id > 1 ORDER BY id").fetchall()
    content = path.read_bytes()
    for number, (parameters,) in enumerate(rows, 2):
        entry = parameters.encode() + bytes([number])  # how an index has it
        for other in {2, len(rows) + 1} - {number}:
            path.write_bytes(content.replace(entry, entry[:-1] + bytes([other])))
            assert path.read_bytes() != content
            with pytest.raises(ValueError, match="damaged recording"):
                open_wikipedia(path)
            with pytest.raises(ValueError, match="damaged recording"):
                live()
    path.write_bytes(content)
    assert observations(open_wikipedia(path)) == seen


@pytest.mark.parametrize("at", range(3400, 3990, 29))
def test_a_damaged_recording_is_an_error_of_one_kind(path: Path, live, at: int) -> None:
    seen = observations(live())
    live().close()
    content = bytearray(path.read_bytes())
    content[100 + at : 104 + at] = b"\xac\xff\x00\x81"
    path.write_bytes(content)
    try:
        again = observations(open_wikipedia(path))
    except (ValueError, OSError) as error:
        assert "recording.sqlite" in str(error)
    except WikiError:
        pass
    else:
        assert again == seen


def test_an_answer_that_cannot_be_kept_stops_the_run(path: Path, live) -> None:
    wiki = live()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT RAISE(FAIL, 'disk is full'); END")
    with pytest.raises(OSError, match=r"recording\.sqlite: the recording cannot be used: disk is full"):
        wiki.find("Breyten")


KILLED = """
import sys
from pathlib import Path
from eval.evaluate import main
from react import trajectory
from react.environments.wikipedia import opening
from react.environments.wikipedia.api import Api
from react.environments.wikipedia.mediawiki import MediaWiki
from react.environments.wikipedia.recording import Recording
wiki = MediaWiki(Recording(Path(sys.argv[1]), Api(sys.argv[2], rate=1e9)))
for i in range(1000):
    print(wiki.find(f"Page {i}").title, flush=True)
"""


def test_a_killed_run_has_lost_nothing_that_it_saw(path: Path, server: WikiServer) -> None:
    server.wiki.texts.update({f"Page {i}": f"This is page {i}." for i in range(1000)})
    run = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path), server.endpoint], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    seen = [run.stdout.readline().strip() for _ in range(20)]
    run.send_signal(signal.SIGKILL)
    seen += run.stdout.read().splitlines()
    assert run.wait() == -signal.SIGKILL and 20 <= len(seen) < 1000
    wiki = open_wikipedia(path)
    assert [page.title for name in seen if (page := wiki.find(name))] == seen
    Recording(path, Api(server.endpoint)).close()


def test_a_recording_becomes_a_snapshot(path: Path, live, tmp_path: Path) -> None:
    seen = observations(live())
    build([str(path)], tmp_path / "snapshot.sqlite")
    snapshot = open_wikipedia(tmp_path / "snapshot.sqlite")
    hits = [i for i, text in enumerate(seen) if not text.startswith("Could not")]
    assert [observations(snapshot)[i] for i in hits] == [seen[i] for i in hits] and len(hits) > 4
    assert "Could not find [Mercury]" in observations(snapshot)[2]


# Where pages come from, by their name.


def test_a_wiki_is_recorded_in_the_cache_by_default(server: WikiServer, cache: Path) -> None:
    with closing(open_wikipedia([server.endpoint])) as wiki:  # type: ignore[type-var]
        assert wiki.find("Breyten")
    name = f"127.0.0.1-{hashlib.sha256(server.endpoint.encode()).hexdigest()[:8]}.sqlite"
    assert open_wikipedia(cache / "recordings" / name).find("Breyten")


@pytest.mark.parametrize(
    ("pages", "options", "words"),
    [
        (["http://127.0.0.1:9/w/api.php", "pages.jsonl"], {}, "a live wiki stands alone"),
        ("pages.jsonl", {"contact": "me@example.org"}, "contact is 'me@example.org', but only a live wiki has one"),
        ("pages.jsonl", {"recording": "r.sqlite"}, "recording is 'r.sqlite', but only a live wiki has one"),
        ("http://127.0.0.1:9/w/api.php", {"contact": 7}, "contact is 7"),
        ("http://127.0.0.1:9/w/api.php", {"recording": 7}, "recording is 7"),
        ("http://127.0.0.1:9/w/api.php", {}, "no MediaWiki API answers: http://127.0.0.1:9/.*: cannot connect"),
        (
            "http://nowhere.invalid/w/api.php",
            {"contact": "me@example.org"},
            "nowhere.invalid/w/api.php: cannot connect",
        ),
        ("ftp://en.wikipedia.org/w/api.php", {}, "no such file"),
        ("nowhere.sqlite", {}, "no such file"),
        (7, {}, "7 must be a path or a list of paths"),
    ],
)
def test_what_cannot_be_opened_is_said(monkeypatch: pytest.MonkeyPatch, pages: Any, options: Any, words: str) -> None:
    monkeypatch.setattr(opening, "Api", partial(Api, sleep=Clock().sleep))
    with pytest.raises(ValueError, match=words):
        open_wikipedia(pages, **options)


def test_a_wiki_that_could_not_be_opened_lets_go_of_its_recording(path: Path, server: WikiServer) -> None:
    server.script += [faults.status(404)]
    with pytest.raises(ValueError, match="no MediaWiki API answers"):
        open_wikipedia(server.endpoint, path)
    open_wikipedia(server.endpoint, path).close()  # type: ignore[attr-defined]


# Whole runs.

SITE = {"action": "query", "meta": "siteinfo", "format": "json", "formatversion": "2", "maxlag": "5"}
QUESTION = {"_id": "q1", "question": "Near which town does the Vaal rise?", "answer": "Breyten"}
OTHER = {"_id": "q2", "question": "What is Mercury?", "answer": "a metal"}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[dict[str, Any], list[Trajectory]]]:
    """Evaluates an expert of two questions over `pages`: the summary, and what was recorded."""
    monkeypatch.chdir(tmp_path)
    Path("dev.json").write_text(json.dumps([QUESTION, OTHER]))
    steps = [Step("I look.", "Search[vaal river]", ""), Step("I see.", "Search[Breyten]", "")]
    asks = [Step("I look.", "Search[Mercury]", ""), Step("I see.", "Search[Quicksilver]", "")]
    tasks = [Task("q1", QUESTION["question"], "Breyten"), Task("q2", OTHER["question"], "a metal")]
    told = [
        Trajectory(task, "react", "expert", (*seen, Step("So.", f"Finish[{task.answer}]")), provenance={"attempt": 0})
        for task, seen in zip(tasks, (steps, asks), strict=True)
    ]
    trajectory.write(tmp_path / "expert.jsonl", told)

    def evaluated(name: str, pages: str, failing: bool = False) -> tuple[dict[str, Any], list[Trajectory]]:
        options = json.dumps({"dev": "dev.json", "pages": pages})
        scene = ["--environment", "hotpotqa", "--environment_options", options, "--shots", "0"]
        with pytest.raises(SystemExit, match="2") if failing else nullcontext():
            main(["--name", name, *scene, "--backend", "scripted", "--model", "expert.jsonl"])
        folder = Path("runs/eval") / name
        return json.loads((folder / "summary.json").read_text()), list(trajectory.read(folder / "trajectories.jsonl"))

    return evaluated


def test_a_run_over_a_live_wiki_is_run_again_without_it(run, server: WikiServer, cache: Path) -> None:
    summary, live = run("live", server.endpoint)
    assert (summary["n"], summary["n_failed"], summary["em"]["value"]) == (2, 0, 1.0)
    server.stop()
    (recording,) = (cache / "recordings").glob("*.sqlite")
    again, offline = run("offline", str(recording))
    assert again["em"] == summary["em"] and again["environment_fingerprint"] != summary["environment_fingerprint"]
    assert [one.steps for one in offline] == [one.steps for one in live]
    assert {one.task.id: one.provenance["pages"] for one in live}["q1"] == ["Vaal River", "Breyten"]


def test_a_wiki_that_fails_is_no_wrong_answer(run, server: WikiServer) -> None:
    """The attempt is recorded as failed, the run goes on, and the same command tries it again."""
    gc.collect()  # lets go of the recording, as the end of a process does
    server.script += [lambda handler, _: handler.say_json(200, server.wiki.answer(SITE)), faults.status(403)]
    summary, _ = run("second", server.endpoint, failing=True)
    assert (summary["n"], summary["n_failed"], summary["failures"]) == (1, 1, {"WikiError": 1})
    gc.collect()
    again, _ = run("second", server.endpoint)
    assert (again["n"], again["n_failed"], again["em"]["value"]) == (2, 0, 1.0)


@pytest.mark.parametrize("environment", ["hotpotqa", "fever"])
def test_a_wiki_that_is_none_is_a_mistake_of_one_line(environment: str, server: WikiServer, capsys: Any) -> None:
    server.script += [faults.status(403, {"error": "no\nrobots"})]
    options = json.dumps({"pages": server.endpoint})
    with pytest.raises(SystemExit, match="2"):
        main(["--environment", environment, "--environment_options", options, "--model", "smollm2"])
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and said[0].startswith(f"error: no MediaWiki API answers: {server.endpoint}: status 403")
