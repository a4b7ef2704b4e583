"""Members of a form that are derived from its other members, and values of players."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from typing import cast

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.forms._payoff_kernels import ComposedPayoffs, fill_gradient
from infoset.forms._treeplex_kernels import (
    behavior_to_plan,
    best_response_sweep,
    best_response_value,
    reach_sweep,
    realize_policy,
)
from infoset.forms.form import Form, PlayerValues
from infoset.forms.infostate_shapes import InfostateShapes
from infoset.forms.packed_rows import PlanWeights
from infoset.forms.payoffs import FormPayoffs
from infoset.forms.transform import Transform
from infoset.forms.treeplex import Layout, form_layouts
from infoset.typing import BoolArray, FloatArray, Player


class DerivedMembers:
    """Members derived from treeplexes, public states, constant sum, payoffs and `reach_gradient`.

    Transforms override those that depend on their base.
    """

    @property
    def whole(self: Form) -> Form:
        """The form itself: it is not a transform."""
        return self

    def complete(self, probabilities: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return the same probabilities; see `Form.complete`."""
        return probabilities

    @property
    def division(self) -> object:
        """None: the form is not divided into parts."""
        return None

    @property
    def all_parts(self) -> object:
        """None: the form is not public."""
        return None

    @property
    def infostate_shapes(self) -> tuple[InfostateShapes, ...] | None:
        """None: infostates are listed."""
        return None

    def composed_payoffs(
        self: Form,
        transform: Transform,
        layouts: tuple[Layout, ...],
        precision: str = "float64",
        of_reach: bool = False,
    ) -> FormPayoffs:
        """Return the payoffs of a transform of a two-player form; see `Form.composed_payoffs`.

        Raises
        ------
        UnsupportedGameError
            If the game does not have two players.
        """
        if self.num_players != 2:
            raise UnsupportedGameError(
                f"on a {self.kind} form, locks and other transforms need two players, and "
                f"{self.name} has {self.num_players}: use the sequence form (form='sequence', "
                "--form sequence)"
            )
        whole = self.reach_payoffs() if of_reach else self.payoffs(precision)
        pairs = tuple(
            ComposedPayoffs(
                pair.base,
                transform.composition(player, layouts, self.layouts, precision, of_reach),
            )
            for player, pair in enumerate(cast("tuple[ComposedPayoffs, ...]", whole.pairs))
        )
        return whole._replace(by_player=pairs)

    @property
    def is_two_player_constant_sum(self: Form) -> bool:
        """Whether the game has two players and a constant sum; exploitability needs both."""
        return len(self.treeplexes) == 2 and self.constant_sum is not None

    def infostates_from(self: Form, key: Hashable) -> tuple[BoolArray, ...]:
        """Return per player, [I] which acting infostates are at a key or after it."""
        player, numbers = self.look_up_all(key)
        found = [np.zeros(plex.num_infostates, bool) for plex in self.treeplexes]
        found[player][numbers] = True
        found[player] = self.treeplexes[player].with_later(found[player])
        return tuple(found)

    @property
    def usual_width(self: Form) -> float:
        """The payoff width: extreme utilities are not searched for."""
        return self.payoff_width

    @cached_property
    def layouts(self: Form) -> tuple[Layout, ...]:
        """Per player, the order in which kernels store sequences."""
        return form_layouts(self.treeplexes, self.public_states)

    def counterfactual_reach(
        self: Form, plans: tuple[FloatArray, ...], player: Player
    ) -> FloatArray:
        """Return [I] the reach of each infostate by chance and the other players."""
        plex = self.treeplexes[player]
        mass = self.reach_gradient(plans, player)
        return reach_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, mass)

    def infostate_label(self: Form, player: Player, number: int) -> str:
        """Return the label of one infostate; see `infostate_labels`."""
        return self.infostate_labels(player)[number]

    def labeled_infostates(
        self: Form, player: Player, max_depth: int | None = None
    ) -> Iterator[tuple[str, int]]:
        """Yield the text and number of each acting infostate; see `Form.labeled_infostates`."""
        depths = self.treeplexes[player].own_depth if max_depth is not None else ()
        for number, label in enumerate(self.infostate_labels(player)):
            if max_depth is None or depths[number] < max_depth:
                yield label, number


class MembersByUtilityLimits:
    """Range and width of payoffs, for forms that know the limits of each player's utility."""

    utility_limits: FloatArray
    """[N, 2] minimum and maximum utility of each player."""

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Minimum and maximum utility over players and ends, in the game's units."""
        return float(self.utility_limits.min()), float(self.utility_limits.max())

    @property
    def payoff_width(self) -> float:
        """Largest difference between two utilities of the same player."""
        return float(np.ptp(self.utility_limits, axis=1).max())


class MeasuredByKernels(DerivedMembers):
    """Values of players, computed by the kernels of the methods in the order of `layouts`."""

    def player_values(
        self: Form, probabilities: tuple[FloatArray, ...]
    ) -> tuple[PlayerValues, ...]:
        """Return the values of the players under behavior policies, per player [Q]."""

        def fill(player: Player, plan: FloatArray) -> None:
            self.layouts[player].to_positions(probabilities[player], plan)

        return values_by_payoffs(self.layouts, self.payoffs(), fill)

    def values_of_weights(
        self: Form, weights: tuple[PlanWeights, ...], workspace: FloatArray | None = None
    ) -> tuple[PlayerValues, ...]:
        """Return `player_values` of normalized weights; see `Form.values_of_weights`."""

        def fill(player: Player, plan: FloatArray) -> None:
            self.layouts[player].normalize(weights[player], plan)

        return values_by_payoffs(self.layouts, self.payoffs(), fill, workspace)


def plan_value(gradient: FloatArray, plan: FloatArray) -> float:
    """Return the inner product of a gradient [Q] and a plan [Q]: the value of the plan.

    The product does not use BLAS: on a busy machine its threads cost more than the product, and its
    rounding depends on the number of threads.
    """
    return float(np.einsum("i,i", gradient, plan))


def values_by_payoffs(
    layouts: tuple[Layout, ...],
    payoffs: FormPayoffs,
    fill: Callable[[Player, FloatArray], None],
    workspace: FloatArray | None = None,
) -> tuple[PlayerValues, ...]:
    """Return the values of the players under behavior policies, computed by solver kernels.

    With two players, two arrays suffice: the plan of one player at a time, and a gradient, which
    depends only on the opponent's plan.

    Parameters
    ----------
    payoffs
        Its arrays for intermediate results must not be shared.
    fill
        Function that fills an array [Q] with the policy of a player, in order of position.
    workspace
        An array in float64 that is at least twice as long as the longest policy.
    """
    sizes = [layout.num_sequences for layout in layouts]
    if workspace is None:
        workspace = np.empty(2 * max(sizes))
    is_shared = len(layouts) == 2 and payoffs.refresh is None
    second = len(workspace) // 2
    rows = [workspace[:size] if is_shared else np.empty(size) for size in sizes]
    plans = tuple(rows)

    def realize(player: Player) -> None:
        fill(player, plans[player])
        layout = layouts[player]
        realize_policy(layout.groups, layout.parent, plans[player], plans[player])

    found = []
    # A shared array first contains the plan of player 0's opponent.
    for player in range(1 if is_shared else 0, len(layouts)):
        realize(player)
    for player, layout in enumerate(layouts):
        gradient = workspace[second : second + sizes[player]]
        if payoffs.refresh is not None:
            payoffs.refresh(player, plans)
        fill_gradient(player, payoffs.by_player, plans, gradient)
        if is_shared:
            realize(player)  # The next gradient needs this plan, too.
        value = plan_value(gradient, plans[player])
        best = best_response_value(layout.groups, layout.parent, gradient)
        found.append(PlayerValues(value, best))
    return tuple(found)


def values_by_gradient(
    form: Form, probabilities: tuple[FloatArray, ...]
) -> tuple[PlayerValues, ...]:
    """Return the values of the players under behavior policies [Q], from `form.gradient`."""
    plans = tuple(
        behavior_to_plan(plex.parent_sequence, plex.first_sequence, plex.num_actions, own)
        for plex, own in zip(form.treeplexes, probabilities, strict=True)
    )
    return values_of_plans(form, plans)


def values_of_plans(form: Form, plans: tuple[FloatArray, ...]) -> tuple[PlayerValues, ...]:
    """Return the values of the players under realization plans [Q], from `form.gradient`."""
    found = []
    for player, plex in enumerate(form.treeplexes):
        gradient = form.gradient(plans, player)
        value = plan_value(gradient, plans[player])
        best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
        found.append(PlayerValues(value, float(gradient[0])))
    return tuple(found)


def values_of_weights(form: Form, weights: tuple[PlanWeights, ...]) -> tuple[PlayerValues, ...]:
    """Return the values of the players for weights [Q] of policies; see `Form`."""
    pairs = zip(form.layouts, weights, strict=True)
    return form.player_values(tuple(layout.probabilities(own) for layout, own in pairs))
