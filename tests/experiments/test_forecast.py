"""Forecasts of the time to a target."""

from __future__ import annotations

import pytest

from infoset.experiments import iterations_per_second, seconds_to_target
from infoset.runs import TracePoint


def power_law(exponent, last, *, speed=100.0, scale=1.0, spread=1.2):
    """Return measurements of scale * t ** -exponent at increasing distances."""
    iterations = [1]
    while iterations[-1] < last:
        iterations.append(max(iterations[-1] + 1, int(iterations[-1] * spread)))
    return [
        TracePoint(t, t / speed, (0.0, 0.0), 2 * scale * t**-exponent, scale * t**-exponent)
        for t in iterations
    ]


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.7])
def test_a_power_law_is_extrapolated_exactly(exponent):
    trace = power_law(exponent, 1000, scale=3.0)
    last = trace[-1]
    target = last.exploitability / 8
    needed = last.iteration * 8 ** (1 / exponent)
    expected = (needed - last.iteration) / 100.0
    assert seconds_to_target(trace, target) == pytest.approx(expected, rel=1e-9)


def test_it_follows_the_recent_trend_and_the_recent_speed():
    slow_start = [TracePoint(t, t * 1.0, (0.0, 0.0), 2.0, 1.0) for t in range(1, 100)]
    began = slow_start[-1].seconds
    recent = [
        TracePoint(p.iteration, began + p.iteration / 100, p.values, p.nash_conv, p.exploitability)
        for p in power_law(1.0, 100_000)
        if p.iteration >= 100
    ]
    found = seconds_to_target([*slow_start, *recent], recent[-1].exploitability / 2)
    assert found == pytest.approx(recent[-1].iteration / 100, rel=1e-9)


def test_a_target_that_is_met_takes_no_time():
    assert seconds_to_target(power_law(1.0, 100), 0.5) == 0.0


def test_forecasts_without_exploitability_are_of_nash_conv():
    trace = [TracePoint(t, t / 9, (0.0,) * 3, 1.0 / t, None) for t in range(1, 91)]
    assert seconds_to_target(trace, 0.01) == pytest.approx(10 / 9)


@pytest.mark.parametrize(
    ("trace", "target"),
    [
        ([], 0.1),
        (power_law(1.0, 100)[:3], 0.01),
        (power_law(0.0, 100), 0.01),
        (power_law(-0.5, 100), 0.01),
        (power_law(1.0, 100), 0.0),
        (power_law(0.06, 100), 1e-300),
        (power_law(0.5, 100), 1e-12),
        ([TracePoint(t, 0.0, (0.0, 0.0), 2.0 / t, 1.0 / t) for t in range(1, 99)], 0.01),
    ],
    ids=[
        "nothing yet",
        "too early",
        "not falling",
        "rising",
        "target of zero",
        "longer than any time",
        "longer than a generation",
        "no time gone by",
    ],
)
def test_unreliable_forecasts_are_none(trace, target):
    assert seconds_to_target(trace, target) is None


def test_speed():
    assert iterations_per_second(power_law(1.0, 500, speed=40.0)) == pytest.approx(40.0)
    assert iterations_per_second([]) is None
    assert iterations_per_second(power_law(1.0, 1)) is None
