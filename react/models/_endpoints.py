"""Several servers of one model: the load is shared, an episode stays where its prefix is cached, who fails rests.

A server that says it is busy (429, or 5xx with Retry-After) is asked less at once, and nothing for a while: no call of
any thread. Each endpoint has as much to do as it gets done, since the next call goes where fewest are under way.
"""

from __future__ import annotations

import base64
import random
import re
import threading
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from react._http import Answer, Broken, Headers, Lines
from react.mistakes import plain
from react.models._pace import Pace

_SESSIONS = 10_000  # whose endpoints are remembered: more than run at once
_PATIENCE = 120.0  # seconds of refusals and nothing else: longer than the minute that vendors count by
_LOOK_AGAIN = 1.0  # seconds; no call of another endpoint tells that one is back


class Clock:
    """What time it is, and how to wait."""

    now = staticmethod(time.monotonic)
    sleep = staticmethod(time.sleep)


class Trouble(Exception):
    """A try that failed in a way that may pass. `busy`: the server takes no more now; `wait` seconds, if it says so."""

    def __init__(self, what: str, busy: bool = False, wait: float = 0.0) -> None:
        super().__init__(what)
        self.busy, self.wait = busy, wait


class Endpoint:
    """One server. `shown` is its URL without credentials: no text of ours says more, and `clean` keeps others' so."""

    def __init__(self, url: str, key: str) -> None:
        parts = _parts(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        path = quote(parts.path.rstrip("/"), safe="/%")
        self.shown = f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}{path}"
        self.pace = Pace()
        self.refusal = ""  # its words when it was last busy
        user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        basic = base64.b64encode(user.encode()).decode() if parts.username or parts.password else ""
        self._authorization = f"Basic {basic}" if basic else f"Bearer {key}" if key else ""
        secrets = {key, basic, parts.password or "", unquote(parts.password or "")}
        self._secrets = sorted((secret for secret in secrets if len(secret) > 3), key=len, reverse=True)
        self._lines = Lines(self.shown)

    def ask(self, path: str, body: bytes | None, seconds: float) -> Answer:
        """POSTs `body`, some JSON, or GETs without one. Raises Broken. Any number of threads, each on its own line."""
        headers: Headers = {"Accept": "application/json", "User-Agent": "staract"}
        if self._authorization:
            headers["Authorization"] = self._authorization
        if body is not None:
            headers["Content-Type"] = "application/json"
        method, url = "GET" if body is None else "POST", f"{self.shown}/{path}"
        try:
            return self._lines.exchange(method, url, headers, body, seconds)
        except Broken as error:
            raise Broken(self.clean(str(error))) from None

    def clean(self, words: str) -> str:
        """Words from outside, on one short line, without our key: a server may quote it back."""
        for secret in self._secrets:
            words = words.replace(secret, "***")
        words = " ".join(plain(words).split())
        return words if len(words) <= 300 else f"{words[:297]}..."

    def close(self) -> None:
        self._lines.close()


class Endpoints:
    """The servers that there are, and which of them is next."""

    def __init__(self, urls: Sequence[str], key: str, clock: Clock) -> None:
        self.all = [Endpoint(url, key) for url in urls]
        self._clock = clock
        self._homes: dict[str, Endpoint] = {}
        self._room = threading.Condition()

    def take(self, session: str, since: float) -> Endpoint:
        """The session's endpoint where it takes a call now, else the one with least to do; waits until there is one.

        Pair with `give`. Trouble: all have refused for long, nobody was answered, and this call has waited `since`.
        """
        while True:
            with self._room:
                found = self._free(session)
                if isinstance(found, Endpoint):
                    self._settle(session, found)
                    now = self._clock.now()
                    at = found.pace.begin(now)
                elif not found:
                    self._room.wait(None if len(self.all) == 1 else _LOOK_AGAIN)
                    continue
                else:
                    self._bear(since)
            if not isinstance(found, Endpoint):
                self._clock.sleep(found)
            elif at <= now or self._waited(found, now, at - now):
                return found

    def _bear(self, since: float) -> None:
        paces = [one.pace for one in self.all]
        waited = self._clock.now() - max(since, *(pace.answered_at for pace in paces))
        if waited > _PATIENCE and not any(pace.in_flight for pace in paces):
            said = "; ".join(f"{one.shown}: {one.refusal}" for one in self.all)
            raise Trouble(f"{said}; nobody was answered for {waited:.0f} seconds")

    def _waited(self, endpoint: Endpoint, now: float, seconds: float) -> bool:
        """Whether it has refused nothing in the meantime: else it takes less, and one's turn comes later."""
        self._clock.sleep(seconds)
        with self._room:
            if endpoint.pace.refused_at < now:
                return True
            endpoint.pace.in_flight -= 1
            return False

    def _free(self, session: str) -> Endpoint | float:
        """An endpoint, or the seconds until one may be asked again; 0.0: until a call ends."""
        now = self._clock.now()
        open = [one for one in self.all if one.pace.closed_until <= now]
        if not open:
            return min(one.pace.closed_until for one in self.all) - now
        sound = [one for one in open if not one.pace.failures]
        back = [one for one in open if one.pace.failures and one.pace.rests_until <= now and one.pace.room >= 1]
        free = [one for one in sound if one.pace.room >= 1] + back
        if not free and sound:
            return 0.0
        home = self._homes.get(session)
        if home is not None and home in free:
            return home
        if not free:  # all fail, and there is nothing better to do than to ask: each call has its own waits
            return min(open, key=lambda one: one.pace.rests_until)
        return min(free, key=lambda one: (one.pace.in_flight, random.random()))

    def _settle(self, session: str, endpoint: Endpoint) -> None:
        if session:
            self._homes.pop(session, None)
            self._homes[session] = endpoint
            if len(self._homes) > _SESSIONS:
                del self._homes[next(iter(self._homes))]

    def give(self, endpoint: Endpoint, started: float, trouble: Trouble | None = None) -> None:
        """How a call went that was begun at `started`."""
        with self._room:
            now = self._clock.now()
            if trouble is None:
                endpoint.pace.answered(started, now)
            elif trouble.busy:
                endpoint.refusal = str(trouble)
                endpoint.pace.refused(started, now, trouble.wait)
                self._room.notify_all()  # who waits for room finds that there will be none for a while
            else:
                endpoint.pace.failed(started, now)
            endpoint.pace.in_flight -= 1
            self._room.notify(max(1, int(min(endpoint.pace.room, _SESSIONS))))

    def other(self) -> bool:
        """Whether there is an endpoint that does not rest, so that nobody need wait."""
        with self._room:
            return any(one.pace.rests_until <= self._clock.now() for one in self.all)

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
