"""Monte Carlo counterfactual regret minimisation: regrets estimated from what is sampled."""

from infoset.learning.mccfr.outcome import OutcomeSampling, OutcomeSamplingSelfPlay
from infoset.learning.mccfr.rows import MCCFR_LEARNERS
from infoset.learning.mccfr.traversal import SampledTraversal, SampledTraversalSelfPlay

__all__ = [
    "MCCFR_LEARNERS",
    "OutcomeSampling",
    "OutcomeSamplingSelfPlay",
    "SampledTraversal",
    "SampledTraversalSelfPlay",
]
