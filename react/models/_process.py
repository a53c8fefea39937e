"""A worker process seen from its owner: start, ask, notice its death, start again a bounded number of times."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from react.models import Completion, ContextFull, ModelError, Request
from react.models._worker import Answer, Ask, Ready, Refused, Setup
from react.ranks import VARIABLES

RESTARTS = 3
PATIENCE = 5.0
# Interrupts are for the owner: a worker must not even die of one while it is still importing.
CODE = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from react.models._worker import main; main({})"


class Worker:
    """One process: a plain interpreter, not forked or spawned, so that the caller's main module is not run again."""

    def __init__(self, setup: Setup, number: int) -> None:
        self.setup, self.number, self.served = setup, number, 0
        self._lock = threading.RLock()
        self._flight: dict[int, Future[list[Completion]]] = {}
        self._asked, self._starts, self._closed = 0, 0, False
        self._ready: Future[Ready] = Future()
        self._start()

    @property
    def load(self) -> int:
        return len(self._flight)

    @property
    def dead(self) -> bool:
        """Gone for good."""
        return self._closed or (self._ready.done() and self._ready.exception() is not None)

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self) -> Ready:
        """Returns when the model is loaded. ValueError: why it cannot be; ModelError: the process died."""
        return self._ready.result()

    def ask(self, request: Request) -> list[Completion]:
        """Blocks until the answer is there."""
        self.wait_or_fail()
        future: Future[list[Completion]] = Future()
        with self._lock:
            number = self._asked = self._asked + 1
            self._flight[number] = future
            try:
                self._connection.send(Ask(number, request))
            except OSError as error:
                self._flight.pop(number, None)
                raise ModelError(f"local worker {self.number} is gone: {error}") from error
        return future.result()

    def wait_or_fail(self) -> None:
        """As `wait`, but for a worker that once worked: whatever is wrong now is a failure, not a bad setting."""
        try:
            self.wait()
        except ValueError as error:
            raise ModelError(f"local worker {self.number} could not be started again: {error}") from error

    def close(self) -> None:
        """Closing the socket ends the process; one that does not see it is killed."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            with suppress(OSError):  # a worker that died for good has closed it
                self._socket.shutdown(socket.SHUT_RDWR)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join(PATIENCE)

    def _start(self) -> None:
        self._starts += 1
        self._socket, theirs = socket.socketpair()
        self._connection = Connection(os.dup(self._socket.fileno()))
        root = str(Path(__file__).resolve().parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-c", CODE.format(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={
                **{name: value for name, value in os.environ.items() if name not in VARIABLES},  # it is no rank itself
                "PYTHONPATH": os.pathsep.join(paths),
                "OMP_NUM_THREADS": str(self.setup.threads),
            },
        )
        theirs.close()
        with suppress(OSError):  # it died already: the listener will see
            self._connection.send(self.setup)
        run = (self._process, self._connection, self._socket)
        self._listener = threading.Thread(target=self._listen, args=run, daemon=True)
        self._listener.start()

    def _listen(self, process: subprocess.Popen[bytes], connection: Connection, ours: socket.socket) -> None:
        """Hands out what one process says, until it says no more."""
        try:
            while True:
                said = connection.recv()
                if isinstance(said, Answer):
                    self._hand_out(said)
                elif isinstance(said, Ready):
                    self._ready.set_result(said)
                elif isinstance(said, Refused):
                    self._ready.set_exception(ValueError(said.message))
        except (EOFError, OSError):
            pass
        code = process.wait()
        with self._lock:
            connection.close()
            ours.close()
            self._lost(f"local worker {self.number} {'was closed' if self._closed else f'died ({_how(code)})'}")

    def _hand_out(self, answer: Answer) -> None:
        with self._lock:
            future = self._flight.pop(answer.number)
        if answer.full:
            future.set_exception(ContextFull(answer.full))
        elif answer.error:
            future.set_exception(ModelError(f"local worker {self.number}: {answer.error}"))
        else:
            future.set_result(list(answer.completions))

    def _lost(self, why: str) -> None:
        """Fails what was in flight, and starts again if the worker had once been ready and may."""
        flight, self._flight = self._flight, {}
        for future in flight.values():
            future.set_exception(ModelError(why))
        if not self._ready.done():
            self._ready.set_exception(ModelError(f"{why} while loading the model"))
        elif self._ready.exception() is None:
            self._ready = Future()
            if self._closed or self._starts > RESTARTS:
                self._ready.set_exception(ModelError(f"{why}, and had been started {self._starts} times"))
            else:
                self._start()


def _how(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    return f"signal {-code}" + (", as when the system is out of memory" if code == -9 else "")
