"""The prox on one player's treeplex: best responses that stay near."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from infoset.errors import ParameterError
from infoset.regret._plan_kernels import realize_policy
from infoset.regret.layout import action_major_layout
from infoset.regret.prox._kernels import ProxProblem, deepest_sums, prox_sweep
from infoset.regret.prox.distance import Distance, check_distance
from infoset.tree import Treeplex
from infoset.typing import FloatArray

__all__ = ["ProxResponse", "TreeplexProx"]


class ProxResponse(NamedTuple):
    """What maximizes a gradient less distances.

    Attributes
    ----------
    policy : FloatArray
        [Q] behavior, also where the player's own actions do not lead.
    plan : FloatArray
        [Q] realization plan.
    value : float
        The maximum.
    """

    policy: FloatArray
    plan: FloatArray
    value: float


class TreeplexProx:
    """The prox of a dilated distance on a treeplex, in closed form.

    Parameters
    ----------
    treeplex : Treeplex
    distance : Distance

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> plex = build_tree(load_game("matrix_mp")).sequence_form.treeplexes[0]
    >>> prox = TreeplexProx(plex, Distance("entropy"))
    >>> prox.respond(np.array([0.0, 1.0, 0.0]), temperature=1.0).policy[1:].round(6)
    array([0.731059, 0.268941])

    Source: Hoda, Gilpin, Peña and Sandholm (2010).
    """

    def __init__(self, treeplex: Treeplex, distance: Distance) -> None:
        check_distance(distance)
        self.treeplex = treeplex
        self.distance = distance
        self._weights = distance.weights_of(treeplex)
        self._layout = action_major_layout(treeplex)
        self._workspace = (
            np.zeros(self._layout.largest_group),
            np.zeros(self._layout.largest_group),
        )
        self._zeros = np.zeros(treeplex.num_sequences)

    def respond(
        self,
        gradient: FloatArray,
        *,
        temperature: float = 0.0,
        magnet: FloatArray | None = None,
        inverse_step_size: float = 0.0,
        center: FloatArray | None = None,
    ) -> ProxResponse:
        """Maximize <gradient, x> − temperature · D(x, magnet) − D(x, center) / step_size.

        Parameters
        ----------
        gradient : FloatArray
            [Q] utility per sequence.
        temperature, inverse_step_size : float
            Not negative, and one of them positive.
        magnet, center : FloatArray, optional
            [Q] behaviors; without one, D(x, ·) is ψ(x) itself.

        Raises
        ------
        ParameterError
            If `temperature` or `inverse_step_size` is negative, or neither is positive.
        """
        if not (min(temperature, inverse_step_size) >= 0 and temperature + inverse_step_size > 0):
            raise ParameterError(
                f"temperature={temperature} and inverse_step_size={inverse_step_size} must not be "
                "negative, and one of them positive: without a distance this is a best response"
            )
        layout = self._layout
        values = layout.to_positions(gradient)
        coordinates, policy, plan = (np.ones(len(values)) for _ in range(3))
        problem = ProxProblem(
            inverse_step_size,
            temperature,
            values,
            self._coordinates(center),
            self._coordinates(magnet),
            coordinates,
            policy,
        )
        prox_sweep(
            self.distance.is_euclidean,
            layout.groups,
            layout.parent,
            self._weights[layout.infostate],
            problem,
            *self._workspace,
        )
        realize_policy(layout.groups, layout.parent, policy, plan)
        return ProxResponse(
            layout.to_sequences(policy), layout.to_sequences(plan), float(values[0])
        )

    def _coordinates(self, policy: FloatArray | None) -> FloatArray:
        if policy is None:
            return self._zeros
        return self._layout.to_positions(self.distance.coordinates(policy))

    def divergence(
        self, policy: FloatArray, plan: FloatArray, center: FloatArray | None = None
    ) -> float:
        """Return D(x, center) of the plan x [Q] of a behavior [Q]; without a center, ψ(x).

        The center is a behavior [Q] too. Terms of infostates that the plan does not reach are
        zero, whatever is played there.
        """
        plex = self.treeplex
        at = self.distance.coordinates(policy)[1:]
        from_center = at if center is None else at - self.distance.coordinates(center)[1:]
        if self.distance.is_euclidean:
            reach = np.repeat(plan[plex.parent_sequence], plex.num_actions)
            terms = 0.5 * reach * from_center**2
        else:
            terms = plan[1:] * from_center
        return float(terms @ np.repeat(self._weights, plex.num_actions))

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest value of ψ on the treeplex; the greatest is at a pure plan."""
        plex = self.treeplex
        below = np.zeros(plex.num_sequences)
        at_pure = self._weights * (0.5 if self.distance.is_euclidean else 0.0)
        deepest_sums(
            plex.parent_sequence, plex.first_sequence, plex.num_actions, at_pure, 1.0, below
        )
        least = -self.respond(self._zeros, temperature=1.0).value
        return least, float(below[0])
