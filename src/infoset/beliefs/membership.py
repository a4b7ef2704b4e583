"""The four definitions of a subgame: which histories lie in it."""

from __future__ import annotations

import numpy as np

from infoset.beliefs._selection import close_under_extension
from infoset.tree import GameTree
from infoset.typing import BoolArray, IntArray, Player

__all__ = [
    "is_closed_under_infosets",
    "subgame_by_closure",
    "subgame_by_histories",
    "subgame_by_infosets",
    "subgame_by_public_sets",
]


def subgame_by_closure(tree: GameTree, history: int) -> BoolArray:
    """Return [H] membership in the smallest closed set that has a history in it.

    Closed under descendants, and under membership in public sets.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (i). This and the three definitions below
    give the same set, which is closed under membership in infosets of every player, too.

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
        grown = close_under_extension(tree.parent, grown)
        if (grown == members).all():
            return members
        members = grown


def subgame_by_histories(tree: GameTree, history: int) -> BoolArray:
    """Return [H] whether each history extends one of the public set of `history`.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (ii).
    """
    return close_under_extension(tree.parent, _fill_sets(tree.public_state, _single(tree, history)))


def subgame_by_infosets(tree: GameTree, history: int, player: Player = 0) -> BoolArray:
    """Return [H] whether the infostate of a player extends one at the public state of `history`.

    Any player gives the same set.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (iii).
    """
    infostates = tree.infostate_trees[player]
    at_root = infostates.public_state == tree.public_state[history]
    inside = close_under_extension(infostates.parent, at_root)
    return inside[tree.infostate[:, player]]


def subgame_by_public_sets(tree: GameTree, history: int) -> BoolArray:
    """Return [H] whether the public state of each history extends that of `history`.

    Notes
    -----
    Source: Kovařík et al. (2022), Proposition A.1 (iv).
    """
    at_root = np.zeros(tree.public_tree.num_public_states, dtype=bool)
    at_root[tree.public_state[history]] = True
    return close_under_extension(tree.public_tree.parent, at_root)[tree.public_state]


def is_closed_under_infosets(tree: GameTree, members: BoolArray) -> bool:
    """Tell whether a set of histories has all or none of every infoset of every player.

    Parameters
    ----------
    tree : GameTree
    members : BoolArray
        [H] True for the histories of the set.

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
    """Return [H] the histories of all sets that have a member; `set_of` [H]."""
    touched = np.zeros(int(set_of.max()) + 1, dtype=bool)
    touched[set_of[members]] = True
    return touched[set_of]
