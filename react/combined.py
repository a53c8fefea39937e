"""CoT-SC and the back-offs: methods made of others (paper, section 3.2).

    vote        many samples of one method are taken; the answer that most of them gave is handed in
    back off    one method is tried, and another where the first does not decide

CoT-SC decides where at least half of its samples agree, ReAct where it hands in an answer within its steps.

A combined record holds the steps of the try that decided, whole, and in its provenance, beside the usual::

    {"from": "cot",                            the method that wrote these steps
     "backed_off": true,                       whether the second method was tried (back-offs only)
     "votes": ["lima", "", "quito", ...],      where a vote was held, each sample's answer, normalised; empty: no vote
     "rewards": [1.0, 0.0, 0.0, ...],          how the environment judged each
     "calls": 23, "completion_tokens": ...}    counts are sums over everything that was tried
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from dataclasses import dataclass, replace
from functools import partial

from react.cap import Cap, Purse
from react.methods import BackOff, Method, Sampling, Solves, Vote
from react.models import Model
from react.trajectory import COUNTS, Task, Trajectory


def winner(votes: Sequence[str]) -> str:
    """The most frequent vote; of several, the one that was given first. Empty votes are no votes; empty without any."""
    counted = Counter(vote for vote in votes if vote)
    return counted.most_common(1)[0][0] if counted else ""


def agreed(votes: Sequence[str]) -> bool:
    """Whether the winner has at least half of all samples, those counted that gave no answer (paper, section 3.2)."""
    won = winner(votes)
    return bool(won) and 2 * votes.count(won) >= len(votes)


def answered(tried: Trajectory) -> bool:
    """Whether there is an answer: not where the steps ran out, nor the context, nor where nothing was handed in."""
    return bool(tried.answer.strip())


def decides(tried: Trajectory) -> bool:
    """Whether no back-off is needed: samples agreed, or without a vote there is an answer."""
    votes = tried.provenance.get("votes")
    return answered(tried) if votes is None else agreed(votes)


@dataclass(frozen=True)
class Ballot:
    """How votes are held: of how many samples, at what temperature, and which answers are one vote."""

    samples: int
    temperature: float
    normalise: Callable[[str], str]
    crew: Crew


@dataclass(frozen=True)
class Voting:
    """Many tries by `over`. The first that gave the majority's answer is the record; where none answers, the first."""

    method: Vote
    over: Solves
    ballot: Ballot

    @property
    def model(self) -> Model:
        return self.over.model

    @property
    def provenance(self) -> Mapping[str, str]:
        return self.over.provenance

    def solve(self, task: Task, sampling: Sampling, purse: Purse | None = None) -> Trajectory:
        """One vote. The first error of a sample is raised, and drops the others: a failure is no empty vote.

        With a cap the samples are taken one after the other, so that which of them are there does not depend on speed.
        """
        ballot = self.ballot
        ways = [replace(sampling, sample=n, temperature=ballot.temperature) for n in range(ballot.samples)]
        if purse and purse.cap:
            tried = self._in_turn(task, ways, purse)
        else:
            tried = ballot.crew.do([partial(self.over.solve, task, way) for way in ways])
        votes = [ballot.normalise(one.answer) if answered(one) else "" for one in tried]
        deciding = tried[votes.index(winner(votes))]
        held = _joined(self.method, tried, deciding, votes=votes, rewards=[one.reward for one in tried])
        cut = len(tried) < len(ways) or any(one.end == "out_of_budget" for one in tried)
        return replace(held, end="out_of_budget") if cut else held

    def _in_turn(self, task: Task, ways: Sequence[Sampling], purse: Purse) -> list[Trajectory]:
        tried: list[Trajectory] = []
        for way in ways:
            if tried and purse.reached():
                break
            tried.append(self.over.solve(task, way, purse))
        return tried


@dataclass(frozen=True)
class BackingOff:
    """`first`; and `then` where `first` does not decide, whatever comes of it."""

    method: BackOff
    first: Solves
    then: Solves

    @property
    def model(self) -> Model:
        return self.first.model

    @property
    def provenance(self) -> Mapping[str, str]:
        return self.first.provenance

    def solve(self, task: Task, sampling: Sampling, purse: Purse | None = None) -> Trajectory:
        """One try by the first method, and, it may be, one by the second.

        Where a cap ends it, the answer is that of the last part that came to one.
        """
        purse = purse or Purse()
        tried = [self.first.solve(task, sampling, purse)]
        if decides(tried[0]) or purse.reached():
            joined = _joined(self.method, tried, tried[0], backed_off=False)
            return joined if decides(tried[0]) else replace(joined, end="out_of_budget")
        tried.append(self.then.solve(task, sampling, purse))
        cut = tried[1].end == "out_of_budget" and not answered(tried[1]) and answered(tried[0])
        joined = _joined(self.method, tried, tried[0] if cut else tried[1], backed_off=True)
        return replace(joined, end=tried[1].end)


@dataclass(frozen=True)
class Capped:
    """`solves`, each try of it with `cap` to spend."""

    solves: Solves
    cap: Cap

    @property
    def method(self) -> Method | Vote | BackOff:
        return self.solves.method

    @property
    def model(self) -> Model:
        return self.solves.model

    @property
    def provenance(self) -> Mapping[str, str]:
        return self.solves.provenance

    def solve(self, task: Task, sampling: Sampling, purse: Purse | None = None) -> Trajectory:
        return self.solves.solve(task, sampling, purse or Purse(self.cap))


def _joined(method: Vote | BackOff, tried: Sequence[Trajectory], deciding: Trajectory, **more: object) -> Trajectory:
    """The record of `deciding` as that of `method`, with what all that was tried says of itself."""
    said = {key: value for one in (*tried, deciding) for key, value in one.provenance.items()}
    sums = {key: sum(one.provenance[key] for one in tried) for key in COUNTS}
    by = deciding.provenance.get("from", deciding.method)
    return replace(deciding, method=method.name, provenance={**said, **sums, "from": by, **more})


def bind(method: Method | Vote | BackOff, single: Callable[[Method], Solves], ballot: Ballot) -> Solves:
    """What solves by `method`, put together from what `single` gives for the methods that it is made of."""
    if isinstance(method, Vote):
        return Voting(method, bind(method.over, single, ballot), ballot)
    if isinstance(method, BackOff):
        return BackingOff(method, bind(method.first, single, ballot), bind(method.then, single, ballot))
    return single(method)


class Crew:
    """Up to `size` threads for the samples of all votes, first come first served; none while there is nothing to do.

    So the samples of a question run together, however few questions there are, and never more calls at once than that.
    """

    def __init__(self, size: int) -> None:
        self._size, self._threads = size, 0
        self._lock = threading.Lock()
        self._todo: deque[tuple[Callable[[], Trajectory], Future[Trajectory]]] = deque()

    def do(self, work: Sequence[Callable[[], Trajectory]]) -> list[Trajectory]:
        """The results, in the order of `work`. The first error is raised at once, and what has not begun is dropped."""
        futures: list[Future[Trajectory]] = [Future() for _ in work]
        with self._lock:
            self._todo.extend(zip(work, futures, strict=True))
            for _ in range(min(len(futures), self._size - self._threads)):
                # Daemons: Ctrl-C waits for nobody. What they had not recorded is asked again next time.
                threading.Thread(target=self._serve, name="sample", daemon=True).start()
                self._threads += 1
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        for future in futures:
            future.cancel()
        for error in filter(None, (future.exception() for future in done)):
            raise error
        return [future.result() for future in futures]

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not self._todo:
                    self._threads -= 1
                    return
                work, future = self._todo.popleft()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:
                    future.set_exception(error)
