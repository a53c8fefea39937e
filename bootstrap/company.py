"""The ranks of one launch on one run folder: who is there, how far each is, and who has not been heard of.

They share nothing but the folder (on a file system that all see): no network, no common clock. Each rank writes
`ranks/<rank>.json` twice a second, with a count that grows, and has its attempts and calls in `ranks/<rank>/`. A rank
is there as long as the others see its count grow, by their own monotonic clocks. Who sees one that has not grown for
`silence` seconds, or reads that a rank failed, ends with Outage; the same command continues.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from bootstrap.budget import Spending
from react import trajectory
from react.lock import hold
from react.mistakes import Mistake
from react.rollout import Outage
from react.run_folder import put
from react.trajectory import Trajectory

BEAT = 0.5  # seconds between two signs of life
_LOADING, _READY, _DONE, _FAILED = "loading", "ready", "done", "failed"


@dataclass(frozen=True)
class Sign:
    """What a rank says of itself. `launch` is the token of the rank 0 that it works with, once it does."""

    token: str = ""
    world: int = 0
    beat: int = 0
    launch: str = ""
    state: str = _LOADING
    why: str = ""
    spent: Spending = field(default_factory=Spending)


class Company:
    """This rank among the others; alone, where `world` is 1: then nothing is written and nobody waited for."""

    def __init__(self, folder: Path, rank: int, world: int, silence: float) -> None:
        self.folder = folder / "ranks"
        self.rank, self.world = rank, world
        self._silence = silence
        self._sign = Sign(token=secrets.token_hex(8), world=world)
        self._lock = threading.Lock()
        self._held: int | None = None
        self._ended = threading.Event()
        self._others = {other: _Other(self.folder, other, silence) for other in range(world) if other != rank}
        self._thread = threading.Thread(target=self._beat, name="rank", daemon=True)

    @property
    def home(self) -> Path:
        """Where this rank has its attempts and calls."""
        return self.folder / str(self.rank) if self.world > 1 else self.folder.parent

    def mine(self, index: int) -> bool:
        """Whether this rank tries the task at that place."""
        return index % self.world == self.rank

    def __enter__(self) -> Company:
        if self.world > 1:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._held = hold(self.folder / str(self.rank))
            self._write()
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        if self._held is not None:
            if self._sign.state != _DONE:
                status = f"status {error.code}" if isinstance(error, SystemExit) else type(error).__name__
                self._say(state=_FAILED, why=f"{status}; its own output says why")
            self._ended.set()
            self._thread.join()
            os.close(self._held)

    def has(self, home: Path) -> bool:
        """As rank 0: whether a folder is that of a rank of this launch, which does not write there now.

        It has not begun yet, or is done. Waits until it is there: two cannot have one rank, so that whoever had it in
        a launch before is gone then. Raises Outage.
        """
        ranks = {str(rank): rank for rank in range(self.world if self.world > 1 else 0)}
        if home.name not in ranks:
            return False
        while not (self.is_done(rank := ranks[home.name]) or self._is_waiting(self._others[rank])):
            self._listen(self._others[rank])
            sleep(BEAT / 5)
        return True

    def _is_waiting(self, other: _Other) -> bool:
        return other.fresh and other.sign.launch == "" and other.sign.world == self.world

    def open(self) -> None:
        """As rank 0: the folder is ready for the others."""
        self._say(state=_READY, launch=self._sign.token)

    def join(self) -> None:
        """As another rank: waits until rank 0 says that the folder is ready. Raises Outage, or Mistake."""
        first = self._others[0]
        while not (first.fresh and first.sign.state == _READY):
            self._listen(first)
            if first.fresh and first.sign.world not in (0, self.world):
                raise Mistake(f"this rank is one of {self.world}, and rank 0 one of {first.sign.world}")
            sleep(BEAT / 5)
        self._say(state=_READY, launch=first.sign.token)

    def listen(self) -> None:
        """Hears the others. Outage says who failed, or has not been heard of."""
        for other in self._others.values():
            self._listen(other)

    def done(self, spent: Spending) -> None:
        """This rank's part is done, at that cost, and its files are closed."""
        self._say(state=_DONE, spent=spent)

    def wait(self, look: Callable[[], object]) -> None:
        """Returns when the others are done; `look` listens to them meanwhile."""
        while not all(map(self.is_done, self._others)):
            look()
            sleep(BEAT / 2)

    def is_done(self, rank: int) -> bool:
        """Whether a rank has done its part of this launch. This one knows."""
        return rank == self.rank or (self._with_us(self._others[rank]) and self._others[rank].sign.state == _DONE)

    def spend(self, spent: Spending) -> Spending:
        """Tells the others what this rank spent since the launch began; what they told."""
        if self._others:
            self._say(spent=spent)
        return sum((other.sign.spent for other in self._others.values() if self._with_us(other)), Spending())

    def news(self) -> Iterator[Trajectory]:
        """What the others appended to their attempts since it was asked last."""
        for other in self._others.values():
            if self._with_us(other):
                yield from other.news()

    def _with_us(self, other: _Other) -> bool:
        return other.sign.launch == self._sign.launch != ""

    def _listen(self, other: _Other) -> None:
        other.listen()
        if other.fresh and other.sign.state == _FAILED and other.sign.launch in ("", self._sign.launch):
            raise Outage(f"rank {other.rank} ended: {other.sign.why}")
        if other.rank == 0 and self._sign.launch and not self._with_us(other):
            raise Outage("rank 0 was started anew")
        if other.silent and not (self._with_us(other) and other.sign.state == _DONE):
            raise Outage(f"rank {other.rank} has not been heard of for {self._silence:g} seconds (rank_timeout)")

    def _say(self, **news: Any) -> None:
        with self._lock:
            self._sign = replace(self._sign, **news)
        if self._held is not None and set(news) != {"spent"}:
            self._write()

    def _beat(self) -> None:
        while not self._ended.wait(BEAT):
            with suppress(OSError):  # a full disk stops the run where it loses something, and may pass until then
                self._write()

    def _write(self) -> None:
        with self._lock:
            self._sign = replace(self._sign, beat=self._sign.beat + 1)
            put(self.folder / f"{self.rank}.json", json.dumps(asdict(self._sign)))


class _Other:
    """Another rank, as its files tell."""

    def __init__(self, folder: Path, rank: int, silence: float) -> None:
        self.rank = rank
        self.fresh = False  # whether it said anything since we look
        self._path, self._attempts = folder / f"{rank}.json", folder / str(rank) / "attempts.jsonl"
        self._silence, self._heard, self._read = silence, monotonic(), 0
        self.sign = self._look()

    @property
    def silent(self) -> bool:
        return monotonic() - self._heard > self._silence

    def listen(self) -> None:
        if (sign := self._look()) != self.sign:
            self.sign, self.fresh, self._heard = sign, True, monotonic()

    def _look(self) -> Sign:
        try:
            said = json.loads(self._path.read_text(encoding="utf-8"))
            return Sign(**{**said, "spent": Spending(**said["spent"])})
        except (OSError, ValueError, TypeError, KeyError):
            return Sign()  # nothing there yet

    def news(self) -> Iterator[Trajectory]:
        """The lines that are whole by now and were not before."""
        try:
            with self._attempts.open("rb") as file:
                file.seek(self._read)
                lines = file.read().rpartition(b"\n")[0]
        except FileNotFoundError:
            return
        self._read += len(lines) + 1 if lines else 0
        for line in lines.splitlines():
            yield trajectory.from_json(line.decode())
