"""Best responses and exploitability, against brute force and known equilibria."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import UnsupportedGameError
from infoset.evaluation import (
    best_response,
    evaluate_policy,
    expected_values,
    exploitability,
    nash_conv,
)
from infoset.policy import TabularPolicy, random_policy, uniform_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories, expected_utilities


def form_of(spec):
    return cached_tree(spec).sequence_form


def pure_policies(form, player, base):
    """Yield the policies in which a pure policy replaces that of one player."""
    plex = form.treeplexes[player]
    for chosen in product(*map(range, plex.num_actions)):
        values = np.zeros(plex.num_sequences)
        values[0] = 1
        values[plex.first_sequence + np.array(chosen, dtype=int)] = 1
        replaced = [*base.probabilities]
        replaced[player] = values
        yield TabularPolicy(form, tuple(replaced))


@given(random_games(), st.integers(0, 2**32))
def test_best_responses_equal_brute_force_over_pure_policies(game, seed):
    form = build_tree(game).sequence_form
    policy = random_policy(form, np.random.default_rng(seed))
    for player, plex in enumerate(form.treeplexes):
        if np.prod(plex.num_actions.astype(float)) > 300:
            continue
        best = max(expected_values(p)[player] for p in pure_policies(form, player, policy))
        response = best_response(policy, player)
        assert response.value == pytest.approx(best, abs=1e-10)


@given(random_games(), st.integers(0, 2**32))
def test_a_best_response_earns_its_value_and_no_less_than_any_policy(game, seed):
    form = build_tree(game).sequence_form
    rng = np.random.default_rng(seed)
    policy = random_policy(form, rng)
    measured = evaluate_policy(policy)
    assert measured.values == pytest.approx(expected_values(policy), abs=1e-12)
    assert measured.nash_conv == pytest.approx(sum(measured.gains))
    assert measured.nash_conv >= 0
    visits = enumerate_histories(game)
    for player in range(form.num_players):
        response = best_response(policy, player)
        earned = expected_utilities(visits, response.policy)[player]
        assert response.value == pytest.approx(earned, abs=1e-10)
        assert response.value >= measured.values[player] - 1e-12
        assert measured.gains[player] == pytest.approx(
            response.value - measured.values[player], abs=1e-12
        )
        for other in range(form.num_players):
            if other != player:
                kept = response.policy.probabilities[other]
                assert np.array_equal(kept, policy.probabilities[other])


def kuhn_equilibrium(alpha):
    """Return the equilibrium of Kuhn poker in which player 0 bets a jack with probability alpha."""
    form = form_of("kuhn_poker")
    bets = {
        (0, "[J]"): alpha,
        (0, "[Q]"): 0,
        (0, "[K]"): 3 * alpha,
        (0, "[J] / pass / bet"): 0,
        (0, "[Q] / pass / bet"): alpha + 1 / 3,
        (0, "[K] / pass / bet"): 1,
        (1, "[J] / pass"): 1 / 3,
        (1, "[J] / bet"): 0,
        (1, "[Q] / pass"): 0,
        (1, "[Q] / bet"): 1 / 3,
        (1, "[K] / pass"): 1,
        (1, "[K] / bet"): 1,
    }
    values = [np.ones(13), np.ones(13)]
    for player, tree in enumerate(form.infostate_trees):
        for number, label in zip(tree.acting, tree.acting_labels, strict=True):
            first = tree.first_sequence[number]
            assert tree.legal_actions(number) == ("pass", "bet")
            values[player][first : first + 2] = 1 - bets[player, label], bets[player, label]
    return TabularPolicy(form, tuple(values))


@pytest.mark.parametrize("alpha", [0, 0.1, 0.25, 1 / 3])
def test_the_equilibria_of_kuhn_poker(alpha):
    measured = evaluate_policy(kuhn_equilibrium(alpha))
    assert measured.values[0] == pytest.approx(-1 / 18, abs=1e-15)
    assert measured.exploitability == pytest.approx(0, abs=1e-15)


def test_beyond_one_third_it_is_an_equilibrium_no_more():
    values = kuhn_equilibrium(1 / 3)
    shifted = values.probabilities[0].copy()
    tree = values.form.infostate_trees[0]
    first = tree.first_sequence[tree.acting[tree.acting_labels.index("[J]")]]
    shifted[first : first + 2] = 0.5, 0.5
    policy = TabularPolicy(values.form, (shifted, values.probabilities[1].copy()))
    assert exploitability(policy) > 0.01


def test_uniform_play_by_hand():
    # OpenSpiel's documentation of uniform Kuhn poker: NashConv 11/12.
    policy = uniform_policy(form_of("kuhn_poker"))
    assert nash_conv(policy) == pytest.approx(11 / 12, abs=1e-15)
    assert exploitability(policy) == nash_conv(policy) / 2
    uniform = uniform_policy(form_of("leduc_poker"))
    assert nash_conv(uniform) == pytest.approx(4.747222, abs=1e-6)
    responses = [best_response(uniform, player).value for player in (0, 1)]
    assert responses == pytest.approx([2.0875, 2.659722], abs=1e-6)
    rock = uniform_policy(form_of("matrix_rps"))
    assert nash_conv(rock) == 0


@pytest.mark.parametrize(
    "spec", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)", "kuhn_poker(players=3)"]
)
def test_uniform_play_agrees_with_openspiel(spec):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import exploitability as reference
    from open_spiel.python.policy import UniformRandomPolicy

    game = pyspiel.load_game(spec)
    expected = reference.nash_conv(game, UniformRandomPolicy(game))
    assert nash_conv(uniform_policy(form_of(spec))) == pytest.approx(expected, abs=1e-12)


def test_exploitability_is_for_two_player_constant_sum_games_alone():
    for spec in ("kuhn_poker(players=3)", "matrix_bos"):
        policy = uniform_policy(form_of(spec))
        assert evaluate_policy(policy).exploitability is None
        with pytest.raises(UnsupportedGameError, match="use nash_conv"):
            exploitability(policy)


def test_constant_sum_games_have_exploitability():
    from infoset.games import matrix_game

    form = build_tree(matrix_game([[3, 1], [1, 3]], [[1, 3], [3, 1]])).sequence_form
    measured = evaluate_policy(uniform_policy(form))
    assert measured.values == (2, 2)
    assert measured.exploitability == 0


@given(random_games(zero_sum=True), st.integers(0, 2**32))
def test_relabelling_the_payoffs_scales_the_answer(game, seed):
    from dataclasses import replace

    form = build_tree(game).sequence_form
    doubled = replace(form, payoff=2 * form.payoff)
    policy = random_policy(form, np.random.default_rng(seed))
    twice = TabularPolicy(doubled, tuple(v.copy() for v in policy.probabilities))
    assert nash_conv(twice) == 2 * nash_conv(policy)
