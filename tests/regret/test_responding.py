"""Infostates at which a player responds, as in CFR-BR, in place of minimizing regret."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings

from infoset.errors import ParameterError
from infoset.evaluation import nash_conv
from infoset.forms import behavior_to_plan
from infoset.games import matrix_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.solvers import average_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games


def last_decisions(form, players):
    """Return the infostates after which their player does not act again."""
    found = []
    for player, plex in enumerate(form.treeplexes):
        above = plex.infostate_of_sequence[plex.parent_sequence]
        is_last = np.ones(plex.num_infostates, bool)
        is_last[above[above >= 0]] = False
        found.append(is_last & (player in players))
    return tuple(found)


def assert_responds(form, player, plans, current, chosen):
    """Assert that a policy [Q] plays the first best action against plans at infostates [I]."""
    plex, gradient = form.treeplexes[player], form.gradient(plans, player)
    for infostate in np.flatnonzero(chosen).tolist():
        first, size = plex.first_sequence[infostate], plex.num_actions[infostate]
        values = gradient[first : first + size]
        here = current[first : first + size]
        assert sorted(here) == [0.0] * (size - 1) + [1.0]
        assert here @ values == pytest.approx(values.max(), abs=1e-9)
        assert here.argmax() == (values > values.max() - 1e-10).argmax()


@settings(max_examples=15)
@given(random_games(num_players=2, zero_sum=True))
def test_the_policy_is_a_best_response_to_current_plans(game):
    form = build_tree(game).sequence_form
    for player in range(2):
        chosen = last_decisions(form, {player})
        minimizer = RegretMinimizer(form, SCHEMES["cfr+"], responding=chosen)
        before = minimizer.current_plans()
        for iterations in (0, 1, 1, 1):
            minimizer.run(iterations)
            plans, current = minimizer.current_plans(), minimizer.current_probabilities()
            # Player 1 acts second, and responds to the plan that player 0 has just computed.
            met = plans if player == 1 else before
            assert_responds(form, player, met, current[player], chosen[player])
            before = plans
            plex = form.treeplexes[player]
            plan = behavior_to_plan(
                plex.parent_sequence, plex.first_sequence, plex.num_actions, current[player]
            )
            np.testing.assert_allclose(plans[player], plan, atol=1e-12)
            regret = minimizer.regrets(player)
            of_chosen = np.append(False, np.repeat(chosen[player], plex.num_actions))
            assert (regret[of_chosen] <= 1e-12).all()


@pytest.mark.parametrize("player", [0, 1])
def test_averages_approach_an_equilibrium(player):
    """A best response to each iteration has no regret, so regrets elsewhere bound NashConv."""
    form = cached_tree("leduc_poker").sequence_form
    minimizer = RegretMinimizer(form, SCHEMES["cfr+"], responding=last_decisions(form, {player}))
    gains = []
    for iterations in (200, 1800):
        minimizer.run(iterations)
        gains.append(nash_conv(average_policy(minimizer)))
    assert gains[1] < 0.35 * gains[0]


def test_ties_up_to_rounding_are_decided_by_order():
    """Against uniform play, all actions earn the same sum of payoffs, added in another order."""
    for first, player in product(([0.1, 0.7, 0.2, 0.3], [0.1, 0.7, 0.3, 0.2]), range(2)):
        order = np.array(list(permutations(first)))
        game = matrix_game(order if player == 0 else -order.T)
        form = build_tree(game).sequence_form
        chosen = last_decisions(form, {player})
        minimizer = RegretMinimizer(form, SCHEMES["cfr+"], responding=chosen)
        assert minimizer.current_probabilities()[player].tolist() == [1.0, 1.0] + [0.0] * 23


@pytest.mark.broad
@pytest.mark.parametrize("scheme", ["cfr+", "pcfr+", "dcfr"])
def test_results_do_not_depend_on_threads(scheme):
    form = cached_tree("liars_dice(dice_sides=4)").sequence_form
    chosen = last_decisions(form, {1})
    found = []
    for threads in (1, 2):
        minimizer = RegretMinimizer(form, SCHEMES[scheme], "float64", threads, chosen)
        minimizer.run(12)
        found.append(minimizer.state())
    for name, array in found[0].items():
        assert array.tobytes() == found[1][name].tobytes(), name


def test_what_is_refused():
    form = cached_tree("kuhn_poker").sequence_form
    with pytest.raises(ParameterError, match="one entry for each infostate of each player"):
        RegretMinimizer(form, SCHEMES["cfr+"], responding=(np.zeros(6, bool), np.zeros(5, bool)))
    with pytest.raises(ParameterError, match="of players 0 and 1, who would respond to each other"):
        RegretMinimizer(form, SCHEMES["cfr+"], responding=last_decisions(form, {0, 1}))
    every = tuple(np.ones(plex.num_infostates, bool) for plex in form.treeplexes)
    every[1][:] = False
    with pytest.raises(ParameterError, match="after which the player acts again"):
        RegretMinimizer(form, SCHEMES["cfr+"], responding=every)
