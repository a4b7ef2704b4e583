"""What everything that plays has in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.typing import Action, FloatArray

__all__ = ["Policy", "UniformPolicy", "checked_probabilities"]

SUM_TOLERANCE = 1e-6


class Policy(Protocol):
    """A behavioural policy: for what a player knows, a distribution over its legal actions."""

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the probability of each legal action, in order."""
        ...


class UniformPolicy:
    """Every legal action alike; needs no tree."""

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the same probability for each legal action."""
        return np.full(len(legal_actions), 1.0 / len(legal_actions))


def checked_probabilities(
    policy: Policy, infostate: Infostate, legal_actions: Sequence[Action]
) -> FloatArray:
    """Return what a policy answers at an infostate, if it is a distribution.

    Raises
    ------
    ParameterError
        If it is not.
    """
    probabilities = np.asarray(policy.action_probabilities(infostate, legal_actions), np.float64)
    is_fitting = probabilities.shape == (len(legal_actions),) and (probabilities >= 0).all()
    if not is_fitting or not abs(probabilities.sum() - 1) <= SUM_TOLERANCE:
        raise ParameterError(
            f"a policy answered {probabilities.tolist()} at the infostate {infostate} of player "
            f"{infostate.player}, where {list(legal_actions)} are legal; it must give each legal "
            "action a probability, none negative, of sum 1"
        )
    return probabilities
