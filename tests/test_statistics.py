"""Numbers against hand-worked values, scipy 1.17 and statsmodels 0.15; properties against anything."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, bootstrap, t

from eval.statistics import compare, detectable, difference, holm, mcnemar, mean, score, wilson

verdicts = st.lists(st.booleans(), min_size=1, max_size=60)
shares = st.lists(st.floats(0, 1), min_size=1, max_size=60)
pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@pytest.mark.parametrize(  # statsmodels.stats.proportion.proportion_confint(k, n, method="wilson")
    ("solved", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.27753279986288926),
        (10, 10, 0.7224672001371106, 1.0),
        (34, 128, 0.19675501016357283, 0.34815293808963427),
        (137, 500, 0.2367406256658206, 0.3147055762228011),
        (1, 1, 0.2065493143772374, 1.0),
    ],
)
def test_wilson_is_that_of_statsmodels(solved, n, low, high):
    found = wilson(solved, n)
    assert (found.value, found.low, found.high) == pytest.approx((solved / n, low, high), abs=1e-12)


def test_wilson_by_hand():
    # 5 of 10, z = 1.96: middle 0.5, half = 1.96 / 1.38416 * sqrt(0.025 + 0.009604) = 0.2634
    assert wilson(5, 10).low == pytest.approx(0.2366, abs=1e-4)
    with pytest.raises(ValueError, match="3 of 2 is no share"):
        wilson(3, 2)


@given(solved=verdicts)
def test_wilson_contains_the_share_and_is_that_of_scipy(solved):
    found = wilson(sum(solved), len(solved))
    assert 0 <= found.low <= found.value <= found.high <= 1
    theirs = binomtest(sum(solved), len(solved)).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(values=shares)
def test_a_mean_lies_in_its_interval(values):
    found = mean(values)
    assert 0 <= found.low <= found.value + 1e-12 and found.value - 1e-12 <= found.high <= 1
    assert found.high > found.low


def test_a_mean_has_the_t_interval_of_scipy():
    values = [0.0, 0.5, 1.0, 0.4, 0.8, 0.0]
    low, high = t.interval(0.95, 5, loc=np.mean(values), scale=np.std(values, ddof=1) / math.sqrt(6))
    found = mean(values)
    assert (found.value, found.low, found.high) == pytest.approx((0.45, max(low, 0), high))


def test_equal_values_are_not_taken_for_certainty():
    assert mean([0.0] * 10) == wilson(0, 10)
    assert mean([1.0] * 10).low == pytest.approx(0.7225, abs=1e-4)


def test_pairs_that_differ_alike_are_not_taken_for_certainty():
    # Of 3 and of 128 pairs without another kind, Wilson's 95% leaves 0.5615 and 0.0291 for it.
    for n, high in ((3, 0.5615), (128, 0.0291)):
        same = difference([1.0] * n, [1.0] * n)
        assert same.value == 0 and same.high == -same.low == pytest.approx(high, abs=1e-4)
        better = difference([0.0] * n, [1.0] * n)
        assert (better.value, better.high) == (1.0, 1.0) and better.low == pytest.approx(1 - 2 * high, abs=2e-4)
    worse = difference([1.0] * 3, [0.5] * 3)
    assert -1 <= worse.low < worse.value == -0.5 < worse.high <= 1


@pytest.mark.parametrize(  # statsmodels.stats.contingency_tables.mcnemar(..., exact=True).pvalue
    ("b", "c", "p"),
    [(3, 11, 0.057373046875), (5, 5, 1.0), (0, 6, 0.03125), (1, 0, 1.0), (20, 45, 0.0026263768106840374), (0, 0, 1.0)],
)
def test_mcnemar_is_that_of_statsmodels(b, c, p):
    assert mcnemar(b, c) == pytest.approx(p, rel=1e-9)


@given(found=pairs)
def test_a_comparison_turned_round_says_the_same(found):
    first = {str(i): a for i, (a, _) in enumerate(found)}
    second = {str(i): b for i, (_, b) in enumerate(found)}
    there, back = compare(first, second), compare(second, first)
    assert there.n == len(found) and there.p == back.p
    assert there.change.value == pytest.approx(-back.change.value) == pytest.approx(there.second - there.first)
    assert there.change.low <= there.change.value <= there.change.high
    assert compare(first, first).p == 1 and compare(first, first).change.value == 0
    assert there == compare(dict(reversed(first.items())), second)


def test_only_what_both_finished_is_paired():
    found = compare({"a": True, "b": False, "c": True}, {"b": True, "c": True, "d": False})
    assert (found.n, found.only_first, found.only_second, found.change.value) == (2, 0, 1, 0.5)
    assert compare({"a": True}, {"b": True}) is None


def test_the_bootstrap_over_pairs_is_that_over_items():
    rng = np.random.default_rng(5)
    first, second = rng.random(80) < 0.3, rng.random(80) < 0.5
    items = second.astype(float) - first
    means = items[rng.integers(0, 80, (20_000, 80))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    found = difference(first, second)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.0126)  # one step of 1/80
    assert found == difference(first, second) and found.value == pytest.approx(items.mean())


def test_detectable_solves_connors_formula():
    n, discordant = 500, 0.3
    d = detectable(n, discordant)
    assert (1.959964 * math.sqrt(discordant) + 0.841621 * math.sqrt(discordant - d * d)) ** 2 / d**2 == pytest.approx(n)
    assert d == pytest.approx(0.0684, abs=1e-4)


def test_what_is_called_detectable_is_found_in_about_80_of_100_runs():
    n, discordant = 150, 0.3
    d = detectable(n, discordant)
    differing = np.arange(n + 1)
    power = 0.0
    for m, weight in zip(differing, binom.pmf(differing, n, discordant), strict=True):
        if weight > 1e-9:
            reject = [c for c in range(m + 1) if mcnemar(m - c, c) < 0.05] if weight > 1e-3 else []
            power += weight * binom.pmf(reject, m, (discordant + d) / (2 * discordant)).sum()
    assert 0.72 < power < 0.82, power  # the exact test is a little more careful than the formula


@given(n=st.integers(1, 10_000), discordant=st.floats(0, 1))
def test_detectable_is_a_share_or_nothing(n, discordant):
    found = detectable(n, discordant)
    assert found is None or 0 < found <= discordant


def test_more_pairs_show_less():
    assert detectable(1) is None
    found = [detectable(n) for n in (50, 100, 500, 7405)]
    assert found == sorted(found, reverse=True)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0] and holm([]) == []


@given(values=st.lists(st.floats(0, 1), max_size=10))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(values):
    raised = holm(values)
    assert all(p <= q <= 1 for p, q in zip(values, raised, strict=True))
    assert [q for _, q in sorted(zip(values, raised, strict=True))] == sorted(raised)


def test_a_score_is_the_mean_reward_in_percent_with_the_interval_of_scipys_bootstrap():
    rewards = [0.0, 1.0, 0.5, 1 / 3, 1.0, 0.75, 0.0, 0.25, 1.0, 2 / 3] * 5
    found = score(rewards)
    reference = bootstrap((rewards,), np.mean, method="percentile", n_resamples=10_000, rng=1).confidence_interval
    assert found.value == pytest.approx(55)
    assert (found.low, found.high) == pytest.approx((100 * reference.low, 100 * reference.high), abs=1)


@given(rewards=shares)
def test_a_score_lies_in_its_interval_and_is_never_certain(rewards):
    found = score(rewards)
    assert -1e-9 <= found.low <= found.value <= found.high <= 100 + 1e-9
    assert found.low < found.high or len(set(rewards)) > 1
