"""What everything that plays has in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.typing import Action, FloatArray

__all__ = ["Policy", "UniformPolicy", "check_distributions", "checked_probabilities"]

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
    check_distributions(probabilities[None], infostate, legal_actions)
    return probabilities


def check_distributions(
    answers: FloatArray, infostate: Infostate, legal_actions: Sequence[Action]
) -> None:
    """Raise unless each of several answers [R, A] at an infostate is a distribution.

    Raises
    ------
    ParameterError
        If one is not.
    """
    is_fitting = np.zeros(len(answers), bool)
    if answers.shape[1:] == (len(legal_actions),):
        is_fitting = (answers >= 0).all(axis=1) & (abs(answers.sum(axis=1) - 1) <= SUM_TOLERANCE)
    if not is_fitting.all():
        wrong = answers[int(is_fitting.argmin())]
        raise ParameterError(
            f"a policy answered {wrong.tolist()} at the infostate {infostate} of player "
            f"{infostate.player}, where {list(legal_actions)} are legal; it must give each legal "
            "action a probability, none negative, of sum 1"
        )
