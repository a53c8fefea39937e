"""In which order tries are made, and from when on nothing that may still come changes what is kept.

A *slot* is one try at one task. All slots have one order: in `passes` every task is tried once before any is tried
twice (greedily first, then the unsolved ones by samples, then with hints); by `tasks` each is tried to its end before
the next. Imagine the slots taken one at a time in this order, except those of a task that is solved by then or of a
stratum that has its share. What that keeps is what a run keeps:

    In each stratum, the tasks with the earliest winning slots, as many as its share.

A try's outcome follows from its slot, and the tries of one task are made one after the other. Once a stratum has as
many winners as its share, a slot behind the last of them cannot win an earlier place; once no slot before it is open,
none can. So the kept set is the same however many tries run at once, in whatever order they end, on however many
machines, and whenever they are killed. `Ledger` starts no slot that is known to be in vain, and says when it is over.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from react.mistakes import Mistake, choose
from react.trajectory import Task

Slot = tuple[int, int]  # place of the task in the seeded order, number of the try (both from 0)
Place = tuple[int, int]
ORDERS = ("passes", "tasks")
MAKINGS = 5  # of a try that the infrastructure breaks each time; one that it always breaks must not hold up the rest


@dataclass(frozen=True)
class Schedule:
    """The order of slots. `tries[i]` says how often task i may be tried, `strata[i]` to which share it counts."""

    order: str
    tries: Sequence[int]
    strata: Sequence[str]
    shares: Mapping[str, int]

    def place(self, slot: Slot) -> Place:
        """Places compare as their slots follow one another."""
        index, number = slot
        return (number, index) if self.order == "passes" else (index, number)

    def earliest(self, wins: Mapping[int, int]) -> list[int]:
        """The tasks that are kept, in seeded order, where task i is solved by its try number `wins[i]`."""
        kept: Counter[str] = Counter()
        chosen = []
        for index, _ in sorted(wins.items(), key=self.place):
            stratum = self.strata[index]
            if kept[stratum] < self.shares.get(stratum, 0):
                kept[stratum] += 1
                chosen.append(index)
        return sorted(chosen)


class Ledger:
    """What has come of the slots so far, and which are worth a try now. For one thread.

    `mine` says which tasks are tried here; others' outcomes are settled here all the same. A slot that failed is
    offered again when nothing else is left, up to `MAKINGS` times in all.
    """

    def __init__(self, schedule: Schedule, mine: Callable[[int], bool] = lambda index: True) -> None:
        self.schedule = schedule
        self.tried = self.found = 0  # tries that came to their end, tasks that are solved
        self.left = sum(schedule.tries)  # tries at most, if none is solved
        self.failing: set[Slot] = set()
        self._mine = mine
        self._spent = [0] * len(schedule.tries)
        self._solved = [False] * len(schedule.tries)
        self._won: dict[str, list[Place]] = {stratum: [] for stratum in schedule.shares}
        self._flying: set[Slot] = set()
        self._again: set[Slot] = set()
        self._failures: Counter[Slot] = Counter()
        self._ready: list[tuple[Place, Slot]] = []
        for index in range(len(schedule.tries)):
            self._offer(index)

    @property
    def kept(self) -> int:
        """How many would be kept if the run ended now."""
        return sum(map(len, self._won.values()))

    @property
    def over(self) -> bool:
        """Whether nothing that is under way or may be tried here can change what is kept."""
        return self._first() is None and not any(map(self._matters, self._flying))

    def next(self) -> Slot | None:
        """The first slot that is worth a try, under way from now on; None while there is none."""
        if slot := self._first():
            self._flying.add(slot)
            self._again.discard(slot)
        return slot

    def settle(self, slot: Slot, solved: bool) -> None:
        """A try came to its end. What is known already changes nothing."""
        index, number = slot
        for slots in (self._flying, self._again, self.failing):
            slots.discard(slot)
        before = self._spent[index]
        if self._solved[index] or not before <= number < self.schedule.tries[index]:
            return
        spent = self._spent[index] = number + 1
        self.tried += spent - before
        self.left -= (self.schedule.tries[index] if solved else spent) - before
        self._solved[index] = solved
        self.found += solved
        if solved:
            stratum = self.schedule.strata[index]
            insort(self._won[stratum], self.schedule.place(slot))
            del self._won[stratum][self.schedule.shares[stratum] :]
        else:
            self._offer(index)

    def wants(self, slot: Slot) -> bool:
        """Whether a slot, which nobody is trying, is yet to be tried."""
        index, number = slot
        open = not self._solved[index] and number == self._spent[index] < self.schedule.tries[index]
        return open and self._matters(slot)

    def fail(self, slot: Slot) -> None:
        """The infrastructure broke the try: it says nothing of the task."""
        self._flying.discard(slot)
        self.failing.add(slot)
        self._failures[slot] += 1
        if self._failures[slot] < MAKINGS:
            self._again.add(slot)

    def short(self) -> dict[str, tuple[int, int]]:
        """Of each stratum that lacks some of its share: how many it has, and the share."""
        return {
            name: (len(self._won[name]), share)
            for name, share in self.schedule.shares.items()
            if len(self._won[name]) < share
        }

    def told(self) -> str:
        """How far a collection is, in words."""
        share = f" (yield {self.found / self.tried:.0%})" if self.tried else ""
        failed = f", {len(self.failing):,} failed" if self.failing else ""
        return f"kept {self.kept:,} of {sum(self.schedule.shares.values()):,}{share}{failed}"

    def _offer(self, index: int) -> None:
        slot = (index, self._spent[index])
        if self._mine(index) and slot[1] < self.schedule.tries[index]:
            heapq.heappush(self._ready, (self.schedule.place(slot), slot))

    def _first(self) -> Slot | None:
        while self._ready:
            slot = self._ready[0][1]
            if self.wants(slot) and slot not in self._flying and slot not in self.failing:
                return slot
            heapq.heappop(self._ready)
        return min(filter(self.wants, self._again), key=self.schedule.place, default=None)

    def _matters(self, slot: Slot) -> bool:
        """Whether a win there would be kept, as far as is known. What once does not never will."""
        stratum = self.schedule.strata[slot[0]]
        winners = self._won[stratum]
        return len(winners) < self.schedule.shares[stratum] or self.schedule.place(slot) < winners[-1]


def by_id(schedule: Schedule, tasks: Sequence[Task]) -> Callable[[Mapping[str, int]], list[str]]:
    """`schedule.earliest` over the ids of its `tasks`."""
    places = {task.id: index for index, task in enumerate(tasks)}
    return lambda wins: [tasks[index].id for index in schedule.earliest({places[id]: n for id, n in wins.items()})]


def strata_of(tasks: Sequence[Task], by: str) -> list[str]:
    """Each task's stratum: one for all where `by` is empty, else its kind, or what its `extra` has under that key."""
    if not by:
        return ["" for _ in tasks]
    if by == "kind":
        return [task.kind for task in tasks]
    if not any(by in task.extra for task in tasks):
        there = sorted({key for task in tasks for key, value in task.extra.items() if isinstance(value, str | int)})
        raise Mistake(f"quota_by is {by!r}; there are: kind, {', '.join(there)}")
    return [str(task.extra.get(by, "")) for task in tasks]


def shares_of(strata: Sequence[str], target: int, quota: Mapping[str, int]) -> dict[str, int]:
    """How many of each stratum are wanted: what `quota` says, or as many of each, which together are `target`."""
    there = sorted(set(strata))
    for name in quota:
        choose("stratum in quota", name, there)
    if quota and sum(quota.values()) != target:
        raise Mistake(f"target is {target}, and quota adds up to {sum(quota.values())}: --target {sum(quota.values())}")
    each, more = divmod(target, len(there))
    shares = quota or {name: each + (place < more) for place, name in enumerate(there)}
    return {name: share for name, share in shares.items() if share}
