"""How often 95% intervals hold the truth: simulated runs of known truth, over shares, sizes, seeds and partial rewards.

    python -m benchmarks.coverage [--quick]

2,000 runs a case, or 200. Last, one line of JSON, the share of runs that held the truth:

* `<case>, n <tasks>`           for each case below
* Wilson exactly                its mean over truths from .05 to .95, without a simulation; and at its worst
* percentile bootstrap          of paired differences, which is not what is reported

Where an item is 0 or 1, a share has few possible values and Wilson's coverage swings with the truth around 95% (Brown,
Cai and DasGupta 2001): there every run has a truth of its own, drawn around the one that is named, as real runs have.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from eval.paired import bootstrap, difference, tango
from eval.statistics import Estimate, mean, wilson

Rng = np.random.Generator
SIZES = (64, 128, 500)
PARTS = np.array([0.2, 0.29, 0.4, 0.5, 0.57, 0.67, 0.8])
REWARDS = np.array([0.0, 0.1, 0.33, 0.5, 0.67, 0.75, 1.0])


@dataclass(frozen=True)
class Case:
    """One line of the table: `run` gives an interval over n items and the truth that it should hold."""

    name: str
    n: int
    run: Callable[[Rng, int], tuple[Estimate, float]]

    @property
    def seed(self) -> int:
        return crc32(str(self).encode())

    def __str__(self) -> str:
        return f"{self.name}, n {self.n}"


def share(around: float) -> Callable[[Rng, int], tuple[Estimate, float]]:
    """EM, accuracy, success: n items of 0 or 1."""

    def run(rng: Rng, n: int) -> tuple[Estimate, float]:
        truth = around * rng.uniform(0.8, 1.2)
        return wilson(int(rng.binomial(n, truth)), n), truth

    return run


def f1(zeros: float, ones: float) -> Callable[[Rng, int], tuple[Estimate, float]]:
    """F1: so many answers with nothing right, so many right, and the rest in part."""

    def run(rng: Rng, n: int) -> tuple[Estimate, float]:
        drawn = rng.random(n)
        values = np.where(drawn < zeros, 0.0, np.where(drawn < zeros + ones, 1.0, rng.choice(PARTS, n)))
        return mean(values.tolist()), ones + (1 - zeros - ones) * float(PARTS.mean())

    return run


def pooled(around: float, seeds: int, alike: float) -> Callable[[Rng, int], tuple[Estimate, float]]:
    """Several seeds: the items have shares of their own (beta; the more `alike`, the less items differ)."""

    def run(rng: Rng, n: int) -> tuple[Estimate, float]:
        shares = rng.beta(around * alike, (1 - around) * alike, n)
        return mean((rng.binomial(seeds, shares) / seeds).tolist(), n * seeds), around

    return run


def pair(first: float, second: float) -> Callable[[Rng, int], tuple[Estimate, float]]:
    """Two runs over the same items, of which so many are solved by the first alone, and by the second alone."""

    def run(rng: Rng, n: int) -> tuple[Estimate, float]:
        one, two = first * rng.uniform(0.8, 1.2), second * rng.uniform(0.8, 1.2)
        a, b, _ = rng.multinomial(n, [one, two, 1 - one - two])
        return tango(int(a), int(b), n), two - one

    return run


def scores(alike: float) -> Callable[[Rng, int], tuple[Estimate, float]]:
    """Rewards in parts of two runs, which are the same in the share `alike` of the items."""
    one, two = (np.array(weights) / sum(weights) for weights in ((3, 1, 3, 3, 3, 2, 5), (2, 1, 2, 3, 3, 2, 7)))

    def run(rng: Rng, n: int) -> tuple[Estimate, float]:
        first = rng.choice(REWARDS, n, p=one)
        second = np.where(rng.random(n) < alike, first, rng.choice(REWARDS, n, p=two))
        return difference((second - first).tolist()), (1 - alike) * float(REWARDS @ two - REWARDS @ one)

    return run


def pooled_pair(first: float, second: float, seeds: int) -> Callable[[Rng, int], tuple[Estimate, float]]:
    """Two cells of several seeds each, whose items are hard for both; the second is the worse."""

    def run(rng: Rng, n: int) -> tuple[Estimate, float]:
        shares = rng.beta(2.5 * first, 2.5 * (1 - first), n)
        one, two = rng.binomial(seeds, shares), rng.binomial(seeds, shares * second / first)
        return difference(((two - one) / seeds).tolist()), second - first

    return run


CASES = [
    Case(name, n, run)
    for n in SIZES
    for name, run in {
        "share .05 (Wilson)": share(0.05),
        "share .3 (Wilson)": share(0.3),
        "share .5 (Wilson)": share(0.5),
        "F1 .30": f1(0.6, 0.2),
        "F1 .70": f1(0.2, 0.6),
        "3 seeds, share .1": pooled(0.1, 3, 1.0),
        "6 prompts, share .3": pooled(0.3, 6, 0.7),
        "difference, .1 and .1 alone (Tango)": pair(0.1, 0.1),
        "difference, .15 and .05 alone (Tango)": pair(0.15, 0.05),
        "difference, .3 and .1 alone (Tango)": pair(0.3, 0.1),
        "difference of scores": scores(0.3),
        "difference of 3 seeds each": pooled_pair(0.3, 0.2, 3),
    }.items()
]


def covered(case: Case, runs: int, seed: int = 0) -> float:
    """The share of simulated runs whose interval holds the truth."""
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(runs):
        found, truth = case.run(rng, case.n)
        held += found.low <= truth <= found.high
    return held / runs


def wilson_exactly(n: int) -> tuple[float, float]:
    """Wilson's coverage without a simulation: the mean and the least over truths from 0.05 to 0.95."""
    from scipy.stats import binom

    solved = np.arange(n + 1)
    found = [wilson(int(k), n) for k in solved]
    low, high = np.array([one.low for one in found]), np.array([one.high for one in found])
    truths = np.linspace(0.05, 0.95, 901)
    each = [float(binom.pmf(solved, n, p)[(low <= p) & (p <= high)].sum()) for p in truths]
    return float(np.mean(each)), min(each)


def percentile(runs: int) -> dict[str, float]:
    """What the percentile bootstrap of the same differences would hold, for comparison."""
    found = {}
    for name, (first, second, n) in {"few": (0.01, 0.05, 64), "many": (0.15, 0.05, 128)}.items():
        rng, held = np.random.default_rng(5), 0
        for _ in range(runs):
            a, b, rest = rng.multinomial(n, [first, second, 1 - first - second])
            interval = bootstrap([-1.0] * int(a) + [1.0] * int(b) + [0.0] * int(rest))
            held += interval.low <= second - first <= interval.high
        found[name] = held / runs
    return found


def main() -> None:
    """Prints the table, and one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="200 runs a case instead of 2,000")
    runs = 200 if parser.parse_args().quick else 2000
    figures: dict[str, Any] = {}
    for case in CASES:
        figures[str(case)] = covered(case, runs, case.seed)
        print(f"{case!s:52} {figures[str(case)]:.3f}")
    for n in SIZES:
        average, least = wilson_exactly(n)
        figures[f"Wilson exactly, n {n}"], figures[f"Wilson at its worst, n {n}"] = round(average, 4), round(least, 4)
        print(f"{f'Wilson, exactly: mean and least, n {n}':52} {average:.3f} {least:.3f}")
    for name, value in percentile(runs // 4).items():
        figures[f"percentile bootstrap, {name} differ"] = value
        print(f"{f'percentile bootstrap of pairs, {name} differ':52} {value:.3f}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
