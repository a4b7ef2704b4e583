"""Learning from play: learners that see their own episodes only."""

from infoset.learning.balanced_cfr import BalancedCfr
from infoset.learning.knowledge import Knowledge
from infoset.learning.local_omd import LocalOmd
from infoset.learning.methods import LEARNERS, find_learner
from infoset.learning.path import PathLearner
from infoset.learning.row import LearnerRow, Presets
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulation import Simulator, make_simulator
from infoset.learning.steps import StepRule, Steps, TreeSize, tree_size

__all__ = [
    "LEARNERS",
    "BalancedCfr",
    "Knowledge",
    "LearnerRow",
    "LocalOmd",
    "PathLearner",
    "Presets",
    "SelfPlay",
    "Simulator",
    "StepRule",
    "Steps",
    "TreeSize",
    "find_learner",
    "make_simulator",
    "tree_size",
]
