"""Learners of one player in a user's own loop, or in play by the rules of a game."""

from infoset.learning.online.learned_policy import LearnedPolicy
from infoset.learning.online.learner_construction import make_learner
from infoset.learning.online.online_learner import Learner, LearningTask
from infoset.learning.online.own_tree import Decision, make_own_tree
from infoset.learning.online.rule_play import play_and_learn
from infoset.learning.online.trajectory import Trajectory

__all__ = [
    "Decision",
    "LearnedPolicy",
    "Learner",
    "LearningTask",
    "Trajectory",
    "make_learner",
    "make_own_tree",
    "play_and_learn",
]
