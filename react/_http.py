"""HTTP exchanges on kept connections, each with one deadline over all of it: connecting, headers, a trickling body."""

from __future__ import annotations

import math
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import monotonic, time
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore

Headers = dict[bytes | str, bytes | str]
_LARGEST = 64 * 2**20  # bytes; no honest answer comes near
_CONNECT = 10.0  # seconds; an address that does not answer by then is down
_FAILURES = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)


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
        """The seconds that the header `Retry-After`, a number or a date, asks to wait; 0.0 where it asks for none."""
        value = self.headers.get("retry-after", "")
        try:
            seconds = float(value)
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - time()
            except (ValueError, TypeError, OverflowError):
                return 0.0
        return 0.0 if math.isnan(seconds) else max(seconds, 0.0)


class Line:
    """A connection to one server, opened again when it was closed. For one thread at a time."""

    def __init__(self, url: str, context: ssl.SSLContext | None) -> None:
        self._network = _Punctual()
        self._pool = httpcore.ConnectionPool(
            ssl_context=context, max_connections=1, network_backend=self._network, proxy=_proxy(url)
        )

    def exchange(
        self, method: str, url: str, headers: Headers, body: bytes | None, seconds: float, largest: int = _LARGEST
    ) -> Answer:
        """One request, answered whole within `seconds` and `largest` bytes. Raises Broken. No redirect is followed."""
        self._network.until = monotonic() + seconds
        limits = {"connect": min(seconds, _CONNECT), "read": seconds, "write": seconds, "pool": seconds}
        more = {"timeout": limits}
        try:
            with self._pool.stream(method, url, headers=headers, content=body, extensions=more) as response:
                content = _whole(response.iter_stream(), largest)
        except _FAILURES as error:
            raise Broken(_words(error, seconds)) from None
        pairs = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in response.headers)
        return Answer(response.status, dict(pairs), content)

    def close(self) -> None:
        self._pool.close()


class _Punctual(httpcore.NetworkBackend):
    """Sockets whose every operation ends by `until`: a timeout for each read alone never ends a trickle."""

    def __init__(self) -> None:
        self.until = 0.0
        self._sockets = httpcore.SyncBackend()

    def left(self, timeout: float | None) -> float:
        left = self.until - monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout()
        return left if timeout is None else min(left, timeout)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        stream = self._sockets.connect_tcp(host, port, self.left(timeout), local_address, socket_options)
        return _Stream(stream, self)


class _Stream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, network: _Punctual) -> None:
        self._stream = stream
        self._network = network

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._network.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._network.left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, self._network.left(timeout))
        return _Stream(stream, self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _whole(chunks: Iterable[bytes], largest: int) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > largest:
            raise TooLarge(f"an answer of more than {largest} bytes")
    return bytes(content)


def _words(error: Exception, seconds: float) -> str:
    if isinstance(error, httpcore.ConnectTimeout):
        return "cannot connect: no answer"
    if isinstance(error, httpcore.TimeoutException):
        return f"no whole answer within {seconds:g} seconds"
    if isinstance(error, httpcore.ConnectError):
        return f"cannot connect: {error}"
    if isinstance(error, httpcore.LocalProtocolError):
        return "the request cannot be written as HTTP"  # the error would quote a header, and with it the key
    return f"the connection broke: {error or type(error).__name__}"


def _proxy(url: str) -> httpcore.Proxy | None:
    """The proxy that the environment names for `url`; none for this machine itself."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return None
    named = getproxies().get(parts.scheme) or getproxies().get("all", "")
    if not named:
        return None
    proxy = urlsplit(named if "://" in named else f"http://{named}")
    bare = f"{proxy.scheme}://{proxy.netloc.rpartition('@')[2]}"
    return httpcore.Proxy(
        bare, auth=(unquote(proxy.username), unquote(proxy.password or "")) if proxy.username else None
    )
