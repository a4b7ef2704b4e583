"""Kernels that sort by counting."""

from __future__ import annotations

import numpy as np

from infoset.typing import IndexArray
from infoset.utils.compilation import kernel


@kernel
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
