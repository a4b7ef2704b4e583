"""Sorting and merging rows of sequences, in time and memory proportional to their number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.tree.merging._kernels import mark_numbers, merge_rows
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.sorting import lexicographic_order

__all__ = ["merge_payoffs", "numbers_met"]


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
    order = lexicographic_order(tuple(columns), sizes)
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
