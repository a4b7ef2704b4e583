"""Measuring policies: values, best responses, exploitability."""

from infoset.evaluation.behavior import Behavior, behavior_values
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.evaluation.correlated_files import load_correlated_policy, save_correlated_policy
from infoset.evaluation.exact import ValueProof, prove_value
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
from infoset.evaluation.joint import CCEEvaluation, CCEEvaluator, evaluate_cce
from infoset.evaluation.joint_plans import JointDistribution, joint_distribution
from infoset.evaluation.reached_response import ReachedResponse, reached_best_response
from infoset.evaluation.triggers import (
    EFCEEvaluation,
    EFCEEvaluator,
    TriggerDeviation,
    evaluate_efce,
)
from infoset.evaluation.true_state import TrueStateSamplingRatio, true_state_sampling_ratio
from infoset.evaluation.true_state_arrays import (
    hand_sampling_ratios,
    mean_true_state_sampling_ratio,
)

__all__ = [
    "Behavior",
    "BestResponse",
    "CCEEvaluation",
    "CCEEvaluator",
    "CorrelatedPolicy",
    "EFCEEvaluation",
    "EFCEEvaluator",
    "Evaluation",
    "JointDistribution",
    "ReachedResponse",
    "TriggerDeviation",
    "TrueStateSamplingRatio",
    "ValueProof",
    "behavior_values",
    "best_response",
    "best_response_plan",
    "evaluate_cce",
    "evaluate_efce",
    "evaluate_plans",
    "evaluate_policy",
    "expected_values",
    "exploitability",
    "hand_sampling_ratios",
    "joint_distribution",
    "load_correlated_policy",
    "mean_true_state_sampling_ratio",
    "nash_conv",
    "plan_value",
    "prove_value",
    "reached_best_response",
    "save_correlated_policy",
    "true_state_sampling_ratio",
    "utility_gradient",
]
