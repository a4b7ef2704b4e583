"""Kernels that encode the infostates of a player depth first, in batches of rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import kernel, linear_kernel
from infoset.utils.interning_kernels import grown_to


class Nodes(NamedTuple):
    """The nodes of `EncodedShapes`."""

    action_set: LongArray
    """[N] the set of legal actions of each node; -1 if the player does not act."""
    first_child: LongArray
    """[N + 1] where the children of each node begin in the arrays of children."""
    child: LongArray
    """[C] the node of each child after which the player acts."""
    sequences_before: LongArray
    """[C] by how much the sequences below a child begin later than those of its parent."""
    first_place: LongArray
    """[C + 1] where the entries of each child begin in `places`."""
    places: LongArray
    """The entries of the encoding that are set by the step to each child."""


@kernel
def encode_batch(
    nodes: Nodes,
    stack: LongArray,
    progress: LongArray,
    ones: LongArray,
    row: NDArray[np.float32],
    features: NDArray[np.float32],
    action_set: LongArray,
    first_sequence: LongArray,
) -> tuple[LongArray, int]:
    """Fill the next rows of a batch; return the stack, which may be a longer one, and their number.

    stack : infostates that are still to be visited: node, number of sequences before it, number of
        ones in the row of its parent, and the child by which it is reached, or -1.
    progress : [2] length of the stack, and number of ones in `row`.
    ones : [F] the entries of `row` that are 1, in the order in which steps have set them.
    row : [F] the encoding of the last infostate.
    """
    top, count = progress
    filled = 0
    while top > 0 and filled < len(features):
        top -= 1
        node, base = stack[4 * top], stack[4 * top + 1]
        kept, reached = stack[4 * top + 2], stack[4 * top + 3]
        while count > kept:
            count -= 1
            row[ones[count]] = 0.0
        if reached >= 0:
            for i in range(nodes.first_place[reached], nodes.first_place[reached + 1]):
                place = nodes.places[i]
                if row[place] == 0.0:
                    row[place] = 1.0
                    ones[count] = place
                    count += 1
        if nodes.action_set[node] >= 0:
            features[filled] = row
            action_set[filled] = nodes.action_set[node]
            first_sequence[filled] = base
            filled += 1
        begin, end = nodes.first_child[node], nodes.first_child[node + 1]
        stack = grown_to(stack, 4 * (top + end - begin))
        for i in range(end - 1, begin - 1, -1):
            at = 4 * top
            stack[at], stack[at + 1] = nodes.child[i], base + nodes.sequences_before[i]
            stack[at + 2], stack[at + 3] = count, i
            top += 1
    progress[0], progress[1] = top, count
    return stack, filled


@linear_kernel
def scatter_actions(
    table: FloatArray,
    action_set: LongArray,
    first_sequence: LongArray,
    columns: IntArray,
    weights: FloatArray,
) -> None:
    """Write the probabilities of legal actions, from the columns of a table, to their sequences.

    table : [R, A] a row for each infostate.
    columns : [action sets, A] column of each legal action, in order; -1 after the last one.
    """
    for r in range(len(action_set)):
        for place in range(columns.shape[1]):
            column = columns[action_set[r], place]
            if column < 0:
                break
            weights[first_sequence[r] + place] = table[r, column]
