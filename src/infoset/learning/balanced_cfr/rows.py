"""Balanced CFR by name, with presets."""

from __future__ import annotations

from math import sqrt

from infoset.learning.balanced_cfr.learner import BalancedCFR
from infoset.learning.step_sizes import StepSizes, TreeSize
from infoset.learning.tuned import tuned_step_sizes

__all__ = ["BALANCED_CFR_LEARNERS", "balanced_cfr_step_sizes"]

BASELINE_WINDOW = 1000


def balanced_cfr_step_sizes(size: TreeSize, iterations: int) -> StepSizes:
    """Return η = √(XA ι / (H³ T)) for T iterations, and no implicit exploration.

    The one that makes XA ι / η + η H³ T least, which bounds the regret of Algorithm 2 of Bai, Jin,
    Mei and Yu (2022).
    """
    decisions = max(size.decisions, 1)
    return StepSizes(sqrt(size.sequences * size.confidence / (decisions**3 * iterations)), 0.0)


BALANCED_CFR_LEARNERS: tuple[BalancedCFR, ...] = (
    BalancedCFR(
        "balanced-cfr-hedge",
        "counterfactual regrets, each layer explored evenly, Hedge (Bai et al. 2022, Algorithm 2)",
        step_sizes=balanced_cfr_step_sizes,
        presets={
            "theory": {"step_sizes": balanced_cfr_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes(0.03, 3.0, 3.0)},
            "anytime": {"anytime": True},
        },
    ),
    BalancedCFR(
        "balanced-cfr-rm",
        "counterfactual regrets, each layer explored evenly, regret matching (Bai et al. 2022)",
    ),
    BalancedCFR(
        "balanced-cfr-rm+",
        "balanced-cfr-rm that forgets regrets below zero",
        clip_regrets=True,
    ),
    BalancedCFR(
        "balanced-cfr-baseline",
        "balanced-cfr-rm with a running mean taken off losses: less noise (ours)",
        center=0.5,
        baseline_window=BASELINE_WINDOW,
    ),
)
