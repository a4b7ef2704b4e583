"""Security levels of policies, and their rounding errors in float64."""

from fractions import Fraction

import numpy as np
import pytest

from infoset.efg import chance, decision, extensive_form_from_nodes, terminal
from infoset.evaluation import best_response, evaluate_policy, expected_values
from infoset.front import evaluate, solve
from infoset.games import load_game, matrix_game
from infoset.policy import TabularPolicy, uniform_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree

GAMES = ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)", "goofspiel(num_cards=3)"]


def form_of(spec):
    return cached_tree(spec).sequence_form


def random_policy(form, seed):
    rng = np.random.default_rng(seed)
    weights = [rng.random(plex.num_sequences) for plex in form.treeplexes]
    return TabularPolicy.from_weights(form, weights)


@pytest.mark.parametrize("spec", GAMES)
def test_a_guarantee_is_what_a_best_response_leaves(spec):
    form = form_of(spec)
    policy = random_policy(form, 3)
    measured = evaluate_policy(policy)
    for player in range(2):
        worst = best_response(policy, 1 - player)
        left = expected_values(worst.policy)[player]
        assert measured.security_levels[player] == pytest.approx(left, abs=1e-11)
        assert measured.security_levels[player] <= left


@pytest.mark.parametrize("spec", GAMES)
def test_guarantees_enclose_the_value_of_the_game(spec):
    form = form_of(spec)
    value = solve(form_tree(spec), "lp").values[0]
    for policy in (uniform_policy(form), random_policy(form, 1), solve(spec, "lp").policy):
        least, other = evaluate_policy(policy).security_levels
        assert least <= value <= form.constant_sum - other


def form_tree(spec):
    return build_tree(load_game(spec))


def test_a_sum_that_is_not_zero_enters_the_guarantees():
    game = matrix_game([[1, 5], [3, 2]], [[4, 0], [2, 3]])
    measured = evaluate(build_tree(game), "uniform")
    assert measured.security_levels == pytest.approx((2.0, 2.0))


def test_games_without_exploitability_guarantee_nothing():
    assert evaluate("kuhn_poker(players=3)", "uniform").security_levels is None


@pytest.mark.parametrize("seed", range(5))
def test_rounding_bounds_what_float64_gets_wrong(seed):
    """Best responses are computed in fractions, against the exact values of the floats."""
    form = form_of("leduc_poker(num_ranks=2)")
    policy = random_policy(form, seed)
    measured = evaluate_policy(policy)
    for player in range(2):
        exact = exact_best_response(form, policy, player)
        found = measured.values[player] + measured.gains[player]
        assert abs(Fraction(found) - exact) <= form.rounding
    assert form.rounding < 1e-12


def exact_best_response(form, policy, player):
    opponent, own = form.treeplexes[1 - player], form.treeplexes[player]
    plan = [Fraction(1)] * opponent.num_sequences
    for infostate in range(opponent.num_infostates):
        first = opponent.first_sequence[infostate]
        here = range(first, first + opponent.num_actions[infostate])
        shares = [Fraction(policy.probabilities[1 - player][s]) for s in here]
        for sequence, share in zip(here, shares, strict=True):
            plan[sequence] = plan[opponent.parent_sequence[infostate]] * share / sum(shares)
    gradient = [Fraction(0)] * own.num_sequences
    for pair, payoff in zip(form.terminal_sequence, form.payoff, strict=True):
        gradient[pair[player]] += Fraction(payoff[player]) * plan[pair[1 - player]]
    for infostate in reversed(range(own.num_infostates)):
        first = own.first_sequence[infostate]
        best = max(gradient[first : first + own.num_actions[infostate]])
        gradient[own.parent_sequence[infostate]] += best
    return gradient[0]


def test_rounding_scales_with_payoffs():
    small, large = ([[1, -1], [-1, 1]], [[1024, -1024], [-1024, 1024]])
    bounds = [build_tree(matrix_game(rows)).sequence_form.rounding for rows in (small, large)]
    assert bounds[1] == 1024 * bounds[0] > 0


@pytest.mark.parametrize("num", [7, 1000, 5000])
def test_rounding_allows_for_what_was_added_up_in_making_the_payoffs(num):
    ends = [(str(end), (Fraction(1, num), terminal(0.1, -0.1))) for end in range(num)]
    form = extensive_form_from_nodes(decision(0, "here", {"go on": chance(ends)}), players=2)
    measured = evaluate(form, "uniform")
    exact = Fraction(0.1)
    assert Fraction(measured.security_levels[0]) <= exact
    assert Fraction(measured.security_levels[1]) <= -exact
    assert form.sequence_form.rounding < 1e-15 * num


@pytest.mark.parametrize("unit", [1.0, 1e-11, 1e-200, 1e200])
def test_whether_payoffs_are_constant_sum_does_not_depend_on_their_units(unit):
    dilemma = matrix_game(
        [[-1 * unit, -3 * unit], [0, -2 * unit]], [[-1 * unit, 0], [-3 * unit, -2 * unit]]
    )
    pennies = matrix_game([[unit, -unit], [-unit, unit]])
    assert build_tree(dilemma).sequence_form.constant_sum is None
    assert build_tree(pennies).sequence_form.constant_sum == 0


def test_sums_that_are_not_quite_constant_are_in_the_guarantees():
    form = build_tree(matrix_game([[1.0], [-1.0]], [[-1.0], [1.0 - 9e-10]])).sequence_form
    assert form.constant_sum is not None
    assert evaluate_policy(uniform_policy(form)).security_levels[0] <= 0.0
    assert form.rounding >= 9e-10


def test_the_roundings_on_the_way_to_a_value_are_counted():
    """Numbers of roundings in Kuhn poker, by hand, for the second player's sums and both plans.

    A bet meets four payoffs, of two cards and two answers; six infostates follow the empty
    sequence. A plan takes a sum of two actions and a division or product per infostate. A path has
    two infostates of the first player and one of the second.
    """
    form = cached_tree("kuhn_poker").sequence_form
    additions, plans = 4 + 6, 2 * (2 + 1) + (2 + 1)
    assert [plex.plan_roundings for plex in form.treeplexes] == [6, 3]
    largest_payoff = 2.0
    expected = (additions + plans) * np.finfo(float).eps * largest_payoff
    assert form.rounding - form.payoff_rounding == pytest.approx(expected)
