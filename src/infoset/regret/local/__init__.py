"""Regret minimization by any local rule, on treeplexes that may be perturbed."""

from infoset.regret.local.minimizer import LocalMinimizer
from infoset.regret.local.rule import LocalRule, Schedule, rule_of_scheme

__all__ = ["LocalMinimizer", "LocalRule", "Schedule", "rule_of_scheme"]
