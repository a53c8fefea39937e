"""Any OpenAI-compatible endpoint: vLLM, SGLang, llama.cpp, a vendor's API. What comes back is checked, never trusted.

    python -m eval --backend server --model Qwen/Qwen3-8B --base_url http://10.0.0.1:8000/v1 http://10.0.0.2:8000/v1 ...

Servers differ in what they silently ignore: `n` (the rest is asked for again, with the seeds that follow), stop strings
(cut here). Some refuse an `n` above their slots, or above 1 when greedy: then each completion is asked for alone.
Failures that may pass (5xx, timeouts, broken connections, answers that are none) are tried again, after growing waits
with full jitter; what a server refuses (400, 401, ...) is not. One that is busy (429, or 5xx with Retry-After) is asked
less at once by all threads together, and that is no failed try; it is given up where it refuses for two minutes, and
answers nobody. The key comes from an environment variable, and is shown nowhere. With `--api chat` the whole prompt is
one message of the user, and the reply is read as its continuation. With `--api tools` it is a chat with tools, and the
reply is what a model says and calls (`react.native`); one call at a time is asked for, where the server knows how to.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from react._http import Answer, Broken
from react.canary import listen
from react.mistakes import choose
from react.models import Completion, ContextFull, ModelConfig, ModelError, Request
from react.models._answers import NoAnswer, read_calls, read_completions, read_models, words_of
from react.models._core import Core
from react.models._endpoints import Clock, Endpoint, Endpoints, Trouble

_BASE, _LONGEST, _LONGEST_ASKED = 0.5, 30.0, 60.0  # seconds: first wait, longest wait, longest Retry-After honoured
_PROBE = 10.0  # seconds for a server to say which models it has
_PASSING = {408, 409, 425, 429}
_FULL = re.compile(r"context.?(length|size|window)|maximum.{0,40}(token|length)|too many tokens|too long", re.I)
_SAYS_N = re.compile(r"\bn\b")


class TooMany(Exception):
    """The server does not take this `n`."""


class Unknown(Exception):
    """The server does not take `parallel_tool_calls`."""


class Server:
    """A served model. Thread-safe for as many threads as there are: each call has a connection of its own.

    Threads that ask, but for the main one, share a core from then on.
    """

    def __init__(self, config: ModelConfig, key: str, clock: Clock | None = None) -> None:
        self.name = config.model
        self._chat, self._calls = config.api == "chat", config.calls
        self._one_call = True  # as long as no server refuses to be asked for it
        self._timeout, self._retries, self._clock = config.timeout, config.retries, clock or Clock()
        self._endpoints = Endpoints(config.base_url, key, self._clock)
        self._core = Core()
        self.fingerprint = self._probe()

    def complete(self, request: Request) -> list[Completion]:
        self._core.join()
        completions: list[Completion] = []
        most, refused = request.n, False
        while missing := request.n - len(completions):
            try:
                completions += self._ask(request, len(completions), min(missing, most))
            except TooMany:
                most = 1
            except Unknown as error:
                if refused:
                    raise ModelError(str(error)) from None
                self._one_call, refused = False, True
        return completions

    def _ask(self, request: Request, received: int, n: int) -> list[Completion]:
        """At least one and at most `n` of the completions that are missing."""
        body = self._body(request, received, n)
        problems: dict[str, str] = {}
        number, tries, since = 0, self._retries + len(self._endpoints.all), self._clock.now()
        while number < tries:
            try:
                endpoint, started = self._endpoints.take(request.session, since), self._clock.now()
            except Trouble as error:
                raise ModelError(str(error)) from None
            trouble: Trouble | None = None
            try:
                return self._try(endpoint, body, request, n)
            except Trouble as error:
                trouble = error
                problems[endpoint.shown] = str(error)
            finally:
                self._endpoints.give(endpoint, started, trouble)
            number += not trouble.busy  # to be refused is no failure: the turn will come
            if number < tries and not trouble.wait and (trouble.busy or not self._endpoints.other()):
                self._clock.sleep(random.uniform(0, min(_LONGEST, _BASE * 2.0 ** min(max(number - 1, 0), 20))))
        said = "; ".join(f"{shown}: {problem}" for shown, problem in problems.items())
        raise ModelError(f"{said} ({tries} tries)")

    def _body(self, request: Request, received: int, n: int) -> bytes:
        """The request as JSON. What its prompt shares with others is not put into quotes anew for each of them."""
        payload: dict[str, Any] = {
            "model": self.name,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "n": n,
            "seed": request.seed + received,
        }
        if self._calls:
            payload |= {"tool_choice": "auto", **({"parallel_tool_calls": False} if self._one_call else {})}
            return f"{json.dumps(payload)[:-1]}, {request.prompt[1:]}".encode()  # it is JSON itself
        # A reply in a chat may begin with an empty line, which is no place to end it: it is cut here, not there.
        if stops := [stop for stop in request.stop if (stop.strip() if self._chat else stop)]:
            payload["stop"] = stops
        shared, own = request.prompt[: request.shared], request.prompt[request.shared :]
        prompt = f'"{_quoted_before(shared)}{_quoted(own)}"'
        asked = f'"messages": [{{"role": "user", "content": {prompt}}}]' if self._chat else f'"prompt": {prompt}'
        return f"{json.dumps(payload)[:-1]}, {asked}}}".encode()

    def _try(self, endpoint: Endpoint, body: bytes, request: Request, n: int) -> list[Completion]:
        try:
            path = "chat/completions" if self._chat or self._calls else "completions"
            answer = endpoint.ask(path, body, self._timeout)
        except Broken as error:
            raise Trouble(str(error)) from None
        if answer.status != 200:
            raise _refusal(endpoint, answer, n)
        try:
            if self._calls:
                return read_calls(answer)[:n]
            return read_completions(answer, request.stop, request.prompt if self._chat else "")[:n]
        except NoAnswer as error:
            raise Trouble(endpoint.clean(str(error))) from None
        except ModelError as error:
            raise ModelError(f"{endpoint.shown}: {endpoint.clean(str(error))}") from None

    def _probe(self) -> str:
        """The fingerprint: of the model's name and what the endpoints say of its weights. ValueError if none has it."""
        down: dict[str, str] = {}
        said: dict[str, str] = {}
        for endpoint in self._endpoints.all:
            try:
                answer = endpoint.ask("models", None, min(self._timeout, _PROBE))
                said |= _identity(endpoint, answer, self.name)
            except (Broken, Trouble) as error:
                down[endpoint.shown] = str(error)
        if len(down) == len(self._endpoints.all):
            raise ValueError("no server answers: " + "; ".join(f"{shown}: {what}" for shown, what in down.items()))
        if len(set(said.values())) > 1:
            raise ValueError(f"the endpoints serve different models as {self.name!r}: {said}")
        parts = [self.name, *set(said.values())]
        if self._chat:
            parts.append("chat, continued")  # a template is in between
        if self._calls:
            parts.append("tools")
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def close(self) -> None:
        self._endpoints.close()


def load(config: ModelConfig) -> Server:
    """The served model. ValueError: a bad setting, no server that answers, or the models that there are instead."""
    choose("api", config.api, ("completions", "chat", "tools"))
    if not config.base_url:
        raise ValueError("the server back end needs base_url, such as http://127.0.0.1:8000/v1")
    key = os.environ.get(config.api_key_env, "").strip()
    if not key and config.api_key_env not in ("", ModelConfig.api_key_env):  # servers of one's own need none
        raise ValueError(f"environment variable {config.api_key_env} (api_key_env) holds no key; set it, or name none")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError(f"environment variable {config.api_key_env} holds what cannot be a key")
    if config.canary and config.api != "completions":
        raise ValueError(f"canary {config.canary!r} is a text to go on from: give --api completions, too")
    server = Server(config, key)
    if config.canary:
        try:
            listen(server, Path(config.canary))
        except BaseException:
            server.close()
            raise
    return server


def _quoted(text: str) -> str:
    """`text` within the quotes of JSON. It is written letter by letter, so that a text may be cut anywhere."""
    return json.dumps(text)[1:-1]


_quoted_before = lru_cache(maxsize=64)(_quoted)


def _identity(endpoint: Endpoint, answer: Answer, name: str) -> dict[str, str]:
    """What an endpoint says of the model's weights; nothing if it does not list its models."""
    if answer.status in (401, 403):
        raise ValueError(f"{endpoint.shown}: {answer.status}: {endpoint.clean(words_of(answer))}")
    if answer.status in _PASSING or (answer.status >= 500 and answer.status != 501):
        raise Trouble(f"{answer.status}: {endpoint.clean(words_of(answer))}")
    models = read_models(answer) if answer.status == 200 else None
    if models is None:
        return {}
    if name not in models:
        there = ", ".join(sorted(models)[:20]) or "none"
        raise ValueError(f"{endpoint.shown} does not serve {name!r}; it serves: {endpoint.clean(there)}")
    return {endpoint.shown: models[name]}


def _refusal(endpoint: Endpoint, answer: Answer, n: int) -> Exception:
    """What a status other than 200 means, in the server's own words."""
    words = endpoint.clean(words_of(answer))
    if answer.status in _PASSING or answer.status >= 500:
        wait = min(answer.retry_after(), _LONGEST_ASKED)
        return Trouble(f"{answer.status}: {words}", answer.status == 429 or wait > 0, wait)
    if answer.status in (400, 413, 422) and _FULL.search(words):
        return ContextFull(words)
    if answer.status in (400, 422) and n > 1 and _SAYS_N.search(words):
        return TooMany()
    if answer.status in (400, 422) and "parallel_tool_calls" in words:
        return Unknown(f"{endpoint.shown}: {answer.status}: {words}")
    if 300 <= answer.status < 400:
        words = f"sent on to {endpoint.clean(answer.headers.get('location', 'nowhere'))}"
    hint = " (does base_url end where the API begins, as in .../v1?)" if answer.status == 404 else ""
    return ModelError(f"{endpoint.shown}: {answer.status}: {words}{hint}")
