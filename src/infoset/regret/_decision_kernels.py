"""Kernels that compute the policy of one infostate from its regrets, a range of a flat array."""

from __future__ import annotations

import numpy as np

from infoset.typing import FloatArray
from infoset.utils.compilation import inner_kernel

MIN_EXPONENT = -700.0
"""Lower exponents give subnormal numbers, whose arithmetic is many times slower."""


@inner_kernel
def match_regrets(first: int, end: int, regret: FloatArray, policy: FloatArray) -> None:
    """Set the policy at an infostate in proportion to its positive regrets.

    regret, policy: [Q]; the positions from `first` up to `end` are those of the infostate.
    policy is modified in place. If no regret is positive, the policy is uniform.
    """
    # σ(a) = max(R(a), 0) / Σ_b max(R(b), 0) (Zinkevich et al. 2007, eq. 8)
    total = 0.0
    for sequence in range(first, end):
        policy[sequence] = max(regret[sequence], 0.0)
        total += policy[sequence]
    # Σ R⁺ = 0 is tested exactly: a tolerance would depend on the unit of utility.
    for sequence in range(first, end):
        policy[sequence] = policy[sequence] / total if total > 0.0 else 1.0 / (end - first)


@inner_kernel
def hedge(first: int, end: int, rate: float, regret: FloatArray, policy: FloatArray) -> None:
    """Set the policy at an infostate in proportion to exp(rate · regret).

    regret, policy: as in `match_regrets`. Actions below e⁻⁷⁰⁰ times the most probable one get
    probability zero.
    """
    # Subtracting the maximum leaves the policy unchanged and keeps the exponentials finite.
    maximum = regret[first]
    for sequence in range(first + 1, end):
        maximum = max(maximum, regret[sequence])
    total = 0.0
    for sequence in range(first, end):
        exponent = rate * (regret[sequence] - maximum)
        # zero instead of subnormal numbers, see MIN_EXPONENT
        policy[sequence] = np.exp(exponent) if exponent > MIN_EXPONENT else 0.0
        total += policy[sequence]
    for sequence in range(first, end):
        policy[sequence] /= total
