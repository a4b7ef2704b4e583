"""Payoffs in blocks for kernels, with values at leaves that can change."""

from __future__ import annotations

import numpy as np

from infoset.forms._payoff_kernels import BlockPayoffs, TwoPlayerPayoffs
from infoset.forms.payoffs import aligned_zeros
from infoset.forms.treeplex import Layout
from infoset.typing import FloatArray, IndexArray
from infoset.utils.simd import LANES


class LeafPayoffs:
    """A player's payoffs as kernels read them, with values at leaves that can be changed.

    Parameters
    ----------
    payoffs : BlockPayoffs
        The payoffs, with 1 at leaves.
    layout : Layout
        Layout of the player's sequences.
    position
        [S_p] positions, in the layout, of the player's sequences at leaves.
    """

    def __init__(self, payoffs: TwoPlayerPayoffs, layout: Layout, position: IndexArray) -> None:
        assert isinstance(payoffs, BlockPayoffs)
        rows = payoffs.payoff[payoffs.where[:, None] + np.arange(LANES)]
        # The block of each entry.
        block = np.searchsorted(payoffs.first, np.arange(len(rows)), side="right") - 1
        at_leaf = np.zeros(len(layout.position) + LANES, bool)
        at_leaf[position] = True
        # The player's sequence of each entry and lane; lanes beyond the last sequence are empty.
        column = payoffs.start[block].astype(np.int64)[:, None] + np.arange(LANES)
        changed = np.flatnonzero((at_leaf[column] & (rows != 0)).any(axis=1))
        # Equal entries share a row, except where values change.
        self.payoffs = payoffs._replace(
            where=(np.arange(len(rows)) * LANES).astype(np.uint32), payoff=_aligned(rows)
        )
        self._rows, self._ones = changed, rows[changed]
        self._column, self._position = column[changed], position
        self._factor = np.ones(len(at_leaf))

    def write(self, values: FloatArray) -> None:
        """Write the values [S_p] of the player's infostates at the leaves."""
        self._factor[self._position] = values
        self.payoffs.payoff.reshape(-1, LANES)[self._rows] = self._ones * self._factor[self._column]


def _aligned(rows: FloatArray) -> FloatArray:
    """Return rows [E, lanes] as a flat array, aligned so that kernels read a row in one access."""
    found = aligned_zeros(rows.size, str(rows.dtype))
    found[:] = rows.ravel()
    return found
