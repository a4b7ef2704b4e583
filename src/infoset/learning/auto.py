"""Choosing a learner."""

from __future__ import annotations

from dataclasses import dataclass, field

from infoset.learning.knowledge import Knowledge
from infoset.learning.mccfr import MCCFR_LEARNERS
from infoset.learning.row import LearnerSpec, Presets
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulation import Simulator

__all__ = ["AutoLearner"]

BEST = "vr-mccfr-balanced"
"""Of those that see their own episodes only, first or near it on all games measured."""


@dataclass(frozen=True)
class AutoLearner:
    """The learner that did best in our measurements.

    Attributes
    ----------
    name, description, knowledge, presets
        As of any learner.
    """

    name: str = "auto"
    description: str = f"what our measurements recommend: {BEST}"
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, repr=False)

    def choose(self, simulator: Simulator) -> tuple[LearnerSpec, str]:
        """Return the learner for a game, and why."""
        row = next(row for row in MCCFR_LEARNERS if row.name == BEST)
        return row, f"{BEST}: of those that see their own episodes only, the best over our games"

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> SelfPlay:
        """Return the learners chosen in all seats; `horizon` is the number of episodes meant."""
        return self.choose(simulator)[0].self_play(simulator, horizon=horizon, seed=seed)
