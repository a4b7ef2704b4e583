"""Balanced CFR by name, with presets."""

from __future__ import annotations

from math import sqrt

from infoset.learning.balanced_cfr.learner import BalancedCfr
from infoset.learning.steps import Steps, TreeSize
from infoset.learning.tuned import tuned_steps

__all__ = ["BALANCED_CFR_LEARNERS", "hedge_steps"]

WINDOW = 1000


def hedge_steps(size: TreeSize, iterations: int) -> Steps:
    """Return η = √(XA ι / (H³ T)) for T iterations, and no implicit exploration.

    The one that makes XA ι / η + η H³ T least, which bounds the regret of Algorithm 2 of Bai, Jin,
    Mei and Yu (2022).
    """
    decisions = max(size.decisions, 1)
    return Steps(sqrt(size.sequences * size.confidence / (decisions**3 * iterations)), 0.0)


BALANCED_CFR_LEARNERS: tuple[BalancedCfr, ...] = (
    BalancedCfr(
        "balanced-cfr-hedge",
        "counterfactual regrets, each layer explored evenly, Hedge (Bai et al. 2022, Algorithm 2)",
        steps=hedge_steps,
        presets={
            "theory": {"steps": hedge_steps},
            "tuned": {"steps": tuned_steps(0.03, 3.0, 3.0)},
            "anytime": {"anytime": True},
        },
    ),
    BalancedCfr(
        "balanced-cfr-rm",
        "counterfactual regrets, each layer explored evenly, regret matching (Bai et al. 2022)",
    ),
    BalancedCfr(
        "balanced-cfr-rm+",
        "balanced-cfr-rm that forgets regrets below zero",
        forgetful=True,
    ),
    BalancedCfr(
        "balanced-cfr-baseline",
        "balanced-cfr-rm with a running mean taken off losses: less noise (ours)",
        centre=0.5,
        window=WINDOW,
    ),
)
