"""Lexicographic sorting by counting, in time proportional to the number of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.typing import IndexArray
from infoset.utils._sorting_kernels import counting_pass

__all__ = ["lexicographic_order"]


def lexicographic_order(columns: Sequence[IndexArray], sizes: Sequence[int]) -> IndexArray:
    """Return [Z] the order that sorts rows by their columns, the first column foremost.

    The sort is stable: equal rows keep their order. The result is that of `numpy.lexsort` on the
    reversed columns, computed by one counting pass per column with two arrays of length Z.

    Parameters
    ----------
    columns : Sequence[IndexArray]
        Each [Z]; the numbers in column c are below `sizes[c]`.
    sizes : Sequence[int]

    Examples
    --------
    >>> first, second = np.array([1, 0, 1], np.uint32), np.array([0, 2, 1], np.uint32)
    >>> lexicographic_order((first, second), (2, 3)).tolist()
    [1, 0, 2]
    """
    order = np.arange(len(columns[0]), dtype=np.uint32)
    for column, size in zip(reversed(columns), reversed(sizes), strict=True):
        order = counting_pass(column, order, size)
    return order
