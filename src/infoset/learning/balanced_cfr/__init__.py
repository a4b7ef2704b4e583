"""Balanced CFR: counterfactual regrets from episodes that explore each layer evenly."""

from infoset.learning.balanced_cfr.learner import BalancedCfr, BalancedCfrSelfPlay

__all__ = ["BalancedCfr", "BalancedCfrSelfPlay"]
