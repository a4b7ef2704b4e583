"""Proposition A.1: the four definitions of a subgame agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from infoset.beliefs import (
    cut_tree,
    is_closed_under_infosets,
    subgame_by_closure,
    subgame_by_histories,
    subgame_by_infosets,
    subgame_by_public_sets,
)
from infoset.games import load_game
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories


def slow_members(visits, root):
    """Return, for every history, whether its public state begins with that of `root`."""
    start = visits[root].history.public_state.observations
    return [v.history.public_state.observations[: len(start)] == start for v in visits]


@given(random_games(max_histories=60))
def test_the_four_definitions_agree_on_random_games(game):
    tree = build_tree(game)
    visits = enumerate_histories(game)
    for history in range(tree.num_histories):
        members = subgame_by_closure(tree, history)
        assert members.tolist() == slow_members(visits, history)
        assert np.array_equal(subgame_by_histories(tree, history), members)
        assert np.array_equal(subgame_by_public_sets(tree, history), members)
        for player in range(tree.num_players):
            assert np.array_equal(subgame_by_infosets(tree, history, player), members)
        assert is_closed_under_infosets(tree, members)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=2)"])
def test_a_cut_takes_the_same_histories(spec):
    tree = build_tree(load_game(spec))
    for history in np.random.default_rng(0).integers(0, tree.num_histories, 12).tolist():
        public_state = int(tree.public_state[history])
        part = cut_tree(tree, public_states=[public_state])[public_state]
        members = np.flatnonzero(subgame_by_closure(tree, history))
        assert np.array_equal(part.histories, members)
        assert np.array_equal(np.flatnonzero(subgame_by_infosets(tree, history, 1)), members)


def test_descendants_alone_are_not_closed_under_infosets():
    tree = cached_tree("kuhn_poker")
    below = np.zeros(tree.num_histories, dtype=bool)
    below[1] = True  # one of the six deals
    assert not is_closed_under_infosets(tree, below)
