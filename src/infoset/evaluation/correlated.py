"""Correlated policies: some policies, of which one is drawn for all players before they play."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.evaluation.joint import CCEEvaluation, checked_weights, evaluate_cce
from infoset.evaluation.joint_plans import JointDistribution, joint_distribution
from infoset.policy import TabularPolicy
from infoset.tree import SequenceForm
from infoset.typing import FloatArray, LongArray
from infoset.utils.arguments import check_type

__all__ = ["CorrelatedPolicy"]


@dataclass(frozen=True, eq=False)
class CorrelatedPolicy:
    """Policies of which one is drawn for all players, once for each play of the game.

    What learners of any game come to together is one of these: an episode is drawn, and everybody
    plays as in that episode. The product of its averages, in which each player draws alone, plays
    otherwise.

    Attributes
    ----------
    policies : tuple[TabularPolicy, ...]
        At least one, all for the same game.
    weights : tuple[float, ...]
        One per policy, its probability to be drawn in proportion to it.

    Raises
    ------
    ParameterError
        If there are not as many weights as policies, or they are negative or all zero.
    PolicyMismatchError
        If the policies are for different games.

    Examples
    --------
    A light that lets one of two cars go:

    >>> import numpy as np
    >>> from infoset.games import matrix_game
    >>> from infoset.tree import build_tree
    >>> form = build_tree(matrix_game([[-9, 1], [0, 0]], [[-9, 0], [1, 0]])).sequence_form
    >>> go, stop = np.array([1.0, 1, 0]), np.array([1.0, 0, 1])
    >>> first, second = TabularPolicy(form, (go, stop)), TabularPolicy(form, (stop, go))
    >>> light = CorrelatedPolicy((first, second), (1.0, 1.0))
    >>> light.evaluate()
    CCEEvaluation(values=(0.5, 0.5), gains=(-0.5, -0.5), cce_gap=0.0)
    >>> light.draw(np.random.default_rng(0)) in light.policies
    True
    """

    policies: tuple[TabularPolicy, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        checked_weights(self.policies, self.weights)

    @property
    def sequence_form(self) -> SequenceForm:
        """The game it is for."""
        return self.policies[0].sequence_form

    def evaluate(self) -> CCEEvaluation:
        """Measure it, exactly: values, what deviating would gain, and the gap."""
        return evaluate_cce(self.policies, self.weights)

    def draw(self, rng: np.random.Generator) -> TabularPolicy:
        """Draw the policy that all players follow in one play.

        Raises
        ------
        ParameterError
            If what is given is no generator.
        """
        check_type("rng", rng, np.random.Generator, "np.random.default_rng(seed)")
        return self.policies[int(self.drawn_by(rng.random(1))[0])]

    def drawn_by(self, numbers: FloatArray) -> LongArray:
        """Return [n] which of the policies numbers [n] in [0, 1) draw."""
        bounds = np.cumsum(self.weights)
        last = np.flatnonzero(self.weights)[-1]
        drawn: LongArray = np.searchsorted(bounds, numbers * bounds[-1], side="right")
        drawn[drawn > last] = last
        return drawn

    def distribution(self) -> JointDistribution:
        """Return the same play as a distribution over tuples of pure plans.

        Raises
        ------
        GameTooLargeError
            As `infoset.evaluation.joint_distribution`.
        """
        return joint_distribution(self.policies, self.weights)
