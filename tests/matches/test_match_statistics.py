"""Confidence intervals of win rates: within 0 and 1, and right about as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from infoset.matches.match_statistics import Tally, interval_of_fraction, summarize_tally

DISTRIBUTIONS = {
    "coin": ([0.0, 1.0], [0.5, 0.5]),
    "rare win": ([0.0, 1.0], [0.95, 0.05]),
    "two plays": ([0.0, 0.5, 1.0], [0.49, 0.42, 0.09]),
    "mostly a draw": ([0.0, 0.5, 1.0], [0.01, 0.95, 0.04]),
    "half or all": ([0.5, 1.0], [0.8, 0.2]),
    "thirds": ([0.0, 1 / 3, 2 / 3, 1.0], [0.4, 0.3, 0.2, 0.1]),
}


@pytest.mark.parametrize("number", [10, 60, 1000])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_intervals_cover_the_expectation(name, number):
    values, probability = map(np.array, DISTRIBUTIONS[name])
    draws = np.random.default_rng(1).multinomial(number, probability, 1500)
    hits = 0
    for counts in draws:
        mean = counts @ values / number
        spread = counts @ (values - mean) ** 2
        low, high = interval_of_fraction(mean, spread, number)
        assert 0 <= low <= mean <= high <= 1
        hits += low <= values @ probability <= high
    assert hits / len(draws) > 0.93


@pytest.mark.parametrize(("wins", "number"), [(0, 10), (3, 10), (10, 10), (333, 1000)])
def test_for_wins_and_losses_it_is_nearly_the_exact_interval(wins, number):
    mean = wins / number
    found = interval_of_fraction(mean, number * mean * (1 - mean), number)
    exact = binomtest(wins, number).proportion_ci(0.95, "exact")
    assert found == pytest.approx((exact.low, exact.high), abs=0.02 if number == 10 else 1e-3)


def test_less_variance_makes_it_narrower():
    widths = []
    for spread in (100 * 0.25, 100 * 0.1, 0.0):
        low, high = interval_of_fraction(0.5, spread, 100)
        widths.append(high - low)
    assert widths[0] > widths[1] > widths[2] > 0.01


def test_win_rates_of_a_tally_stay_within_0_and_1():
    tally = Tally(6)
    # Columns: mean utility, mean win, two utilities, two wins.
    tally.add(np.array([[1.0, 1.0, 1, 1, 1.0, 1.0], [3.0, 1.0, 3, 3, 1.0, 1.0]] * 3))
    result = summarize_tally(tally, 0)
    assert result.win_rate.interval == pytest.approx((0.5407, 1.0), abs=1e-4)
    assert [rate.interval for rate in result.position_win_rates] == [result.win_rate.interval] * 2
    low, high = result.utility.interval
    assert (low + high) / 2 == 2.0
    assert high - low > 2
