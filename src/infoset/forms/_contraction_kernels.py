"""Kernels that merge payoffs by sequence."""

from __future__ import annotations

import numpy as np

from infoset.typing import BoolArray, FloatArray, IndexArray, IntArray
from infoset.utils.compilation import kernel, linear_kernel


@kernel
def any_nonzero(table: FloatArray, row: int) -> bool:
    """Return whether a row of a table has a number other than zero."""
    for column in range(table.shape[1]):  # noqa: SIM110, Numba compiles no generator
        if table[row, column] != 0.0:
            return True
    return False


@linear_kernel
def merge_rows(
    columns: IndexArray,
    order: IndexArray,
    outcome: IndexArray,
    payoff: FloatArray,
    merged: IntArray,
    total: FloatArray,
) -> tuple[int, int]:
    """Sum the payoffs of equal rows of sequences.

    Return the number of remaining rows, and the maximum number of rows that equal one another.

    columns [N, Z]; order [Z] makes equal rows adjacent; outcome [Z] indexes payoff [number of
    outcomes, N]. The distinct rows, merged [Z, N], and their sums, total [Z, N], are written in
    place. Rows whose sums are all zero are left out.
    """
    num_players = len(columns)
    filled = -1
    num_equal = max_equal = 0
    before = order[0]
    for row in order:
        # Equal rows are adjacent, so comparing with the row before is sufficient.
        # The first row compares equal to itself, so it must be marked as new explicitly.
        is_new = filled < 0
        for player in range(num_players):
            is_new |= columns[player, row] != columns[player, before]
        before = row
        num_equal = 1 if is_new else num_equal + 1
        # The number of additions into one sum bounds its rounding error.
        max_equal = max(max_equal, num_equal)
        if is_new:
            # A finished row whose payoffs are all zero is overwritten by the next one.
            if filled < 0 or any_nonzero(total, filled):
                filled += 1
            for player in range(num_players):
                merged[filled, player] = columns[player, row]
                total[filled, player] = payoff[outcome[row], player]
        else:
            for player in range(num_players):
                total[filled, player] += payoff[outcome[row], player]
    # The last row was not checked for zeros in the loop.
    return filled + 1 if any_nonzero(total, filled) else filled, max_equal


@linear_kernel
def mark_numbers(numbers: IndexArray, size: int) -> BoolArray:
    """Return [size] whether each number occurs in `numbers`."""
    occurs = np.zeros(size, np.bool_)
    for number in numbers:
        occurs[number] = True
    return occurs
