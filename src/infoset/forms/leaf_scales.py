"""Where the kernels' arrays hold the values at leaves of a cut form, to write them there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoset.forms.payoffs import FormPayoffs, composition_of
from infoset.forms.transform import Transform
from infoset.forms.treeplex import Layout
from infoset.typing import FloatArray, IndexArray, LongArray, Player


class LeafScales:
    """The entries of `Composition.scale` at the leaves of a cut form.

    Parameters
    ----------
    arrivals
        Per player, [L, hands] the sequence with which each hand arrives at a leaf.
    values_at : callable
        Function of both players' ranges [L, hands] and a player: its values [L, hands].
    transform
        From the plans of the kernels to those of the base of the cut form, as if leaves were
        worth 1.
    layouts, base : tuple[Layout, Layout]
        The layouts of the kernels, and of that base.
    payoffs
        The payoffs whose compositions are written to.
    """

    def __init__(
        self,
        arrivals: tuple[LongArray, LongArray],
        values_at: Callable[[tuple[FloatArray, FloatArray], Player], FloatArray],
        transform: Transform,
        layouts: tuple[Layout, ...],
        base: tuple[Layout, ...],
        payoffs: FormPayoffs,
    ) -> None:
        self._values_at, self._transform = values_at, transform
        self._compositions = tuple(map(composition_of, payoffs.pairs))
        # Per player: [L, hands] where the plans of the kernels are, and which entries to write.
        self._reached, self._weights, self._scales, self._entries = [], [], [], []
        for player, places in enumerate(arrivals):
            own = transform.maps[player]
            self._reached.append(layouts[player].position[own.last[places]])
            self._weights.append(own.weight[places])
            self._scales.append(own.scale[places])
            self._entries.append(self._entries_of(player, base[player].position[places]))

    def _entries_of(self, player: Player, members: IndexArray) -> LongArray:
        """Return the index of each member in the scales of all members; -1 if it is missing."""
        composition = self._compositions[player]
        assert composition is not None
        place = np.full(len(composition.gradient), -1, np.int64)
        # Further members count even if their scale is zero, first members only if they exist.
        exists = composition.scale != 0.0
        exists[len(exists) - len(composition.owner) :] = True
        used = np.flatnonzero(exists)
        place[composition.member[used]] = used
        entries: LongArray = place[members]
        return entries

    def write(self, player: Player, values: FloatArray) -> None:
        """Write the values [L, hands] of a player."""
        composition, entries = self._compositions[player], self._entries[player]
        assert composition is not None
        scaled, exists = values * self._scales[player], entries >= 0
        composition.scale[entries[exists]] = scaled[exists]

    def refresh(self, player: Player, plans: tuple[FloatArray, ...]) -> None:
        """Write the values of a player at the ranges of plans [Q], in the order of the kernels."""
        first, second = (
            weights * np.asarray(plan[places], np.float64)
            for weights, plan, places in zip(self._weights, plans, self._reached, strict=True)
        )
        self.write(player, self._values_at((first, second), player))
