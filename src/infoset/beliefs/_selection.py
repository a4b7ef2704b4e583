"""Choosing histories, infostates and public states by what they extend."""

from __future__ import annotations

import numpy as np

from infoset.tree import GameTree
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray

__all__ = [
    "close_under_extension",
    "group_by_owner",
    "histories_at",
    "infostates_at",
    "sum_by",
    "topmost",
]


def close_under_extension(parent: IntArray, members: BoolArray) -> BoolArray:
    """Return [n] the members of a tree and everything that extends one of them.

    `parent` [n] is -1 at roots; the passes are as many as the tree is deep.
    """
    closed = members
    while True:
        grown = closed | (closed[parent] & (parent >= 0))
        if (grown == closed).all():
            return grown
        closed = grown


def topmost(parent: LongArray | IntArray) -> LongArray:
    """Return [n] the root above each node of a forest; `parent` [n] is -1 at roots.

    Each pass doubles the number of steps looked up.
    """
    top = np.where(parent < 0, np.arange(len(parent)), parent)
    while (top[top] != top).any():
        top = top[top]
    return top


def group_by_owner(owner: LongArray, num_owners: int) -> tuple[IntArray, LongArray]:
    """Return the numbers 0..n-1 by owner, and [num_owners + 1] where each owner's begin.

    Those of one owner stay in increasing order.
    """
    small = owner.astype(np.min_scalar_type(num_owners))  # short integers sort in linear time
    order = np.argsort(small, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=num_owners))])
    return order.astype(np.int32), starts


def histories_at(tree: GameTree, public_state: int) -> IntArray:
    """Return [R] the histories of a public state, in increasing order."""
    # Histories and public states are both numbered level by level.
    first_states = tree.public_state[tree.level_offsets[:-1]]
    level = int(np.searchsorted(first_states, public_state, side="right")) - 1
    start, stop = tree.level_offsets[level : level + 2]
    found: IntArray = np.arange(start, stop, dtype=np.int32)
    return np.compress(tree.public_state[start:stop] == public_state, found)


def infostates_at(tree: GameTree, public_state: int) -> tuple[IntArray, ...]:
    """Return per player [S_p] its infostates at a public state, in increasing order."""
    return tuple(
        numbers[first[public_state] : first[public_state + 1]]
        for numbers, first in zip(
            tree.public_tree.infostates, tree.public_tree.first_infostate, strict=True
        )
    )


def sum_by(position: LongArray, values: FloatArray, size: int) -> FloatArray:
    """Return [size] the sum of the values [n] at each position [n]."""
    total = np.zeros(size)
    np.add.at(total, position, values)
    return total
