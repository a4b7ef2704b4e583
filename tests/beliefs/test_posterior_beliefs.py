"""Beliefs computed from the rules have the histories and probabilities of those from the tree."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.beliefs import PublicPrivateBelief, private_belief, public_belief
from infoset.game import Observation, PublicState
from infoset.policy import random_policy, uniform_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games

SMALL = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(dice_sides=2)",
    "liars_dice(dice_sides=3)",
    "goofspiel(num_cards=3,imp_info=True,points_order=random)",
    "matrix_rps",
)


def tree_of(name):
    return cached_tree(name)


def cell_probabilities(belief):
    """Return the probability of each world state with the infostates of all players."""
    known = [belief.infostates(player) for player in range(belief.source.num_players)]
    total = Counter()
    for key, probability in zip(
        zip(belief.worlds, *known, strict=True), belief.probability, strict=True
    ):
        total[key] += probability
    return total


def check_same(belief, looked_up):
    assert looked_up.method == "tree"
    assert belief.method == "enumeration"
    assert len(belief) == len(looked_up)
    assert cell_probabilities(belief) == pytest.approx(cell_probabilities(looked_up), rel=1e-9)


def check_all_beliefs(tree, places, policies):
    """Compare both computations at some infostates of every player and their public states."""
    for infostates in tree.infostate_trees:
        for number in (places % infostates.num_infostates).tolist():
            known = infostates.infostate_at(number)
            check_same(
                private_belief(tree.game, known, policies=policies),
                private_belief(tree, known, policies=policies),
            )
            check_same(
                public_belief(tree.game, known.public_state, policies=policies),
                public_belief(tree, int(infostates.public_state[number]), policies=policies),
            )
            mixed = PublicPrivateBelief(0.3, policies=policies)
            check_same(mixed.at(tree.game, known), mixed.at(tree, known))


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("is_posterior", [False, True])
def test_rules_and_tree_agree(name, is_posterior):
    tree, rng = tree_of(name), np.random.default_rng(1)
    policy = random_policy(tree.sequence_form, rng) if is_posterior else None
    check_all_beliefs(tree, rng.integers(10**6, size=8), policy)


@settings(max_examples=6)
@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_rules_and_tree_agree_in_any_game(game, seed):
    tree, rng = build_tree(game), np.random.default_rng(seed)
    policy = random_policy(tree.sequence_form, rng)
    some = [policy, None, uniform_policy(), None][: game.num_players]
    for policies in (None, policy, some):
        check_all_beliefs(tree, rng.integers(10**6, size=2), policies)


def test_a_next_world_listed_twice_is_one_and_one_without_probability_is_none():
    game = FunctionGame(
        transitions=lambda world, joint: (
            [("a", 0.25), ("b", 0.5), ("a", 0.25), ("c", 0)] if world == "start" else []
        ),
        observe=lambda world, joint, next_world: Observation(),
    )
    for source in (game, build_tree(game)):
        belief = public_belief(source, PublicState((None,)))
        assert belief.worlds == ("a", "b")
        assert belief.probability.tolist() == [0.5, 0.5]
