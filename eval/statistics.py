"""How sure the number of one run is, or of several that are one cell: intervals of shares and of means.

`eval.paired` compares two.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

LEVEL = 0.95
RESAMPLES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A share or a mean, with the interval that holds the truth in 95 of 100 runs."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Estimate:
        """The same in another unit, such as percent."""
        return Estimate(factor * self.value, factor * self.low, factor * self.high)


def wilson(successes: float, n: int) -> Estimate:
    """The share `successes / n` with Wilson's score interval: sound near 0 and 1 and for few items. n is 1 or more."""
    if not 0 <= successes <= n or n < 1:
        raise ValueError(f"{successes} of {n} is no share")
    return _score_interval(successes / n, n, normal(0.5 + LEVEL / 2))


def mean(values: Sequence[float], trials: int = 0) -> Estimate:
    """The mean of values between 0 and 1 (F1, partial rewards, an item's share over several seeds), one for each item.

    Wilson's interval for as many items as would vary as much if each were 0 or 1: n m (1 - m) / s^2, with the mean m
    and the variance s^2 of the values, as is done with clustered samples (Korn and Graubard 1998, Survey Methodology
    24:193). s^2 being estimated, Student's quantile takes the place of the normal one. Of zeros and ones it is
    Wilson's. Where all values are equal nothing is known of their variance: then each counts as one 0 or 1. `trials`,
    where an item was tried several times, is how many tries there were in all: they are never worth more than that.
    """
    n = len(values)
    if not n or min(values) < 0 or max(values) > 1:
        raise ValueError(f"{n} values from {min(values, default=0)} to {max(values, default=0)}; they must be in 0..1")
    centre = math.fsum(values) / n
    spread, most = statistics.pvariance(values, centre), centre * (1 - centre)
    if set(values) <= {0, 1} or not spread > 0 or not most:
        return wilson(centre * n, n)
    items = min(n * most / spread, max(trials, n)) if trials else n * most / spread
    from scipy.stats import t

    return _score_interval(centre, items, float(t.ppf(0.5 + LEVEL / 2, n - 1)))


def _score_interval(share: float, n: float, z: float) -> Estimate:
    """Where `share` is no more than z standard deviations from the truth, those that the truth has (Wilson 1927)."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Estimate(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)))


def score(rewards: Sequence[float]) -> Estimate:
    """100 times the mean reward, WebShop's score."""
    return mean(rewards).times(100)


@dataclass(frozen=True)
class Spread:
    """How several runs of one cell differ: the standard deviation, the least and the highest of their values."""

    runs: int
    deviation: float
    low: float
    high: float


def spread(values: Iterable[float]) -> Spread:
    """Of two values or more."""
    found = list(values)
    return Spread(len(found), statistics.stdev(found), min(found), max(found))


def hundredths(share: float) -> str:
    """A share in two digits, halves away from zero as people round: 0.13 for 2 of 16."""
    return str(Decimal(str(share)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def normal(share: float) -> float:
    """The quantile of the standard normal distribution."""
    return statistics.NormalDist().inv_cdf(share)
