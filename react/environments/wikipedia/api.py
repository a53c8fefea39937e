"""A wiki's own API, asked politely.

The MediaWiki Action API (https://www.mediawiki.org/wiki/API:Etiquette): one endpoint, JSON, a User-Agent that says whom
to write to, `maxlag`, gzip, few connections, so many requests a second over all threads. What may pass (429, 5xx,
timeouts, broken connections, a lagging database, answers that are none) is tried again after growing waits with jitter;
where the wiki says how long to wait, nobody asks before. A redirect is not followed.
"""

from __future__ import annotations

import json
import random
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from react._http import Answer, Broken, Headers, Lines, TooLarge
from react.environments.wikipedia.endpoint import agent, is_own, normal
from react.environments.wikipedia.titles import tidy

# Wikimedia allows 200 requests a minute to whom it can write to, and 10 to others (Wikimedia_APIs/Rate_limits, 2026).
_RATE, _OWN_RATE = 3.0, 100.0  # requests a second; the second of a wiki on this machine
_CONNECTIONS = 2
TRIES = 6
_DEAD = 20  # failures in a row, over all threads, after which each request is tried once
_TIMEOUT = 30.0  # seconds for one whole answer
_BASE, _LONGEST, _CROWDED = 1.0, 60.0, 5.0  # seconds: first wait, longest wait, least wait after 429 or maxlag
_LONGEST_ASKED = 300.0  # seconds of rest that are waited for; where the wiki asks for more, it is not there
_LARGEST = 16 * 2**20  # bytes, before and after gzip; the longest articles are 1 MB of text
_ALWAYS = {"format": "json", "formatversion": "2", "maxlag": "5"}
_PASSING = {"maxlag", "ratelimited", "readonly", "timeout"}
_PASSING_KINDS = ("internal_api_error", "cirrussearch-")


class WikiError(Exception):
    """The wiki gave no answer: a failure of the infrastructure, never an observation.

    It is no OSError: that would say that the files of the run itself cannot be written.
    """


class _Trouble(Exception):
    """A try that failed in a way that may pass; `wait` seconds is what the wiki asked for."""

    def __init__(self, what: str, wait: float = 0.0) -> None:
        super().__init__(what)
        self.wait = wait


class Pace:
    """When the next request may go out: `rate` a second over all threads, none while the wiki asked for rest."""

    def __init__(self, rate: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._interval = 1.0 / rate
        self._clock, self._sleep = clock, sleep
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Returns when it is this caller's turn. WikiError where that is too long to wait for."""
        while (left := self._left()) > 0:
            if left > _LONGEST_ASKED:
                raise WikiError(f"the wiki asks not to be asked for another {left:.0f} seconds")
            self._sleep(left)

    def _left(self) -> float:
        with self._lock:
            left = self._next - self._clock()
            if left <= 0:
                self._next = self._clock() + self._interval
            return left

    def rest(self, seconds: float) -> None:
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)


class Api:
    """One endpoint, for any number of threads. Nothing is sent before the first `ask`.

    `contact` is a mail address or URL for the User-Agent; only a wiki on this machine does without. ValueError: it or
    the endpoint is none.
    """

    def __init__(
        self,
        endpoint: str,
        contact: str = "",
        rate: float | None = None,
        timeout: float = _TIMEOUT,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.endpoint = normal(endpoint)
        own = is_own(self.endpoint)
        self._agent = agent(self.endpoint, contact)
        self._timeout, self._sleep = timeout, sleep
        self._pace = Pace(rate or (_OWN_RATE if own else _RATE), clock, sleep)
        self._room = threading.Semaphore(_CONNECTIONS)
        self._lines = Lines(self.endpoint)
        self._failures = 0

    def ask(self, parameters: Mapping[str, str], read: Callable[[Any], object], tries: int = TRIES) -> bytes:
        """The JSON that answers `parameters`, as it came, once `read` can read it. Raises WikiError."""
        url = f"{self.endpoint}?{urlencode({**parameters, **_ALWAYS})}"
        for number in range(tries):
            try:
                content = self._try(url, read)
            except _Trouble as trouble:
                self._failures += 1
                self._pace.rest(trouble.wait)
                if number + 1 == tries or self._failures >= _DEAD:
                    raise WikiError(f"{self.endpoint}: {trouble} ({_times(number + 1)})") from None
                self._sleep(min(_LONGEST, _BASE * 2.0**number) * random.uniform(0.5, 1.0))
            else:
                self._failures = 0
                return content
        raise ValueError(f"tries is {tries}; it must be at least 1")

    def _try(self, url: str, read: Callable[[Any], object]) -> bytes:
        try:
            answer = self._get(url)
            content = _unpacked(answer)
        except TooLarge as error:
            raise WikiError(f"{self.endpoint}: {error}") from None
        except Broken as error:
            raise _Trouble(str(error)) from None
        self._check(answer, content)
        value = _value(answer, content)
        if "error" in value:
            raise self._refusal(value["error"], answer)
        try:
            read(value)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _Trouble(f"an answer that is none: {type(error).__name__}: {tidy(str(error))[:200]}") from None
        return content

    def _check(self, answer: Answer, content: bytes) -> None:
        """Raises for every status but 200."""
        said = f"status {answer.status}{_beginning(answer, content)}"
        if answer.status in (408, 429) or answer.status >= 500:
            raise _Trouble(said, answer.retry_after() or (_CROWDED if answer.status == 429 else 0.0))
        if 300 <= answer.status < 400:
            target = tidy(answer.headers.get("location", "nowhere"))[:200]
            raise WikiError(f"{self.endpoint}: sent on to {target}, which is not followed: give the API's own address")
        if answer.status != 200:
            raise WikiError(f"{self.endpoint}: {said}")

    def _get(self, url: str) -> Answer:
        headers: Headers = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": self._agent}
        with self._room:
            self._pace.wait()
            return self._lines.exchange("GET", url, headers, None, self._timeout, _LARGEST)

    def close(self) -> None:
        """Closes the connections that nobody uses now, and the others when they are answered."""
        self._lines.close()

    def _refusal(self, error: Any, answer: Answer) -> Exception:
        """What an error of the API means; they come with status 200."""
        code = tidy(str(error.get("code", ""))) if isinstance(error, dict) else ""
        info = tidy(str(error.get("info", error) if isinstance(error, dict) else error))[:300]
        if code in _PASSING or code.startswith(_PASSING_KINDS):
            return _Trouble(f"{code}: {info}", answer.retry_after() or (_CROWDED if code in _PASSING else 0.0))
        return WikiError(f"{self.endpoint}: the API refuses: {code}: {info}")


def _unpacked(answer: Answer) -> bytes:
    encoding = answer.headers.get("content-encoding", "").lower()
    if encoding in ("", "identity"):
        return answer.body
    if encoding != "gzip":
        raise Broken(f"the content encoding {tidy(encoding)[:40]!r}, which was not asked for")
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        content = unpacking.decompress(answer.body, _LARGEST)
    except zlib.error as error:
        raise Broken(f"not gzip: {error}") from None
    if unpacking.unconsumed_tail:
        raise TooLarge(f"an answer of more than {_LARGEST} bytes, unpacked")
    if not unpacking.eof:
        raise Broken("gzip that is cut short")
    return content


def _value(answer: Answer, content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise _Trouble(f"not JSON{_beginning(answer, content)}") from None
    if not isinstance(value, dict):
        raise _Trouble(f"JSON, but no object{_beginning(answer, content)}")
    return value


def _beginning(answer: Answer, content: bytes) -> str:
    """The kind of an answer and its first words, for an error."""
    kind = tidy(answer.headers.get("content-type", "")).partition(";")[0][:60] or "of no kind"
    words = tidy(content[:400].decode("utf-8", "replace"))[:100]
    return f" ({kind}: {words!r})" if words else f" ({kind}, empty)"


def _times(tried: int) -> str:
    return "tried once" if tried == 1 else f"tried {tried} times"
