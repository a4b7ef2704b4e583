"""Sorting and numbering of integer arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.typing import IndexArray, IntArray, LongArray
from infoset.utils.compilation import linear_kernel


def lexicographic_order(columns: Sequence[IndexArray], sizes: Sequence[int]) -> IndexArray:
    """Return [Z] the order that sorts rows by their columns; the first column is the primary key.

    The sort is stable, so equal rows remain in their order. The result is that of `numpy.lexsort`
    on the reversed columns, computed by one counting pass per column with two arrays of length Z.

    Parameters
    ----------
    columns
        The columns, each [Z]; the numbers in column c are below `sizes[c]`.

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


@linear_kernel
def counting_pass(column: IndexArray, order: IndexArray, size: int) -> IndexArray:
    """Return [Z] `order`, stably sorted by each row's number in `column`.

    column [Z] numbers below size, order [Z].
    """
    # start[v] becomes the number of rows with numbers below v, which is the position of the first
    # row with number v.
    start = np.zeros(size + 1, np.int64)
    for value in column:
        start[value + 1] += 1
    for value in range(size):
        start[value + 1] += start[value]
    # Going through `order` from its beginning preserves the order of equal numbers (stable), so
    # that passes from the last column to the first sort by all columns.
    placed = np.empty_like(order)
    for row in order:
        value = column[row]
        placed[start[value]] = row
        start[value] += 1
    return placed


@linear_kernel
def gather_runs(values: IntArray, first: IntArray, owners: IntArray) -> IntArray:
    """Return the values of several owners, one owner after the other.

    values [n] sorted by owner, first [number of owners + 1] where the values of each owner begin.
    """
    size = 0
    for owner in owners:
        size += first[owner + 1] - first[owner]
    gathered = np.empty(size, values.dtype)
    end = 0
    for owner in owners:
        for place in range(first[owner], first[owner + 1]):
            gathered[end] = values[place]
            end += 1
    return gathered


def number_by_appearance(labels: IntArray | LongArray) -> IntArray:
    """Renumber labels as 0, 1, … in the order of first appearance; negative labels become -1.

    Examples
    --------
    >>> number_by_appearance(np.array([7, -1, 3, -2, 7])).tolist()
    [0, -1, 1, -1, 0]
    """
    numbers = labels.astype(np.int64)
    values, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    missing = values < 0
    # Negative labels come before all others, and all of them get rank -1.
    order = np.argsort(np.where(missing, -1, first), kind="stable")
    rank = np.empty(len(values), np.int32)
    rank[order] = np.maximum(np.arange(len(values)) - np.count_nonzero(missing), -1)
    return rank[inverse].astype(np.int32)
