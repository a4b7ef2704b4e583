"""Learning from traversals of a game that can be reset."""

from infoset.learning.mccfr.traversal.learner import TraversalSampling, TraversalSelfPlay

__all__ = ["TraversalSampling", "TraversalSelfPlay"]
