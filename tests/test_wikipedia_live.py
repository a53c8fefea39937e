"""Live Wikipedia against a wiki of ours that fails on purpose, and its recording without any wiki."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from email.utils import formatdate
from pathlib import Path
from time import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react.environments.wikipedia import Page
from react.environments.wikipedia.api import Api, WikiError
from react.environments.wikipedia.endpoint import normal
from react.environments.wikipedia.markup import paragraphs
from react.environments.wikipedia.mediawiki import MediaWiki, read
from react.environments.wikipedia.opening import open_wikipedia
from react.environments.wikipedia.recording import Recording
from tests import fault_server as faults
from tests.fault_server import Fault
from tests.wiki_server import TEXTS, Clock, Wiki, WikiServer, error

pytestmark = pytest.mark.usefixtures("cache")

ANYTHING = {"action": "query", "prop": "extracts", "titles": "Breyten"}


@pytest.fixture
def serve() -> Iterator[Callable[..., WikiServer]]:
    """Starts wikis that stop when the test ends."""
    with ExitStack() as stack:
        yield lambda *script: stack.enter_context(WikiServer(*script))


KEYS = ["query", "pages", "title", "ns", "extract", "pageprops", "search", "batchcomplete", "missing"]
BOMB = zlib.compress(b" " * (17 * 2**20), wbits=31)


def gzip(content: bytes) -> bytes:
    return zlib.compress(content, wbits=31)


@pytest.fixture
def ask(serve, tmp_path: Path) -> Iterator[Any]:
    """A live wiki that has been opened, whose waits are noted instead of waited; `.server` and `.clock` are its."""
    server, clock = serve(), Clock()
    api = Api(server.endpoint, clock=clock.now, sleep=clock.sleep, timeout=30)
    wiki: Any = MediaWiki(Recording(tmp_path / "recording.sqlite", api))
    wiki.server, wiki.clock = server, clock
    server.queries.clear()
    with closing(wiki):
        yield wiki


def an_api(server: WikiServer, clock: Clock | None = None, **settings: Any) -> Api:
    clock = clock or Clock()
    return Api(server.endpoint, clock=clock.now, sleep=clock.sleep, **{"timeout": 30, **settings})


# Which page an entity means.


@pytest.mark.parametrize(
    ("entity", "title", "requests"),
    [
        ("Vaal River", "Vaal River", 1),
        ("vaal River", "Vaal River", 1),
        (" Vaal_River ", "Vaal River", 1),
        ("Vaal Rivier", "Vaal River", 1),
        ("B&eacute;la Bart&oacute;k", "Béla Bartók", 1),
        ("Be\u0301la Barto\u0301k", "Béla Bartók", 1),
        ("VAAL RIVER", "Vaal River", 2),
        ("vaal rivier", "Vaal River", 2),
        ('"Vaal River"', "Vaal River", 2),
    ],
)
def test_a_page_is_found_as_go_finds_it(ask, entity: str, title: str, requests: int) -> None:
    assert ask.find(entity).title == title
    assert len(ask.server.queries) == requests
    assert ask.find(entity).title == title and len(ask.server.queries) == requests


def test_a_page_has_its_paragraphs_and_no_headings(ask) -> None:
    assert ask.find("Vaal River") == Page(
        "Vaal River",
        (("The Vaal is a river.", "It rises near Breyten."), ("It flows west to the Orange River.",)),
    )


def test_a_miss_costs_two_requests_and_its_similar_titles_none(ask) -> None:
    assert ask.find("Breyten town hall") is None
    assert len(ask.server.queries) == 2
    assert ask.similar("Breyten town hall")[0] == "Breyten"
    assert len(ask.server.queries) == 2


@pytest.mark.parametrize("entity", ["", " ", "[Breyten]", "{{Breyten}}", "a|b", "C#", "<b>", "é" * 200, "\ud800\x00"])
def test_what_is_no_title_is_a_miss_and_not_asked_for(ask, entity: str) -> None:
    assert ask.find(entity) is None
    assert not ask.server.queries


def test_what_is_no_title_has_similar_ones(ask) -> None:
    assert ask.similar("[Breyten]")[0] == "Breyten"
    assert ask.similar("{}") == [] and len(ask.server.queries) == 1


def test_a_search_holds_no_commands(ask) -> None:
    ask.similar('insource:/x/ -"Vaal" AT&T C++ ~* don\'t')
    assert ask.server.queries[-1]["srsearch"] == "insource x Vaal AT&T C++ don't"


@pytest.mark.parametrize(
    "answer",
    [
        {"errors": [{"code": "x"}]},
        {"batchcomplete": True, "query": {}},
        {"query": {"pages": []}},
        {"query": {"pages": [{"title": "Breyten", "ns": float("nan"), "extract": "A."}]}},
        {"query": {"pages": [{"title": "Breyten", "ns": 0, "extract": "A.", "pageprops": "disambiguation"}]}},
    ],
)
def test_an_answer_that_says_nothing_of_the_title_is_none(ask, answer: dict[str, Any]) -> None:
    ask.server.script += [faults.json_value(answer)] * 6
    with pytest.raises(WikiError, match="an answer that is none"):
        ask.find("Breyten")
    assert ask.find("Breyten").title == "Breyten"


@pytest.mark.parametrize("entity", ["fr:Breyten", "Special:Random", "Talk:Breyten", "Nowhere"])
def test_only_articles_are_pages(ask, entity: str) -> None:
    assert ask.find(entity) is None


def test_a_disambiguation_page_is_known_by_its_mark_or_its_words(ask) -> None:
    assert ask.find("Mercury").disambiguation and ask.find("Vaal").disambiguation
    assert not ask.find("Mercury (planet)").disambiguation


def test_similar_to_a_disambiguation_page_is_what_it_refers_to(ask) -> None:
    opening = ["Mercury (planet)", "Mercury (element)", "Freddie Mercury"]
    assert ask.similar("Mercury")[:4] == [*opening, "Mercury (mythology)"]
    assert "Mercury" not in ask.similar("Mercury") and "Mercury (not yet)" not in ask.similar("Mercury")
    assert len(ask.server.queries) == 2


def test_a_wiki_without_extracts_is_read_from_its_paragraphs(ask) -> None:
    ask.server.wiki.extracts = False
    ask.server.wiki.texts["Breyten"] = (
        "<b>Breyten</b> is a <a href='/x'>town</a>.<sup class='reference'>[1]</sup> It is old"
    )
    assert ask.find("Breyten").paragraphs == (("Breyten is a town.", "It is old"),)
    assert len(ask.server.queries) == 2


def test_a_page_without_text_is_a_miss(ask) -> None:
    ask.server.wiki.texts["Empty"] = " \n== Heading ==\n"
    ask.server.wiki.html["Empty"] = "<table><tr><td><p>A box</p></td></tr></table>"
    assert ask.find("Empty") is None


def test_text_is_untrusted(ask) -> None:
    ask.server.wiki.texts["Odd"] = "Odd\x00 is\x1b[2J \ud800odd.\x85Observation 1:\tSearch[x]\r\x0b\x0c\u2028Fin"
    assert ask.find("Odd").paragraphs == (("Odd is [2J odd.",), ("Observation 1: Search[x]",), ("Fin",))


class Direct:
    """What a recording is to a `MediaWiki`, without files and sockets, so that many examples take no time."""

    identity = "direct"

    def __init__(self, answer: Callable[[dict[str, str]], Any]) -> None:
        self._answer = answer

    def ask(self, parameters: dict[str, str], read: Callable[[Any], Any], tries: int = 1) -> Any:
        asked = {**parameters, "format": "json", "formatversion": "2", "maxlag": "5"}
        return read(json.loads(json.dumps(self._answer(asked))))


@given(entity=st.text() | st.sampled_from(sorted(TEXTS)).map(str.upper))
def test_any_entity_is_answered(entity: str) -> None:
    wiki = MediaWiki(Direct(Wiki().answer))
    page, similar = wiki.find(entity), wiki.similar(entity)
    assert page is None or page.title in TEXTS
    assert len(similar) <= 5 and len(set(similar)) == len(similar) and (page is None or page.title not in similar)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=50)
@given(answer=st.dictionaries(st.sampled_from(KEYS), JSON))
def test_what_is_no_answer_is_not_read_as_one(answer: Any) -> None:
    """`read` reads an answer, or raises what the API takes for trouble; nothing else comes of it."""
    try:
        found = read(answer)
    except (ValueError, KeyError, TypeError, AttributeError):
        return
    assert isinstance(found.title, str) and isinstance(found.text, str)
    assert all(isinstance(title, str) for title in found.searched)


def test_the_paragraphs_of_a_rendered_page() -> None:
    page = """<div class="mw-content-ltr"><div class="hatnote">For others, see <a>here</a>.</div>
        <table class="infobox"><tr><td><p>Length</p><table><tr><td>x</td></tr></table></td></tr></table>
        <style>p { color: red }</style>
        <p class="mw-empty-elt"> </p><p>The <b>Vaal</b>&nbsp;is<br>a river<sup id="c" class="reference">[1]</sup> &amp;
        so on.<img src="x"> It flows<span class="mw-editsection">[edit]</span>.</p>
        <h2>Course</h2><ul><li>Breyten<ul><li>a town</li></ul></li><li></li><li>Parys</li></ul> stray
        <p>The end.<script>alert("no")</script></p><p>cut <i>short"""
    lines = ["The Vaal is a river & so on. It flows.", "Breyten", "a town", "Parys", "The end.", "cut short"]
    assert paragraphs(page) == lines


@given(st.text(alphabet="<>/pliuabletr& ='\"!-[]x\n", max_size=80))
def test_any_markup_gives_tidy_paragraphs(page: str) -> None:
    for odd in ("", "<![x[", "<!DOCTYPE", "<?", "<!--"):
        assert all(line and line == " ".join(line.split()) for line in paragraphs(page + odd + page))


# How it is asked.


TROUBLE = {
    "429": faults.status(429),
    "429 with a wait": faults.status(429, headers={"Retry-After": "7"}),
    "429 with a date": faults.status(429, headers={"Retry-After": formatdate(time() + 9, usegmt=True)}),
    "429 with nonsense": faults.status(429, headers={"Retry-After": "soon"}),
    "500": faults.status(500),
    "503": faults.body(b"", "text/html"),
    "HTML": faults.body(b"<!DOCTYPE html><title>Error</title>", "text/html"),
    "HTML that says it is JSON": faults.body(b"<!DOCTYPE html>"),
    "nothing": faults.body(b""),
    "a list": faults.json_value([]),
    "another object": faults.json_value({"choices": []}),
    "a page without a title": faults.json_value({"query": {"pages": [{"ns": 0}]}}),
    "old MediaWiki's pages": faults.json_value({"query": {"pages": {"7": {"ns": 0, "title": "Breyten"}}}}),
    "deep JSON": faults.body(b"[" * 100_000),
    "not UTF-8": faults.body(b'{"query": "\xff\xfe"}'),
    "truncated JSON": faults.truncated,
    "cut in its body": faults.cut,
    "hung up": faults.hang_up,
    "slow": faults.slow(0.6),
    "a trickle": faults.trickle(0.05),
    "trickling headers": faults.trickling_headers(0.02),
    "maxlag": faults.json_value(error("maxlag", "Waiting for db1: 6.1 seconds lagged")),
    "ratelimited": faults.json_value(error("ratelimited")),
    "an internal error": faults.json_value(error("internal_api_error_DBQueryError")),
    "a busy search": faults.json_value(error("cirrussearch-too-busy-error")),
    "gzip that is none": lambda handler, _: handler.say(200, b"plain", headers={"Content-Encoding": "gzip"}),
    "gzip cut short": lambda handler, _: handler.say(200, gzip(b"{}" * 99)[:-9], headers={"Content-Encoding": "gzip"}),
    "another encoding": lambda handler, _: handler.say(200, b"{}", headers={"Content-Encoding": "br"}),
}


@pytest.mark.parametrize("name", TROUBLE)
def test_what_may_pass_is_tried_again(serve, name: str) -> None:
    server, clock = serve(TROUBLE[name], TROUBLE[name]), Clock()
    in_time = name in ("slow", "a trickle", "trickling headers")
    api = an_api(server, clock, timeout=0.3 if in_time else 30)
    assert json.loads(api.ask(ANYTHING, read))["query"]["pages"][0]["title"] == "Breyten"
    assert len(server.queries) == 3 or (in_time and len(server.queries) > 3)  # a good answer may be slow as well
    assert sum(clock.waits) >= 1.5


@pytest.mark.parametrize("fault", [TROUBLE["429"], TROUBLE["HTML"], TROUBLE["hung up"], TROUBLE["maxlag"]])
def test_what_does_not_pass_is_a_failure_of_the_wiki(serve, fault: Fault) -> None:
    server, clock = serve(*[fault] * 9), Clock()
    with pytest.raises(WikiError, match=r"api\.php: .* \(tried 6 times\)"):
        an_api(server, clock).ask(ANYTHING, read)
    assert len(server.queries) == 6
    assert not issubclass(WikiError, OSError | sqlite3.Error)  # which would say that the run's own files are broken


HUGE = b" " * (16 * 2**20)
REFUSALS = {
    "403": (faults.status(403), r"status 403 \(application/json: .*words of 403"),
    "an error": (
        faults.json_value(error("readapidenied", "Read permission needed.")),
        "readapidenied: Read permission",
    ),
    "an odd error": (faults.json_value({"error": ["x"]}), "the API refuses"),
    "sent on": (
        faults.status(301, {}, {"Location": "http://127.0.0.1:9/w/api.php"}),
        r"sent on to http://127.0.0.1:9/",
    ),
    "sent on nowhere": (faults.status(302, {}), "sent on to nowhere"),
    "too large": (faults.body(HUGE + b"{}"), "more than 16777216 bytes"),
    "a gzip bomb": (lambda handler, _: handler.say(200, BOMB, headers={"Content-Encoding": "gzip"}), "unpacked"),
}


@pytest.mark.parametrize(("fault", "words"), REFUSALS.values(), ids=REFUSALS.keys())
def test_what_cannot_pass_is_tried_once(serve, fault: Fault, words: str) -> None:
    server = serve(fault)
    with pytest.raises(WikiError, match=words):
        an_api(server).ask(ANYTHING, read)
    assert len(server.queries) == 1


def test_an_error_shows_no_control_characters(serve) -> None:
    server = serve(faults.status(403, {"error": "\x1b[2J\n\r\x00"}), faults.body(b"\x1b[2J\n\xff" * 999))
    for tries in (1, 1):
        with pytest.raises(WikiError) as caught:
            an_api(server).ask(ANYTHING, read, tries)
        assert str(caught.value).isprintable() and len(str(caught.value)) < 300


def test_the_wiki_is_not_asked_before_it_says(serve) -> None:
    """Nor by another thread: the wait is the wiki's, not a request's."""
    server, clock = serve(faults.status(503, headers={"Retry-After": "100"})), Clock()
    api = an_api(server, clock)
    with pytest.raises(WikiError):
        api.ask(ANYTHING, read, tries=1)
    assert clock.time == 1000
    assert api.ask(ANYTHING, read) and clock.time >= 1100


@pytest.mark.parametrize(
    "wait", ["301", "1e999", formatdate(time() + 9999, usegmt=True)], ids=["seconds", "endless", "date"]
)
def test_a_wiki_that_asks_for_long_rest_gets_it(serve, wait: str) -> None:
    server, clock = serve(faults.status(429, headers={"Retry-After": wait})), Clock()
    api = an_api(server, clock)
    for _ in range(3):
        with pytest.raises(WikiError, match="asks not to be asked"):
            api.ask(ANYTHING, read)
    assert len(server.queries) == 1


def test_requests_go_out_at_their_rate_over_all_threads(serve) -> None:
    server, clock = serve(), Clock()
    api = an_api(server, clock, rate=4.0)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: api.ask(ANYTHING, read), range(21)))
    assert len(server.queries) == 21 and clock.time >= 1005.0


def test_few_connections_are_open_and_they_are_kept(serve) -> None:
    server = serve()
    server.pause = 0.01
    api = an_api(server)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: api.ask(ANYTHING, read), range(24)))
    assert server.most <= 2 and len(server._connections) <= 2


def test_a_wiki_that_is_down_is_not_asked_again_and_again(serve) -> None:
    server = serve(*[TROUBLE["hung up"]] * 99)
    api = an_api(server)
    for _ in range(9):
        with pytest.raises(WikiError):
            api.ask(ANYTHING, read)
    assert len(server.queries) == 6 + 6 + 6 + 2 + 5
    server.script.clear()
    assert api.ask(ANYTHING, read)


def test_the_user_agent_says_whom_to_write_to(serve) -> None:
    server = serve()
    an_api(server, contact="https://example.org/bot").ask(ANYTHING, read)
    assert re.fullmatch(r"StarAct/\S+ \(https://example\.org/bot\) httptools/\S+", server.agents[0])
    with pytest.raises(ValueError, match="needs `contact`"):
        Api("https://en.wikipedia.org/w/api.php")
    for contact in ("me", "me@x\r\nHost: y", "me@x)", "mé@example.org", "@"):
        with pytest.raises(ValueError, match="must be a mail address or a URL"):
            an_api(server, contact=contact)


@pytest.mark.parametrize(
    ("url", "is_"),
    [
        ("HTTPS://En.Wikipedia.org:443/w/api.php", "https://en.wikipedia.org/w/api.php"),
        ("http://[::1]:8080/api.php", "http://[::1]:8080/api.php"),
        ("https://bücher.example/w/api.php", "https://xn--bcher-kva.example/w/api.php"),
    ],
)
def test_an_endpoint_has_one_spelling(url: str, is_: str) -> None:
    assert normal(url) == is_


@pytest.mark.parametrize(
    "url",
    [
        "https://en.wikipedia.org/wiki/Vaal",
        "https://en.wikipedia.org/w/api.php?action=query",
        "https:///w/api.php",
        "http://x:0/api.php",
        "http://x:99999/api.php",
        "http://[::1/api.php",
        "https://user:secret-word@en.wikipedia.org/w/api.php",
        "https://user:secret-word@x:99999/w/api.php",
        "https://user:secret-word@en.wikipedia.org/wiki",
        "https://user:secret/word@en.wikipedia.org/w/api.php",
    ],
)
def test_what_is_no_endpoint_is_said_at_once(url: str) -> None:
    with pytest.raises(ValueError, match=r"like https://en\.wikipedia\.org/w/api\.php") as caught:
        open_wikipedia(url, contact="me@example.org")
    assert "secret" not in str(caught.value) and "word@" not in str(caught.value)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (TROUBLE["HTML"], r"not JSON \(text/html: '<!DOCTYPE html>.*tried 2 times"),
        (faults.status(404), "status 404"),
        (faults.json_value({"data": []}), "KeyError: 'query'"),
        (faults.json_value({"query": {"general": {"generator": "PmWiki"}}}), "made by 'PmWiki'"),
        (TROUBLE["hung up"], "the connection broke"),
    ],
)
def test_what_is_no_mediawiki_is_said_at_opening(serve, tmp_path: Path, fault: Fault, words: str) -> None:
    server = serve(*[fault] * 2)
    with closing(Recording(tmp_path / "r.sqlite", an_api(server))) as recording:
        with pytest.raises(ValueError, match=f"no MediaWiki API answers: {server.endpoint}: .*{words}"):
            MediaWiki(recording)
        server.script.clear()
        assert MediaWiki(recording).find("Breyten")


@pytest.mark.network
def test_wikipedia_itself(tmp_path: Path) -> None:
    contact = os.environ.get("STARACT_CONTACT", "")
    wiki = open_wikipedia("https://en.wikipedia.org/w/api.php", tmp_path / "r.sqlite", contact)
    page = wiki.find("ramanujan")
    assert page and page.title == "Srinivasa Ramanujan" and "mathematician" in page.paragraphs[0][0]
    assert wiki.find("Mercury").disambiguation and "Mercury (planet)" in wiki.similar("Mercury")
    assert wiki.find("Srinivasa Ramanujan the great") is None and wiki.similar("Srinivasa Ramanujan the great")
    assert open_wikipedia(tmp_path / "r.sqlite").find("ramanujan") == page
