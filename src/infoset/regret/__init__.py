"""Regret minimisation on treeplexes: schemes as data, one kernel, the state they move."""

from infoset.regret._kernels import terminal_gradient
from infoset.regret.minimizer import RegretMinimizer
from infoset.regret.scheme import SCHEMES, Drift, Exponent, RegretScheme

__all__ = [
    "SCHEMES",
    "Drift",
    "Exponent",
    "RegretMinimizer",
    "RegretScheme",
    "terminal_gradient",
]
