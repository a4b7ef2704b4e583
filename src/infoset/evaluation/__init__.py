"""Exact evaluation of policies: values, best responses, equilibrium gaps, and leakage."""

from infoset.evaluation.best_responses import (
    BestResponse,
    Evaluation,
    best_response,
    best_response_plan,
    evaluate_plans,
    evaluate_policy,
    evaluation_of,
    expected_values,
    exploitability,
    nash_conv,
)
from infoset.evaluation.cce import CCEEvaluation, CCEEvaluator, evaluate_cce
from infoset.evaluation.correlated_policies import (
    CorrelatedPolicy,
    load_correlated_policy,
    save_correlated_policy,
)
from infoset.evaluation.decisions import decision_losses, decision_values
from infoset.evaluation.efce import (
    EFCEEvaluation,
    EFCEEvaluator,
    TriggerDeviation,
    evaluate_efce,
)
from infoset.evaluation.extensive_form_values import Behavior, behavior_values
from infoset.evaluation.hand_equity import equity_at
from infoset.evaluation.information_leakage import (
    TrueStateSamplingRatio,
    hand_sampling_ratios,
    mean_true_state_sampling_ratio,
    true_state_sampling_ratio,
)
from infoset.evaluation.infostate_statuses import STATUSES, infostate_status
from infoset.evaluation.joint_distributions import JointDistribution, joint_distribution
from infoset.evaluation.leak_reports import (
    LEAK_GROUPS,
    Leak,
    LeakGroup,
    LeakReport,
    leak_report,
    policy_differences,
)
from infoset.evaluation.locks import Lock, locked_behavior, parse_locks
from infoset.evaluation.profile_values import (
    TransformedValues,
    transformed_profiles,
    transformed_values,
)
from infoset.evaluation.proof_certificates import make_certificate
from infoset.evaluation.public_continuations import (
    PublicContinuation,
)
from infoset.evaluation.public_values import PublicValues
from infoset.evaluation.reached_response import ReachedResponse, reached_best_response
from infoset.evaluation.tree_values import history_values
from infoset.evaluation.value_proofs import ValueProof, prove_value
from infoset.evaluation.values_by_hand import HandEvaluation, evaluate_hands

__all__ = [
    "LEAK_GROUPS",
    "STATUSES",
    "Behavior",
    "BestResponse",
    "CCEEvaluation",
    "CCEEvaluator",
    "CorrelatedPolicy",
    "EFCEEvaluation",
    "EFCEEvaluator",
    "Evaluation",
    "HandEvaluation",
    "JointDistribution",
    "Leak",
    "LeakGroup",
    "LeakReport",
    "Lock",
    "PublicContinuation",
    "PublicValues",
    "ReachedResponse",
    "TransformedValues",
    "TriggerDeviation",
    "TrueStateSamplingRatio",
    "ValueProof",
    "behavior_values",
    "best_response",
    "best_response_plan",
    "decision_losses",
    "decision_values",
    "equity_at",
    "evaluate_cce",
    "evaluate_efce",
    "evaluate_hands",
    "evaluate_plans",
    "evaluate_policy",
    "evaluation_of",
    "expected_values",
    "exploitability",
    "hand_sampling_ratios",
    "history_values",
    "infostate_status",
    "joint_distribution",
    "leak_report",
    "load_correlated_policy",
    "locked_behavior",
    "make_certificate",
    "mean_true_state_sampling_ratio",
    "nash_conv",
    "parse_locks",
    "policy_differences",
    "prove_value",
    "reached_best_response",
    "save_correlated_policy",
    "transformed_profiles",
    "transformed_values",
    "true_state_sampling_ratio",
]
