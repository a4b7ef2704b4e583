"""What everything that plays has in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from infoset.game import Infostate
from infoset.typing import Action, FloatArray

__all__ = ["Policy", "UniformPolicy"]


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
