"""Kernels that sort and merge rows of sequences."""

from __future__ import annotations

import numpy as np

from infoset.typing import BoolArray, FloatArray, IndexArray, IntArray
from infoset.utils.compilation import kernel


@kernel
def merge_rows(
    columns: IndexArray,
    order: IndexArray,
    outcome: IndexArray,
    payoff: FloatArray,
    merged: IntArray,
    total: FloatArray,
) -> tuple[int, int]:
    """Fill the different rows and the sums of their payoffs in place; return how many they are.

    Also returned is how many rows were the same at most.

    columns [N, Z], order [Z] in which equal rows stand together, outcome [Z] the row of payoff
    [number of outcomes, N]; merged, total [Z, N]. Rows whose sums are all zero are left out.
    """
    num_players = len(columns)
    filled = -1
    num_equal = most_equal = 0
    before = order[0]
    for row in order:
        is_new = filled < 0
        for player in range(num_players):
            is_new |= columns[player, row] != columns[player, before]
        before = row
        num_equal = 1 if is_new else num_equal + 1
        most_equal = max(most_equal, num_equal)
        if is_new:
            if filled < 0 or total[filled].any():
                filled += 1
            for player in range(num_players):
                merged[filled, player] = columns[player, row]
                total[filled, player] = payoff[outcome[row], player]
        else:
            for player in range(num_players):
                total[filled, player] += payoff[outcome[row], player]
    return filled + 1 if total[filled].any() else filled, most_equal


@kernel
def mark_numbers(numbers: IndexArray, size: int) -> BoolArray:
    """Return [size] whether each number is met."""
    is_met = np.zeros(size, np.bool_)
    for number in numbers:
        is_met[number] = True
    return is_met
