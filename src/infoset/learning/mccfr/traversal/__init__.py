"""Learning from traversals of a game that can be reset."""

from infoset.learning.mccfr.traversal.learner import SampledTraversal, SampledTraversalSelfPlay

__all__ = ["SampledTraversal", "SampledTraversalSelfPlay"]
