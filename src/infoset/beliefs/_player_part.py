"""One player's infostates in a part of a tree, as a tree of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.beliefs._selection import topmost
from infoset.tree import GameTree, InfostateTree
from infoset.typing import IntArray, LongArray, Player

__all__ = ["PlayerPart", "player_part"]


@dataclass(frozen=True, eq=False)
class PlayerPart:
    """One player's infostates in a part of a tree, those of the leaves included.

    Attributes
    ----------
    whole, tree : InfostateTree
        Those of the whole game, and those of the part.
    numbers : IntArray
        [S] number in the whole tree of each infostate of `tree`, increasing; -1 for a new root.
    num_roots : int
        Number of infostates at the root of the part: the first ones after a new root.
    """

    whole: InfostateTree
    tree: InfostateTree
    numbers: IntArray
    num_roots: int

    def local(self, infostates: IntArray) -> LongArray:
        """Return the numbers in the part of infostates of the whole tree that lie in it."""
        return np.searchsorted(self.numbers, infostates)

    @cached_property
    def entry(self) -> LongArray:
        """[S] position of the infostate at the root that each one extends; -1 for a new root."""
        shift = int(self.numbers[0] < 0)
        parent = self.tree.parent.copy()
        parent[: shift + self.num_roots] = -1
        return topmost(parent) - shift

    @cached_property
    def sequences(self) -> IntArray:
        """[Q] number in the whole tree of each sequence of the part; 0 for the empty one."""
        acting = self.tree.acting
        shift = self.whole.first_sequence[self.numbers[acting]] - self.tree.first_sequence[acting]
        moved = np.repeat(shift, self.tree.num_actions[acting])
        own = np.arange(1, self.tree.num_sequences)
        return np.concatenate([[0], own + moved]).astype(np.int32)


def player_part(
    tree: GameTree,
    player: Player,
    infostates: IntArray,
    num_roots: int,
    public_states: IntArray,
    leaves: IntArray,
) -> PlayerPart:
    """Give one player's infostates in a part of a tree new numbers.

    Parameters
    ----------
    tree : GameTree
    player : Player
    infostates : IntArray
        [S'] the player's infostates in the part, increasing; those at its root come first.
    num_roots : int
        How many of them are at its root.
    public_states, leaves : IntArray
        [P'] those of the part, the root first, and [K] those just below it.
    """
    whole = tree.infostate_trees[player]
    below = _infostates_of(whole, leaves)
    new_root = [-1] if public_states[0] > 0 else []
    numbers = np.sort(np.concatenate([new_root, infostates, below])).astype(np.int32)
    states = np.sort(np.concatenate([new_root, public_states, leaves]))
    return PlayerPart(
        whole=whole,
        tree=_own_tree(tree, whole, numbers, num_roots, states, below),
        numbers=numbers,
        num_roots=num_roots,
    )


def _infostates_of(whole: InfostateTree, public_states: IntArray) -> IntArray:
    """Return the infostates at some public states, increasing."""
    if not len(public_states):
        return public_states
    chosen = np.zeros(int(whole.public_state.max()) + 1, dtype=bool)
    chosen[public_states] = True
    return np.flatnonzero(chosen[whole.public_state]).astype(np.int32)


def _own_tree(
    tree: GameTree,
    whole: InfostateTree,
    numbers: IntArray,
    num_roots: int,
    states: LongArray,
    below: IntArray,
) -> InfostateTree:
    """Return the infostate tree of the part.

    Below the root of the game, a new root stands before the infostates at the root of the part,
    each of which is shown as an observation, as in the subgame as a game of its own.
    """
    shift = int(numbers[0] < 0)
    roots = slice(shift, shift + num_roots)
    shown = _shown_at_root(tree, whole, numbers[roots]) if shift else ()
    first_shown = len(whole.observations)
    known: IntArray | int = np.arange(num_roots, dtype=np.int32) + first_shown if shift else -1
    everybody_knows = first_shown + num_roots if shift else -1
    action_set = _framed(whole.action_set[numbers], roots, whole.action_set[numbers[roots]])
    action_set[np.searchsorted(numbers, below)] = -1
    at = _framed(whole.public_state[numbers], roots, whole.public_state[numbers[roots]])
    above = np.searchsorted(numbers, whole.parent[numbers]).astype(np.int32)
    return InfostateTree(
        player=whole.player,
        parent=_framed(above, roots, shift - 1),
        action=_framed(whole.action[numbers], roots, -1),
        private_observation=_framed(whole.private_observation[numbers], roots, known),
        public_observation=_framed(whole.public_observation[numbers], roots, everybody_knows),
        public_state=np.searchsorted(states, at).astype(np.int32),
        action_set=action_set,
        action_sets=whole.action_sets,
        observations=whole.observations + shown,
    )


def _framed(column: IntArray, roots: slice, at_roots: IntArray | int) -> IntArray:
    """Return [S] a column with other values at the roots, and -1 at a new root before them."""
    column[roots] = at_roots
    column[: roots.start] = -1
    return column


def _shown_at_root(
    tree: GameTree, whole: InfostateTree, infostates: IntArray
) -> tuple[object, ...]:
    """Return what the new root shows: to the player its infostate, to all the public state."""
    label = tree.public_tree.label(int(whole.public_state[infostates[0]]))
    known = [whole.infostate_at(number) for number in infostates.tolist()]
    return (*known, f"⟨{label}⟩")
