"""Regularized CFR: optimistic mirror descent at every infostate, last iterate."""

from infoset.solvers.reg_cfr.solver import RegCFR, RegCFRSolver

__all__ = ["RegCFR", "RegCFRSolver"]
