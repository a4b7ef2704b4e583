"""Parts of a tree whose leaves have values by range, as forms that methods solve."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from infoset.beliefs import TreePart
from infoset.errors import ParameterError
from infoset.forms import SequenceForm
from infoset.forms.leaf_payoffs import LeafPayoffs
from infoset.forms.payoffs import FormPayoffs
from infoset.forms.transform import PlanMap, SideEnds, Transform
from infoset.forms.treeplex import Layout
from infoset.resolving.gadgets import arriving_form
from infoset.resolving.range_values import LeafHistories, RangeFunction, Ranges, RangeValues
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray, Player


@dataclass(frozen=True, eq=False, repr=False)
class RangeForm(SequenceForm):
    """A part of a tree whose leaves have values by range; see `part_by_range`.

    Both players enter a leaf by a forced move, and its payoffs are 1. A player's gradient at this
    move is multiplied by the value of the player's infostate.
    """

    function: RangeFunction = field(kw_only=True)
    """The values of the infostates at the leaves."""
    arrivals: tuple[LongArray, LongArray] = field(kw_only=True)
    """Per player, [S_p] the sequence with which it arrives at each infostate."""

    @property
    def centered(self) -> RangeForm:
        """The form itself: the midrange of values from a function is not known."""
        return self

    def payoffs(self, precision: str = "float64") -> FormPayoffs:
        """Return the arrays that `fill_gradient` reads; see `Form.payoffs`."""
        first, second = (PlanMap.identity(plex.num_sequences) for plex in self.treeplexes)
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

        return FormPayoffs(tuple(one.payoffs for one in leaves), refresh)

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
            If the values have the wrong shape, or are not finite.
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
    """[S_p] position of the reach in plans."""
    weight: FloatArray
    """[S_p] factor of the reach."""

    @classmethod
    def of(cls, own: PlanMap, layout: Layout, sequences: LongArray) -> Arrivals:
        """Return the arrivals by some sequences, given the map of plans and their layout."""
        return cls(layout.position[own.last[sequences]], own.weight[sequences])

    def reach(self, plan: FloatArray) -> FloatArray:
        """Return [S_p] the player's own reach, given its plan [Q] in the order of the kernels."""
        found: FloatArray = self.weight * np.asarray(plan[self.position], np.float64)
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
    """Return [S_p] the sequence of each wanted infostate, given infostates and sequences [L]."""
    known, place = np.unique(number, return_index=True)
    found: LongArray = sequence[place][np.searchsorted(known, wanted)]
    return found
