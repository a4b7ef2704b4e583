"""Learners of extensive-form correlated equilibria."""

from infoset.learning.efce.learner import BalancedEFCEOMD, BalancedEFCEOMDSelfPlay

__all__ = ["BalancedEFCEOMD", "BalancedEFCEOMDSelfPlay"]
