"""How much is asked of one server at once: what it has shown that it takes, whatever it permits and however it refuses.

Nothing is asked less before the first refusal: a server of one's own queues what it cannot do at once. A vendor's says
that it is busy (429). Then the number of calls under way is bounded, by what was not refused, and they begin one by
one; the bound grows until there is a refusal again. Against servers that permit so many calls a second, a minute or at
once, nine tenths of that are had (`tests/test_busy.py`).
"""

from __future__ import annotations

import math

_REST = 60.0  # seconds that a failing endpoint rests at most
_PAUSE = 0.25  # seconds after a refusal that does not say how long to wait; twice as long after each further one
_NEAR = 0.95  # of what was too much
_LESS = 0.7  # of what was too much, at first
_GROWTH = 0.005  # past what is near, in a round of as many answers as are under way; twice as much in each further one
_FEW = 8.0  # answers in a round at least
_LEAST = 0.01  # calls at once: less than one is one, and then none for a while
_SMOOTH = 0.1  # weight of the last call in the time that one takes


class Pace:
    """One server's calls, and how it fares. Not thread-safe: its owner has the lock.

    Its owner takes a call that has begun from `in_flight` again, once it has told how it went.
    """

    def __init__(self) -> None:
        self.in_flight = self.failures = 0
        self.answered_at = 0.0
        self.most = math.inf  # calls at once, as far as the server has refused more
        self.failed_at = self.rests_until = 0.0
        self.refused_at = self.closed_until = 0.0
        self._refusals, self._asked, self._too_many = 0, math.inf, math.inf
        self._beyond = self._begun = 0
        self._seconds = self._next = 0.0

    @property
    def room(self) -> float:
        """How many more calls it may be asked at once now."""
        if self._refusals > 1 or self.failures:  # one finds out whether it is back
            return 1 - self._begun
        return max(1.0, self.most) - self.in_flight

    def answered(self, started: float, now: float) -> None:
        """It is alive. Where it was asked as much as it may be, and took it, it may be asked a little more."""
        self.answered_at, self.failures, self.rests_until = now, 0, 0.0
        took = now - started
        self._seconds += _SMOOTH * (took - self._seconds) if self._seconds else took
        if started >= self.refused_at:
            self._refusals = 0
            if self.in_flight + 1 > self.most:
                self._grow()

    def _grow(self) -> None:
        """What follows where as many as may be under way at once are answered: twice as many, or a little more."""
        near = _NEAR * self._too_many
        if self.most < near:
            self.most = min(self.most * (1.0 + 1.0 / max(1.0, self.most)), near)
        else:
            round = max(_FEW, self.most)
            self._beyond += 1
            self.most *= 1.0 + min(1.0, _GROWTH * 2.0 ** (self._beyond / round)) / round

    def refused(self, started: float, now: float, wait: float) -> None:
        """It was asked too much: less from now on, and nothing before `wait` seconds have passed.

        As TCP shares a line (RFC 9438): a good deal less at once, then quickly back to near where it was too much,
        slowly past that, and faster again where there is more room than there was. Calls that are refused together
        count once, and tell how many were not. Where none was answered since, it is not asked less, but later.
        """
        self.closed_until = max(self.closed_until, now + wait)
        if started >= self.refused_at:
            if not self._refusals:
                self._asked = self._too_many = min(self.most, self.in_flight)
            elif not wait:
                self.closed_until = now + min(_REST / 2, _PAUSE * 2.0**self._refusals)
            self._refusals += 1
            self.refused_at = self._next = now
            self._begun = 0
        elif self._refusals == 1:
            self._too_many = max(1.0, self._too_many - 1)
        if self._refusals == 1:
            self.most, self._beyond = max(_LEAST, _LESS * self._too_many, self._asked / 8), 0

    def begin(self, now: float) -> float:
        """A call is to be made; when. One that takes only so many at once gets them one by one, not in bursts."""
        self.in_flight += 1
        self._begun += 1
        at = max(now, self._next)
        self._next = at + self._seconds / self.most
        return at

    def failed(self, started: float, now: float) -> None:
        """It rests, longer each time. Calls that fail together count once, and what began before says nothing new."""
        if started >= self.failed_at:
            self.failures += 1
            self.failed_at, self._begun = now, 0
            self.rests_until = now + min(_REST, 2.0 ** (self.failures - 1))
