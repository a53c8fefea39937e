"""What the engine keeps between requests: shared prefixes, and where the text of each episode has got to.

A `Prefix` is computed once and read by many rows. A `Slot` is one row's own memory; when its request is done it stays,
under the name of its session, so that the next step of an episode computes only what is new. What has not been used
for longest makes room, slots before prefixes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from react.models._attention import Pool

ROUND = 64
BLOCK = 64
NEAR = 8
WORTH_COPYING = 16


def common(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens two texts share at their beginning."""
    size = min(len(left), len(right))
    at = 0
    while at < size and left[at : min(at + BLOCK, size)] == right[at : min(at + BLOCK, size)]:
        at += BLOCK
    return next((i for i in range(at, min(at + BLOCK, size)) if left[i] != right[i]), size)


@dataclass(eq=False)
class Prefix:
    """Tokens that stand at the beginning of many prompts; the first `filled` of them are computed."""

    ids: list[int]
    start: int
    filled: int = 0
    used_at: int = 0


@dataclass(eq=False)
class Slot:
    """One row's range in the pool. `ids` are the tokens that are computed, the `shared` ones of `prefix` included."""

    prefix: Prefix | None
    shared: int
    start: int
    size: int
    ids: list[int] = field(default_factory=list)
    session: str = ""
    busy: bool = True
    used_at: int = 0


class Memory:
    """All prefixes and slots of one pool."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.prefixes: list[Prefix] = []
        self.slots: list[Slot] = []
        self._clock = 0

    def prefix(self, ids: Sequence[int]) -> Prefix | None:
        """The prefix that begins with, or falls just short of, these tokens; the caller uses what is common."""
        for kept in self.prefixes:
            if common(kept.ids, ids) >= max(len(kept.ids), len(ids)) - NEAR:
                self._touch(kept)
                return kept
        return None

    def new_prefix(self, ids: Sequence[int]) -> Prefix | None:
        """Room for a prefix that is yet to be computed, or None for now."""
        start = self._room(len(ids), None)
        if start is None:
            return None
        made = Prefix(list(ids), start)
        self.prefixes.append(made)
        self._touch(made)
        return made

    def slot(self, ids: Sequence[int], room: int, session: str, prefix: Prefix | None, shared: int) -> Slot | None:
        """A busy slot with room for `room` own tokens that holds as much of `ids`, short of the last, as is known.

        None when there is no room as long as others are busy.
        """
        size = -(-room // ROUND) * ROUND
        kept = self._own(session, prefix, shared)
        if kept is not None and kept.size >= room:
            return self._claim(kept, ids)
        source = kept or self._nearest(ids, prefix, shared)
        start = self._room(size, prefix, source)
        if start is None and source is not None and not source.busy:
            self.drop(source)
            source = kept = None
            start = self._room(size, prefix)
        if start is None:
            return None
        made = Slot(prefix, shared, start, size, list(ids[:shared]), session)
        if source is not None:
            made.ids = list(source.ids)
            known = min(common(source.ids, ids), len(ids) - 1)
            self.pool.copy(source.start, start, known - shared)
        if kept is not None:
            self.drop(kept)
        self.slots.append(made)
        return self._claim(made, ids)

    def release(self, slot: Slot) -> None:
        """The row is done; its slot waits for the next step of the session."""
        slot.busy = False
        for old in [s for s in self.slots if s is not slot and s.session == slot.session and not s.busy]:
            if slot.session:
                self.drop(old)

    def drop(self, slot: Slot) -> None:
        self.slots.remove(slot)
        self.pool.give(slot.start, slot.size)

    def _claim(self, slot: Slot, ids: Sequence[int]) -> Slot:
        known = max(min(common(slot.ids, ids), len(ids) - 1), slot.shared)
        slot.ids, slot.busy = list(ids[:known]), True
        self._touch(slot)
        return slot

    def _own(self, session: str, prefix: Prefix | None, shared: int) -> Slot | None:
        fits = (s for s in self.slots if s.session == session and not s.busy)
        return next((s for s in fits if s.prefix is prefix and s.shared == shared), None) if session else None

    def _nearest(self, ids: Sequence[int], prefix: Prefix | None, shared: int) -> Slot | None:
        """The slot of another row with the same text so far: samples of one prompt, an episode tried again."""
        alike = [s for s in self.slots if s.prefix is prefix and s.shared == shared and len(s.ids) > shared]
        best = max(alike, key=lambda s: common(s.ids, ids), default=None)
        return best if best is not None and common(best.ids, ids) - shared >= WORTH_COPYING else None

    def _room(self, size: int, needed: Prefix | None, source: Slot | None = None) -> int | None:
        """A range of `size` tokens, making room if need be, but not of what the caller still needs."""
        while (start := self.pool.take(size)) is None:
            idle = [s for s in self.slots if not s.busy and s is not source]
            if idle:
                self.drop(min(idle, key=_age))
                continue
            unused = [p for p in self.prefixes if p is not needed and all(s.prefix is not p for s in self.slots)]
            unused = [p for p in unused if p.filled == len(p.ids)]
            if not unused:
                return None
            oldest = min(unused, key=_age)
            self.prefixes.remove(oldest)
            self.pool.give(oldest.start, len(oldest.ids))
        return start

    def _touch(self, kept: Prefix | Slot) -> None:
        self._clock += 1
        kept.used_at = self._clock


def _age(kept: Prefix | Slot) -> int:
    return kept.used_at
