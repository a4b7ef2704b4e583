"""The state of a first-order method on a game, and the iterations that move it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infoset.policy import TabularPolicy
from infoset.runs import gradient_cost
from infoset.solvers.first_order._kernels import (
    EXTRA_GRADIENT,
    LAST_GRADIENT,
    NO_PREDICTION,
    PlayerState,
    Workspace,
    iterate_first_order,
)
from infoset.solvers.two_player import TwoPlayerSolver, payoff_scale
from infoset.tree import SequenceForm
from infoset.typing import Player, StateArrays
from infoset.utils.state import name_by_player

if TYPE_CHECKING:
    from infoset.solvers.first_order.scheme import FirstOrderScheme

__all__ = ["FirstOrderSolver"]

PREDICTIONS = {"none": NO_PREDICTION, "last": LAST_GRADIENT, "extra": EXTRA_GRADIENT}


class FirstOrderSolver(TwoPlayerSolver["FirstOrderScheme"]):
    """The state of a first-order method on a game, and the iterations that move it.

    Parameters
    ----------
    sequence_form : SequenceForm
        A two-player constant-sum game.
    scheme : FirstOrderScheme
        The member of the family.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.solvers import FIRST_ORDER, FirstOrderSolver
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> solver = FirstOrderSolver(kuhn, FIRST_ORDER["optimistic-omd"])
    >>> solver.run(100)
    >>> solver.iteration
    100
    """

    def __init__(self, sequence_form: SequenceForm, scheme: FirstOrderScheme) -> None:
        super().__init__(sequence_form, scheme)
        self._states = (self._side(0), self._side(1))
        largest = self._game.largest_group
        size = max(plex.num_sequences for plex in sequence_form.treeplexes)
        self._workspace = Workspace(*(np.zeros(n) for n in (size, size, largest, largest)))

    def _side(self, player: Player) -> PlayerState:
        game, distance = self._game, self._spec.distance
        layout = game.layouts[player]
        weights = distance.weights_of(self.sequence_form.treeplexes[player])
        policy = game.uniform_policies()[player]
        plan = game.plans(game.uniform_policies())[player]
        base = distance.coordinates(policy)
        gradient, sums, average = (np.zeros_like(policy) for _ in range(3))
        return PlayerState(
            layout.groups,
            layout.parent,
            weights[layout.infostate],
            game.pairs[player],
            gradient,
            sums,
            magnet=base.copy() if self._spec.is_lazy else np.zeros_like(base),
            base=base,
            base_plan=plan if self._spec.prediction == "none" else plan.copy(),
            policy=policy,
            plan=plan,
            average=average,
        )

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in one iteration, an exponential counted as ten."""
        sweeps = 1 if self._spec.prediction == "none" else 2
        sequences = sum(plex.num_sequences for plex in self.sequence_form.treeplexes)
        return gradient_cost(self.sequence_form) * sweeps + 10 * sweeps * sequences

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations, inside one compiled call."""
        scheme = self._spec
        iterate_first_order(
            scheme.schedule(payoff_scale(self.sequence_form), self.iteration + 1, iterations),
            self._done,
            scheme.distance.is_euclidean,
            scheme.is_lazy,
            PREDICTIONS[scheme.prediction],
            scheme.magnet_period or 0,
            scheme.alternating,
            self._states,
            self._workspace,
        )

    def _state_arrays(self) -> StateArrays:
        moving = ("sums", "magnet", "base", "policy", "plan", "average")
        return name_by_player(
            **{name: [getattr(side, name) for side in self._states] for name in moving}
        )

    def average_policy(self) -> TabularPolicy:
        """Return the average policy; uniform before iteration 1."""
        if self.iteration == 0:
            return self.current_policy()
        averages = tuple(side.average / side.average[0] for side in self._states)
        return self._game.to_policy(averages)

    def current_policy(self) -> TabularPolicy:
        """Return the last iterate: what is played at the beginning of the next iteration."""
        return self._game.to_policy(tuple(side.policy for side in self._states))

    def policy(self) -> TabularPolicy:
        """Return the average policy, or the last iterate, as the scheme has it."""
        return self.current_policy() if self._spec.answers_last else self.average_policy()
