"""Sampling of the public chance moves of a public form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.forms import PublicForm, is_new
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.splitmix import Stream, uniforms


class Drawn(NamedTuple):
    """The sampled nodes [V] and terminals [T], and the opponent's hand; None for all hands."""

    nodes: BoolArray
    terminals: BoolArray
    hand: int | None = None


class PublicChance:
    """The public chance moves of a form, with one outcome of each to be sampled.

    The children of a node after the same action are the outcomes of a chance move; most moves have
    a single outcome. All moves are sampled independently, even below outcomes that were not drawn.

    Attributes
    ----------
    probability : FloatArray
        [T] the probability that each terminal is sampled, if the players play to it.
    first, last : LongArray
        [moves] the first and the last outcome of each move.
    limits : FloatArray
        [outcomes] upper bounds of their intervals of [0, 1), plus the number of the move.
    """

    def __init__(self, form: PublicForm) -> None:
        ends = form.terminals
        self._parent = form.parent[1:].astype(np.int64)
        # Outcomes are the nodes but for the root, followed by the terminals.
        self._before = np.append(self._parent, ends.node)
        self._action = np.append(form.action[1:], ends.action)
        move = np.stack([self._before, self._action])
        # By node and then by action: `lexsort` sorts by its last key first.
        self._order = np.lexsort(move[::-1])
        begins = is_new(*move[:, self._order])
        self.first = np.flatnonzero(begins)
        self.last = np.append(self.first[1:], len(begins)) - 1
        number = np.cumsum(begins) - 1
        weight = self._weights(form)[self._order]
        share = weight / np.add.reduceat(weight, self.first)[number]
        # The outcomes of move i divide the interval from i to i + 1.
        total = np.cumsum(share)
        self.limits = number + total - (total - share)[self.first][number]
        own = np.empty(len(share))
        # Back from the order of moves to that of outcomes.
        own[self._order] = share
        self._levels = _levels(form)
        reach = np.ones(form.num_nodes)
        for level in self._levels:
            # Node n is outcome n - 1, because the root is not an outcome.
            reach[level] = reach[form.parent[level]] * own[level - 1]
        self.probability: FloatArray = reach[ends.node] * own[form.num_nodes - 1 :]
        self._node_of_end = ends.node

    @staticmethod
    def _weights(form: PublicForm) -> FloatArray:
        """Return the weight with which each outcome is drawn: its largest reach of chance."""
        largest = np.zeros(form.num_nodes)
        np.maximum.at(largest, form.terminals.node, form.terminals.chance_reach)
        # Backward: children have larger numbers, so they are complete.
        for node in range(form.num_nodes - 1, 0, -1):
            parent = form.parent[node]
            largest[parent] = max(largest[parent], largest[node])
        return np.append(largest[1:], form.terminals.chance_reach)

    @property
    def num_moves(self) -> int:
        """Number of moves, including those with a single outcome."""
        return len(self.first)

    def draw(self, stream: Stream, taken: IntArray | None = None) -> Drawn:
        """Sample an outcome of each move; for `taken`, see `outcome`."""
        return self.outcome(uniforms(stream, self.num_moves), taken)

    def outcome(self, numbers: FloatArray, taken: IntArray | None = None) -> Drawn:
        """Return the outcomes that uniform random numbers in [0, 1) select, one number per move.

        taken: [V] the sampled action at each node, or -1 for all its actions; None for -1
        everywhere.
        """
        moves = np.arange(self.num_moves)
        found = np.searchsorted(self.limits, moves + numbers, side="right")
        chosen = np.zeros(len(self._order), bool)
        # Rounding may put a number just outside of its move's interval.
        chosen[self._order[np.clip(found, self.first, self.last)]] = True
        if taken is not None:
            here = taken[self._before]
            # Where the opponent has drawn an action, only outcomes after it stay.
            chosen &= (here < 0) | (here == self._action)
        num_nodes = len(self._parent) + 1
        nodes = np.ones(num_nodes, bool)
        for level in self._levels:
            # All moves were sampled independently; a node counts if all nodes above it do.
            nodes[level] = nodes[self._parent[level - 1]] & chosen[level - 1]
        return Drawn(nodes, nodes[self._node_of_end] & chosen[num_nodes - 1 :])


def _levels(form: PublicForm) -> list[LongArray]:
    """Return the nodes but for the root by their distance from it."""
    depth = np.zeros(form.num_nodes, np.int64)
    for node, parent in enumerate(form.parent.tolist()[1:], start=1):
        depth[node] = depth[parent] + 1
    return [np.flatnonzero(depth == level) for level in range(1, int(depth.max()) + 1)]
