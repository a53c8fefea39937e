"""Several servers of one model: the load is shared, an episode stays where its prefix is cached, who fails rests."""

from __future__ import annotations

import base64
import json
import random
import re
import threading
from collections.abc import Sequence
from time import monotonic
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from react._http import Answer, Broken, Headers, Line

_SESSIONS = 10_000  # whose endpoints are remembered: more than run at once
_REST = 60.0  # seconds that a failing endpoint rests at most


class Endpoint:
    """One server. `shown` is its URL without credentials: no text of ours says more, and `clean` keeps others' so."""

    def __init__(self, url: str, key: str) -> None:
        parts = _parts(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        path = quote(parts.path.rstrip("/"), safe="/%")
        self.shown = f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}{path}"
        self.in_flight = 0
        self.failures = 0
        self.failed_at = self.rests_until = 0.0
        user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        basic = base64.b64encode(user.encode()).decode() if parts.username or parts.password else ""
        self._authorization = f"Basic {basic}" if basic else f"Bearer {key}" if key else ""
        secrets = {key, basic, parts.password or "", unquote(parts.password or "")}
        self._secrets = sorted((secret for secret in secrets if len(secret) > 3), key=len, reverse=True)
        self._idle: list[Line] = []
        self._closed = False

    def ask(self, path: str, payload: dict[str, Any] | None, seconds: float) -> Answer:
        """POSTs `payload` as JSON, or GETs without one. Raises Broken. Any number of threads, each on its own line."""
        try:
            line = self._idle.pop()
        except IndexError:
            line = Line(self.shown)
        body = None if payload is None else json.dumps(payload).encode()
        headers: Headers = {"Accept": "application/json", "User-Agent": "staract"}
        if self._authorization:
            headers["Authorization"] = self._authorization
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            return line.exchange("GET" if body is None else "POST", f"{self.shown}/{path}", headers, body, seconds)
        except Broken as error:
            raise Broken(self.clean(str(error))) from None
        finally:
            self._keep(line)

    def clean(self, words: str) -> str:
        """Words from outside, on one short line, without our key: a server may quote it back."""
        for secret in self._secrets:
            words = words.replace(secret, "***")
        words = " ".join(words.split())
        return words if len(words) <= 300 else f"{words[:297]}..."

    def _keep(self, line: Line) -> None:
        if self._closed:
            line.close()
        else:
            self._idle.append(line)

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().close()


class Endpoints:
    """The servers that there are, and which of them is next."""

    def __init__(self, urls: Sequence[str], key: str) -> None:
        self.all = [Endpoint(url, key) for url in urls]
        self._homes: dict[str, Endpoint] = {}
        self._lock = threading.Lock()

    def take(self, session: str) -> Endpoint:
        """The session's endpoint; if it rests, or there is none yet, the one with least to do. Pair with `give`."""
        with self._lock:
            endpoint = self._homes.get(session)
            ready = self._ready()
            if endpoint not in ready:
                endpoint = min(ready, key=lambda one: (one.in_flight, random.random()))
            if session:
                self._homes.pop(session, None)
                self._homes[session] = endpoint
                if len(self._homes) > _SESSIONS:
                    del self._homes[next(iter(self._homes))]
            endpoint.in_flight += 1
            return endpoint

    def give(self, endpoint: Endpoint, started: float, *, failed: bool, rest: float = 0.0) -> None:
        """How a call went. Calls that fail together count once, and what began before a failure says nothing of it."""
        with self._lock:
            endpoint.in_flight -= 1
            if started < endpoint.failed_at:
                return
            if not failed:
                endpoint.failures, endpoint.rests_until = 0, 0.0
                return
            endpoint.failures += 1
            endpoint.failed_at = monotonic()
            endpoint.rests_until = endpoint.failed_at + max(rest, min(_REST, 2.0 ** (endpoint.failures - 1)))

    def other(self) -> bool:
        """Whether there is an endpoint that does not rest, so that nobody need wait."""
        with self._lock:
            return any(one.rests_until <= monotonic() for one in self.all)

    def _ready(self) -> list[Endpoint]:
        now = monotonic()
        return [one for one in self.all if one.rests_until <= now] or [min(self.all, key=lambda one: one.rests_until)]

    def close(self) -> None:
        for endpoint in self.all:
            endpoint.close()


def _parts(url: str) -> Any:
    """The URL, taken apart. ValueError shows it without its credentials."""
    shown = re.sub(r"^(\w+://)?.*@", r"\1", url).partition("?")[0]
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        raise ValueError(f"base_url {shown!r} must be like http://127.0.0.1:8000/v1")
    return parts
