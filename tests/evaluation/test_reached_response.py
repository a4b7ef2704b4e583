"""Best responses computed from the rules, against those on trees and known numbers."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import GameTooLargeError, ParameterError
from infoset.evaluation import best_response, expected_values, reached_best_response
from infoset.games import load_game
from infoset.policy import TabularPolicy, tabulate
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.determinized_dice import DeterminizedDice

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=random,returns_type=total_points)"
SPECS = ["kuhn_poker", "kuhn_poker(players=3)", "matrix_bos", GOOFSPIEL]


def some_policy(spec):
    return cached_random_policies(spec)[0]


def some_pure_policy(spec):
    """Return a pure policy, so that few infostates are reached."""
    form = cached_tree(spec).sequence_form
    rng = np.random.default_rng(4)
    weights = [np.zeros(plex.num_sequences) for plex in form.treeplexes]
    for values, plex in zip(weights, form.treeplexes, strict=True):
        values[plex.first_sequence + rng.integers(plex.num_actions)] = 1
    return TabularPolicy.from_weights(form, weights)


@pytest.mark.parametrize("make", [some_policy, some_pure_policy])
@pytest.mark.parametrize("spec", SPECS)
def test_the_value_is_that_on_the_tree(spec, make):
    tree, policy = cached_tree(spec), make(spec)
    for player in range(tree.num_players):
        response = reached_best_response(tree.game, policy, player)
        on_tree = best_response(policy, player)
        assert response.value == pytest.approx(on_tree.value, abs=1e-12)
        assert response.num_histories <= tree.num_histories
        table = tabulate(tree.sequence_form, [response.policy] * tree.num_players)
        earned = expected_values(policy.replace_player(player, table))[player]
        assert earned == pytest.approx(response.value, abs=1e-12)


def test_only_reached_histories_are_generated():
    tree = cached_tree("leduc_poker")
    policy = some_pure_policy("leduc_poker")
    response = reached_best_response(tree.game, [None, policy], 0)
    assert response.value == pytest.approx(best_response(policy, 0).value, abs=1e-12)
    plan = policy.realization_plan(1)[tree.sequence[:, 1]]
    assert response.num_histories == (plan > 0).sum() < tree.num_histories / 4


@pytest.mark.broad
@pytest.mark.parametrize(
    ("share", "player", "value"),
    [
        (0.0, 1, 0.3025),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in [
                (1.0, 1, 0.383),
                (0.6, 1, 0.285),
                (0.8, 1, 0.318),
                (0.0, 0, 0.6790),
                (0.1, 0, 0.713),
                (0.5, 0, 0.731),
                (0.8, 0, 0.784),
                (1.0, 0, 1.0),
            ]
        ),
    ],
)
def test_two_six_sided_dice_each_in_the_limit_of_many_worlds(share, player, value):
    game = load_game("liars_dice(numdice=2)")
    response = reached_best_response(game, DeterminizedDice(2, 6, share), player)
    assert response.value == pytest.approx(value, abs=6e-4)
    assert response.num_histories < 100_000


def test_policies_that_reach_too_many_histories():
    with pytest.raises(GameTooLargeError, match=r"more than 1,000 histories.*min_probability"):
        reached_best_response(load_game("leduc_poker"), None, 0, max_histories=1000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(game="kuhn_poker"), "such as infoset.load"),
        (dict(player=2), "no player 2"),
        (dict(policies=[None]), "got 1 policies; kuhn_poker has 2 players"),
        (dict(max_histories=0), "at least 1"),
    ],
)
def test_bad_arguments(arguments, message):
    given = {"game": load_game("kuhn_poker"), "policies": None, "player": 0, **arguments}
    with pytest.raises(ParameterError, match=message):
        reached_best_response(**given)
