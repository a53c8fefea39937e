"""Any OpenAI-compatible endpoint: vLLM, SGLang, llama.cpp, a vendor's API. What comes back is checked, never trusted.

    python -m eval --backend server --model Qwen/Qwen3-8B --base_url http://10.0.0.1:8000/v1 http://10.0.0.2:8000/v1 ...

Servers differ in what they silently ignore: `n` (the rest is asked for again, with the seeds that follow), stop strings
(cut here). Some refuse an `n` above their slots, or above 1 when greedy: then each completion is asked for alone.
Failures that may pass (429, 5xx, timeouts, broken connections, answers that are none) are tried again, after growing
waits with full jitter; what a server refuses (400, 401, ...) is not. The key comes from an environment variable, and is
shown nowhere. With `--api chat` the whole prompt is one message of the user, and the reply is read as its continuation.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import time
from collections.abc import Callable
from typing import Any

from react._http import Answer, Broken
from react.config import choose
from react.models import Completion, ContextFull, ModelConfig, ModelError, Request
from react.models._answers import NoAnswer, read_completions, read_models, words_of
from react.models._endpoints import Endpoint, Endpoints

_BASE, _LONGEST, _LONGEST_ASKED = 0.5, 30.0, 60.0  # seconds: first wait, longest wait, longest Retry-After honoured
_PROBE = 10.0  # seconds for a server to say which models it has
_PASSING = {408, 409, 425, 429}
_FULL = re.compile(r"context.?(length|size|window)|maximum.{0,40}(token|length)|too many tokens|too long", re.I)
_SAYS_N = re.compile(r"\bn\b")


class Trouble(Exception):
    """A try that failed in a way that may pass; `wait` seconds is what the server asked for."""

    def __init__(self, what: str, wait: float = 0.0) -> None:
        super().__init__(what)
        self.wait = wait


class TooMany(Exception):
    """The server does not take this `n`."""


class Server:
    """A served model. Thread-safe for as many threads as there are: each call has a connection of its own."""

    def __init__(self, config: ModelConfig, key: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self.name = config.model
        self._chat = config.api == "chat"
        self._timeout, self._retries, self._sleep = config.timeout, config.retries, sleep
        self._endpoints = Endpoints(config.base_url, key)
        self.fingerprint = self._probe()

    def complete(self, request: Request) -> list[Completion]:
        completions: list[Completion] = []
        most = request.n
        while missing := request.n - len(completions):
            try:
                completions += self._ask(request, len(completions), min(missing, most))
            except TooMany:
                most = 1
        return completions

    def _ask(self, request: Request, received: int, n: int) -> list[Completion]:
        """At least one and at most `n` of the completions that are missing."""
        payload = self._payload(request, received, n)
        problems: dict[str, str] = {}
        tries = self._retries + len(self._endpoints.all)
        for number in range(tries):
            endpoint, started = self._endpoints.take(request.session), time.monotonic()
            trouble: Trouble | None = None
            try:
                return self._try(endpoint, payload, request)
            except Trouble as error:
                trouble = error
                problems[endpoint.shown] = str(error)
            finally:
                wait = trouble.wait if trouble else 0.0
                self._endpoints.give(endpoint, started, failed=trouble is not None, rest=wait)
            if number + 1 < tries and not self._endpoints.other():
                self._sleep(max(wait, random.uniform(0, min(_LONGEST, _BASE * 2.0 ** min(number, 20)))))
        said = "; ".join(f"{shown}: {problem}" for shown, problem in problems.items())
        raise ModelError(f"{said} ({tries} tries)")

    def _payload(self, request: Request, received: int, n: int) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "model": self.name,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "n": n,
            "seed": request.seed + received,
        }
        # A reply in a chat may begin with an empty line, which is no place to end it: it is cut here, not there.
        if stops := [stop for stop in request.stop if (stop.strip() if self._chat else stop)]:
            payload["stop"] = stops
        if self._chat:
            return payload | {"messages": [{"role": "user", "content": request.prompt}]}
        return payload | {"prompt": request.prompt}

    def _try(self, endpoint: Endpoint, payload: dict[str, Any], request: Request) -> list[Completion]:
        try:
            answer = endpoint.ask("chat/completions" if self._chat else "completions", payload, self._timeout)
        except Broken as error:
            raise Trouble(str(error)) from None
        if answer.status != 200:
            raise _refusal(endpoint, answer, payload["n"])
        try:
            return read_completions(answer, request.stop, request.prompt if self._chat else "")[: payload["n"]]
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
        parts = [
            self.name,
            *set(said.values()),
            *(["chat, continued"] if self._chat else []),
        ]  # a template is in between
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    def close(self) -> None:
        self._endpoints.close()


def load(config: ModelConfig) -> Server:
    """The served model. ValueError: a bad setting, no server that answers, or the models that there are instead."""
    choose("api", config.api, ("completions", "chat"))
    if not config.base_url:
        raise ValueError("the server back end needs base_url, such as http://127.0.0.1:8000/v1")
    key = os.environ.get(config.api_key_env, "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError(f"environment variable {config.api_key_env} holds what cannot be a key")
    return Server(config, key)


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
        return Trouble(f"{answer.status}: {words}", min(answer.retry_after(), _LONGEST_ASKED))
    if answer.status in (400, 413, 422) and _FULL.search(words):
        return ContextFull(words)
    if answer.status in (400, 422) and n > 1 and _SAYS_N.search(words):
        return TooMany()
    if 300 <= answer.status < 400:
        words = f"sent on to {endpoint.clean(answer.headers.get('location', 'nowhere'))}"
    hint = " (does base_url end where the API begins, as in .../v1?)" if answer.status == 404 else ""
    return ModelError(f"{endpoint.shown}: {answer.status}: {words}{hint}")
