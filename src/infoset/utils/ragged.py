"""Index arithmetic for rows of different lengths that are stored one after another."""

from __future__ import annotations

import numpy as np

from infoset.typing import LongArray


def spread(count: LongArray) -> tuple[LongArray, LongArray]:
    """Return the row and the position in the row of each entry; row i has `count[i]` entries.

    Examples
    --------
    >>> row, position = spread(np.array([2, 0, 3]))
    >>> row.tolist(), position.tolist()
    ([0, 0, 2, 2, 2], [0, 1, 0, 1, 2])
    """
    row = np.repeat(np.arange(len(count)), count)
    # The place among all entries, less that of the first entry of the row.
    return row, np.arange(len(row)) - offsets(count)[row]


def offsets(count: LongArray) -> LongArray:
    """Return [n + 1] the position at which each row begins and, last, the end of the last row.

    Examples
    --------
    >>> offsets(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([[0], np.cumsum(count)]).astype(np.int64)


def edges_in_order(first_edge: LongArray, nodes: LongArray) -> tuple[LongArray, LongArray]:
    """Return the edges of nodes [n], node by node, and [n + 1] where each node's edges begin.

    Examples
    --------
    >>> edge, first = edges_in_order(np.array([0, 2, 5]), np.array([1, 0]))
    >>> edge.tolist(), first.tolist()
    ([2, 3, 4, 0, 1], [0, 3, 5])
    """
    count = np.diff(first_edge)[nodes]
    row, position = spread(count)
    return first_edge[nodes][row] + position, offsets(count)
