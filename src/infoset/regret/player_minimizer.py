"""Regret minimization by one player, from gradients that the caller provides."""

from __future__ import annotations

import numpy as np

from infoset.forms import Treeplex, action_major_layout, realize_policy
from infoset.regret._cfr_kernels import realize_and_average, update_regrets
from infoset.regret.scheme import RegretScheme
from infoset.typing import FloatArray, StateArrays
from infoset.utils.state import IterativeState


class PlayerMinimizer(IterativeState):
    """A member of the CFR family for one player, updated by one gradient at a time.

    `RegretMinimizer` runs all players of a game in self-play. This class is for methods that
    compute the gradients themselves, such as decomposition.

    Parameters
    ----------
    treeplex
        The player's infostates.
    scheme
        The member of the family. Its `alternating` has no effect: the caller decides the order.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.games import load_game
    >>> from infoset.regret import SCHEMES
    >>> from infoset.tree import build_tree
    >>> chooser = build_tree(load_game("matrix_rps")).sequence_form.treeplexes[0]
    >>> minimizer = PlayerMinimizer(chooser, SCHEMES["cfr"])
    >>> minimizer.observe(np.array([0.0, 3.0, 2.0, 1.0]))
    >>> minimizer.plan().round(9).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """

    def __init__(self, treeplex: Treeplex, scheme: RegretScheme) -> None:
        super().__init__()
        self.treeplex = treeplex
        self.scheme = scheme
        self._layout = action_major_layout(treeplex)
        size = treeplex.num_sequences
        self._regret, self._average, self._plan = (np.zeros(size) for _ in range(3))
        limit = scheme.adaptive_limit
        # Without payoffs, the rounding of gradients is not known.
        self._tolerance = np.zeros(treeplex.num_infostates)
        self._limit = -1.0 if limit is None else limit
        kept = 0 if limit is None else size
        self._previous, self._changes = np.zeros(kept), np.zeros((2, kept))
        self._policy = self._layout.uniform_policy()
        realize_policy(self._layout.groups, self._layout.parent, self._policy, self._plan)

    def observe(self, gradient: FloatArray) -> None:
        """Run one iteration: update the regrets with a gradient, and compute the next plan.

        Parameters
        ----------
        gradient
            [Q] derivative of the player's expected utility with respect to its plan.
        """
        self._done += 1
        row = self.scheme.checked_schedule(self.iteration, 1)[0]
        layout = self._layout
        update_regrets(
            layout.groups,
            layout.parent,
            row,
            self._limit,
            layout.to_positions(np.asarray(gradient, np.float64)),
            self._regret,
            self._policy,
            self._tolerance,
            self._previous,
            self._changes,
        )
        realize_and_average(
            row,
            self.scheme.averages_next,
            layout.groups,
            layout.parent,
            self._policy,
            self._plan,
            self._average,
        )

    def _state_arrays(self) -> StateArrays:
        return {
            "regrets": self._regret,
            "policies": self._policy,
            "plans": self._plan,
            "averages": self._average,
            "previous": self._previous,
            "changes": self._changes,
        }

    def plan(self) -> FloatArray:
        """Return [Q] the realization plan from which the next iteration starts."""
        return self._layout.to_sequences(self._plan)

    def probabilities(self) -> FloatArray:
        """Return [Q] the behavior policy from which the next iteration starts."""
        return self._layout.to_sequences(self._policy)

    def average_plan(self) -> FloatArray:
        """Return [Q] the average realization plan; the current one before iteration 1."""
        return self._layout.average_plan(self._average, self._plan)
