"""A small OpenAI-compatible server that fails on purpose, over loopback, as its script says.

`FaultServer(fault, fault, ...)` meets the first call with the first fault, and so on; where its script has ended it
answers as it should: every choice echoes its seed, `" <seed>"`. A fault is a function of the HTTP handler and the
request's JSON, and writes (or does not write) the answer.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from react.trajectory import Trajectory

Fault = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """One connection to a FaultServer; what faults write with."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: FaultServer

    def say(
        self, status: int, body: bytes, kind: str = "application/json", headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def say_json(self, status: int, value: object, headers: dict[str, str] | None = None) -> None:
        self.say(status, json.dumps(value).encode(), headers=headers)

    def do_GET(self) -> None:
        self.server.authorizations.append(self.headers.get("Authorization", ""))
        if self.server.models is None:
            self.say_json(404, {"error": {"message": "no such route"}})
        elif callable(self.server.models):
            self.server.models(self, {})
        else:
            self.say_json(200, {"data": self.server.models})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.authorizations.append(self.headers.get("Authorization", ""))
        with self.server.lock:
            self.server.asked.append(asked)
            self.server.paths.append(self.path)
            fault = self.server.script.pop(0) if self.server.script else self.server.then
        fault(self, asked)

    def log_message(self, format: str, *args: object) -> None:
        pass


class FaultServer(ThreadingHTTPServer):
    """Listens on a free port from the moment it exists; `with` stops it. `asked`: the JSON of each call, in order."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, *script: Fault, then: Fault | None = None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.script = list(script)
        self.then: Fault = then or good
        self.models: list[dict[str, Any]] | Fault | None = [{"id": "m"}]
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.authorizations: list[str] = []
        self.lock = threading.Lock()
        self._connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.append(request)
        super().process_request(request, client_address)

    def stop(self) -> None:
        """Dies as a process does: kept connections too."""
        self.shutdown()
        self.server_close()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up on a fault is what we wanted."""

    def __enter__(self) -> FaultServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def reply(asked: dict[str, Any], n: int = 0, text: str = "", reason: object = "stop") -> dict[str, Any]:
    """What a good server would answer."""
    texts = [text or f" {asked['seed'] + i}" for i in range(n or asked["n"])]
    if "messages" in asked:
        choices = [{"message": {"content": said}, "finish_reason": reason} for said in texts]
    else:
        choices = [{"text": said, "finish_reason": reason} for said in texts]
    usage = {"prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}
    return {"choices": choices, "usage": usage}


def good(handler: Handler, asked: dict[str, Any]) -> None:
    handler.say_json(200, reply(asked))


def says(text: str = "", n: int = 0, reason: object = "stop") -> Fault:
    return lambda handler, asked: handler.say_json(200, reply(asked, n, text, reason))


def teaches(rows: Iterable[Trajectory]) -> Fault:
    """A teacher: the turn that follows a prompt's last cue, in the trajectory of its last question."""
    turns = {
        row.task.question: [f" {step.thought}\nAction {i}: {step.action}" for i, step in enumerate(row.steps, 1)]
        for row in rows
    }

    def answer(handler: Handler, asked: dict[str, Any]) -> None:
        prompt = asked["prompt"] if "prompt" in asked else asked["messages"][0]["content"]
        question, _, rest = prompt.rpartition("Question: ")[2].partition("\n")
        turn = int(re.findall(r"(?:Thought|Action) (\d+):$", rest)[0])
        handler.say_json(200, reply(asked, text=turns[question][turn - 1]))

    return answer


def chunked(*chunks: bytes) -> Fault:
    """A body in chunks, written as they are given: with their sizes, right or wrong."""

    def fault(handler: Handler, asked: dict[str, Any]) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        handler.wfile.write(head + b"".join(chunks))
        handler.close_connection = True

    return fault


def status(code: int, value: object = None, headers: dict[str, str] | None = None) -> Fault:
    value = {"error": {"message": f"words of {code}"}} if value is None else value
    return lambda handler, asked: handler.say_json(code, value, headers)


def json_value(value: object) -> Fault:
    return lambda handler, asked: handler.say_json(200, value)


def body(content: bytes, kind: str = "application/json") -> Fault:
    return lambda handler, asked: handler.say(200, content, kind)


def truncated(handler: Handler, asked: dict[str, Any]) -> None:
    """Half of the JSON, with a Content-Length that fits the half."""
    whole = json.dumps(reply(asked)).encode()
    handler.say(200, whole[: len(whole) // 2])


def cut(handler: Handler, asked: dict[str, Any]) -> None:
    """The connection closes in the middle of the body."""
    whole = json.dumps(reply(asked)).encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(whole)))
    handler.end_headers()
    handler.wfile.write(whole[:20])
    handler.close_connection = True


def hang_up(handler: Handler, asked: dict[str, Any]) -> None:
    """The connection closes before a word is said."""
    handler.close_connection = True


def slow(seconds: float) -> Fault:
    def fault(handler: Handler, asked: dict[str, Any]) -> None:
        time.sleep(seconds)
        good(handler, asked)

    return fault


def _drip(handler: Handler, content: bytes, seconds: float) -> None:
    for i in range(len(content)):
        handler.wfile.write(content[i : i + 1])
        handler.wfile.flush()
        time.sleep(seconds)


def trickle(seconds: float) -> Fault:
    """Every byte of the body comes alone: no single read ever takes long."""

    def fault(handler: Handler, asked: dict[str, Any]) -> None:
        whole = json.dumps(reply(asked)).encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(whole)))
        handler.end_headers()
        _drip(handler, whole, seconds)

    return fault


def trickling_headers(seconds: float) -> Fault:
    return lambda handler, asked: _drip(handler, b"HTTP/1.1 200 OK\r\nX-Padding: " + b"x" * 1000, seconds)
