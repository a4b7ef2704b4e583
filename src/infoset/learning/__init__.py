"""Learning from play: learners that see their own episodes only."""

from infoset.learning.knowledge import Knowledge
from infoset.learning.path import PathLearner
from infoset.learning.row import LearnerRow
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulation import Simulator, make_simulator
from infoset.learning.steps import Steps, TreeSize, tree_size

__all__ = [
    "Knowledge",
    "LearnerRow",
    "PathLearner",
    "SelfPlay",
    "Simulator",
    "Steps",
    "TreeSize",
    "make_simulator",
    "tree_size",
]
