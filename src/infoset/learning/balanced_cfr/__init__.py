"""Balanced CFR: counterfactual regrets from episodes that explore each layer evenly."""

from infoset.learning.balanced_cfr.learner import BalancedCFR, BalancedCFRSelfPlay

__all__ = ["BalancedCFR", "BalancedCFRSelfPlay"]
