"""Learners of extensive-form correlated equilibria."""

from infoset.learning.efce.learner import TriggerOmd, TriggerSelfPlay

__all__ = ["TriggerOmd", "TriggerSelfPlay"]
