"""The server back end against a server that fails on purpose: each fault is injected for real, over loopback."""

from __future__ import annotations

import logging
import re
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import ExitStack
from email.utils import formatdate
from pathlib import Path

import pytest

from react.completions import Recorded
from react.models import Completion, ContextFull, ModelConfig, ModelError, Request
from react.models import load as load_model
from react.models._endpoints import Trouble
from react.models.server import Server, load
from react.notation import Answered, Numbered
from react.trajectory import Step
from tests import fault_server as faults
from tests.fault_server import Fault, FaultServer, good, says, status
from tests.wiki_server import Clock

CANARY = "sk-canary-5d41402abc4b2a76"
PASSWORD = "pa55word-canary"


def _config(*servers: FaultServer, **settings) -> ModelConfig:
    given = {"base_url": [server.url for server in servers], "timeout": 5.0, "retries": 3} | settings
    return ModelConfig(backend="server", model="m", **given)


class Asked:
    """A server model whose waits are noted instead of waited."""

    def __init__(self, *servers: FaultServer, key: str = "", **settings) -> None:
        self.clock = Clock()
        self.waits = self.clock.waits
        self.model = Server(_config(*servers, **settings), key, self.clock)

    def __call__(self, prompt: str = "p", **fields) -> list[Completion]:
        return self.model.complete(Request(prompt, **fields))


@pytest.fixture
def serve() -> Iterator:
    """Starts fault servers that stop when the test ends."""
    with ExitStack() as stack:
        yield lambda *script, **options: stack.enter_context(FaultServer(*script, **options))


def test_everything_of_a_request_is_sent_and_what_comes_is_read(serve) -> None:
    server = serve()
    fields = {"max_tokens": 7, "temperature": 0.7, "top_p": 0.9, "n": 2, "seed": 5}
    completions = Asked(server)("p", stop=("\n", "Q:"), session="s", shared=1, attempt=3, **fields)
    assert server.asked == [{"model": "m", "prompt": "p", "stop": ["\n", "Q:"], **fields}]
    assert completions == [Completion(" 5", "stop", 9, 3, 4), Completion(" 6", "stop", 9, 2, 9)]
    assert server.paths == ["/v1/completions"]


def test_chat_is_one_user_message(serve) -> None:
    server = serve()
    assert Asked(server, api="chat")("p")[0].text == "\n0"
    assert server.asked[0]["messages"] == [{"role": "user", "content": "p"}] and "prompt" not in server.asked[0]
    assert server.paths == ["/v1/chat/completions"] and "stop" not in server.asked[0]


REACT, COT, CUED, STANDARD = (
    "Question: q\nThought 2:",
    "Question: q\nThought: Let's think step by step.",
    "Question: q\nThought 2: I read.\nAction 2:",
    "Question: q\nAnswer:",
)
ACTED = Step("I read.", "Search[Vaal]")


@pytest.mark.parametrize(
    ("prompt", "notation", "reply", "step"),
    [
        (REACT, Numbered("Question"), said, ACTED)
        for said in (
            " I read.\nAction 2: Search[Vaal]",
            "Thought 2: I read.\nAction 2: Search[Vaal]",
            "\n\nThought 2: I read.\n\nAction 2: Search[Vaal]",
            "**Thought 2:** I read.\n**Action 2:** Search[Vaal]\n**Observation 2:** The Vaal is a river.",
            "### Thought 2: I read.\n### Action 2: Search[Vaal]",
            "**Thought 2**: I read.\n\n  **Action 2**: Search[Vaal]",
            "Sure, let us go on.\n\nThought 2: I read.\nAction 2: Search[Vaal]",
            "Question: q\nThought 2: I read.\nAction 2: Search[Vaal]",
            "I read.\nAction 2: Search[Vaal]\nObservation 2: It is.\nThought 3: So.\nQuestion: r\nThought 2: No.",
        )
    ]
    + [
        (REACT, Numbered("Question"), "Action 2: Search[Vaal]", Step("", "Search[Vaal]")),
        (REACT, Numbered("Question"), "I read.", Step("I read.")),
        (COT, Answered("Question", True), "Thought: It is so.\nAnswer: Lima", Step("It is so.", "Finish[Lima]")),
        (COT, Answered("Question", True), "Let's think step by step. So.\n**Answer:** A", Step("So.", "Finish[A]")),
        (COT, Answered("Question", True), "Answer: Lima", Step("", "Finish[Lima]")),
        (STANDARD, Answered("Question"), "\n\nLima\nIt is the capital.", Step("", "Finish[Lima]")),
        (STANDARD, Answered("Question"), "**Answer:** Lima", Step("", "Finish[Lima]")),
    ],
)
def test_a_chat_that_answers_instead_of_going_on_is_read(serve, prompt, notation, reply, step) -> None:
    server = serve(then=says(reply))
    [completion] = Asked(server, api="chat")(prompt, stop=notation.stops(2))
    assert notation.read(completion.text, 2) == step


def test_a_chat_that_is_asked_for_an_action_alone_is_read(serve) -> None:
    for said in (
        "Search[Vaal]",
        "\nSearch[Vaal]\nI hope so.",
        "Action 2: Search[Vaal]\n",
        "**Action 2:** Search[Vaal]",
    ):
        server = serve(then=says(said))
        [completion] = Asked(server, api="chat")(CUED, stop=("\n",))
        assert completion.text.strip() == "Search[Vaal]" and "stop" not in server.asked[0]


def test_a_chat_that_ran_out_of_tokens_says_so(serve) -> None:
    [completion] = Asked(serve(then=says("Thought 2: I read", reason="length")), api="chat")(REACT, stop=("\nQ:",))
    assert (completion.text, completion.reason) == (" I read", "length")


def test_too_few_choices_are_made_up_with_the_seeds_that_follow(serve) -> None:
    server = serve(then=says(n=1))
    assert [completion.text for completion in Asked(server)(n=3, seed=10)] == [" 10", " 11", " 12"]
    assert [(asked["n"], asked["seed"]) for asked in server.asked] == [(3, 10), (2, 11), (1, 12)]


@pytest.mark.parametrize(
    "words", ["n must be 1 when using greedy sampling, got 3", "Field 'n': Value must be between 1"]
)
def test_where_n_is_refused_each_is_asked_for_alone(serve, words: str) -> None:
    server = serve(status(400, {"error": {"message": words}}))
    assert [completion.text for completion in Asked(server)(n=3, seed=7)] == [" 7", " 8", " 9"]
    assert [asked["n"] for asked in server.asked] == [3, 1, 1, 1]


def test_too_many_choices_are_left_out(serve) -> None:
    assert len(Asked(serve(says(n=4)))(n=2)) == 2


def test_a_stop_string_left_in_the_text_is_cut(serve) -> None:
    server = serve(then=says(" yes\nObservation 1: no Question: x", reason="length"))
    assert Asked(server)(stop=("Question:", "\nObs"))[0] == Completion(" yes", "stop", 9, 5, 4)
    assert Asked(server)(stop=("###",))[0].reason == "length"


def test_half_a_character_becomes_a_whole_one(serve) -> None:
    assert Asked(serve(says(" a\ud83d")))()[0].text == " a\ufffd"


def test_an_empty_text_is_an_answer(serve) -> None:
    reply = {"choices": [{"text": "", "finish_reason": "stop"}], "usage": None}
    assert Asked(serve(faults.json_value(reply)))() == [Completion("")]


@pytest.mark.parametrize("reason, named", [("content_filter", "'content_filter'"), ("tool", "'tool'"), (None, "null")])
def test_an_unknown_finish_reason_is_an_error_that_names_it(serve, reason: object, named: str) -> None:
    server = serve(says(" x", reason=reason))
    with pytest.raises(ModelError, match=f"{server.url}: the completion ended with finish_reason {named}"):
        Asked(server)()
    assert len(server.asked) == 1


PASSING: dict[str, tuple[Fault, str]] = {
    "500": (status(500, {"detail": "it broke"}), "500: it broke"),
    "503": (status(503, "busy"), "503: busy"),
    "cut": (faults.cut, "the connection broke"),
    "hang up": (faults.hang_up, "the connection broke"),
    "truncated": (faults.truncated, "no whole JSON"),
    "HTML": (faults.body(b"<html>", "text/html"), "text/html where JSON was expected: <html>"),
    "empty": (faults.body(b""), "an empty answer"),
    "blank": (faults.body(b" \n"), "an empty answer"),
    "not UTF-8": (faults.body(b"\xff\xfe"), "no whole JSON"),
    "deep": (faults.body(b"[" * 200_000), "no whole JSON"),
    "a list": (faults.json_value([]), "no choices in the answer"),
    "no choices": (faults.json_value({"choices": []}), "no choices in the answer"),
    "an error as 200": (faults.json_value({"error": "overload"}), "overload"),
    "null text": (faults.json_value({"choices": [{"text": None, "finish_reason": "stop"}]}), "a choice without text"),
    "null content": (faults.json_value({"choices": [{"message": {"content": None}}]}), "a choice without text"),
    "null message": (faults.json_value({"choices": [{"message": None}]}), "a choice without text"),
    "null choice": (faults.json_value({"choices": [None]}), "a choice without text"),
}


@pytest.mark.parametrize("name", PASSING)
def test_what_may_pass_is_tried_again(serve, name: str) -> None:
    fault, words = PASSING[name]
    server = serve(fault, fault)
    asked = Asked(server)
    assert asked()[0].text == " 0" and len(server.asked) == 3 and len(asked.waits) == 2
    server.then = fault
    with pytest.raises(ModelError) as caught:
        asked()
    assert str(caught.value).startswith(f"{server.url}: ") and words in str(caught.value)
    assert str(caught.value).endswith("(4 tries)") and len(server.asked) == 7


def test_one_that_is_busy_is_waited_for_and_given_up_after_two_minutes(serve) -> None:
    server = serve(status(429), status(429), status(429), status(429), status(429))
    asked = Asked(server, retries=0)
    assert asked()[0].text == " 0" and len(server.asked) == 6
    server.then = status(429)
    before = sum(asked.waits)
    with pytest.raises(
        ModelError, match=rf"^{server.url}: 429: words of 429; nobody was answered for 1[2-5]\d seconds$"
    ):
        asked()
    assert 120 < sum(asked.waits) - before < 160


def test_waits_grow_with_full_jitter_to_a_bound(serve) -> None:
    asked = Asked(serve(then=status(503)), retries=12)
    with pytest.raises(ModelError):
        asked()
    assert all(0 <= wait <= min(30.0, 0.5 * 2**i) for i, wait in enumerate(asked.waits))
    assert len(asked.waits) == 12 and len(set(asked.waits)) == 12 and max(asked.waits) > 2


@pytest.mark.parametrize(
    "late, low, high", [("7", 7, 7), ("0.5", 0.5, 1), ("999", 60, 60), ("soon", 0, 1), ("nan", 0, 1)]
)
def test_retry_after_is_honoured_up_to_a_bound(serve, late: str, low: float, high: float) -> None:
    asked = Asked(serve(status(429, headers={"Retry-After": late})))
    asked()
    assert low <= asked.waits[0] <= high


def test_retry_after_may_be_a_date(serve) -> None:
    asked = Asked(serve(status(503, headers={"Retry-After": formatdate(time.time() + 20, usegmt=True)})))
    asked()
    assert 15 < asked.waits[0] <= 20


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_what_is_refused_is_not_tried_again_and_told_in_the_servers_words(serve, code: int) -> None:
    server = serve(then=status(code))
    with pytest.raises(ModelError, match=rf"{server.url}: {code}: words of {code}"):
        Asked(server)()
    assert len(server.asked) == 1


def test_a_redirection_is_not_followed(serve) -> None:
    server = serve(status(307, {}, {"Location": "https://elsewhere/v1"}))
    with pytest.raises(ModelError, match="307: sent on to https://elsewhere/v1"):
        Asked(server)()


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 2048 tokens. However, you requested 2100 tokens",
        "request (3001 tokens) exceeds the available context size (512 tokens), try increasing it",
        "The input (9 tokens) is longer than the model's context length (8 tokens).",
    ],
)
def test_a_full_context_is_told_from_other_refusals(serve, words: str) -> None:
    with pytest.raises(ContextFull, match=re.escape(words)):
        Asked(serve(status(400, {"error": {"message": words}})))()


def test_a_slow_server_is_given_up_in_time(serve) -> None:
    asked = Asked(serve(faults.slow(2)))
    asked.model._timeout = 0.2
    started = time.monotonic()
    assert asked()[0].text == " 0" and time.monotonic() - started < 1.9


@pytest.mark.parametrize("drip", [faults.trickle(0.05), faults.trickling_headers(0.05)])
def test_a_trickle_does_not_outlast_the_deadline(serve, drip: Fault) -> None:
    asked = Asked(serve(then=drip), retries=1)
    asked.model._timeout = 0.3
    started = time.monotonic()
    with pytest.raises(ModelError, match=r"no whole answer within 0\.3 seconds \(2 tries\)"):
        asked()
    assert time.monotonic() - started < 3


def test_a_kept_connection_that_the_server_closed_is_opened_again(serve) -> None:
    def closing(handler, asked) -> None:
        good(handler, asked)
        handler.close_connection = True

    server = serve(closing, closing, closing)
    asked = Asked(server)
    for _ in range(3):
        asked()
        time.sleep(0.02)
    assert len(server.asked) == 3 and not asked.waits


def test_a_server_that_dies_is_named_and_its_return_is_found(serve) -> None:
    server = FaultServer()
    asked = Asked(server)
    server.stop()
    with pytest.raises(ModelError, match=rf"{server.url}: .*\(4 tries\)"):
        asked()
    serve(port=server.server_address[1])
    assert asked()[0].text == " 0"


def test_the_proxy_of_the_environment_is_used_but_not_for_this_machine(serve, monkeypatch) -> None:
    proxy, server = serve(), serve()
    monkeypatch.setenv("http_proxy", f"http://user:{PASSWORD}@127.0.0.1:{proxy.server_address[1]}")
    monkeypatch.delenv("no_proxy", raising=False)
    assert Asked(base_url=["http://example.invalid/v1"])()[0].text == " 0"
    assert proxy.paths == ["http://example.invalid/v1/completions"]
    Asked(server)()
    assert len(server.asked) == len(proxy.asked) == 1


# Several endpoints.


def test_the_load_is_shared(serve) -> None:
    servers = [serve(then=faults.slow(0.05)) for _ in range(3)]
    asked = Asked(*servers)
    _all_at_once([lambda i=i: asked(session=f"s{i}") for i in range(30)])
    assert all(len(server.asked) >= 3 for server in servers)


def test_a_session_stays_where_its_prefix_is_cached(serve) -> None:
    servers = [serve(), serve(), serve()]
    asked = Asked(*servers)
    for _ in range(5):
        for i in range(6):
            asked(str(i), session=f"s{i}")
    prompts = [{call["prompt"] for call in server.asked} for server in servers]
    assert sum(map(len, prompts)) == 6


def test_a_failing_endpoint_rests_and_others_take_over_at_once(serve) -> None:
    bad, fine = serve(then=status(500)), serve()
    asked = Asked(bad, fine)
    for i in range(20):
        asked(session=f"s{i % 4}")
    assert len(bad.asked) <= 2 and len(fine.asked) == 20 and not asked.waits


def test_a_failing_endpoint_rests_longer_each_time_and_is_taken_back(serve) -> None:
    bad, fine = serve(then=status(500)), serve()
    asked = Asked(bad, fine)
    endpoints = asked.model._endpoints
    endpoint = endpoints.all[0]
    rests = []
    for _ in range(3):
        endpoint.pace.in_flight += 1
        endpoints.give(endpoint, asked.clock.now(), Trouble("down"))
        rests.append(endpoint.pace.rests_until - endpoint.pace.failed_at)
    for _ in range(50):  # begun before the last failure: they fell with it
        endpoint.pace.in_flight += 1
        endpoints.give(endpoint, 0.0, Trouble("down"))
    assert rests == [1, 2, 4] and endpoint.pace.failures == 3 and endpoints.take("", 0.0) is endpoints.all[1]
    endpoint.pace.in_flight += 1
    endpoints.give(endpoint, asked.clock.now())
    assert endpoint.pace.failures == 0 and endpoints.take("", 0.0) is endpoint


def test_all_down_is_said_of_each(serve) -> None:
    one, two = serve(then=status(500)), serve(then=faults.truncated)
    with pytest.raises(
        ModelError, match=rf"{one.url}: 500: .*; .*no whole JSON.*\(5 tries\)|{two.url}: .*; {one.url}: 500"
    ):
        Asked(one, two)()


def test_homes_of_sessions_do_not_pile_up(serve) -> None:
    endpoints = Asked(serve()).model._endpoints
    for i in range(10_100):
        endpoints.give(endpoints.take(f"s{i}", 0.0), 0.0)
    assert len(endpoints._homes) == 10_000


# Loading.


def test_load_names_the_models_there_are(serve) -> None:
    server = serve()
    server.models = [{"id": "b"}, {"id": "a"}]
    with pytest.raises(ValueError, match=rf"{server.url} does not serve 'm'; it serves: a, b"):
        load(_config(server))


@pytest.mark.parametrize(
    "models", [None, status(405), faults.body(b"<html>", "text/html"), faults.json_value({"data": 3})]
)
def test_a_server_that_lists_no_models_is_taken_as_it_is(serve, models) -> None:
    server = serve()
    server.models = models
    assert load_model(_config(server)).complete(Request("p"))[0].text == " 0"


@pytest.mark.parametrize(
    "models, words", [(status(401), "401: words of 401"), (status(503), "no server answers: .*503: words")]
)
def test_load_says_why_a_server_is_of_no_use(serve, models, words: str) -> None:
    server = serve()
    server.models = models
    with pytest.raises(ValueError, match=words):
        load(_config(server))


def test_load_says_promptly_that_nothing_is_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        started = time.monotonic()
        with pytest.raises(ValueError, match=f"no server answers: {url}: cannot connect: "):
            load(ModelConfig(backend="server", model="m", base_url=[url]))
    assert time.monotonic() - started < 3


def test_load_does_with_the_servers_that_are_up(serve) -> None:
    up, down = serve(), serve()
    down.models = status(503)
    load(_config(down, up))


def test_the_fingerprint_is_of_the_model_and_not_of_where_it_is(serve) -> None:
    one, two = serve(), serve()
    one.models = [{"id": "m", "created": 1, "root": "/models/m"}]
    two.models = [{"id": "m", "created": 2, "root": "/models/m"}]
    same = load(_config(one)).fingerprint
    assert load(_config(two, one)).fingerprint == load(_config(two)).fingerprint == same
    two.models = [{"id": "m", "root": "/models/other"}]
    assert load(_config(two)).fingerprint != same
    with pytest.raises(ValueError, match="different models as 'm'"):
        load(_config(one, two))


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"api": "responses"}, "unknown api 'responses'; there are: completions, chat"),
        ({"base_url": []}, "needs base_url"),
        ({"base_url": ["127.0.0.1:80"]}, "base_url '127.0.0.1:80' must be like"),
        ({"base_url": [f"ftp://u:{PASSWORD}@h"]}, "base_url 'ftp://h' must be like"),
        ({"base_url": ["http://h:99999"]}, "must be like"),
        ({"base_url": [f"u:{PASSWORD}@h:1/v1"]}, "base_url 'h:1/v1' must be like"),
        ({"base_url": [f"http://h/v1?key={PASSWORD}"]}, "base_url 'http://h/v1' must be like"),
        ({"timeout": 1e300}, "at most 86400.0 seconds"),
        ({"timeout": 0.0}, "timeout is 0.0; it must be more than 0"),
        ({"retries": -1}, "retries is -1; it must be at least 0"),
    ],
)
def test_a_bad_setting_is_named(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        load(ModelConfig(**({"backend": "server", "base_url": ["http://h"]} | settings)))
    assert PASSWORD not in str(caught.value)


# The key.


def _leaks(secrets: list[str], *texts: object) -> list[str]:
    return [secret for secret in secrets for text in texts if secret in str(text)]


def test_the_key_is_used_and_shown_nowhere(serve, monkeypatch, caplog, capsys, tmp_path: Path) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("STARACT_TEST_KEY", f"{CANARY}\n")
    quoting = {"error": {"message": f"Incorrect API key provided: {CANARY}. " + "x" * 400}}
    filtered = faults.json_value({"choices": [{"text": "", "finish_reason": CANARY}]})
    scripts = [[status(401, quoting)], [filtered], [faults.body(CANARY.encode())] * 4, [status(503, quoting)] * 4]
    server = serve()
    model = load(_config(server, api_key_env="STARACT_TEST_KEY"))
    model._clock = model._endpoints._clock = Clock()
    recorded = Recorded(model, tmp_path / "completions.sqlite")
    said: list[object] = [repr(model), model, model.name, model.fingerprint, repr(model._endpoints.all[0])]
    for script in scripts:
        server.script = list(script)
        with pytest.raises(ModelError) as caught:
            recorded.complete(Request("p"))
        said += [caught.value, *traceback.format_exception(caught.value)]
    server.script = [status(400, {"error": {"message": f"context length of {CANARY}"}})]
    with pytest.raises(ContextFull) as full:
        recorded.complete(Request("p"))
    recorded.complete(Request("q"))
    recorded.close()
    files = [file.read_bytes() for file in tmp_path.iterdir()]
    assert set(server.authorizations) == {f"Bearer {CANARY}"}
    assert not _leaks([CANARY, CANARY[:12]], *said, full.value, caplog.text, *capsys.readouterr(), *files)


def test_credentials_of_a_url_are_used_and_shown_nowhere(serve, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    server = serve(status(401, {"error": f"{PASSWORD}@ is wrong"}))
    url = server.url.replace("//", f"//user:{PASSWORD}%40@")
    model = Server(_config(base_url=[url]), CANARY, Clock())
    with pytest.raises(ModelError) as refused:
        model.complete(Request("p"))
    with pytest.raises(ValueError, match="does not serve 'other'") as other:
        load(ModelConfig(backend="server", model="other", base_url=[url]))
    server.stop()
    with pytest.raises(ModelError) as down:
        model.complete(Request("p"))
    assert set(server.authorizations) == {"Basic dXNlcjpwYTU1d29yZC1jYW5hcnlA"}
    texts = [refused.value, other.value, down.value, *traceback.format_exception(down.value), caplog.text, repr(model)]
    assert not _leaks([PASSWORD, "dXNlcjpw", CANARY], *texts)


@pytest.mark.parametrize("value", [None, "", " \n"])
def test_a_key_that_was_asked_for_and_is_not_there_is_told_before_any_call(serve, monkeypatch, value) -> None:
    for name in ("STARACT_TEST_KEY", ModelConfig.api_key_env):
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    server = serve()
    with pytest.raises(ValueError, match=r"STARACT_TEST_KEY .* holds no key"):
        load(_config(server, api_key_env="STARACT_TEST_KEY"))
    assert not server.authorizations
    for none in ("", ModelConfig.api_key_env):
        load(_config(server, api_key_env=none)).close()


def test_what_cannot_be_a_key_is_named_by_its_variable(serve, monkeypatch) -> None:
    monkeypatch.setenv("STARACT_TEST_KEY", f"{CANARY}\nsecond line")
    with pytest.raises(ValueError, match="STARACT_TEST_KEY") as caught:
        load(_config(serve(), api_key_env="STARACT_TEST_KEY"))
    assert CANARY not in str(caught.value)


# Many at once.


def _all_at_once(calls: list) -> None:
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_many_threads_each_get_their_own_answer(serve) -> None:
    server = serve(*[status(503)] * 20)
    asked = Asked(server, retries=20)
    got: dict[int, str] = {}

    def ask(i: int) -> None:
        got[i] = asked(seed=i)[0].text

    _all_at_once([lambda i=i: ask(i) for i in range(200)])
    assert got == {i: f" {i}" for i in range(200)}
    asked.model.close()
    asked.model.close()


def test_nothing_of_it_is_imported_by_others() -> None:
    program = "import sys, react.models, react.completions, react.models.scripted; print('httptools' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=Path(__file__).parents[1]
    )
    assert done.stdout == "False\n", done.stderr
