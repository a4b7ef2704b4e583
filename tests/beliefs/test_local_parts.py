"""Parts of a game that are built from the rules."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.beliefs import local_part
from infoset.beliefs.history_sets import histories_around
from infoset.beliefs.history_sources import SamplingLimits
from infoset.game import Infostate
from infoset.games import load_game
from tests.support.cached_games import cached_tree

GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"


def test_a_local_part_has_the_histories_of_the_whole_tree():
    """Its ends, with their utilities, are those below the public state."""
    tree = cached_tree(GOOFSPIEL)
    infostate = tree.infostate_trees[0].infostate_at(1 + len(tree.infostate_trees[0].acting) // 2)
    limits = SamplingLimits(None)
    roots = histories_around(tree.game, infostate, (None, None), limits).whole()
    local = local_part(tree.game, roots, depth=None, max_ends=10_000)
    state = tree.infostate_trees[0].public_state[tree.infostate_trees[0].index_of(infostate)]
    whole = [
        history
        for history in tree.terminals.tolist()
        if state in _public_states_above(tree, int(tree.public_state[history]))
    ]
    assert local.num_ends == len(whole)
    np.testing.assert_allclose(
        np.sort(local.part.tree.rewards_so_far[local.part.terminals, 0]),
        np.sort(tree.rewards_so_far[whole, 0]),
    )
    for player in range(2):
        for number in range(1, 4):
            found = local.infostate_at(player, number)
            tree.infostate_trees[player].index_of(found)  # raises an error if there is none


def _public_states_above(tree, state):
    found = []
    while state >= 0:
        found.append(state)
        state = int(tree.public_tree.parent[state])
    return found


def root_part(game, depth, max_ends=1000):
    roots = histories_around(game, Infostate(0), (None, None), SamplingLimits(None)).whole()
    return local_part(game, roots, depth=depth, max_ends=max_ends)


def test_a_part_whose_rules_take_too_long_is_not_built():
    """One millionth of a second is over before the first of 27 thousand ends."""
    game = load_game("goofspiel(num_cards=13,imp_info=True,points_order=descending)")
    roots = histories_around(game, Infostate(0), (None, None), SamplingLimits(None)).whole()
    assert local_part(game, roots, depth=2, max_ends=10**6, max_seconds=1e-6) is None
    assert local_part(game, roots, depth=1, max_ends=10**6, max_seconds=1e6).num_ends == 169


def test_a_part_ends_where_every_player_has_acted():
    """In Kuhn poker, only pass and bet leaves a decision: six deals at one public state."""
    found = root_part(cached_tree("kuhn_poker").game, 1)
    assert (len(found.part.leaf_histories), len(found.part.terminals)) == (6, 18)
    assert len(root_part(cached_tree("kuhn_poker").game, 2).part.leaf_histories) == 0
    assert {str(key.public_state) for key in found.leaves.infostates[0]} == {". / pass / bet"}


@pytest.mark.parametrize("max_ends", [23, 5, 1])
def test_a_part_with_too_many_ends_is_not_built(max_ends):
    game = cached_tree("kuhn_poker").game
    assert root_part(game, 1, 24).num_ends == 24
    assert root_part(game, 1, max_ends) is None


def test_where_players_do_not_know_who_acts_transitions_are_counted():
    """In dark Hex the opponent of a player who chose an occupied cell does not notice."""
    game = cached_tree("dark_hex(board_size=2)").game
    for depth in (2, 3):
        found = root_part(game, depth)
        lengths = [len(key.steps) for key in found.leaves.infostates[0]]
        assert set(lengths) == {2 * depth}
        assert found.num_ends < root_part(game, None, 100_000).num_ends


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_where_nobody_sees_who_acts_a_part_ends_after_transitions(depth):
    """In dark Hex no public observation says whose move it is, so that public states mix both."""
    found = root_part(load_game("dark_hex(board_size=2)"), depth, max_ends=100_000)
    lengths = {len(key.steps) for key in found.leaves.infostates[0]}
    assert lengths <= {2 * depth}
    assert found.num_ends > 1
