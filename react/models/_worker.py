"""One worker process of the `local` back end: loads a model, then answers what comes over a socket.

It leaves when the socket closes, that is when the process at the other end has gone, however it went.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from react.models import Completion, ContextFull, Request

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from react.chat_template import Template
    from react.models._engine import Engine

FAILED = 1


@dataclass(frozen=True)
class Setup:
    """What a worker is to load, and where."""

    folder: str
    tokenizer: str
    adapter: str
    dtype: str
    device: str
    threads: int
    batch: int
    sharers: int
    calls: bool = False


@dataclass(frozen=True)
class Ready:
    """The model is loaded."""

    batch: int
    window: int


@dataclass(frozen=True)
class Refused:
    """The model cannot be loaded, and why."""

    message: str


@dataclass(frozen=True)
class Ask:
    """A request, under a number by which it is answered."""

    number: int
    request: Request


@dataclass(frozen=True)
class Answer:
    """Completions, or what went wrong: `full` for a prompt without room, `error` for a failure of the worker."""

    number: int
    completions: tuple[Completion, ...] = ()
    full: str = ""
    error: str = ""


def main(handle: int) -> None:
    """Serves the socket `handle` until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(handle)
    setup: Setup = connection.recv()
    asked: queue.SimpleQueue[Ask] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, asked, os.getppid()), daemon=True).start()
    try:
        engine = load(setup)
    except Exception as error:  # whatever a damaged checkpoint makes the libraries raise
        connection.send(Refused(str(error) if isinstance(error, ValueError | OSError) else _told(error)))
        sys.exit(FAILED)
    connection.send(Ready(engine.batch, engine.window))
    serve(engine, connection, asked)


def _listen(connection: Connection, asked: queue.SimpleQueue[Ask], parent: int) -> None:
    """Ends this process with the other end: at once when the socket closes, within seconds if a copy of it lives on."""
    try:
        while os.getppid() == parent:
            if connection.poll(2.0):
                asked.put(connection.recv())
    except (EOFError, OSError):
        pass
    os._exit(0)


def serve(engine: Engine, connection: Connection, asked: queue.SimpleQueue[Ask]) -> None:
    """Takes what has been asked, steps, answers; for ever, or until a step fails, which ends everything in flight."""
    flight: set[int] = set()

    def answer(number: int, completions: list[Completion]) -> None:
        flight.discard(number)
        connection.send(Answer(number, tuple(completions)))

    while True:
        while not asked.empty() or not engine.busy:
            ask = asked.get()
            flight.add(ask.number)
            if wrong := _refused(engine, ask, partial(answer, ask.number)):
                flight.discard(ask.number)
                connection.send(wrong)
        try:
            engine.step()
        except Exception as error:
            for number in flight:
                connection.send(Answer(number, error=_told(error)))
            raise


def _refused(engine: Engine, ask: Ask, done: Callable[[list[Completion]], None]) -> Answer | None:
    """Queues a request; if that cannot be, the answer that says why."""
    try:
        engine.submit(ask.request, done)
    except ContextFull as error:
        return Answer(ask.number, full=str(error))
    except Exception as error:
        return Answer(ask.number, error=_told(error))
    return None


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def load(setup: Setup) -> Engine:
    """The engine that `setup` describes. ValueError, OSError: why there is none."""
    import torch

    from react.models._engine import Engine
    from react.models._load import dtype_of, read

    torch.set_num_threads(setup.threads)
    device = torch.device(setup.device)
    model, tokenizer = read(setup.folder, setup.tokenizer, setup.adapter, dtype_of(setup.dtype, device))
    model.to(device)  # type: ignore[arg-type]
    text = template(tokenizer) if setup.calls else None
    return Engine(model, tokenizer, text=text, batch=setup.batch, sharers=setup.sharers)


def template(tokenizer: PreTrainedTokenizerBase) -> Template:
    """The tokenizer's chat template. ValueError: calls cannot be made with it, or not be read here."""
    from react.chat_template import Template

    found = Template(tokenizer)
    if not found.reads:
        raise ValueError(f"{found.name} writes calls in a form that is not read here; serve it: --backend server")
    return found
