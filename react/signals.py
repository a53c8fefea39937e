"""SIGTERM and SIGHUP, by which schedulers and closed terminals end a program: they do what Ctrl-C does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Ended(KeyboardInterrupt):
    """A signal that ends the program, as Ctrl-C does; `number` says which."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def status(error: KeyboardInterrupt) -> int:
    """The exit status of a program that was ended so: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + (error.number if isinstance(error, Ended) else signal.SIGINT)


@contextmanager
def endable() -> Iterator[None]:
    """Raises `Ended` in the main thread on one of these signals."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only there can signals be handled
        return
    with handled(_SIGNALS, _end):
        yield


@contextmanager
def handled(numbers: Sequence[int], handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """`handler` hears these signals, in the main thread. One that is ignored stays so (nohup)."""
    heard = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    former = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, before in former.items():
            signal.signal(number, before)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    raise Ended(number)
