"""Regret minimisation on treeplexes: schemes as data, one kernel, the state they move."""

from infoset.regret._kernels import terminal_gradient
from infoset.regret.minimizer import RegretMinimizer
from infoset.regret.scheme import SCHEMES, RegretScheme

__all__ = ["SCHEMES", "RegretMinimizer", "RegretScheme", "terminal_gradient"]
