"""The durable record of every model call: a killed run goes on inside its episode, and replays without a model.

One row of ``completions.sqlite``, table ``calls``::

    key          sha256 of the model's fingerprint and of every field of the Request that can change the answer
    session      "q17/0"
    context      what the prompt said after its shared exemplars
    parameters   {"stop": ["\\nObservation 1:"], "max_tokens": 100, "temperature": 0.0, ...}
    completions  [{"text": " I need to ...", "reason": "stop", "prompt_tokens": 812, ...}]
    seconds      0.42, what the call took by the clock on the wall

A call is recorded before its result is used. SQLite runs in WAL mode with synchronous=NORMAL: each record is handed to
the operating system at once, so that it survives kill -9 of the process, while the disk is made to sync in groups, at
checkpoints, so that a power cut may cost the last few records and never the file. The record belongs to one process
while it is open, and is one plain file once it is closed.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import Any

from react._store import Store
from react.models import Completion, ContextFull, Model, ModelError, Request

_PARAMETERS = tuple(field.name for field in fields(Request) if field.compare and field.name != "prompt")
_parameters = attrgetter(*_PARAMETERS)
_FLOATS = {field.name for field in fields(Request) if isinstance(field.default, float)}


class Stopped(Exception):
    """No further call is made: the run is ending."""


class Recorded:
    """`model`, asked at most once for each different request, in this run and in all that continue its record.

    The records of other runs, `reuse`, are only read: what is found there is copied, so that `path` stands alone.
    `calls` made and the `seconds` they took (summed over threads), and calls `answered` without the model, are counted.
    ValueError: a path is no record, is damaged, or records another model. OSError: `path` cannot be written, or another
    process has one open. If a record cannot be written, its result is not used, and no further call is made.
    """

    def __init__(self, model: Model, path: Path, reuse: Sequence[Path] = ()) -> None:
        self.name, self.fingerprint = model.name, model.fingerprint
        self.calls = 0
        self.answered = 0
        self.seconds = 0.0
        self._model = model
        self._key = _Key(model.fingerprint)
        self._store = Store(path)
        self._others: list[Store] = []
        self._lock = threading.Lock()
        self._pending: dict[bytes, Future[list[Completion]]] = {}
        self._stopped = False
        try:
            self._store.belong(model.name, model.fingerprint)
            for other in reuse:
                self._others.append(Store(other, live=False))
                self._others[-1].check(model.name, model.fingerprint)
        except BaseException:
            self._close_stores()
            raise

    def complete(self, request: Request) -> list[Completion]:
        key, parameters = self._key.of(request)
        with self._lock:
            pending = self._pending.get(key)
            if pending is None:
                if recorded := self._store.get(key) or self._copied(key, request, parameters):
                    self.answered += 1
                    return recorded
                if self._stopped:
                    raise Stopped("the run is ending")
                mine = self._pending[key] = Future()
        if pending is None:
            return self._ask(request, key, parameters, mine)
        completions = pending.result()
        with self._lock:
            self.answered += 1
        return list(completions)

    def _copied(self, key: bytes, request: Request, parameters: str) -> list[Completion]:
        """What another record knows, now in this one too; empty if none does."""
        known = next(filter(None, (other.get(key) for other in self._others)), [])
        if known:
            self._store.put(key, request, parameters, known, seconds=0.0)
        return known

    def _ask(self, request: Request, key: bytes, parameters: str, mine: Future[list[Completion]]) -> list[Completion]:
        started = perf_counter()
        try:
            completions = self._model.complete(request)
            seconds = perf_counter() - started
            with self._lock:
                self._store.put(key, request, parameters, completions, seconds)
                self.calls += 1
                self.seconds += seconds
        except BaseException as error:
            mine.set_exception(error)
            if isinstance(error, ContextFull):
                with self._lock:
                    self._store.refuse(key, str(error))
            raise
        else:
            mine.set_result(completions)
            return list(completions)
        finally:
            with self._lock:
                del self._pending[key]

    def totals(self) -> dict[str, float]:
        """Of all recorded calls, whenever they were made: `calls`, `seconds`, `prompt_tokens`, `completion_tokens`."""
        with self._lock:
            return self._store.totals()

    def stop(self, seconds: float) -> None:
        """Begins no further call: who asks for one gets Stopped. Those under way are waited for, so long at most."""
        with self._lock:
            self._stopped = True
            pending = list(self._pending.values())
        wait(pending, seconds)

    def close(self) -> None:
        """Closes the records and the model."""
        with self._lock:
            self._close_stores()
        self._model.close()

    def _close_stores(self) -> None:
        for store in (self._store, *self._others):
            store.close()


class Replayed:
    """The model that a record at `path` was made with, without the model: what is not recorded is a ModelError."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._path = path
        self._store = Store(path, live=False)
        self.name, self.fingerprint = self._store.model()
        self._key = _Key(self.fingerprint)

    def complete(self, request: Request) -> list[Completion]:
        key, _ = self._key.of(request)
        with self._lock:
            recorded = self._store.get(key)
            refusal = None if recorded else self._store.refusal(key)
        if recorded:
            return recorded
        if refusal is not None:
            raise ContextFull(refusal)
        raise ModelError(
            f"{self._path} has no record of this call: {request.prompt[-100:]!r}, attempt {request.attempt}"
        )

    def close(self) -> None:
        with self._lock:
            self._store.close()


def replay(path: Path) -> Model:
    """A model that answers only from the record at `path`. OSError or ValueError if there is none."""
    return Replayed(path)


class _Key:
    """Names requests to one model. Equal requests have equal keys: 0 and 0.0 are one temperature."""

    def __init__(self, fingerprint: str) -> None:
        self._start = hashlib.sha256(json.dumps(fingerprint).encode() + b"\n")

    def of(self, request: Request) -> tuple[bytes, str]:
        """The key of a request, and its parameters as JSON. JSON has no line breaks, so that no two requests meet."""
        parameters = _json(_parameters(request))
        digest = self._start.copy()
        digest.update(f"{parameters}\n{request.prompt}".encode("utf-8", "surrogatepass"))
        return digest.digest(), parameters


@lru_cache(maxsize=256, typed=True)
def _json(parameters: tuple[object, ...]) -> str:
    pairs = zip(_PARAMETERS, parameters, strict=True)
    return json.dumps({name: _float(value) if name in _FLOATS else value for name, value in pairs})


def _float(value: Any) -> float:
    """One number for 1, True and 1.0, and for 0.0 and -0.0."""
    return float(value) + 0.0
