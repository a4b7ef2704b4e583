"""Trees as arrays in which each node has the number of its parent."""

from __future__ import annotations

import numpy as np

from infoset.typing import BoolArray, IntArray, LongArray


def with_descendants(parent: IntArray | LongArray, chosen: BoolArray) -> BoolArray:
    """Return which nodes are chosen ones or below them.

    parent : the parent of each node; -1 for roots.

    Examples
    --------
    >>> with_descendants(
    ...     np.array([-1, 0, 1, 0]), np.array([False, True, False, False])
    ... ).tolist()
    [False, True, True, False]
    """
    found = chosen
    while True:
        # One level more each time; the parent -1 is the last entry, which stays False.
        more = found | np.append(found, False)[parent]
        if np.array_equal(more, found):
            return found
        found = more
