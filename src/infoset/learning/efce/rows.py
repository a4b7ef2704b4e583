"""Learners of extensive-form correlated equilibria by name, with presets."""

from __future__ import annotations

from math import log, sqrt

from infoset.learning.efce.learner import BalancedEFCEOMD
from infoset.learning.step_sizes import FAILURE, StepSizes, TreeSize

__all__ = ["EFCE_LEARNERS", "efce_omd_step_sizes", "efce_omd_total_loss_step_sizes"]


def _confidence(size: TreeSize) -> float:
    """Return ι = log(10 XA / δ)."""
    return log(10.0 * max(size.sequences, 1) / FAILURE)


def efce_omd_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(XA ι / (H⁴ T)) and γ = 2 √(XA ι / (H² T)), ι = log(10 XA / δ).

    Source: Bai et al. (2022b).
    """
    scale = sqrt(max(size.sequences, 1) * _confidence(size) / episodes)
    decisions = max(size.decisions, 1)
    return StepSizes(scale / decisions**2, 2.0 * scale / decisions)


def efce_omd_total_loss_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(XA ι / (H² T)) and γ = 2 √(XA ι / T), for a total loss in [0, 1]."""
    decisions = max(size.decisions, 1)
    rate, exploration = efce_omd_step_sizes(size, episodes)
    return StepSizes(rate * decisions, exploration * decisions)


EFCE_LEARNERS: tuple[BalancedEFCEOMD, ...] = (
    BalancedEFCEOMD(
        "balanced-efce-omd",
        "mirror descent on trigger deviations: correlated equilibria (Bai et al. 2022b)",
        efce_omd_step_sizes,
        presets={
            "theory": {"step_sizes": efce_omd_step_sizes},
            "practical": {"step_sizes": efce_omd_total_loss_step_sizes},
            "anytime": {"anytime": True},
        },
    ),
)
