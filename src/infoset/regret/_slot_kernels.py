"""What to choose at one decision, from regrets that are slots of flat arrays."""

from __future__ import annotations

import numpy as np

from infoset.typing import FloatArray
from infoset.utils.compilation import inner_kernel

LEAST_EXPONENT = -700.0
"""Less would give numbers below the least normal one, which take many times as long."""


@inner_kernel
def match_regrets(first_slot: int, end: int, regret: FloatArray, policy: FloatArray) -> None:
    """Set the policy at an infostate in proportion to positive regret, `policy` [S] in place.

    Uniform where no regret is positive.
    """
    total = 0.0
    for slot in range(first_slot, end):
        policy[slot] = max(regret[slot], 0.0)
        total += policy[slot]
    for slot in range(first_slot, end):
        policy[slot] = policy[slot] / total if total > 0.0 else 1.0 / (end - first_slot)


@inner_kernel
def hedge(first_slot: int, end: int, rate: float, regret: FloatArray, policy: FloatArray) -> None:
    """Set the policy at an infostate in proportion to exp(rate · regret), `policy` in place.

    What is less than e⁻⁷⁰⁰ times as likely as another action is not played.
    """
    most = regret[first_slot]
    for slot in range(first_slot + 1, end):
        most = max(most, regret[slot])
    total = 0.0
    for slot in range(first_slot, end):
        exponent = rate * (regret[slot] - most)
        policy[slot] = np.exp(exponent) if exponent > LEAST_EXPONENT else 0.0
        total += policy[slot]
    for slot in range(first_slot, end):
        policy[slot] /= total
