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
from infoset.evaluation.joint import JointEvaluation, JointPlay, evaluate_joint
from infoset.evaluation.joint_plans import JointDistribution, joint_distribution
from infoset.evaluation.matches import MatchResult, play_matches
from infoset.evaluation.triggers import (
    TriggerEvaluation,
    TriggerGain,
    TriggerPlay,
    evaluate_triggers,
)

__all__ = [
    "Behavior",
    "BestResponse",
    "CorrelatedPolicy",
    "Evaluation",
    "JointDistribution",
    "JointEvaluation",
    "JointPlay",
    "MatchResult",
    "TriggerEvaluation",
    "TriggerGain",
    "TriggerPlay",
    "ValueProof",
    "behavior_values",
    "best_response",
    "best_response_plan",
    "evaluate_joint",
    "evaluate_plans",
    "evaluate_policy",
    "evaluate_triggers",
    "expected_values",
    "exploitability",
    "joint_distribution",
    "load_correlated_policy",
    "nash_conv",
    "plan_value",
    "play_matches",
    "prove_value",
    "save_correlated_policy",
    "utility_gradient",
]
