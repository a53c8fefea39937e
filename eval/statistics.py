"""How sure a number is: intervals for one run, paired tests for two.

Two runs over the same panel answer the same questions, and easy ones are easy for both: compared pair by pair, that
share of the noise is gone. Of n pairs only those that one run alone solved speak::

                      second solved   second did not
    first solved      a               b                 difference = (c - b) / n
    first did not     c               d                 exact McNemar: b ~ Binomial(b + c, 1/2)
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

LEVEL = 0.95
POWER = 0.8
RESAMPLES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A share or a mean, with the interval that holds the truth in 95 of 100 runs."""

    value: float
    low: float
    high: float


def wilson(successes: float, n: int) -> Estimate:
    """The share `successes / n` with Wilson's score interval: sound near 0 and 1 and for few items. n is 1 or more."""
    if not 0 <= successes <= n or n < 1:
        raise ValueError(f"{successes} of {n} is no share")
    z = _normal(0.5 + LEVEL / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Estimate(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)))


def mean(values: Sequence[float]) -> Estimate:
    """The mean of values between 0 and 1 (F1, a partial reward), with Student's t interval cut to that range.

    Where all values are equal t would claim certainty. There the interval is Wilson's, which is wide enough for every
    quantity between 0 and 1, since none of a given mean varies more than a share does.
    """
    n = len(values)
    if not n or min(values) < 0 or max(values) > 1:
        raise ValueError(f"{n} values from {min(values, default=0)} to {max(values, default=0)}; they must be in 0..1")
    centre = math.fsum(values) / n
    if min(values) == max(values):
        return wilson(values[0] * n, n)
    from scipy.stats import t

    half = float(t.ppf(0.5 + LEVEL / 2, n - 1)) * statistics.stdev(values) / math.sqrt(n)
    return Estimate(centre, max(0.0, centre - half), min(1.0, centre + half))


def hundredths(share: float) -> str:
    """A share in two digits, halves away from zero as people round: 0.13 for 2 of 16."""
    return str(Decimal(str(share)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p value of McNemar's test; 1 where no pair differs."""
    from scipy.stats import binomtest

    discordant = only_first + only_second
    return float(binomtest(only_first, discordant).pvalue) if discordant else 1.0


def difference(first: Sequence[float], second: Sequence[float], seed: int = 0) -> Estimate:
    """The mean of `second - first` over pairs of values between 0 and 1, with the percentile interval of a bootstrap.

    Drawing n pairs with replacement is drawing how often each different value comes up, which is one multinomial:
    the same distribution, in memory that does not grow with n. Where all pairs differ alike the bootstrap would claim
    certainty. There the share of pairs to come that differ otherwise is only known to be at most that of Wilson's
    interval for 0 of n, and the interval reaches as far as those can take the mean, each between -1 and 1.
    """
    import numpy as np

    n = len(first)
    if n != len(second) or not n:
        raise ValueError(f"{n} and {len(second)} values cannot be paired")
    values, counts = np.unique(np.subtract(second, first, dtype=float), return_counts=True)
    if len(values) == 1:
        alike, others = float(values[0]), wilson(0, n).high
        return Estimate(alike, alike - others * (1 + alike), alike + others * (1 - alike))
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=RESAMPLES) @ values / n
    low, high = np.quantile(drawn, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    centre = float(counts @ values) / n
    return Estimate(centre, min(centre, float(low)), max(centre, float(high)))


def score(rewards: Sequence[float], seed: int = 0) -> Estimate:
    """100 times the mean reward, WebShop's score, with the percentile interval of a bootstrap over tasks.

    Where all rewards are equal the bootstrap would claim certainty: there it is that of `mean`.
    """
    found = mean(rewards) if min(rewards) == max(rewards) else difference([0.0] * len(rewards), rewards, seed)
    return Estimate(100 * found.value, 100 * found.low, 100 * found.high)


def detectable(n: int, discordant: float = 0.5) -> float | None:
    """The smallest true difference that McNemar's test over n pairs finds in 80 of 100 runs, at the 5% level.

    `discordant` is the share of pairs that one run alone solves; 0.5 is the most that runs of equal strength reach
    by chance. Connor (1987, Biometrics 43:207) needs for a difference d

        n = (z_a sqrt(discordant) + z_b sqrt(discordant - d^2))^2 / d^2,    z_a = 1.960, z_b = 0.842

    which is a quadratic in d, solved here. It counts with a normal approximation; the exact test finds a little less.
    None: not even pairs that all differ in one direction would be enough.
    """
    if n < 1 or not 0 <= discordant <= 1:
        raise ValueError(f"{n} pairs of which {discordant} differ")
    z_a, z_b = _normal(0.5 + LEVEL / 2), _normal(POWER)
    root = math.sqrt(max(0.0, n - z_a**2 + z_b**2))
    found = math.sqrt(discordant) * (z_a * math.sqrt(n) + z_b * root) / (n + z_b**2)
    return found if 0 < found <= discordant else None


@dataclass(frozen=True)
class Comparison:
    """Two runs on the items that both finished. `change` is second minus first."""

    n: int
    first: float
    second: float
    only_first: int
    only_second: int
    change: Estimate
    p: float
    detectable: float | None


def compare(first: Mapping[str, bool], second: Mapping[str, bool], seed: int = 0) -> Comparison | None:
    """Whether `second` solves more than `first`, by task id. None where they share no item."""
    ids = sorted(first.keys() & second.keys())
    if not ids:
        return None
    one, two = [first[i] for i in ids], [second[i] for i in ids]
    only_first = sum(a and not b for a, b in zip(one, two, strict=True))
    only_second = sum(b and not a for a, b in zip(one, two, strict=True))
    n = len(ids)
    return Comparison(
        n=n,
        first=sum(one) / n,
        second=sum(two) / n,
        only_first=only_first,
        only_second=only_second,
        change=difference(one, two, seed),
        p=mcnemar(only_first, only_second),
        detectable=detectable(n, (only_first + only_second) / n),
    )


def holm(values: Sequence[float]) -> list[float]:
    """p values, each raised so that all of them together err in 5 of 100 reports (Holm 1979), in the given order."""
    adjusted = [0.0] * len(values)
    highest = 0.0
    for rank, i in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        highest = max(highest, min(1.0, (len(values) - rank) * values[i]))
        adjusted[i] = highest
    return adjusted


def _normal(share: float) -> float:
    return statistics.NormalDist().inv_cdf(share)
