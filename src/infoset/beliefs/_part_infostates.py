"""The infostate tree of one player in a part of a compiled tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from infoset.forms import InfostateTree, LazyObservations
from infoset.tree import GameTree
from infoset.typing import IntArray, LongArray, Player
from infoset.utils.sorting import gather_runs


def topmost(parent: LongArray | IntArray) -> LongArray:
    """Return [n] the root of the tree of each node in a forest; `parent` [n] is -1 at roots."""
    top = np.where(parent < 0, np.arange(len(parent)), parent)
    # Pointer jumping: each pass doubles the number of generations that are skipped.
    while (top[top] != top).any():
        top = top[top]
    return top


def group_by_owner(owner: LongArray, num_owners: int) -> tuple[IntArray, LongArray]:
    """Return 0..n-1 sorted by owner, and [num_owners + 1] the start of each owner's members.

    Each owner's members are in increasing order.
    """
    small = owner.astype(np.min_scalar_type(num_owners))  # short integers sort faster
    order = np.argsort(small, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=num_owners))])
    return order.astype(np.int32), starts


def members_of(order: IntArray, first: IntArray, owners: IntArray) -> IntArray:
    """Return the members of several owners, in increasing order.

    order [n] members sorted by owner, first [num_owners + 1] the start of each owner's members.
    """
    members = gather_runs(order, first, owners)
    members.sort()
    return members


@dataclass(frozen=True, eq=False)
class PartInfostates:
    """The infostates of one player in a part of a tree, including those at its leaves."""

    whole: InfostateTree
    tree: InfostateTree
    """The infostate trees of the whole game and of the part."""
    numbers: IntArray
    """[S] index in the whole tree of each infostate of `tree`, increasing; -1 for a new root."""
    num_roots: int
    """Number of infostates at the root of the part; they come right after the new root."""

    def local(self, infostates: IntArray) -> LongArray:
        """Convert indices of infostates from the whole tree to the part that contains them."""
        return np.searchsorted(self.numbers, infostates)

    @cached_property
    def entry(self) -> LongArray:
        """[S] position of the root infostate that each infostate extends; -1 for a new root."""
        shift = int(self.numbers[0] < 0)
        parent = self.tree.parent.copy()
        parent[: shift + self.num_roots] = -1
        return topmost(parent) - shift

    @cached_property
    def sequences(self) -> IntArray:
        """[Q] index in the whole tree of each sequence of the part; 0 for the empty sequence."""
        acting = self.tree.acting
        # At each acting infostate, the two numberings of sequences differ by a constant.
        shift = self.whole.first_sequence[self.numbers[acting]] - self.tree.first_sequence[acting]
        shifts = np.repeat(shift, self.tree.num_actions[acting])
        own = np.arange(1, self.tree.num_sequences)
        return np.concatenate([[0], own + shifts]).astype(np.int32)


def part_infostates(
    tree: GameTree,
    player: Player,
    infostates: IntArray,
    num_roots: int,
    public_states: IntArray,
    leaves: IntArray,
) -> PartInfostates:
    """Return one player's infostates in a part of a tree, with new indices.

    Parameters
    ----------
    infostates
        [S'] the player's infostates in the part, increasing; those at its root come first.
    num_roots
        Number of infostates at the root of the part.
    public_states, leaves
        [P'] public states of the part, the root first, and [K] the public states just below it.
    """
    whole = tree.infostate_trees[player]
    public = tree.public_tree
    below = members_of(public.infostates[player], public.first_infostate[player], leaves)
    new_root = [-1] if public_states[0] > 0 else []
    numbers = np.sort(np.concatenate([new_root, infostates, below])).astype(np.int32)
    states = np.sort(np.concatenate([new_root, public_states, leaves]))
    return PartInfostates(
        whole=whole,
        tree=_own_tree(tree, whole, numbers, num_roots, states, below),
        numbers=numbers,
        num_roots=num_roots,
    )


def _own_tree(
    tree: GameTree,
    whole: InfostateTree,
    numbers: IntArray,
    num_roots: int,
    states: LongArray,
    below: IntArray,
) -> InfostateTree:
    """Return the infostate tree of the part.

    If the part is below the root of the game, a new root precedes the infostates at the root of the
    part. As in the value-solving subgame, its observations reveal these infostates privately.
    """
    shift = int(numbers[0] < 0)
    roots = slice(shift, shift + num_roots)
    observations: Sequence[object] = whole.observations
    private: IntArray | int = -1
    public = -1
    if shift:
        # After those of the whole game: the infostates at the root, then its public state.
        first_new = len(observations)
        public = first_new + num_roots
        private = np.arange(first_new, public, dtype=np.int32)
        at_root = partial(_observations, tree, whole, numbers[roots])
        observations = LazyObservations(public + 1, at_root)
    action_set, at = whole.action_set[numbers], whole.public_state[numbers]
    action_set[:shift] = at[:shift] = -1
    action_set[np.searchsorted(numbers, below)] = -1  # nobody acts at the leaves
    above = np.searchsorted(numbers, whole.parent[numbers]).astype(np.int32)
    return InfostateTree(
        player=whole.player,
        parent=_framed(above, roots, shift - 1),
        action=_framed(whole.action[numbers], roots, -1),
        private_observation=_framed(whole.private_observation[numbers], roots, private),
        public_observation=_framed(whole.public_observation[numbers], roots, public),
        public_state=np.searchsorted(states, at).astype(np.int32),
        action_set=action_set,
        action_sets=whole.action_sets,
        observations=observations,
    )


def _observations(tree: GameTree, whole: InfostateTree, at_root: IntArray) -> tuple[object, ...]:
    """Return the observations in a part with a new root, given the infostates at its root."""
    known = map(whole.infostate_at, at_root.tolist())
    label = tree.public_tree.label(int(whole.public_state[at_root[0]]))
    return (*whole.observations, *known, f"⟨{label}⟩")


def _framed(column: IntArray, roots: slice, at_roots: IntArray | int) -> IntArray:
    """Return [S] a column with `at_roots` at the roots, and -1 at a new root before them."""
    column[roots] = at_roots
    column[: roots.start] = -1
    return column
