"""Coarse correlated equilibria: the gap is the regret, linear programs, and games that cycle."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import linprog

from infoset.errors import ParameterError, UnknownNameError
from infoset.evaluation import evaluate_cce, evaluate_policy, expected_values
from infoset.games import matrix_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.runs import Budget
from infoset.solvers import (
    CoarseCorrelatedSolver,
    average_policy,
    current_policy,
    solve_coarse_correlated,
)
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

# Shapley's game with one higher payoff, so that its equilibrium is not the uniform first policy.
SHAPLEY = ([[1, 0, 0], [0, 1, 0], [0, 0, 1.1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
CHICKEN = ([[-9, 1], [0, 0]], [[-9, 0], [1, 0]])
STAGS = ([[4, 0], [3, 2]], [[4, 3], [0, 2]])


@cache
def kuhn_form():
    return cached_tree("kuhn_poker(players=3)").sequence_form


def form_of(matrices):
    return build_tree(matrix_game(*matrices)).sequence_form


@settings(max_examples=10, deadline=None)
@given(random_games(max_histories=60))
def test_the_gap_is_the_largest_regret_over_the_iterations(game):
    """Regret is computed by its definition from all joint play, and is at most CFR's bound."""
    form = build_tree(game).sequence_form
    solved = solve_coarse_correlated(form, budget=Budget(iterations=20), sample_every=1)
    assert solved.weights == (1.0,) * 20
    again = evaluate_cce(solved.samples, solved.weights)
    assert solved.joint.gains == pytest.approx(again.gains, abs=1e-10)
    values = np.mean([expected_values(policy) for policy in solved.samples], axis=0)
    assert solved.joint.values == pytest.approx(values, abs=1e-10)
    minimizer = RegretMinimizer(form, SCHEMES["cfr-simultaneous"])
    minimizer.run(20)
    for player, plex in enumerate(form.treeplexes):
        if plex.num_infostates:
            regrets = np.maximum.reduceat(minimizer.regrets(player), plex.first_sequence)
            bound = np.maximum(regrets, 0).sum() / 20
            assert solved.joint.gains[player] <= bound + 1e-9


@pytest.mark.parametrize("name", ["cfr", "cfr+", "lcfr", "dcfr", "pcfr+"])
def test_play_equals_simultaneous_regret_minimization(name):
    scheme = replace(SCHEMES[name], alternating=False)
    noise = np.random.default_rng(1).standard_normal(kuhn_form().payoff.shape)
    form = replace(kuhn_form(), payoff=kuhn_form().payoff + noise)
    solver = CoarseCorrelatedSolver(form, SCHEMES[name])
    whole = RegretMinimizer(form, scheme)
    solver.run(12)
    whole.run(12)
    assert solver.iteration == 12
    for found, wanted in (
        (solver.policy(), average_policy(whole)),
        (solver.current_policy(), current_policy(whole)),
    ):
        for own, other in zip(found.probabilities, wanted.probabilities, strict=True):
            assert np.allclose(own, other, atol=1e-9)


@pytest.mark.parametrize("name", ["cfr", "cfr+", "dcfr", "pcfr+", "hs-pcfr+"])
def test_three_players_converge_to_a_coarse_correlated_equilibrium(name):
    gaps = [
        solve_coarse_correlated(kuhn_form(), SCHEMES[name], Budget(iterations=count)).joint.cce_gap
        for count in (10, 300)
    ]
    assert gaps[1] < gaps[0] / 4
    assert gaps[1] < 0.02


def joint_distribution(solved, shape):
    """Return [rows, columns] the frequency of each pair over all iterations."""
    shares = np.array(solved.weights) / sum(solved.weights)
    pairs = [np.outer(*(own[1:] for own in policy.probabilities)) for policy in solved.samples]
    return np.einsum("t,trc->rc", shares, np.array(pairs).reshape(-1, *shape))


def deviation_rows(matrices):
    """Return [D, rows * columns] the gain of each constant deviation at each pair."""
    rows, columns = map(np.array, matrices)
    of_rows = [np.tile(rows[action], (len(rows), 1)) - rows for action in range(len(rows))]
    of_columns = [
        np.tile(columns[:, [action]], (1, columns.shape[1])) - columns
        for action in range(columns.shape[1])
    ]
    return np.array([gain.ravel() for gain in of_rows + of_columns])


def welfare_bounds(matrices, gap):
    """Return the minimum and maximum sum of payoffs of a `gap`-equilibrium by linear programs."""
    gains = deviation_rows(matrices)
    welfare = sum(map(np.array, matrices)).ravel()
    ends = []
    for sign in (1, -1):
        solved = linprog(
            sign * welfare,
            A_ub=gains,
            b_ub=np.full(len(gains), gap),
            A_eq=np.ones((1, len(welfare))),
            b_eq=[1],
        )
        ends.append(sign * solved.fun)
    return ends


@pytest.mark.parametrize("matrices", [SHAPLEY, CHICKEN, STAGS])
@pytest.mark.parametrize("name", ["cfr", "cfr+", "dcfr"])
def test_joint_play_satisfies_the_linear_constraints_of_the_equilibrium(matrices, name):
    solved = solve_coarse_correlated(
        form_of(matrices), SCHEMES[name], Budget(iterations=200), sample_every=1
    )
    joint = joint_distribution(solved, np.shape(matrices[0]))
    assert joint.sum() == pytest.approx(1)
    gained = float((deviation_rows(matrices) @ joint.ravel()).max())
    assert solved.joint.cce_gap == pytest.approx(max(gained, 0), abs=1e-10)
    assert solved.joint.cce_gap < 0.05
    least, greatest = welfare_bounds(matrices, solved.joint.cce_gap)
    assert least - 1e-9 <= sum(solved.joint.values) <= greatest + 1e-9
    assert sum(solved.joint.values) == pytest.approx((sum(map(np.array, matrices)) * joint).sum())


def test_in_shapleys_game_joint_play_is_an_equilibrium_and_its_marginals_are_not():
    solved = solve_coarse_correlated(form_of(SHAPLEY), budget=Budget(iterations=2000))
    assert solved.joint.cce_gap < 0.003
    assert solved.result.nash_conv > 0.25
    assert evaluate_policy(solved.result.policy).nash_conv == solved.result.nash_conv


def test_stopping_at_a_gap():
    solved = solve_coarse_correlated(
        kuhn_form(), SCHEMES["cfr+"], Budget(iterations=10_000), cce_gap=0.01
    )
    assert solved.result.outcome == "stopped"
    assert 0 < solved.joint.cce_gap <= 0.01
    asked = []
    solved = solve_coarse_correlated(
        kuhn_form(), budget=Budget(iterations=50, callback=lambda p: asked.append(p)), cce_gap=0
    )
    assert solved.result.outcome == "iterations"
    assert tuple(asked) == solved.result.trace


def test_the_target_of_a_budget_is_a_gap_of_joint_play():
    solved = solve_coarse_correlated(form_of(SHAPLEY), budget=Budget(target=0.02))
    assert solved.result.outcome == "converged"
    assert 0 < solved.joint.cce_gap <= 0.02 < solved.result.nash_conv


def test_samples_have_the_weights_of_their_iterations():
    solved = solve_coarse_correlated(
        kuhn_form(), SCHEMES["cfr+"], Budget(iterations=10), sample_every=3
    )
    assert len(solved.samples) == 4
    shares = np.array(solved.weights) / solved.weights[0]
    assert shares == pytest.approx([1, 4, 7, 10])
    assert solve_coarse_correlated(kuhn_form(), budget=Budget(iterations=2)).samples == ()


def test_schedules_extend_over_the_budget_and_delays_are_refused():
    solved = solve_coarse_correlated(kuhn_form(), SCHEMES["hs-dcfr"], Budget(iterations=10))
    solver = CoarseCorrelatedSolver(kuhn_form(), replace(SCHEMES["hs-dcfr"], horizon=10))
    solver.run(10)
    assert solver.play.evaluate() == solved.joint
    assert solved.result.method == "cce(hs-dcfr)"
    with pytest.raises(ParameterError, match="average_delay=0"):
        solve_coarse_correlated(kuhn_form(), replace(SCHEMES["cfr+"], average_delay=5))


def test_cfr_jr_is_the_joint_play_of_cfr_over_pure_plans():
    solved = solve_coarse_correlated(kuhn_form(), budget=Budget(iterations=30), sample_every=1)
    joint = solved.distribution()
    assert joint.evaluate().gains == pytest.approx(solved.joint.gains, abs=1e-12)
    for own, marginal in zip(
        joint.marginal_policy().realization_plans(),
        solved.result.policy.realization_plans(),
        strict=True,
    ):
        assert np.abs(own - marginal).max() < 1e-12
    with pytest.raises(ParameterError, match="sample_every=1"):
        solve_coarse_correlated(kuhn_form(), budget=Budget(iterations=2)).distribution()


@pytest.mark.parametrize(
    "make_form", [kuhn_form, lambda: form_of(SHAPLEY)], ids=["kuhn_poker", "shapley"]
)
def test_cfr_jr_converges_to_a_coarse_correlated_equilibrium(make_form):
    form = make_form()
    gaps = [
        solve_coarse_correlated(form, budget=Budget(iterations=count), sample_every=5)
        .distribution()
        .evaluate()
        .cce_gap
        for count in (30, 200, 900)
    ]
    assert gaps[0] > 3 * gaps[1] > 6 * gaps[2]
    assert gaps[2] < 0.01


def test_schemes_may_be_given_by_name():
    budgets = [Budget(iterations=20) for _ in range(2)]
    named = solve_coarse_correlated(kuhn_form(), "CFR+", budgets[0])
    given = solve_coarse_correlated(kuhn_form(), SCHEMES["cfr+"], budgets[1])
    assert named.joint.cce_gap == given.joint.cce_gap
    assert named.result.method == "cce(cfr+)"
    with pytest.raises(UnknownNameError, match=r"unknown scheme 'crf\+'; did you mean cfr\+"):
        solve_coarse_correlated(kuhn_form(), "crf+")
    with pytest.raises(ParameterError, match="scheme=5 is of type int"):
        solve_coarse_correlated(kuhn_form(), 5)


@pytest.mark.parametrize(
    "wrong", [{"sample_every": -1}, {"sample_every": 2.5}, {"cce_gap": np.nan}, {"cce_gap": "1%"}]
)
def test_numbers_out_of_range_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(ParameterError, match=f"{name}=.* at least 0"):
        solve_coarse_correlated(kuhn_form(), **wrong)


def test_the_trace_has_the_gap_of_joint_play():
    found = solve_coarse_correlated(
        cached_tree("kuhn_poker(players=3)").sequence_form, budget=Budget(iterations=60)
    )
    assert found.result.trace[-1].cce_gap == found.joint.cce_gap
    assert next(iter(found.result.trace[0].errors)) == "CCE gap"
