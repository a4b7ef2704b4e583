"""Members of a form that follow from its other members, the same for all kinds of forms."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from infoset.forms._plan_kernels import reach_sweep
from infoset.forms._value_kernels import normalize_weights
from infoset.forms.form import Form
from infoset.forms.layout import Layout, form_layouts
from infoset.forms.player_values import PlayerValues, values_by_payoffs
from infoset.typing import FloatArray, Player

__all__ = ["DerivedMembers", "MeasuredByKernels"]


class DerivedMembers:
    """Members that follow from treeplexes, public states, constant sum and `reach_gradient`."""

    @property
    def is_two_player_constant_sum(self: Form) -> bool:
        """Whether the game has two players and a constant sum; exploitability needs both."""
        return len(self.treeplexes) == 2 and self.constant_sum is not None

    @cached_property
    def layouts(self: Form) -> tuple[Layout, ...]:
        """Per player, the order in which kernels store sequences."""
        return form_layouts(self.treeplexes, self.public_states)

    def counterfactual_reach(
        self: Form, plans: tuple[FloatArray, ...], player: Player
    ) -> FloatArray:
        """Return [I] the probability that chance and the others lead to each infostate."""
        plex = self.treeplexes[player]
        mass = self.reach_gradient(plans, player)
        return reach_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, mass)

    def labeled_infostates(self: Form, player: Player) -> Iterator[tuple[str, int]]:
        """Yield texts and acting infostates, parents first; see `Form.labeled_infostates`."""
        for number, label in enumerate(self.infostate_labels(player)):
            yield label, number


class MeasuredByKernels(DerivedMembers):
    """Values of players by the kernels of the methods, in the order of `layouts`."""

    def player_values(
        self: Form, probabilities: tuple[FloatArray, ...]
    ) -> tuple[PlayerValues, ...]:
        """Return what each player earns, given behavior policies, per player [Q]."""
        pairs = zip(self.layouts, probabilities, strict=True)
        behavior = [layout.to_positions(values) for layout, values in pairs]
        return values_by_payoffs(self.layouts, self.payoffs(), behavior)

    def values_of_weights(
        self: Form, weights: tuple[FloatArray, ...], workspace: FloatArray | None = None
    ) -> tuple[PlayerValues, ...]:
        """Return `player_values` of policies with given weights; see `Form.values_of_weights`."""
        for layout, values in zip(self.layouts, weights, strict=True):
            values[0] = 1.0
            normalize_weights(layout.groups, values)
        return values_by_payoffs(self.layouts, self.payoffs(), [*weights], workspace)
