"""Whether of two runs one is better: paired tests, and intervals of differences.

Two runs over the same panel answer the same questions, and easy ones are easy for both: compared pair by pair, that
share of the noise is gone. Of n pairs only those that one run alone solved speak::

                      second solved   second did not
    first solved      a               b                 difference = (c - b) / n
    first did not     c               d                 exact McNemar: b ~ Binomial(b + c, 1/2)

Where an item is worth something between 0 and 1 (a partial reward, its share of success over several seeds) the signs
of the differences are exchanged instead, which is McNemar's test again where all of them are -1, 0 or 1.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval.statistics import LEVEL, RESAMPLES, Estimate, normal, wilson

POWER = 0.8
_AT_ONCE = 2_000_000  # numbers in memory
_BISECTIONS = 60


@dataclass(frozen=True)
class Comparison:
    """Two runs on the items that both finished. `change` is second minus first.

    `only_first` of the items are worth more in the first, `only_second` in the second. `p` is of the `test`: `McNemar`,
    or `signs` where items are worth parts. `bootstrap` is the percentile interval of the same change, beside the one
    that is reported. `detectable` is the smallest true difference that is found in 80 of 100 such comparisons, at the
    5% level. `deviation` is that of the single differences.
    """

    n: int
    first: float
    second: float
    only_first: int
    only_second: int
    change: Estimate
    bootstrap: Estimate
    p: float
    detectable: float | None
    deviation: float
    test: str = "McNemar"

    def detects(self, level: float) -> float | None:
        """The same at another level, as where several claims are corrected."""
        if self.test == "McNemar":
            return detectable(self.n, (self.only_first + self.only_second) / self.n, level)
        return detectable_mean(self.n, self.deviation, level)


def compare(first: Mapping[str, float], second: Mapping[str, float], seed: int = 0) -> Comparison | None:
    """Whether `second` does better than `first`, by item; values are in 0..1. None where they share no item."""
    ids = sorted(first.keys() & second.keys())
    if not ids:
        return None
    one, two = [float(first[i]) for i in ids], [float(second[i]) for i in ids]
    n, whole = len(ids), {*one, *two} <= {0.0, 1.0}
    worse, better = (sum(a > b for a, b in zip(x, y, strict=True)) for x, y in ((one, two), (two, one)))
    gains = [b - a for a, b in zip(one, two, strict=True)]
    deviation = statistics.stdev(gains) if n > 1 else 0.0
    return Comparison(
        n=n,
        first=math.fsum(one) / n,
        second=math.fsum(two) / n,
        only_first=worse,
        only_second=better,
        change=tango(worse, better, n) if whole else difference(gains),
        bootstrap=bootstrap(gains, seed),
        p=mcnemar(worse, better) if whole else signs(gains, seed),
        detectable=detectable(n, (worse + better) / n) if whole else detectable_mean(n, deviation),
        deviation=deviation,
        test="McNemar" if whole else "signs",
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p value of McNemar's test; 1 where no pair differs."""
    from scipy.stats import binomtest

    discordant = only_first + only_second
    return float(binomtest(only_first, discordant).pvalue) if discordant else 1.0


def signs(gains: Sequence[float], seed: int = 0) -> float:
    """The two-sided p value of Fisher's test of paired differences: had each the other sign, as likely as not.

    Exact where at most 10,000 choices of signs are different, or else of so many drawn ones.
    """
    import numpy as np
    from scipy.stats import permutation_test

    speaking = np.array([gain for gain in gains if gain])
    if speaking.size < 2:
        return 1.0  # either sign is as far off as the other
    found = permutation_test(
        (speaking,),
        lambda chosen, axis: abs(chosen.sum(axis=axis)),
        permutation_type="samples",
        alternative="greater",
        n_resamples=RESAMPLES,
        batch=max(1, _AT_ONCE // speaking.size),
        vectorized=True,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)


def tango(only_first: int, only_second: int, n: int) -> Estimate:
    """The difference of two shares over the same n items, second minus first, with Tango's score interval.

    It holds every true difference from which the observed one is at most 1.96 standard deviations away, those that
    pairs of that difference have (Tango 1998, Statistics in Medicine 17:891): of the intervals in use the one that
    keeps its word for few pairs and few that differ (Fagerland, Lydersen and Laake 2014, Statistics in Medicine
    33:2850). In accord with McNemar's test, and never of no width.
    """
    if not 0 <= only_first + only_second <= n or n < 1 or min(only_first, only_second) < 0:
        raise ValueError(f"{only_first} and {only_second} of {n} pairs differ")
    found = (only_second - only_first) / n
    low = _bound(only_first, only_second, n, -1.0, found)
    return Estimate(found, low, -_bound(only_second, only_first, n, -1.0, -found))


def _bound(only_first: int, only_second: int, n: int, low: float, high: float) -> float:
    """The least difference that is not too far below the observed one; Tango's statistic falls from `low` to `high`."""
    z = normal(0.5 + LEVEL / 2)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        a, b = 2 * n, -only_first - only_second + (2 * n - only_second + only_first) * middle
        c = -only_first * middle * (1 - middle)
        share = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)  # of pairs that only the first solves, then
        variance = n * (2 * share + middle * (1 - middle))
        if only_second - only_first - n * middle > z * math.sqrt(max(variance, 0.0)):
            low = middle
        else:
            high = middle
    return high


def difference(gains: Sequence[float]) -> Estimate:
    """The mean of paired differences between -1 and 1, with Student's t interval cut to that range.

    Where all pairs differ alike t would claim certainty. There the share of pairs to come that differ otherwise is
    only known to be at most that of Wilson's interval for 0 of n, and the interval reaches as far as those can take the
    mean, each between -1 and 1.
    """
    n, centre = len(gains), math.fsum(gains) / len(gains)
    if min(gains) == max(gains):
        alike, others = float(gains[0]), wilson(0, n).high
        return Estimate(alike, alike - others * (1 + alike), alike + others * (1 - alike))
    from scipy.stats import t

    half = float(t.ppf(0.5 + LEVEL / 2, n - 1)) * statistics.stdev(gains) / math.sqrt(n)
    return Estimate(centre, max(-1.0, centre - half), min(1.0, centre + half))


def bootstrap(gains: Sequence[float], seed: int = 0) -> Estimate:
    """The mean of paired differences, with the percentile interval of a bootstrap over the pairs (Efron 1979).

    Drawing n pairs with replacement is drawing how often each different value comes up, which is one multinomial:
    the same distribution, in memory that does not grow with n. Where all pairs differ alike its width is 0.
    """
    import numpy as np

    n = len(gains)
    values, counts = np.unique(np.asarray(gains, dtype=float), return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(n, counts / n, size=RESAMPLES) @ values / n
    low, high = np.quantile(drawn, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    centre = float(counts @ values) / n
    return Estimate(centre, min(centre, float(low)), max(centre, float(high)))


def detectable(n: int, discordant: float = 0.5, level: float = 0.05) -> float | None:
    """The smallest true difference that McNemar's test over n pairs finds in 80 of 100 runs, at that level.

    `discordant` is the share of pairs that one run alone solves; 0.5 is the most that runs of equal strength reach
    by chance. Connor (1987, Biometrics 43:207) needs for a difference d

        n = (z_a sqrt(discordant) + z_b sqrt(discordant - d^2))^2 / d^2,    z_a = 1.960, z_b = 0.842

    which is a quadratic in d, solved here. It counts with a normal approximation; the exact test finds a little less.
    None: not even pairs that all differ in one direction would be enough.
    """
    if n < 1 or not 0 <= discordant <= 1:
        raise ValueError(f"{n} pairs of which {discordant} differ")
    z_a, z_b = normal(1 - level / 2), normal(POWER)
    root = math.sqrt(max(0.0, n - z_a**2 + z_b**2))
    found = math.sqrt(discordant) * (z_a * math.sqrt(n) + z_b * root) / (n + z_b**2)
    return found if 0 < found <= discordant else None


def detectable_mean(n: int, deviation: float, level: float = 0.05) -> float | None:
    """The same for a mean of n differences of that deviation: (z_a + z_b) s / sqrt(n). None: no two of them differ."""
    return (normal(1 - level / 2) + normal(POWER)) * deviation / math.sqrt(n) if deviation else None


def holm(values: Sequence[float]) -> list[float]:
    """p values, each raised so that all of them together err in 5 of 100 reports (Holm 1979), in the given order."""
    adjusted = [0.0] * len(values)
    highest = 0.0
    for rank, i in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        highest = max(highest, min(1.0, (len(values) - rank) * values[i]))
        adjusted[i] = highest
    return adjusted
