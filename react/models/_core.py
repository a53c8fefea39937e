"""One core for the threads of a run: only one of them runs at a time (the GIL), and a turn on another core costs more.

With 512 calls in flight one process made 2,600 calls a second on one core, and 1,500 where the system spread its
threads over two. Ranks of one launch have a core each, as far as there are cores.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

from react.ranks import placed_here


class Core:
    """The core that the threads which `join` it run on: of those that this process may use, one by its id or rank."""

    def __init__(self) -> None:
        together = hasattr(os, "sched_setaffinity") and getattr(sys, "_is_gil_enabled", lambda: True)()
        cores = sorted(os.sched_getaffinity(0)) if together else []
        rank, ranks = placed_here()
        number = os.getppid() + rank if ranks > 1 else os.getpid()  # of one launcher: other launches begin elsewhere
        self._core = {cores[number % len(cores)]} if cores else set()
        self._joined = threading.local()

    def join(self) -> None:
        """The calling thread runs here from now on. The main thread does not: others, and processes, come from it."""
        if hasattr(self._joined, "before") or threading.current_thread() is threading.main_thread():
            return
        self._joined.before = True
        if self._core:
            with suppress(OSError):  # a container may forbid it
                os.sched_setaffinity(0, self._core)
