"""Regularized CFR: its reference implementation, its fixed point, and measurements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.games import matrix_game
from infoset.regret import Distance
from infoset.solvers import RegCFR, RegCFRSolver, payoff_scale, quantal_gap
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_first_order import ReferenceRegCFR
from tests.support.reference_regret import generic

KUHN, LEDUC, LIAR = "kuhn_poker", "leduc_poker", "liars_dice(dice_sides=4)"


def form_of(spec):
    return cached_tree(spec).sequence_form


def assert_equal_to_the_reference(form, row, iterations, atol):
    fast, slow = RegCFRSolver(form, row), ReferenceRegCFR(form, row)
    for _ in range(iterations):
        slow.step()
    fast.run(1)
    fast.run(iterations - 1)
    assert fast.iteration == iterations
    for found, expected in zip(fast.policy().probabilities, slow.played, strict=True):
        np.testing.assert_allclose(found, expected, atol=atol)


def test_the_reference_implementation_on_kuhn_poker():
    row = RegCFR(step_size_offset=0.5, temperature=0.1, min_probability=0.02, period=8)
    assert_equal_to_the_reference(form_of(KUHN), row, iterations=40, atol=1e-10)


@settings(max_examples=10)
@given(random_games(num_players=2, zero_sum=True), st.integers(0, 2**32))
def test_random_games_equal_the_reference_implementation(game, seed):
    form = generic(build_tree(game).sequence_form, seed)
    row = RegCFR(temperature=0.2, min_probability=0.05, period=3)
    assert_equal_to_the_reference(form, row, iterations=8, atol=1e-9)


@pytest.mark.parametrize("spec", [KUHN, LEDUC])
def test_with_a_fixed_temperature_the_last_iterate_solves_the_regularized_game(spec):
    form = form_of(spec)
    row = RegCFR(temperature=0.1, min_probability=0.0, period=10**9)
    solver = RegCFRSolver(form, row)
    gaps = []
    for _ in range(2):
        solver.run(1000)
        temperature = row.temperature * payoff_scale(form)
        gaps.append(quantal_gap(solver.policy(), temperature, Distance("euclidean")))
    assert gaps[1] < 1e-5 * payoff_scale(form)
    assert gaps[1] < gaps[0] / 2 or gaps[1] < 1e-12
    # The equilibrium of the original game is different.
    assert evaluate_policy(solver.policy()).exploitability > 1e-3


def test_temperature_and_minimum_probability_are_halved():
    schedule = RegCFR(temperature=0.4, min_probability=0.2, period=2).schedule(10.0, 2, 4)
    np.testing.assert_allclose(schedule, [[4, 0.2], [2, 0.1], [2, 0.1], [1, 0.05]])


def test_every_action_is_played():
    solver = RegCFRSolver(form_of(LEDUC), RegCFR(min_probability=0.01, period=10))
    for iterations, least in ((10, 0.01), (1, 0.005), (10, 0.0025)):
        solver.run(iterations)
        smallest = min(values.min() for values in solver.policy().probabilities)
        assert smallest == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize(
    ("spec", "limit"),
    # The bounds are 1.5 times the measurements after 1000 iterations.
    [(KUHN, 1.4e-6), (LEDUC, 2.9e-3), (LIAR, 1.5e-4)],
)
def test_reference_curves(spec, limit):
    result = infoset.solve(spec, "reg-cfr", iterations=1000)
    assert result.method == "reg-cfr"
    assert result.exploitability < limit


def test_scaling_the_payoffs_by_a_power_of_two_changes_no_bit():
    form = form_of(LEDUC)
    policies = []
    for game in (form, replace(form, payoff=form.payoff / 32)):
        solver = RegCFRSolver(game, RegCFR(period=10))
        solver.run(25)
        policies.append(np.concatenate(solver.policy().probabilities))
    assert np.array_equal(*policies)


@pytest.mark.parametrize(
    "numbers",
    [
        {"step_size_offset": 0.0},
        {"step_size_offset": float("inf")},
        {"temperature": -1.0},
        {"period": 0},
        {"period": 2.5},
        {"min_probability": -0.1},
    ],
)
def test_numbers_out_of_range_are_refused(numbers):
    (name,) = numbers
    with pytest.raises(ParameterError, match=f"{name}=.* must be"):
        RegCFR(**numbers)


def test_too_many_actions_for_the_minimum_probability_are_refused():
    with pytest.raises(ParameterError, match=r"has 3 actions, .*at most 1/3"):
        infoset.solve("matrix_rps", RegCFR(min_probability=0.4), iterations=1)


@pytest.mark.parametrize("power", [-700, 500])
def test_payoffs_whose_squares_overflow_change_nothing(power):
    payoffs = np.array([[1.0, -1.0], [-1.0, 0.5]])
    expected = infoset.solve(matrix_game(payoffs), RegCFR(), iterations=50).policy
    found = infoset.solve(matrix_game(payoffs * 2.0**power), RegCFR(), iterations=50).policy
    for one, other in zip(found.probabilities, expected.probabilities, strict=True):
        assert np.array_equal(one, other)
