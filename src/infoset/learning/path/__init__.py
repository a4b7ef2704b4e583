"""Learners that move along the path of an episode only."""

from infoset.learning.path.learner import PathLearner, PathSelfPlay

__all__ = ["PathLearner", "PathSelfPlay"]
