"""Learning from play, by learners that see their own episodes only."""

from infoset.learning.adversarial_play import AdversarialPlay, Adversary, switch_between
from infoset.learning.balanced_cfr import BalancedCFR
from infoset.learning.efce_omd import BalancedEFCEOMD
from infoset.learning.learner_spec import Knowledge, LearnerSpec, OnlineLearnerSpec, Presets
from infoset.learning.learners import (
    DEFAULT_LEARNER,
    LEARNERS,
    AutoLearner,
    get_learner,
    learns_on_forms,
    start_self_play,
)
from infoset.learning.local_omd import LocalOMD
from infoset.learning.model_based import CertifiedCFR, PosteriorSampling
from infoset.learning.online import (
    Decision,
    LearnedPolicy,
    Learner,
    Trajectory,
    make_learner,
    make_own_tree,
    play_and_learn,
)
from infoset.learning.online_mirror_descent import OnlineMirrorDescent
from infoset.learning.outcome_sampling import OnlineOutcomeSampling, OutcomeSampling
from infoset.learning.public_chance_sampling import PublicChanceSampling
from infoset.learning.regret_tracker import RegretTracker, counting_cost, learns_joint_play
from infoset.learning.result import LearnResult, ProductOfAveragesWarning
from infoset.learning.sampled_traversal import SampledTraversal
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulator import Simulator, make_simulator
from infoset.learning.step_sizes import (
    ScaledStepSizes,
    StepSizeRule,
    StepSizes,
    TreeSize,
    TunedStepSizes,
    tree_size,
)
from infoset.learning.update_rule import Exploration, Feedback, UpdateRule

__all__ = [
    "DEFAULT_LEARNER",
    "LEARNERS",
    "AdversarialPlay",
    "Adversary",
    "AutoLearner",
    "BalancedCFR",
    "BalancedEFCEOMD",
    "CertifiedCFR",
    "Decision",
    "Exploration",
    "Feedback",
    "Knowledge",
    "LearnResult",
    "LearnedPolicy",
    "Learner",
    "LearnerSpec",
    "LocalOMD",
    "OnlineLearnerSpec",
    "OnlineMirrorDescent",
    "OnlineOutcomeSampling",
    "OutcomeSampling",
    "PosteriorSampling",
    "Presets",
    "ProductOfAveragesWarning",
    "PublicChanceSampling",
    "RegretTracker",
    "SampledTraversal",
    "ScaledStepSizes",
    "SelfPlay",
    "Simulator",
    "StepSizeRule",
    "StepSizes",
    "Trajectory",
    "TreeSize",
    "TunedStepSizes",
    "UpdateRule",
    "counting_cost",
    "get_learner",
    "learns_joint_play",
    "learns_on_forms",
    "make_learner",
    "make_own_tree",
    "make_simulator",
    "play_and_learn",
    "start_self_play",
    "switch_between",
    "tree_size",
]
