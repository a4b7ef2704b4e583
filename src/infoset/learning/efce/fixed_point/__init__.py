"""Fixed points of deviations: policies that would not have been better off deviating."""

from infoset.learning.efce.fixed_point._kernels import solve_all, solve_infostate

__all__ = ["solve_all", "solve_infostate"]
