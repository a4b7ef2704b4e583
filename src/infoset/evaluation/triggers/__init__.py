"""Recommendations that are not followed: trigger deviations, and the gap they measure."""

from infoset.evaluation.triggers._kernels import TriggerPairs
from infoset.evaluation.triggers.gap import (
    EFCEEvaluation,
    EFCEEvaluator,
    TriggerDeviation,
    evaluate_efce,
)
from infoset.evaluation.triggers.pairs import trigger_pairs

__all__ = [
    "EFCEEvaluation",
    "EFCEEvaluator",
    "TriggerDeviation",
    "TriggerPairs",
    "evaluate_efce",
    "trigger_pairs",
]
