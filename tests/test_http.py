"""Exchanges over real sockets with servers that say exactly these bytes: whole answers are read, others are Broken."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from react import _connect
from react._http import Answer, Broken, Line, Lines, TooLarge

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Bytes:
    """A server that meets the nth connection with the nth talk, a function of the socket; `heard` are the requests."""

    def __init__(self, *talks: Callable[[socket.socket], None]) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.heard: list[bytes] = []
        self.connections = 0
        self._talks = list(talks)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._listening.accept()
                self.connections += 1
                talk = self._talks.pop(0) if len(self._talks) > 1 else self._talks[0]
                threading.Thread(target=self._talk, args=(line, talk), daemon=True).start()

    def _talk(self, line: socket.socket, talk: Callable[[socket.socket], None]) -> None:
        with line, suppress(OSError):
            talk(line)

    def close(self) -> None:
        self._listening.close()


def hear(line: socket.socket, heard: list[bytes] | None = None) -> bytes:
    """One request without a body; empty where the client is gone."""
    got = b""
    while not got.endswith(b"\r\n\r\n"):
        if not (more := line.recv(4096)):
            return b""
        got += more
    if heard is not None:
        heard.append(got)
    return got


def says(*answers: bytes, stay: bool = False) -> Callable[[socket.socket], None]:
    """Each request is met with the next of the answers, then the connection is closed, or stays open."""

    def talk(line: socket.socket) -> None:
        for answer in answers:
            if hear(line):
                line.sendall(answer)
        if stay:
            line.recv(1)

    return talk


@contextmanager
def serving(*talks: Callable[[socket.socket], None]) -> Iterator[Bytes]:
    server = Bytes(*talks)
    try:
        yield server
    finally:
        server.close()


def get(line: Line, url: str, seconds: float = 5.0, largest: int = 1000) -> Answer:
    return line.exchange("GET", f"{url}/x?y=z", {"Accept": "text/plain"}, None, seconds, largest)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
WHOLE = {
    "a length": OK,
    "chunks": CHUNKED + b"1\r\no\r\n1\r\nk\r\n0\r\n\r\n",
    "chunks with extensions and leading zeros": CHUNKED
    + b'0001;a=b;c="d"\r\no\r\n1 \r\nk\r\n0\r\n\r\n'.replace(b"1 \r", b"1\r"),
    "a trailer that would be another type": CHUNKED + b"2\r\nok\r\n0\r\nContent-Type: text/html\r\n\r\n",
    "until the end": b"HTTP/1.1 200 OK\r\n\r\nok",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n\r\nok",
    "please wait, then": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nX: y\r\n\r\n" + OK,
    "no reason": b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
    "something behind it": OK + b"HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno",
    "garbage behind it": OK + b"\x00\xff\r\n\r\n",
}
BROKEN = {
    "nothing": b"",
    "not HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "half a body": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
    "half a chunk": CHUNKED + b"9\r\nok",
    "no last chunk": CHUNKED + b"2\r\nok\r\n",
    "a chunk of no size": CHUNKED + b"zz\r\nok\r\n0\r\n\r\n",
    "a chunk of too many digits": CHUNKED + b"f" * 40 + b"\r\nok",
    "a chunk longer than it says": CHUNKED + b"1\r\nok\r\n0\r\n\r\n",
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 1\r\n\r\nok",
    "a length and chunks": CHUNKED[:-2] + b"Content-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "a NUL in a header": b"HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Length: 2\r\n\r\nok",
    "a header without a name": b"HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 2\r\n\r\nok",
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\nok",
    "a status that is none": b"HTTP/1.1 two OK\r\nContent-Length: 2\r\n\r\nok",
    "only please wait": b"HTTP/1.1 100 Continue\r\n\r\n",
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("pieces", ["at once", "byte by byte"])
def test_a_whole_answer_is_read_however_it_comes(name: str, pieces: str) -> None:
    def talk(line: socket.socket) -> None:
        hear(line)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(WHOLE[name])) if pieces == "byte by byte" else ():
            line.sendall(WHOLE[name][at : at + 1])
        if pieces == "at once":
            line.sendall(WHOLE[name])

    with serving(talk) as server:
        answer = get(Line(server.url), server.url)
    assert (answer.status, answer.body) == (200, b"ok") and "content-type" not in answer.headers


@pytest.mark.parametrize("name", BROKEN)
def test_no_whole_answer_is_broken(name: str) -> None:
    with serving(says(BROKEN[name])) as server, pytest.raises(Broken, match=r"^the connection broke: .{4,}"):
        get(Line(server.url), server.url)


@pytest.mark.parametrize(
    ("answer", "says_so"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + b"x" * 2000, "an answer of more than 1000 bytes"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2000, "an answer of more than 1000 bytes"),
        (CHUNKED + b"1\r\nx\r\n" * 2000, "an answer of more than 1000 bytes"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2**18, "a head of more than 65536 bytes"),
    ],
)
def test_what_is_too_large_is_not_read_to_its_end(answer: bytes, says_so: str) -> None:
    with serving(says(answer, stay=True)) as server, pytest.raises(TooLarge, match=f"^{says_so}$"):
        get(Line(server.url), server.url)


def test_lines_are_kept_for_who_asks_next_and_none_is_left_open_once_they_are_closed() -> None:
    heard, go_on, left = threading.Event(), threading.Event(), threading.Event()

    def talk(line: socket.socket) -> None:
        hear(line)
        line.sendall(OK)
        hear(line)
        heard.set()
        go_on.wait(5)
        line.sendall(OK)
        if line.recv(1) == b"":
            left.set()

    with serving(talk) as server:
        lines, got = Lines(server.url), []
        ask = lambda: got.append(lines.exchange("GET", server.url, {}, None, 5.0).body)  # noqa: E731
        ask()
        asking = threading.Thread(target=ask)
        asking.start()
        assert heard.wait(5)
        lines.close()  # while one is asked on
        go_on.set()
        asking.join()
        assert got == [b"ok", b"ok"] and server.connections == 1 and left.wait(5)
        lines.close()


def test_a_request_is_written_as_it_should_be() -> None:
    heard: list[bytes] = []

    def talk(line: socket.socket) -> None:
        while hear(line, heard):
            line.sendall(OK)

    with serving(talk) as server:
        line = Line(server.url)
        get(line, server.url)
        line.exchange("POST", server.url, {}, b"\r\n\r\n", 5.0)
    host = f"Host: 127.0.0.1:{server.port}\r\n".encode()
    first = b"GET /v1/x?y=z HTTP/1.1\r\n" + host + b"Accept: text/plain\r\n\r\n"
    assert heard == [first, b"POST /v1 HTTP/1.1\r\n" + host + b"Content-Length: 4\r\n\r\n" + b"\r\n\r\n"]
    assert server.connections == 1


def test_what_cannot_be_a_header_is_not_sent_and_not_quoted() -> None:
    with serving(says(OK)) as server:
        for headers in ({"Key": "secret\r\nX: y"}, {"Key": "secr\u00e9t"}, {"K\n": "secret"}):
            with pytest.raises(Broken, match=r"^the request cannot be written as HTTP$"):
                Line(server.url).exchange("GET", server.url, headers, None, 5.0)
        with pytest.raises(Broken, match="cannot be written"):
            Line(server.url).exchange("GET", f"{server.url}/a b", {}, None, 5.0)
    assert server.connections == 0


@pytest.mark.parametrize(
    ("first", "connections"),
    [
        (says(OK, OK, stay=True), 1),
        (says(OK, stay=False), 2),  # closed without a word
        (says(OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), stay=True), 2),
        (says(OK.replace(b"1.1", b"1.0"), stay=True), 2),
        (says(OK + OK, stay=True), 2),  # the second is no answer to a later question
    ],
)
def test_a_connection_is_kept_where_it_can_be(first: Callable[[socket.socket], None], connections: int) -> None:
    with serving(first, says(OK, OK, stay=True)) as server:
        line = Line(server.url)
        assert get(line, server.url).body == b"ok"
        time.sleep(0.02)
        assert get(line, server.url).body == b"ok" and server.connections == connections
        line.close()
        line.close()


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_one() -> None:
    def late(line: socket.socket) -> None:
        hear(line)
        time.sleep(0.3)
        line.sendall(OK.replace(b"ok", b"no"))

    with serving(late, says(OK)) as server:
        line = Line(server.url)
        with pytest.raises(Broken, match=r"within 0\.1 seconds"):
            get(line, server.url, seconds=0.1)
        time.sleep(0.3)
        assert get(line, server.url).body == b"ok"


def test_a_proxy_that_is_none_of_ours_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://user:secret@127.0.0.1:1")
    with pytest.raises(ValueError, match=r"the proxy of example\.org is a socks5 one") as caught:
        Line("http://example.org")
    assert "secret" not in str(caught.value)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    if not (openssl := shutil.which("openssl")):
        pytest.skip("there is no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    key, made = folder / "key.pem", folder / "made.pem"
    what = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:far.example"]
    subprocess.run([openssl, *what, *names, "-keyout", key, "-out", made], check=True, capture_output=True)
    return key, made


def _over_tls(certificate: tuple[Path, Path], talk: Callable[[socket.socket], None]) -> Callable[[socket.socket], None]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate[1], certificate[0])

    def secured(line: socket.socket) -> None:
        with context.wrap_socket(line, server_side=True) as inner:
            talk(inner)

    return secured


def test_tls_is_spoken_and_certificates_are_checked(certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(_over_tls(certificate, says(OK, OK, stay=True))) as server:
        url = f"https://localhost:{server.port}/v1"
        with pytest.raises(Broken, match=r"cannot connect: .*CERTIFICATE_VERIFY_FAILED"):
            get(Line(url), url)
        monkeypatch.setattr(_connect, "_tls", lambda: ssl.create_default_context(cafile=certificate[1]))
        line = Line(url)
        assert get(line, url).body == get(line, url).body == b"ok" and server.connections == 2


def test_a_proxy_connects_to_what_is_asked_over_tls(certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []

    def proxy(line: socket.socket) -> None:
        hear(line, heard)
        line.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        _over_tls(certificate, says(OK))(line)

    def refuses(line: socket.socket) -> None:
        hear(line)
        line.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")

    monkeypatch.setattr(_connect, "_tls", lambda: ssl.create_default_context(cafile=certificate[1]))
    with serving(proxy, refuses) as server:
        monkeypatch.setenv("https_proxy", f"http://user:pass@127.0.0.1:{server.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        url = "https://far.example/v1"
        assert get(Line(url), url).body == b"ok"
        with pytest.raises(Broken, match=r"cannot connect: .*407"):
            get(Line(url), url)
    assert heard[0].startswith(b"CONNECT far.example:443 HTTP/1.") and b"Proxy-Authorization: Basic dXNl" in heard[0]
