"""The order in which the kernels keep a player's sequences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoset.tree import SequenceForm, Treeplex, stable_order
from infoset.typing import FloatArray, IndexArray, IntArray, Player

__all__ = ["Layout", "PairPayoffs", "action_major_layout", "pair_payoffs"]


@dataclass(frozen=True, eq=False)
class Layout:
    """Sequences ordered by groups of infostates, and inside a group action by action.

    Attributes
    ----------
    groups : IndexArray
        [G, 4] first position, number of infostates, number of actions, first infostate; by depth.
    parent : IndexArray
        [I] position of the parent sequence, infostates in the order of the groups.
    position : IndexArray
        [Q] position of each sequence of the treeplex.
    infostate : IntArray
        [I] the infostates in the order of the groups.
    """

    groups: IndexArray
    parent: IndexArray
    position: IndexArray
    infostate: IntArray

    @property
    def largest_group(self) -> int:
        """Number of infostates of the largest group."""
        return int(self.groups[:, 1].max(initial=0))

    def to_positions(self, by_sequence: FloatArray) -> FloatArray:
        """Return [Q] values in order of position, given those in order of sequence."""
        by_position = np.empty_like(by_sequence)
        by_position[self.position] = by_sequence
        return by_position

    def to_sequences(self, by_position: FloatArray) -> FloatArray:
        """Return [Q] values in order of sequence, given those in order of position."""
        return by_position[self.position]

    def uniform_policy(self) -> FloatArray:
        """Return [Q] the uniform behaviour, in order of position; 1 for the empty sequence."""
        policy = np.ones(len(self.position))
        for base, count, actions, _ in self.groups.tolist():
            policy[base : base + count * actions] = 1.0 / actions
        return policy


class PairPayoffs(NamedTuple):
    """The payoffs of one of two players, by rows of the opponent's sequences.

    Attributes
    ----------
    first : IndexArray
        [Q_opponent + 1] where the entries of each row begin.
    column : IndexArray
        [M] position of the player's own sequence.
    payoff : FloatArray
        [M] none of them zero.
    """

    first: IndexArray
    column: IndexArray
    payoff: FloatArray


def action_major_layout(treeplex: Treeplex) -> Layout:
    """Return the layout of a treeplex."""
    depth = _own_depth(treeplex)
    order = np.lexsort((treeplex.num_actions, depth)).astype(np.int32)
    num_actions = treeplex.num_actions[order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (np.diff(depth[order]) != 0) | (np.diff(num_actions) != 0)
    starts = np.flatnonzero(is_first)
    counts = np.diff([*starts, len(order)])
    sizes = counts * num_actions[starts]
    bases = 1 + np.cumsum(sizes) - sizes
    groups = np.stack([bases, counts, num_actions[starts], starts], axis=1).astype(np.uint32)
    position = _positions(treeplex, order, groups)
    return Layout(groups, position[treeplex.parent_sequence[order]], position, order)


def _own_depth(treeplex: Treeplex) -> IntArray:
    """Return [I] how many own acting infostates lie above each."""
    owner = treeplex.infostate_of_sequence[treeplex.parent_sequence]
    depth = np.zeros(treeplex.num_infostates, dtype=np.int32)
    above = owner
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, owner[above], -1)
    return depth


def _positions(treeplex: Treeplex, order: IntArray, groups: IndexArray) -> IndexArray:
    position = np.zeros(treeplex.num_sequences, dtype=np.uint32)
    for base, count, actions, start in groups.tolist():
        members = order[start : start + count]
        for action in range(actions):
            where = base + action * count + np.arange(count)
            position[treeplex.first_sequence[members] + action] = where
    return position


def pair_payoffs(
    sequence_form: SequenceForm, layouts: tuple[Layout, ...], player: Player
) -> PairPayoffs:
    """Return the payoffs of one of two players, whose gradient `pair_gradient` makes of them."""
    other = 1 - player
    seats = other, player
    rows, columns = (
        layouts[seat].position[sequence_form.terminal_sequence[:, seat]] for seat in seats
    )
    order = stable_order((rows, columns), [len(layouts[seat].position) for seat in seats])
    payoff = sequence_form.payoff[order, player]
    if not payoff.all():
        order, payoff = order[payoff != 0], payoff[payoff != 0]
    num_rows = len(layouts[other].position)
    first = np.searchsorted(rows[order], np.arange(num_rows + 1, dtype=np.uint32))
    return PairPayoffs(first.astype(np.uint32), columns[order], payoff)
