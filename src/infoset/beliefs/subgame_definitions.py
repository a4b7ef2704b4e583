"""Four equivalent definitions of a subgame as a set of histories."""

from __future__ import annotations

import numpy as np

from infoset.tree import GameTree
from infoset.typing import BoolArray, IntArray, Player


def subgame_by_closure(tree: GameTree, history: int) -> BoolArray:
    """Return [H] membership in the smallest closed set that contains a history.

    A set is closed if it contains all descendants of its members and their whole public sets.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (i). `subgame_by_histories`,
    `subgame_by_infosets`, and `subgame_by_public_sets` return the same set. It also contains whole
    infosets of every player.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> int(subgame_by_closure(kuhn, 7).sum())
    30
    """
    members = _single(tree, history)
    while True:
        grown = _fill_sets(tree.public_state, members)
        grown = _close_under_extension(tree.parent, grown)
        if (grown == members).all():
            return members
        members = grown


def subgame_by_histories(tree: GameTree, history: int) -> BoolArray:
    """Return [H] whether each history extends a history in the public set of `history`.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (ii).
    """
    return _close_under_extension(
        tree.parent, _fill_sets(tree.public_state, _single(tree, history))
    )


def subgame_by_infosets(tree: GameTree, history: int, player: Player = 0) -> BoolArray:
    """Return [H] whether a player's infostate extends one at the public state of `history`.

    The set is the same for every player.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (iii).
    """
    infostates = tree.infostate_trees[player]
    at_root = infostates.public_state == tree.public_state[history]
    inside = _close_under_extension(infostates.parent, at_root)
    return inside[tree.infostate[:, player]]


def subgame_by_public_sets(tree: GameTree, history: int) -> BoolArray:
    """Return [H] whether the public state of each history extends that of `history`.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (iv).
    """
    at_root = np.zeros(tree.public_tree.num_public_states, dtype=bool)
    at_root[tree.public_state[history]] = True
    return _close_under_extension(tree.public_tree.parent, at_root)[tree.public_state]


def is_closed_under_infosets(tree: GameTree, members: BoolArray) -> bool:
    """Return whether a set contains all or none of every infoset, for every player.

    Parameters
    ----------
    members
        [H] True for the histories in the set.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (v).
    """
    return all(
        bool((_fill_sets(tree.infostate[:, player], members) == members).all())
        for player in range(tree.num_players)
    )


def _single(tree: GameTree, history: int) -> BoolArray:
    members = np.zeros(tree.num_histories, dtype=bool)
    members[history] = True
    return members


def _fill_sets(set_of: IntArray, members: BoolArray) -> BoolArray:
    """Return [H] the histories of all sets with a member; `set_of` [H] numbers the sets."""
    touched = np.zeros(int(set_of.max()) + 1, dtype=bool)
    touched[set_of[members]] = True
    return touched[set_of]


def _close_under_extension(parent: IntArray, members: BoolArray) -> BoolArray:
    """Return [n] the members of a tree and all their descendants; `parent` [n] is -1 at roots.

    Each pass adds one generation.
    """
    closed = members
    while True:
        grown = closed | (closed[parent] & (parent >= 0))
        if (grown == closed).all():
            return grown
        closed = grown
