"""The memory of searches: made once, used by one search after another."""

from __future__ import annotations

import numpy as np

from infoset.search.ismcts._kernels import Play, RootNodes
from infoset.search.ismcts._tree_kernels import (
    NO_NODE,
    NUM_INFOSTATES,
    THIS_SEARCH,
    Tree,
    add_totals,
    begin_search,
    copy_steps,
)
from infoset.search.models._kernels import empty_position
from infoset.typing import FloatArray, LongArray

__all__ = ["Memory"]


class Memory:
    """The arrays of one search after another.

    A search sees nothing of those before: rows of the hash table carry its number, and all else
    is written before it is read.

    Parameters
    ----------
    state_size, num_players : int
        Of the model.
    num_infostates : int
        How many there is room for at first, a power of 2.

    Attributes
    ----------
    tree : Tree
    play : Play
    """

    def __init__(self, state_size: int, num_players: int, *, num_infostates: int = 1024) -> None:
        self.tree = _empty_tree(num_infostates, 4 * num_infostates, max(1, num_infostates // 16))
        self.play = Play(
            empty_position(state_size, num_players),
            empty_position(state_size, num_players),
            np.zeros(num_players, np.int64),
        )

    def begin(self, num_known: int) -> None:
        """Forget what there was; infostates up to `num_known` have their numbers already."""
        self.make_room(num_known)
        begin_search(self.tree, num_known)

    def make_room(self, num_infostates: int) -> None:
        """Grow until there is room for as many infostates."""
        while num_infostates > len(self.tree.visits):
            self.grow()

    def grow(self) -> None:
        """Make room for twice as much, and keep what there is."""
        old = self.tree
        new = _empty_tree(2 * len(old.visits), 2 * len(old.returns), 2 * len(old.path))
        copy_steps(old.steps, new.steps, old.counts[THIS_SEARCH])
        for before, after in zip(old[1:], new[1:], strict=True):
            after[: len(before)] = before
        self.tree = new

    @property
    def num_nodes(self) -> int:
        """How many nodes the tree of the search has."""
        number = self.tree.counts[NUM_INFOSTATES]
        return int((self.tree.first_slot[:number] != NO_NODE).sum())

    def totals(self, roots: RootNodes) -> tuple[LongArray, FloatArray]:
        """Return [A] visits and returns of actions, summed over the own infostates."""
        num_actions = roots.numbers.shape[1]
        visits, returns = np.zeros(num_actions, np.int64), np.zeros(num_actions)
        add_totals(self.tree, roots.own, roots.numbers, visits, returns)
        return visits, returns


def _empty_tree(num_infostates: int, num_slots: int, length: int) -> Tree:
    """Return arrays with room for as many infostates, slots, and actions on a path."""
    return Tree(
        steps=np.zeros((2 * num_infostates, 4), np.int64),
        first_slot=np.full(num_infostates, NO_NODE, np.int64),
        visits=np.zeros(num_infostates, np.int64),
        slot_visits=np.zeros(num_slots, np.int64),
        returns=np.zeros(num_slots),
        path=np.zeros((length, 3), np.int64),
        counts=np.zeros(3, np.int64),
    )
