"""Sums of the payoffs of equal tuples of sequences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.forms._sequence_form_kernels import merge_rows
from infoset.typing import FloatArray, IndexArray, IntArray
from infoset.utils.sorting import lexicographic_order

__all__ = ["merge_payoffs"]


def merge_payoffs(
    columns: IndexArray, sizes: Sequence[int], outcome: IndexArray, payoff: FloatArray
) -> tuple[IntArray, FloatArray, int]:
    """Sum the payoffs of terminal histories with equal tuples of sequences.

    Parameters
    ----------
    columns : IndexArray
        [N, Z] sequence of every player at each terminal history.
    sizes : Sequence[int]
        Number of sequences of every player.
    outcome : IndexArray
        [Z] row of `payoff` of each terminal history.
    payoff : FloatArray
        [number of outcomes, N]

    Returns
    -------
    tuple[IntArray, FloatArray, int]
        [M, N] the distinct tuples, sorted, without those whose payoffs are all zero; [M, N] their
        payoffs, added in the order of the terminal histories; the maximum number of payoffs in one
        sum.
    """
    num_players, num_terminals = columns.shape
    if not num_terminals:
        return np.zeros((0, num_players), np.int32), np.zeros((0, num_players)), 0
    order = lexicographic_order(tuple(columns), sizes)
    merged = np.empty((num_terminals, num_players), np.int32)
    total = np.empty((num_terminals, num_players))
    count, max_equal = merge_rows(columns, order, outcome, payoff, merged, total)
    merged.resize((count, num_players), refcheck=False)
    total.resize((count, num_players), refcheck=False)
    return merged, total, max_equal
