"""Measurements and policies of other programs as traces and results."""

from __future__ import annotations

from math import isnan

import pytest

import infoset
from infoset.errors import ParameterError
from infoset.runs import TracePoint, make_result, make_trace


def uniform():
    return infoset.uniform_policy(infoset.build_sequence_form("kuhn_poker"))


def test_a_trace_needs_errors_only():
    first, second = make_trace([0.5, 0.25])
    assert (first.iteration, first.exploitability, first.nash_conv) == (1, 0.5, 1.0)
    assert (second.iteration, second.values, isnan(second.seconds)) == (2, (), True)
    assert make_trace(nash_conv=[0.5], iterations=[3], seconds=[0.1]) == (
        TracePoint(3, 0.1, (), 0.5, None),
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "either exploitability or nash_conv"),
        ({"exploitability": [1], "nash_conv": [2]}, "either exploitability or nash_conv"),
        ({"exploitability": []}, "exploitability is empty"),
        ({"exploitability": [0.5, -0.1]}, "at least 0"),
        ({"exploitability": [float("nan")]}, "must be a finite number"),
        ({"exploitability": "0.5"}, "not a sequence of numbers"),
        ({"exploitability": 0.5}, "not a sequence of numbers"),
        ({"exploitability": [1, 2], "iterations": [1]}, "2 numbers, but iterations has 1"),
        ({"exploitability": [1, 2], "seconds": [1, 2, 3]}, "2 numbers, but seconds has 3"),
        ({"exploitability": [1, 2], "iterations": [5, 4]}, "iterations decreases"),
    ],
)
def test_wrong_numbers_are_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        make_trace(**given)


def test_a_result_needs_a_policy_only():
    result = make_result(uniform(), method="mine")
    evaluated = infoset.evaluate("kuhn_poker", "uniform")
    assert result.measured == evaluated
    assert result.exploitability == pytest.approx(11 / 24)
    (point,) = result.trace
    assert (point.iteration, point.exploitability) == (0, evaluated.exploitability)
    assert (result.game, result.method, result.outcome) == ("kuhn_poker", "mine", "stopped")


def test_the_trace_ends_with_the_policy():
    exact = uniform()
    early = make_trace([0.9, 0.6], iterations=[1, 10], seconds=[0.1, 0.2])
    result = make_result(exact, trace=early, iterations=20, seconds=0.5)
    assert result.trace[:2] == early
    last = result.trace[2]
    assert (last.iteration, last.seconds, last.exploitability) == (20, 0.5, result.exploitability)
    whole = make_trace([0.9, 0.4583], iterations=[1, 10])
    assert make_result(exact, trace=whole).trace == whole
    assert make_result(exact, trace=whole).iterations == 10


@pytest.mark.parametrize(
    "trace",
    [
        make_trace([0.9, 0.9167]),  # NashConv taken for exploitability
        make_trace(nash_conv=[0.9, 0.4583]),  # the other way round
        make_trace([0.1]),
    ],
)
def test_errors_in_other_units_are_found(trace):
    with pytest.raises(ParameterError, match=r"the trace ends with .* but that of the policy is"):
        make_result(uniform(), trace=trace)


def test_exploitability_of_three_players_is_not_defined():
    policy = infoset.uniform_policy(infoset.build_sequence_form("kuhn_poker(players=3)"))
    with pytest.raises(ParameterError, match="not defined"):
        make_result(policy, trace=make_trace([0.5]))
    assert make_result(policy).exploitability is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"policy": "uniform"}, "policy"),
        ({"policy": None}, "policy"),
        ({"method": 5}, "method=5"),
        ({"trace": 0.5}, "trace=0.5"),
        ({"trace": [0.5]}, "a point of the trace=0.5"),
        ({"iterations": -1}, "iterations=-1"),
    ],
)
def test_wrong_values_are_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        make_result(**({"policy": uniform()} | given))
