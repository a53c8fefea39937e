"""HTTP exchanges on kept connections, each with one deadline over all of it: headers, a trickling body.

A run makes thousands of small calls a second, one at a time on each connection: what it takes are the system's sockets
and llhttp (httptools), the parser that the servers themselves read with. A tenth of what a general client takes.
"""

from __future__ import annotations

import math
import select
import socket
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http.client import HTTPException
from time import monotonic, time
from urllib.parse import urlsplit

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from react._connect import connected, credentials, left, proxy_of

Headers = dict[str, str]
_LARGEST = 64 * 2**20  # bytes; no honest answer comes near
_HEADERS = 2**16  # bytes; as large a head as any server sends


class Broken(Exception):
    """No whole answer came. The message says what happened, and nothing of what was sent."""


class TooLarge(Broken):
    """An answer was longer than any honest one, and was not read to its end."""


@dataclass(frozen=True)
class Answer:
    """What came back over HTTP; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def retry_after(self) -> float:
        """The seconds that the header `Retry-After`, a number or a date, asks to wait; 0.0 where it asks for none.

        A date is counted from the server's own, if it tells it: our clocks may differ.
        """
        value = self.headers.get("retry-after", "")
        try:
            seconds = float(value)
        except ValueError:
            try:
                date = self.headers.get("date")
                now = parsedate_to_datetime(date).timestamp() if date else time()
                seconds = parsedate_to_datetime(value).timestamp() - now
            except (ValueError, TypeError, OverflowError):
                return 0.0
        return 0.0 if math.isnan(seconds) else max(seconds, 0.0)


class Line:
    """A connection to one server, opened again when it was closed. For one thread at a time."""

    def __init__(self, url: str) -> None:
        self._server = urlsplit(url)
        self._proxy = proxy_of(self._server)
        # A proxy is told the whole URL of what it passes on; with TLS it only connects.
        self._passed_on = credentials(self._proxy) if self._proxy and self._server.scheme == "http" else None
        self._socket: socket.socket | None = None

    def exchange(
        self, method: str, url: str, headers: Headers, body: bytes | None, seconds: float, largest: int = _LARGEST
    ) -> Answer:
        """One request, answered whole within `seconds` and `largest` bytes. Raises Broken. No redirect is followed."""
        said = {**headers, **(self._passed_on or {})}
        request = _head(method, url, tuple(said.items()), self._passed_on is not None)
        request += b"\r\n" if body is None else b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        until = monotonic() + seconds
        reading = _Reading()
        try:
            line = self._opened(until)
            line.settimeout(left(until))
            line.sendall(request)
            reading.read(line, until, largest)
        except TimeoutError:
            raise Broken(f"no whole answer within {seconds:g} seconds") from None
        except (OSError, HttpParserError) as error:
            raise Broken(f"the connection broke: {error or type(error).__name__}") from None
        finally:
            if not reading.may_go_on:
                self.close()
        return Answer(reading.status, reading.headers, b"".join(reading.body))

    def _opened(self, until: float) -> socket.socket:
        """The connection, a new one where the server has closed it: nothing else can be read before a question."""
        if self._socket is not None and _readable(self._socket):
            self.close()
        if self._socket is None:
            try:
                self._socket = connected(self._server, self._proxy, until)
            except TimeoutError:
                raise Broken("cannot connect: no answer") from None
            except (OSError, HTTPException, UnicodeError) as error:
                raise Broken(f"cannot connect: {error}") from None
        return self._socket

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class Lines:
    """Connections to one server, for any number of threads: one for each that asks, kept for who asks next."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._idle: list[Line] = []
        self._closed = False

    def exchange(
        self, method: str, url: str, headers: Headers, body: bytes | None, seconds: float, largest: int = _LARGEST
    ) -> Answer:
        """As that of a `Line`."""
        try:
            line = self._idle.pop()
        except IndexError:
            line = Line(self._url)
        try:
            return line.exchange(method, url, headers, body, seconds, largest)
        finally:
            self._idle.append(line)
            if self._closed:
                self.close()

    def close(self) -> None:
        """Closes the connections that nobody uses now, and the others when they are answered."""
        self._closed = True
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


@lru_cache(maxsize=256)
def _head(method: str, url: str, headers: tuple[tuple[str, str], ...], whole: bool) -> bytes:
    """How a request begins; with the whole URL for a proxy that passes it on."""
    parts = urlsplit(url)
    target = url if whole else f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    lines = [f"{method} {target} HTTP/1.1", f"Host: {parts.netloc}", *map(": ".join, headers)]
    if " " in target or not all(line.isascii() and line.isprintable() for line in lines):
        raise Broken("the request cannot be written as HTTP")  # and is not quoted: a header holds the key
    return "\r\n".join([*lines, ""]).encode()


class _Reading:
    """One answer as it comes; the parser calls what begins with `on_`."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body: list[bytes] = []
        self.may_go_on = False
        self._whole = self._headed = False
        self._size = 0
        self._parser = HttpResponseParser(self)

    def read(self, line: socket.socket, until: float, largest: int) -> None:
        received = 0
        while not self._whole:
            line.settimeout(left(until))
            content = line.recv(2**16)
            if not content:
                return self._ended()
            received += len(content)
            try:
                self._parser.feed_data(content)
            except HttpParserError:
                if not self._whole:
                    raise
                self.may_go_on = False  # whole, with something behind it that nobody asked for
            except HttpParserUpgrade:
                raise ConnectionError("it went over to another protocol") from None
            if self._size > largest:
                raise TooLarge(f"an answer of more than {largest} bytes")
            if received > _HEADERS and not self._headed:
                raise TooLarge(f"a head of more than {_HEADERS} bytes")

    def _ended(self) -> None:
        """The server closed the connection: that is the end of an answer that does not say how long it is."""
        chunked = "chunked" in self.headers.get("transfer-encoding", "").lower()
        if not self._headed or chunked or "content-length" in self.headers:
            raise ConnectionError("it was closed before the answer was whole")

    def on_message_begin(self) -> None:
        if self._whole:
            raise ValueError("a second answer")
        self.headers, self.body, self._headed = {}, [], False

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._headed:  # else it stands behind the body
            self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()
        self._headed = True

    def on_body(self, body: bytes) -> None:
        self.body.append(body)
        self._size += len(body)

    def on_message_complete(self) -> None:
        self._whole = self.status >= 200  # before it there may be others that say to wait
        self._headed = self._whole
        self.may_go_on = self._whole and self._parser.should_keep_alive()


def _readable(line: socket.socket) -> bool:
    poll = select.poll()
    poll.register(line, select.POLLIN)
    return bool(poll.poll(0))
