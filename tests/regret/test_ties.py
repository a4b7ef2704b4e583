"""Regrets that are 0 in exact arithmetic are not played because of rounding."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from infoset.forms import Layout, lock
from infoset.games import load_game
from infoset.policy import TabularPolicy, transfer_policy, uniform_policy
from infoset.regret import (
    SCHEMES,
    LocalMinimizer,
    RegretMinimizer,
    regret_tolerances,
    rule_of_scheme,
)
from infoset.tree import build_tree, derive_public_form
from tests.support.exact_regret import exact_average

BY_ROUNDING = "random_game(seed=29,max_histories=60)"
"""A game in which the values of all actions of an infostate cancel against a uniform opponent."""
TIED = (
    "battleship(board_height=2,board_width=2,ship_sizes=[2],ship_values=[1],num_shots=4,"
    "allow_repeated_shots=False,loss_multiplier=1)"
)
"""A game in which most values are tied."""


def form_of(name):
    return build_tree(load_game(name)).sequence_form


def behavior_of(form, minimizer):
    return TabularPolicy.from_weights(form, minimizer.average_plans()).probabilities


def local_minimizer(form, scheme):
    rule, schedule, num_arrays = rule_of_scheme(scheme)
    return LocalMinimizer(form, rule, scheme, schedule=schedule, num_arrays=num_arrays)


@pytest.mark.parametrize("name", [BY_ROUNDING, "kuhn_poker"])
@pytest.mark.parametrize("scheme", ["cfr-simultaneous", "cfr", "cfr+"])
def test_policies_are_those_of_exact_fractions(name, scheme):
    form = form_of(name)
    for iterations in (2, 3, 5):
        expected = exact_average(form, SCHEMES[scheme], iterations, Fraction)
        for make in (RegretMinimizer, local_minimizer):
            minimizer = make(form, SCHEMES[scheme])
            minimizer.run(iterations)
            for found, exact in zip(behavior_of(form, minimizer), expected, strict=True):
                np.testing.assert_allclose(found, exact, atol=1e-13)


@pytest.mark.parametrize("name", [BY_ROUNDING, "kuhn_poker", "kuhn_poker(players=3)"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.broad
def test_policies_of_all_schemes_are_those_of_sixty_digits(name, scheme):
    form = form_of(name)
    minimizer = RegretMinimizer(form, SCHEMES[scheme])
    minimizer.run(40)
    expected = exact_average(form, SCHEMES[scheme], 40, Decimal)
    for found, exact in zip(behavior_of(form, minimizer), expected, strict=True):
        np.testing.assert_allclose(found, exact, atol=1e-9)


@pytest.mark.broad
def test_errors_of_discounted_regrets_break_no_ties():
    form, scheme = form_of(TIED), SCHEMES["hs-dcfr"]
    minimizer = RegretMinimizer(form, scheme)
    minimizer.run(30)
    expected = exact_average(form, scheme, 30, Decimal)
    for found, exact in zip(behavior_of(form, minimizer), expected, strict=True):
        np.testing.assert_allclose(found, exact, atol=1e-12)


@pytest.mark.parametrize("scheme", ["cfr", "pdcfr+", "apcfr+"])
def test_the_public_form_has_the_same_ties(scheme):
    tree = build_tree(load_game("kuhn_poker"))
    plans = []
    for form in (tree.sequence_form, derive_public_form(tree)):
        minimizer = RegretMinimizer(form, SCHEMES[scheme])
        minimizer.run(100)
        average = TabularPolicy.from_weights(form, minimizer.average_plans())
        plans.append(transfer_policy(average, tree.sequence_form).probabilities)
    for one, other in zip(*plans, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_forms_with_locks_have_similar_tolerances():
    """A public form adds its terms in another order, and bounds their sum less tightly."""
    tree = build_tree(load_game("kuhn_poker"))
    found = []
    for form in (tree.sequence_form, derive_public_form(tree)):
        locked = lock(form, {("[J]", 0): {"pass": 0.5, "bet": 0.5}})
        uniform = uniform_policy(locked).realization_plans()
        plans = tuple(map(np.asarray, map(Layout.to_positions, locked.layouts, uniform)))
        tolerances = regret_tolerances(locked, locked.payoffs("float64"), plans)
        found.append([np.sort(own) for own in tolerances])
    for one, other in zip(*found, strict=True):
        assert (one > 0).all()
        assert (one < 1.01 * other).all()
        assert (other < 4 * one).all()


def test_a_constant_in_all_payoffs_breaks_no_tie():
    """Rounding grows with the payoffs, and the tolerances grow with it."""
    form = form_of(BY_ROUNDING)
    sequence, reach = form.terminal_reach
    known = {tuple(row): own for row, own in zip(form.terminal_sequence, form.payoff, strict=True)}
    payoff = np.array([known.get(tuple(row), (0.0, 0.0)) for row in sequence])
    shifted = replace(form, terminal_sequence=sequence, payoff=payoff + 1e3 * reach[:, None])
    expected = exact_average(form, SCHEMES["cfr"], 5, Fraction)
    minimizer = RegretMinimizer(shifted, SCHEMES["cfr"])
    minimizer.run(5)
    for found, exact in zip(behavior_of(form, minimizer), expected, strict=True):
        np.testing.assert_allclose(found, exact, atol=1e-9)


def test_single_precision_has_tolerances_of_its_own():
    form = form_of(BY_ROUNDING)
    minimizer = RegretMinimizer(form, SCHEMES["cfr"], precision="float32")
    minimizer.run(5)
    expected = exact_average(form, SCHEMES["cfr"], 5, Fraction)
    for found, exact in zip(behavior_of(form, minimizer), expected, strict=True):
        np.testing.assert_allclose(found, exact, atol=1e-4)
