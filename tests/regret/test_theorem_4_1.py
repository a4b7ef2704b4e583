"""CFR on a game and on its classical extensive form (Kovařík et al. 2022, Theorem 4.1).

The premise, observable rewards, is needed for the values of infostates only: at an infostate s
the two kinds of counterfactual value differ by Σ_h P₋ᵢ(h) Rᵢ(h), whatever the action, so that
regrets and policies agree for every game.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from infoset.efg import (
    build_extensive_form,
    find_hidden_reward,
    forget_non_acting,
    rewards_are_observable,
)
from infoset.game import serialize
from infoset.games import load_game
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.policy_transfer import of_serial, pair_infostates
from tests.support.reference_history_cfr import Table, iterate_form, iterate_game

ITERATIONS = 6


def information_sets(game):
    """Return the classical form, and its information set for each acting infostate."""
    serial = serialize(game)
    tree = build_tree(serial)
    augmented = build_extensive_form(game)
    classical = forget_non_acting(augmented)
    pairs = pair_infostates(game, serial, of_serial)
    of_number = [_acting_numbers(augmented, classical, p) for p in range(game.num_players)]
    keys = {}
    for theirs, mine in pairs.items():
        number = tree.infostate_trees[theirs.player].index_of(theirs)
        keys[mine] = (theirs.player, of_number[theirs.player][number])
    return classical, keys


def _acting_numbers(augmented, classical, player):
    acts = augmented.actor == player
    return dict(
        zip(
            augmented.infoset[acts, player].tolist(),
            classical.infoset[acts, player].tolist(),
            strict=True,
        )
    )


def assert_the_theorem(game):
    classical, keys = information_sets(game)
    observable = rewards_are_observable(build_tree(game))
    on_game, on_form = Table(), Table()
    for _ in range(ITERATIONS):
        iterate_game(game, on_game)
        iterate_form(classical, on_form)
        for infostate, key in keys.items():
            np.testing.assert_allclose(on_form.policy[key], on_game.policy[infostate], atol=1e-9)
            np.testing.assert_allclose(on_form.reach[key], on_game.reach[infostate], atol=1e-12)
            difference = on_form.value[key] - on_game.value[infostate]
            assert difference == pytest.approx(on_game.reward_term[infostate], abs=1e-9)
            if observable and on_game.reach[infostate] > 1e-9:
                paid = on_game.reward_term[infostate] / on_game.reach[infostate]
                mine = on_game.value[infostate] / on_game.reach[infostate]
                theirs = on_form.value[key] / on_form.reach[key]
                assert theirs - paid == pytest.approx(mine, abs=1e-7)


@settings(max_examples=10)
@given(random_games(max_histories=60))
def test_cfr_agrees_on_random_games(game):
    assert_the_theorem(game)


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "matrix_brps", "goofspiel(num_cards=3,imp_info=True)"]
)
def test_cfr_agrees_on_registered_games(name):
    assert_the_theorem(load_game(name))


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel(num_cards=3,imp_info=True)"])
def test_the_kernel_agrees_with_both(name):
    """The library's CFR, on the sequence form, is the same algorithm."""
    game = load_game(name)
    tree = build_tree(game)
    table = Table()
    minimizer = RegretMinimizer(tree.sequence_form, SCHEMES["cfr-simultaneous"])
    for _ in range(ITERATIONS):
        iterate_game(game, table)
        minimizer.run(1)
        current = minimizer.current_probabilities()
        for infostate, policy in table.policy.items():
            states = tree.infostate_trees[infostate.player]
            number = states.index_of(infostate)
            first = states.first_sequence[number]
            mine = current[infostate.player][first : first + states.num_actions[number]]
            np.testing.assert_allclose(mine / mine.sum(), policy, atol=1e-9)


@given(random_games(max_histories=60))
def test_the_premise_is_the_same_on_game_and_form(game):
    """Serialization adds only histories without rewards, so the premise does not change."""
    form = build_extensive_form(game)
    assert rewards_are_observable(build_tree(game)) == (find_hidden_reward(form) is None)
