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

__all__ = [
    "BestResponse",
    "Evaluation",
    "best_response",
    "evaluate_plans",
    "evaluate_policy",
    "expected_values",
    "exploitability",
    "nash_conv",
]
