"""Exact R-NaD: its reference implementation, its fixed points, and measurements."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import nash_conv
from infoset.forms import lock
from infoset.solvers import RNAD_PAPER, RNaD, RNaDSolver
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_regret import infostates, plan_of, uniform
from tests.support.reference_rnad import ReferenceRNaD, RegularizedGame

KUHN, LEDUC, LIAR = "kuhn_poker", "leduc_poker", "liars_dice(dice_sides=4)"
GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending,returns_type=win_loss)"

VARIANTS = {
    "default": RNaD(period=7),
    "simultaneous": RNaD(step_size=0.2, period=5, alternating=False),
    "gate": RNaD(step_size=0.5, period=6, uniform_weight=0.0, gate=0.3),
    "paper": replace(RNAD_PAPER, period=4, gate=0.3),
}


def form_of(spec):
    return cached_tree(spec).sequence_form


def solver_after(form, spec, iterations):
    solver = RNaDSolver(form, spec)
    solver.run(iterations)
    return solver


def assert_equal_to_the_reference(tree, spec, iterations, atol):
    fast, slow = RNaDSolver(tree.sequence_form, spec), ReferenceRNaD(tree, spec)
    for _ in range(iterations):
        slow.step()
    fast.run(1)
    fast.run(iterations - 1)
    assert fast.iteration == iterations
    for found, expected in zip(fast.policy().probabilities, slow.policies, strict=True):
        np.testing.assert_allclose(found, expected, atol=atol)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_reference_implementation_on_kuhn_poker(name):
    assert_equal_to_the_reference(cached_tree(KUHN), VARIANTS[name], iterations=20, atol=1e-12)


@settings(max_examples=10)
@given(random_games(num_players=2, zero_sum=True, max_histories=60), st.sampled_from([*VARIANTS]))
def test_random_games_equal_the_reference_implementation(game, name):
    assert_equal_to_the_reference(build_tree(game), VARIANTS[name], iterations=8, atol=1e-9)


def regularized_kuhn(eta):
    """Return Kuhn poker with a fixed uniform regularizer, and a method that solves it."""
    tree = cached_tree(KUHN)
    game = RegularizedGame(tree, RegularizedGame(tree).deviation())
    return game, RNaD(eta=eta, step_size=0.5, period=10**9)


def test_with_a_fixed_regularizer_the_last_iterate_is_the_regularized_equilibrium():
    game, spec = regularized_kuhn(eta=0.2)
    regularizers = [uniform(plex) for plex in game.plexes]
    solver, gains = RNaDSolver(form_of(KUHN), spec), []
    for _ in range(2):
        solver.run(300)
        gains.append(max(game.gains(solver.policy().probabilities, regularizers, spec.eta)))
    assert gains[1] < 1e-12
    # At the beginning, and in the game without regularizer, the gains are large.
    assert min(game.gains(regularizers, regularizers, spec.eta)) > 1e-2
    assert nash_conv(solver.policy()) > 1e-2


@pytest.mark.parametrize(
    "change", [{"alternating": False}, {"step_size": 0.1}, {"eta": 0.2, "gate": 20.0}]
)
def test_the_regularized_equilibrium_does_not_depend_on_the_path(change):
    _, spec = regularized_kuhn(eta=0.2)
    expected = solver_after(form_of(KUHN), spec, 600).policy()
    found = solver_after(form_of(KUHN), replace(spec, **change), 3000).policy()
    for ours, theirs in zip(found.probabilities, expected.probabilities, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_the_divergence_from_the_regularized_equilibrium_decreases():
    game, spec = regularized_kuhn(eta=0.2)
    spec = replace(spec, step_size=0.05)
    limit = solver_after(form_of(KUHN), spec, 5000).policy().probabilities
    solver, found = RNaDSolver(form_of(KUHN), spec), []
    for _ in range(30):
        found.append(divergence(game.plexes, limit, solver.policy().probabilities))
        solver.run(20)
    assert found[0] > 0.1
    assert all(after < before for before, after in pairwise(found))
    assert found[-1] < 1e-4 * found[0]


def divergence(plexes, limit, policies):
    """Return Σ over infostates of the plan of the limit times KL(limit, policy)."""
    total = 0.0
    for plex, target, own in zip(plexes, limit, policies, strict=True):
        plan = plan_of(plex, target)
        for parent, actions in infostates(plex):
            ratio = np.log(target[actions] / own[actions])
            total += plan[parent] * (target[actions] @ ratio)
    return total


def test_regularizers_move_to_the_policy_mixed_with_the_uniform_one():
    spec = RNaD(period=10, uniform_weight=0.3)
    solver = RNaDSolver(form_of(KUHN), spec)
    seen = [solver.state()["policy.0"].copy()]
    for number in (1, 2, 3):
        solver.run(10)
        state = solver.state()
        mixed = (1 - 0.3 / number) * state["policy.0"] + 0.3 / number * seen[0]
        np.testing.assert_allclose(np.exp(state["regularizer.0"]), mixed, atol=1e-14)
        np.testing.assert_allclose(np.exp(state["previous.0"]), seen[-1], atol=1e-14)
        seen.append(mixed)


@pytest.mark.parametrize(
    ("spec", "limit"),
    # The bounds are 1.5 times the measurements after 1000 iterations.
    [(KUHN, 1.3e-4), (LEDUC, 3.1e-3), (GOOFSPIEL, 1.05e-4), (LIAR, 6.3e-5)],
)
def test_reference_curves(spec, limit):
    result = infoset.solve(spec, "rnad", iterations=1000)
    assert result.method == "rnad"
    assert result.nash_conv < limit


def test_the_gate_bounds_the_logits():
    result = infoset.solve(KUHN, RNAD_PAPER, iterations=3000)
    # With two actions, logits that stop at ±2 bound probabilities by 1 / (1 + e⁴). The last step
    # may exceed the gate.
    assert min(own.min() for own in result.policy.probabilities) > 0.8 / (1 + np.exp(4))
    assert 1e-3 < result.nash_conv < 0.1


def test_eta_in_the_units_of_the_game():
    form = form_of(KUHN)
    deviation = RegularizedGame(cached_tree(KUHN)).deviation()
    assert deviation == pytest.approx(1.452369, abs=1e-6)
    relative = RNaD(eta=0.1, step_size=0.5)
    absolute = RNaD(eta=0.1 * deviation, step_size=0.5 / deviation, is_relative=False)
    found, expected = (solver_after(form, spec, 50).policy() for spec in (absolute, relative))
    for ours, theirs in zip(found.probabilities, expected.probabilities, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_infostates_that_are_never_reached_follow_the_regularizer():
    form = form_of(KUHN)
    # If player 0 never bets first, the counterfactual reach of player 1 after a bet is 0.
    rows = [row for row in infoset.uniform_policy(form).rows() if row.player == 0]
    is_first = form.treeplexes[0].parent_sequence == 0
    locked = {
        (row.infostate, 0): {"pass": 1.0}
        for row, first in zip(rows, is_first, strict=True)
        if first
    }
    fixed = lock(form, locked).to_sequence_form()
    reached = fixed.terminal_reach.terminal_sequence[:, 1]
    is_unreached = np.bincount(reached, minlength=fixed.treeplexes[1].num_sequences) == 0
    # The empty sequence has no terminal history either.
    assert is_unreached[0]
    assert is_unreached[1:].sum() == 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        policy = solver_after(fixed, RNaD(), 300).policy()
    # The regularizer there is uniform.
    assert (policy.probabilities[1][1:][is_unreached[1:]] == 0.5).all()
    assert nash_conv(policy) < 1e-3


def test_forms_without_chance_reach_are_refused():
    form = replace(form_of(KUHN), reach_source=None)
    with pytest.raises(UnsupportedGameError, match=r"chance reach of kuhn_poker.*build_tree"):
        RNaDSolver(form, RNaD())


@pytest.mark.parametrize(
    "numbers",
    [
        {"eta": 0},
        {"eta": -0.2},
        {"eta": float("nan")},
        {"step_size": 0.0},
        {"step_size": float("inf")},
        {"period": 0},
        {"period": 2.5},
        {"uniform_weight": 1.5},
        {"gate": -2.0},
    ],
)
def test_numbers_out_of_range_are_refused(numbers):
    (name,) = numbers
    with pytest.raises(ParameterError, match=f"{name}=.* must be"):
        RNaD(**numbers)
