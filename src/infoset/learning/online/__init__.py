"""Learners of one player, driven by a loop of one's own or by the rules of a game never built."""

from infoset.learning.online.decisions import Decision, make_own_tree
from infoset.learning.online.episode import Trajectory
from infoset.learning.online.learner import Learner
from infoset.learning.online.make import make_learner
from infoset.learning.online.play import play_and_learn
from infoset.learning.online.policy import LearnedPolicy
from infoset.learning.online.terms import Terms

__all__ = [
    "Decision",
    "LearnedPolicy",
    "Learner",
    "Terms",
    "Trajectory",
    "make_learner",
    "make_own_tree",
    "play_and_learn",
]
