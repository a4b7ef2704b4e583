"""Consequences of the theory for every method in the registry."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

from infoset.evaluation import evaluate_policy
from infoset.runs import Budget
from infoset.solvers import METHODS, solve_by_lp
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

pytestmark = pytest.mark.broad

GAMES = (
    "kuhn_poker",
    "leduc_poker(num_ranks=2)",
    "liars_dice(dice_sides=3)",
    "goofspiel(num_cards=4,imp_info=True,points_order=descending,returns_type=point_difference)",
    "battleship(board_height=2,board_width=2,ship_sizes=[2],ship_values=[1],num_shots=2,"
    "allow_repeated_shots=False,loss_multiplier=1)",
)


def form_of(spec):
    return cached_tree(spec).sequence_form


@cache
def value_of(spec):
    return solve_by_lp(form_of(spec), Budget()).values[0]


def run(form, name, iterations):
    return METHODS[name].run(form, Budget(iterations=iterations))


def assert_brackets(result, value):
    """Check that the security levels bracket the value."""
    measured = evaluate_policy(result.policy)
    assert result.exploitability == measured.exploitability
    earned, (gain, other_gain) = measured.values[0], measured.gains
    low, high = earned - other_gain, earned + gain
    assert low - 1e-9 <= value <= high + 1e-9
    assert high - low == pytest.approx(result.nash_conv, abs=1e-12)


PAIRS = [
    pytest.param(name, spec, marks=[] if (row + column) % 2 == 0 else [pytest.mark.long])
    for row, name in enumerate(METHODS)
    for column, spec in enumerate(GAMES)
]
"""Every other pair, so that each method meets two or three games."""


@pytest.mark.parametrize(("name", "spec"), PAIRS)
def test_the_value_lies_between_the_security_levels(spec, name):
    assert_brackets(run(form_of(spec), name, 20), value_of(spec))


@settings(max_examples=4)
@given(random_games(num_players=2, zero_sum=True, max_histories=60))
def test_the_value_lies_between_the_security_levels_on_random_games(game):
    form = build_tree(game).sequence_form
    value = solve_by_lp(form, Budget()).values[0]
    for name in METHODS:
        assert_brackets(run(form, name, 20), value)


@pytest.mark.parametrize("name", METHODS)
def test_units_that_are_a_power_of_two_change_no_bit_of_the_policy(name):
    form = form_of("kuhn_poker" if name == "lp-refined" else "leduc_poker(num_ranks=2)")
    low, high = form.payoff_range
    expected = run(form, name, 20).policy
    for unit in (2.0**-3, 2.0**8):
        scaled = replace(form, payoff=form.payoff * unit, payoff_range=(low * unit, high * unit))
        found = run(scaled, name, 20).policy
        for ours, theirs in zip(found.probabilities, expected.probabilities, strict=True):
            assert np.array_equal(ours, theirs)
