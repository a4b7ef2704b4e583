"""Learners that move along the path of an episode only."""

from infoset.learning.path.learner import OnlineMirrorDescent, OnlineMirrorDescentSelfPlay

__all__ = ["OnlineMirrorDescent", "OnlineMirrorDescentSelfPlay"]
