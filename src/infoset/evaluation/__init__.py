"""Measuring policies: values, best responses, exploitability."""

from infoset.evaluation.exploitability import (
    BestResponse,
    Evaluation,
    best_response,
    evaluate_plans,
    evaluate_policy,
    expected_values,
    exploitability,
    nash_conv,
)
from infoset.evaluation.matches import MatchResult, play_matches

__all__ = [
    "BestResponse",
    "Evaluation",
    "MatchResult",
    "best_response",
    "evaluate_plans",
    "evaluate_policy",
    "expected_values",
    "exploitability",
    "nash_conv",
    "play_matches",
]
