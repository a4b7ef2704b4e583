"""Learning from play: learners that see their own episodes only."""

from infoset.learning.auto import AutoLearner
from infoset.learning.balanced_cfr import BalancedCFR
from infoset.learning.efce import BalancedEFCEOMD
from infoset.learning.knowledge import Knowledge
from infoset.learning.local_omd import LocalOMD
from infoset.learning.mccfr import OutcomeSampling, SampledTraversal
from infoset.learning.measuring import AdversarialPlay, Adversary, RegretTracker, switch_between
from infoset.learning.methods import DEFAULT_LEARNER, LEARNERS, get_learner
from infoset.learning.online import (
    Decision,
    LearnedPolicy,
    Learner,
    Trajectory,
    make_learner,
    make_own_tree,
    play_and_learn,
)
from infoset.learning.path import OnlineMirrorDescent
from infoset.learning.result import LearnResult, ProductOfAveragesWarning
from infoset.learning.row import LearnerSpec, Presets
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulation import Simulator, make_simulator
from infoset.learning.step_sizes import StepSizeRule, StepSizes, TreeSize, tree_size
from infoset.learning.update_rule import Exploration, Feedback, UpdateRule

__all__ = [
    "DEFAULT_LEARNER",
    "LEARNERS",
    "AdversarialPlay",
    "Adversary",
    "AutoLearner",
    "BalancedCFR",
    "BalancedEFCEOMD",
    "Decision",
    "Exploration",
    "Feedback",
    "Knowledge",
    "LearnResult",
    "LearnedPolicy",
    "Learner",
    "LearnerSpec",
    "LocalOMD",
    "OnlineMirrorDescent",
    "OutcomeSampling",
    "Presets",
    "ProductOfAveragesWarning",
    "RegretTracker",
    "SampledTraversal",
    "SelfPlay",
    "Simulator",
    "StepSizeRule",
    "StepSizes",
    "Trajectory",
    "TreeSize",
    "UpdateRule",
    "get_learner",
    "make_learner",
    "make_own_tree",
    "make_simulator",
    "play_and_learn",
    "switch_between",
    "tree_size",
]
