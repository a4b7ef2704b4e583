"""Recommendations that are not followed: trigger deviations, and the gap they measure."""

from infoset.evaluation.triggers._kernels import TriggerPairs
from infoset.evaluation.triggers.gap import (
    TriggerEvaluation,
    TriggerGain,
    TriggerPlay,
    evaluate_triggers,
)
from infoset.evaluation.triggers.pairs import trigger_pairs

__all__ = [
    "TriggerEvaluation",
    "TriggerGain",
    "TriggerPairs",
    "TriggerPlay",
    "evaluate_triggers",
    "trigger_pairs",
]
