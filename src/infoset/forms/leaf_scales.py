"""Where the kernels' arrays hold the values at leaves of a cut form, to write them there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infoset.forms.layout import Layout
from infoset.forms.payoffs import FormPayoffs, composition_of
from infoset.forms.transform import Transform
from infoset.typing import FloatArray, IndexArray, LongArray, Player

if TYPE_CHECKING:
    from infoset.forms.cut import CutForm

__all__ = ["LeafScales"]


class LeafScales:
    """The entries of `Composition.scale` at the leaves of a cut form.

    Parameters
    ----------
    form : CutForm
    transform : Transform
        From the plans of the kernels to those of `form.base`, as if leaves were worth 1.
    layouts, base : tuple[Layout, Layout]
        The layouts of the kernels, and of `form.base`.
    payoffs : FormPayoffs
        The payoffs whose compositions are written to.
    """

    def __init__(
        self,
        form: CutForm,
        transform: Transform,
        layouts: tuple[Layout, ...],
        base: tuple[Layout, ...],
        payoffs: FormPayoffs,
    ) -> None:
        self._form, self._transform = form, transform
        self._compositions = tuple(map(composition_of, payoffs.pairs))
        # Per player: [L, hands] where the plans of the kernels are, and which entries to write.
        self._reached, self._weights, self._scales, self._entries = [], [], [], []
        for player, arrivals in enumerate(form.arrivals):
            own = transform.maps[player]
            self._reached.append(layouts[player].position[own.last[arrivals]])
            self._weights.append(own.weight[arrivals])
            self._scales.append(own.scale[arrivals])
            self._entries.append(self._entries_of(player, base[player].position[arrivals]))

    def _entries_of(self, player: Player, members: IndexArray) -> LongArray:
        """Return the places of members in the scales of first and later members together."""
        composition = self._compositions[player]
        assert composition is not None
        place = np.full(len(composition.gradient), -1, np.int64)
        used = np.flatnonzero(composition.scale)
        place[composition.member[used]] = used
        place[composition.more] = len(composition.scale) + np.arange(len(composition.more))
        entries: LongArray = place[members]
        return entries

    def write(self, player: Player, values: FloatArray) -> None:
        """Write the values [L, hands] of a player."""
        composition, entries = self._compositions[player], self._entries[player]
        assert composition is not None
        scaled, count = values * self._scales[player], len(composition.scale)
        is_first = (entries >= 0) & (entries < count)
        composition.scale[entries[is_first]] = scaled[is_first]
        is_later = entries >= count
        composition.more_scale[entries[is_later] - count] = scaled[is_later]

    def refresh(self, player: Player, plans: tuple[FloatArray, ...]) -> None:
        """Write the values of a player at the ranges of plans [Q], in the order of the kernels."""
        first, second = (
            weights * np.asarray(plan[places], np.float64)
            for weights, plan, places in zip(self._weights, plans, self._reached, strict=True)
        )
        self.write(player, self._form.values_at((first, second), player))
