"""Measuring policies: values, best responses, exploitability."""

from infoset.evaluation.aivat import aivat_utilities, history_values
from infoset.evaluation.average_policy import AveragePolicy
from infoset.evaluation.averaging import AveragedSearch, average_search
from infoset.evaluation.behavior import Behavior, behavior_values
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.evaluation.correlated_files import load_correlated_policy, save_correlated_policy
from infoset.evaluation.exact import ValueProof, prove_value
from infoset.evaluation.exact_matches import exact_match
from infoset.evaluation.exploitability import (
    BestResponse,
    Evaluation,
    best_response,
    best_response_plan,
    evaluate_plans,
    evaluate_policy,
    expected_values,
    exploitability,
    nash_conv,
    plan_value,
    utility_gradient,
)
from infoset.evaluation.joint import JointEvaluation, JointPlay, evaluate_joint
from infoset.evaluation.joint_plans import JointDistribution, joint_distribution
from infoset.evaluation.match_result import Estimate, MatchResult
from infoset.evaluation.matches import Contestant, play_matches
from infoset.evaluation.path_corrections import ValueFunction
from infoset.evaluation.reached_response import ReachedResponse, reached_best_response
from infoset.evaluation.searching import OneSearch, SearchingPlayer
from infoset.evaluation.triggers import (
    TriggerEvaluation,
    TriggerGain,
    TriggerPlay,
    evaluate_triggers,
)
from infoset.evaluation.true_state import TrueStateRatios, true_state_ratios
from infoset.evaluation.true_state_arrays import hand_ratios, mean_true_state_ratio

__all__ = [
    "AveragePolicy",
    "AveragedSearch",
    "Behavior",
    "BestResponse",
    "Contestant",
    "CorrelatedPolicy",
    "Estimate",
    "Evaluation",
    "JointDistribution",
    "JointEvaluation",
    "JointPlay",
    "MatchResult",
    "OneSearch",
    "ReachedResponse",
    "SearchingPlayer",
    "TriggerEvaluation",
    "TriggerGain",
    "TriggerPlay",
    "TrueStateRatios",
    "ValueFunction",
    "ValueProof",
    "aivat_utilities",
    "average_search",
    "behavior_values",
    "best_response",
    "best_response_plan",
    "evaluate_joint",
    "evaluate_plans",
    "evaluate_policy",
    "evaluate_triggers",
    "exact_match",
    "expected_values",
    "exploitability",
    "hand_ratios",
    "history_values",
    "joint_distribution",
    "load_correlated_policy",
    "mean_true_state_ratio",
    "nash_conv",
    "plan_value",
    "play_matches",
    "prove_value",
    "reached_best_response",
    "save_correlated_policy",
    "true_state_ratios",
    "utility_gradient",
]
