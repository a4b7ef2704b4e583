"""Monte Carlo counterfactual regret minimisation: regrets estimated from what is sampled."""

from infoset.learning.mccfr.outcome import OutcomeSampling, OutcomeSelfPlay
from infoset.learning.mccfr.rows import MCCFR_LEARNERS
from infoset.learning.mccfr.traversal import TraversalSampling, TraversalSelfPlay

__all__ = [
    "MCCFR_LEARNERS",
    "OutcomeSampling",
    "OutcomeSelfPlay",
    "TraversalSampling",
    "TraversalSelfPlay",
]
