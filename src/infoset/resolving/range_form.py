"""Parts of a tree whose leaves have values by range, as forms that methods solve."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from infoset.beliefs import TreePart
from infoset.errors import ParameterError
from infoset.forms import SequenceForm
from infoset.forms._payoff_kernels import BlockPayoffs, TwoPlayerPayoffs
from infoset.forms.payoffs import FormPayoffs, aligned_zeros
from infoset.forms.transform import PlanMap, SideEnds, Transform
from infoset.forms.treeplex import Layout
from infoset.resolving.gadgets import arriving_form
from infoset.resolving.range_values import LeafHistories, RangeFunction, Ranges, RangeValues
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray, Player
from infoset.utils.simd import LANES


@dataclass(frozen=True, eq=False, repr=False)
class RangeForm(SequenceForm):
    """A part of a tree whose leaves have values by range; see `part_by_range`.

    Its payoffs at leaves, to which both players move by a forced move, are 1. A player's gradient
    at its move is multiplied by the value of its infostate.
    """

    function: RangeFunction = field(kw_only=True)
    """The values of the infostates at the leaves."""
    arrivals: tuple[LongArray, LongArray] = field(kw_only=True)
    """Per player, [S_p] the sequence with which it arrives at each infostate."""

    @property
    def centered(self) -> RangeForm:
        """The form itself: no midrange is known of values that a function gives."""
        return self

    def payoffs(self, precision: str = "float64") -> FormPayoffs:
        """Return what `fill_gradient` reads; see `Form.payoffs`."""
        sizes = (plex.num_sequences for plex in self.treeplexes)
        first, second = (
            PlanMap(np.arange(size), np.ones(size), np.ones(size), size) for size in sizes
        )
        same = Transform((first, second), SideEnds.none(2))
        return self.composed_payoffs(same, self.layouts, precision)

    def composed_payoffs(
        self,
        transform: Transform,
        layouts: tuple[Layout, ...],
        precision: str = "float64",
        of_reach: bool = False,
    ) -> FormPayoffs:
        """Return the payoffs of a transform of the form; see `Form.composed_payoffs`."""
        found = super().composed_payoffs(transform, layouts, precision, of_reach)
        if of_reach:
            return found
        arrivals = zip(transform.maps, layouts, self.arrivals, strict=True)
        own = [Arrivals.of(*one) for one in arrivals]
        leaves = [
            LeafPayoffs(pair, layout, one.position)
            for pair, layout, one in zip(found.pairs, layouts, own, strict=True)
        ]

        def refresh(player: Player, plans: tuple[FloatArray, ...]) -> None:
            first, second = (one.reach(plan) for one, plan in zip(own, plans, strict=True))
            leaves[player].write(self.values_at((first, second), player))

        return found._replace(pairs=tuple(one.payoffs for one in leaves), refresh=refresh)

    def gradient(self, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
        """Return [Q] the gradient of a player's expected utility; see `Form.gradient`."""
        found = super().gradient(plans, player)
        first, second = (plan[own] for plan, own in zip(plans, self.arrivals, strict=True))
        found[self.arrivals[player]] *= self.values_at((first, second), player)
        return found

    def values_at(self, reach: Ranges, player: Player) -> FloatArray:
        """Return [S_p] the values of a player's infostates, given both players' own reach.

        Raises
        ------
        ParameterError
            If they do not have the right shape, or are not finite.
        """
        found = np.asarray(self.function(reach, player), np.float64)
        if found.shape != reach[player].shape or not np.isfinite(found).all():
            raise ParameterError(
                f"the values at leaves have shape {found.shape}, or are not finite; return a "
                f"finite number for each of the {len(reach[player])} infostates of player {player}"
            )
        return found


class Arrivals(NamedTuple):
    """How a player's reach of its infostates at leaves is read from plans of kernels."""

    position: IndexArray
    """[S_p] where plans have the reach."""
    weight: FloatArray
    """[S_p] what it is multiplied by."""

    @classmethod
    def of(cls, own: PlanMap, layout: Layout, sequences: LongArray) -> Arrivals:
        """Return the arrivals by some sequences, given the map of plans and their layout."""
        return cls(layout.position[own.last[sequences]], own.weight[sequences])

    def reach(self, plan: FloatArray) -> FloatArray:
        """Return [S_p] the own reach, given a plan [Q] in the order of the kernels."""
        found: FloatArray = self.weight * np.asarray(plan[self.position], np.float64)
        return found


class LeafPayoffs:
    """A player's payoffs as kernels read them, in which values at leaves can be written.

    Parameters
    ----------
    payoffs : BlockPayoffs
        With 1 at leaves.
    layout : Layout
        Of the player's sequences.
    position
        [S_p] where its sequences at leaves are.
    """

    def __init__(self, payoffs: TwoPlayerPayoffs, layout: Layout, position: IndexArray) -> None:
        assert isinstance(payoffs, BlockPayoffs)
        rows = payoffs.payoff[payoffs.where[:, None] + np.arange(LANES)]
        # The block of each entry.
        block = np.searchsorted(payoffs.first, np.arange(len(rows)), side="right") - 1
        at_leaf = np.zeros(len(layout.position) + LANES, bool)
        at_leaf[position] = True
        # The own sequence of each entry and lane; lanes beyond the last sequence are empty.
        column = payoffs.start[block].astype(np.int64)[:, None] + np.arange(LANES)
        changed = np.flatnonzero((at_leaf[column] & (rows != 0)).any(axis=1))
        # Rows are shared by equal entries, but not those that change.
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
    """Return rows [E, lanes] as one array whose rows kernels read in one access."""
    found = aligned_zeros(rows.size, str(rows.dtype))
    found[:] = rows.ravel()
    return found


def part_by_range(part: TreePart, player: Player, values: RangeValues) -> RangeForm:
    """Return a part with forced moves at its root, whose leaves have values by range.

    Parameters
    ----------
    player
        The searching player.
    """
    base, sequences = arriving_form(part)
    leaves = LeafHistories.of(part.tree, part.leaves)
    first, second = (
        _by_infostate(part.tree.infostate[part.leaf_histories, p], sequences[p], own)
        for p, own in enumerate(leaves.infostates)
    )
    return RangeForm(
        **{one.name: getattr(base, one.name) for one in fields(base)},
        function=values.at_leaves(player, part.leaves),
        arrivals=(first, second),
    )


def _by_infostate(number: IntArray, sequence: LongArray, wanted: LongArray) -> LongArray:
    """Return [S_p] the sequence of each wanted infostate, given those of histories [L]."""
    known, place = np.unique(number, return_index=True)
    found: LongArray = sequence[place][np.searchsorted(known, wanted)]
    return found
