"""Confidence intervals of win rates: within 0 and 1, and right about as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from infoset.matches.match_statistics import (
    ColumnBounds,
    Tally,
    column_bounds,
    interval_of_fraction,
    interval_within,
    summarize_tally,
)


def bounds_of(utility):
    return ColumnBounds(column_bounds(utility), column_bounds(utility))


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
    result = summarize_tally(tally, 0, bounds_of(np.full((2, 2), np.nan)))
    assert result.win_rate.interval == pytest.approx((0.5407, 1.0), abs=1e-4)
    assert [rate.interval for rate in result.position_win_rates] == [result.win_rate.interval] * 2
    low, high = result.utility.interval
    assert (low + high) / 2 == 2.0
    assert high - low > 2


UTILITIES = {
    "poker": ([-13.0, -3.0, -1.0, 1.0, 3.0, 13.0], [0.01, 0.14, 0.35, 0.35, 0.14, 0.01]),
    "rare loss": ([-13.0, 1.0], [0.03, 0.97]),
    "rare gain": ([-1.0, 40.0], [0.97, 0.03]),
    "always the same": ([1.0], [1.0]),
    "two values in the middle": ([-1.0, 1.0], [0.5, 0.5]),
}


@pytest.mark.broad
@pytest.mark.parametrize("number", [10, 60, 1000])
@pytest.mark.parametrize("name", UTILITIES)
def test_intervals_of_bounded_utilities_cover_the_expectation(name, number):
    values, probability = map(np.array, UTILITIES[name])
    bounds = bounds_of(np.array([[-13.0, 40.0]]))
    hits = 0
    for seed in range(400):
        drawn = np.random.default_rng(seed).choice(values, number, p=probability)
        tally = Tally(4)
        tally.add(np.stack([drawn, drawn > 0, drawn, drawn > 0], axis=1).astype(float))
        low, high = summarize_tally(tally, 0, bounds).interval
        assert -13 <= low <= drawn.mean() <= high <= 40
        hits += low <= values @ probability <= high
    assert hits / 400 > 0.93


@pytest.mark.parametrize("number", [2, 4, 10])
@pytest.mark.parametrize("name", UTILITIES)
def test_intervals_of_few_deals_cover_the_expectation_and_stay_in_the_range(name, number):
    values, probability = map(np.array, UTILITIES[name])
    bounds, hits = bounds_of(np.array([[-13.0, 40.0]])), 0
    for seed in range(100):
        drawn = np.random.default_rng(seed).choice(values, number, p=probability)
        tally = Tally(4)
        tally.add(np.stack([drawn, drawn > 0, drawn, drawn > 0], axis=1).astype(float))
        low, high = summarize_tally(tally, 0, bounds).interval
        assert -13 <= low < high <= 40
        hits += low <= values @ probability <= high
    assert hits >= 93


def test_equal_numbers_without_bounds_say_nothing():
    tally = Tally(4)
    tally.add(np.tile([0.1 + 0.2, 1.0, 0.1 + 0.2, 1.0], (7, 1)))
    unknown = bounds_of(np.full((1, 2), np.nan))
    assert summarize_tally(tally, 0, unknown).interval == (-np.inf, np.inf)
    same = unknown._replace(is_same=True)
    low, high = summarize_tally(tally, 0, same).interval
    assert low == high == pytest.approx(0.3)
    known = unknown._replace(of_means=bounds_of(np.array([[-1.0, 2.0]])).of_means)
    assert summarize_tally(tally, 0, known).interval == (-1.0, 2.0)


def test_an_interval_outside_of_the_range_is_the_range():
    tally = Tally(4)
    tally.add(np.array([[4.9, 1.0, 4.9, 1.0], [5.1, 1.0, 5.1, 1.0]] * 50))
    unknown = bounds_of(np.full((1, 2), np.nan))
    known = unknown._replace(of_means=bounds_of(np.array([[-1.0, 1.0]])).of_means)
    assert summarize_tally(tally, 0, known).interval == (-1.0, 1.0)


def test_bounded_intervals_approach_students_t():
    draws = np.random.default_rng(0).choice([-3.0, -1.0, 1.0, 3.0], 5000)
    columns = np.stack([draws, draws > 0, draws, draws > 0], axis=1).astype(float)
    tally = Tally(4)
    tally.add(columns)
    bounded = summarize_tally(tally, 0, bounds_of(np.array([[-13.0, 13.0]]))).utility
    free = summarize_tally(tally, 0, bounds_of(np.full((1, 2), np.nan))).utility
    assert bounded.half_width / free.half_width == pytest.approx(1, abs=0.01)


def test_equal_bounds_leave_no_doubt():
    assert interval_within(0.0, 0.0, 5, 0.0, 0.0) == (0.0, 0.0)
