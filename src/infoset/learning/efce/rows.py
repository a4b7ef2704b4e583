"""Learners of extensive-form correlated equilibria by name, with presets."""

from __future__ import annotations

from math import log, sqrt

from infoset.learning.efce.learner import TriggerOmd
from infoset.learning.steps import FAILURE, Steps, TreeSize

__all__ = ["EFCE_LEARNERS", "trigger_steps", "trigger_total_steps"]


def _confidence(size: TreeSize) -> float:
    """Return ι = log(10 XA / δ)."""
    return log(10.0 * max(size.sequences, 1) / FAILURE)


def trigger_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(XA ι / (H⁴ T)) and γ = 2 √(XA ι / (H² T)), ι = log(10 XA / δ).

    Source: Bai et al. (2022b).
    """
    scale = sqrt(max(size.sequences, 1) * _confidence(size) / episodes)
    decisions = max(size.decisions, 1)
    return Steps(scale / decisions**2, 2.0 * scale / decisions)


def trigger_total_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(XA ι / (H² T)) and γ = 2 √(XA ι / T), for a total loss in [0, 1]."""
    decisions = max(size.decisions, 1)
    rate, exploration = trigger_steps(size, episodes)
    return Steps(rate * decisions, exploration * decisions)


EFCE_LEARNERS: tuple[TriggerOmd, ...] = (
    TriggerOmd(
        "balanced-efce-omd",
        "mirror descent on trigger deviations: correlated equilibria (Bai et al. 2022b)",
        trigger_steps,
        presets={
            "theory": {"steps": trigger_steps},
            "practical": {"steps": trigger_total_steps},
            "anytime": {"anytime": True},
        },
    ),
)
