"""Sorting and merging rows of sequences, in time and memory proportional to their number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.tree.merging._kernels import counting_pass, mark_numbers, merge_rows
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray

__all__ = ["merge_payoffs", "numbers_met", "stable_order"]


def stable_order(columns: Sequence[IndexArray], sizes: Sequence[int]) -> IndexArray:
    """Return [Z] the order in which rows are sorted by their columns, the first one foremost.

    Rows that are equal stay in order. What `numpy.lexsort` returns of the columns in reverse, by
    counting: one pass per column, and two arrays of the length of a column.

    Parameters
    ----------
    columns : Sequence[IndexArray]
        Each [Z]; column c has numbers below `sizes[c]`.
    sizes : Sequence[int]
    """
    order = np.arange(len(columns[0]), dtype=np.uint32)
    for column, size in zip(reversed(columns), reversed(sizes), strict=True):
        order = counting_pass(column, order, size)
    return order


def merge_payoffs(
    columns: IndexArray, sizes: Sequence[int], outcome: IndexArray, payoff: FloatArray
) -> tuple[IntArray, FloatArray, int]:
    """Sum the payoffs of equal rows of sequences, in order of the rows.

    Parameters
    ----------
    columns : IndexArray
        [N, Z] sequence of every player at each terminal history.
    sizes : Sequence[int]
        Number of sequences of every player.
    outcome : IndexArray
        [Z] which row of `payoff` each terminal history has.
    payoff : FloatArray
        [number of outcomes, N]

    Returns
    -------
    tuple[IntArray, FloatArray, int]
        [M, N] the different rows, sorted, and [M, N] their payoffs, added up in the order of the
        terminal histories; rows of zeros are left out. Then the most payoffs in one sum.
    """
    order = stable_order(tuple(columns), sizes)
    num_players, num_terminals = columns.shape
    merged = np.empty((num_terminals, num_players), np.int32)
    total = np.empty((num_terminals, num_players))
    count, most_equal = merge_rows(columns, order, outcome, payoff, merged, total)
    merged.resize((count, num_players), refcheck=False)
    total.resize((count, num_players), refcheck=False)
    return merged, total, most_equal


def numbers_met(numbers: IndexArray, size: int) -> LongArray:
    """Return the different numbers below `size` in an array, the first one first, then in order."""
    is_met = mark_numbers(numbers, size)
    is_met[numbers[:1]] = False
    return np.concatenate([numbers[:1], np.flatnonzero(is_met)])
