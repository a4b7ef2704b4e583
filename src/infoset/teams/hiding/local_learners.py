"""Local regret minimizers, one at each information-set cell."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from infoset.errors import ParameterError
from infoset.typing import FloatArray
from infoset.utils.arguments import check_number


@dataclass(frozen=True)
class LocalLearner:
    """The parameters of the regret minimizers, one at each cell.

    After each iteration, a minimizer with policy π and observed values v updates its regrets:

        R ← max(R + v - <π, v>, min_regret)

    Its policy in iteration t is proportional to exp(learning_rate · t^decay_exponent · R), or to
    max(R, 0) if the learning rate is 0.
    """

    name: str
    learning_rate: float
    """η, per unit of utility; 0 for regret matching."""
    noise: float
    """Standard deviation σ of the normal initial noise. With a positive learning rate it is added
    to the exponent. For regret matching, its absolute value in utility units is the initial regret.
    Without noise the initial policy is uniform."""
    decay_exponent: float = 0.0
    """Exponent of the iteration number t in the learning rate."""
    min_regret: float = -inf
    """Lower bound at which regrets are clipped, in utility units; at most 0."""

    def __post_init__(self) -> None:
        check_number("learning_rate", self.learning_rate)
        check_number("noise", self.noise)
        check_number("decay_exponent", self.decay_exponent, minimum=-inf)
        if np.isnan(self.min_regret) or self.min_regret > 0:
            raise ParameterError(
                f"min_regret={self.min_regret!r} must be at most 0, such as 0.0 or -inf"
            )

    def first_regrets(self, size: int, generator: np.random.Generator) -> FloatArray:
        """Return [size] initial regrets."""
        noise = generator.normal(0.0, self.noise, size)
        # The exponent is rate · R: divided by the rate, the noise in it has deviation σ.
        return noise / self.learning_rate if self.learning_rate > 0.0 else np.abs(noise)


def entropic_ftrl(learning_rate: float = 1.0, noise: float = 0.5) -> LocalLearner:
    """Return follow-the-regularized-leader with entropy: π ∝ exp(b + η Σ v), b ~ N(0, σ²).

    Examples
    --------
    >>> entropic_ftrl(learning_rate=2.0).decay_exponent
    0.0
    """
    _check_learning_rate(learning_rate)
    return LocalLearner("entropic-ftrl", learning_rate, noise)


def hedge(learning_rate: float = 1.0, noise: float = 0.5) -> LocalLearner:
    """Return Hedge with a decreasing rate: π ∝ exp(η/√t · R). The initial noise fades."""
    _check_learning_rate(learning_rate)
    return LocalLearner("hedge", learning_rate, noise, decay_exponent=-0.5)


def regret_matching(noise: float = 0.1) -> LocalLearner:
    """Return regret matching: π ∝ max(R, 0), uniform where no regret is positive."""
    return LocalLearner("regret-matching", 0.0, noise)


def regret_matching_plus(noise: float = 0.1) -> LocalLearner:
    """Return regret matching+: regret matching with regrets clipped at 0."""
    return LocalLearner("regret-matching+", 0.0, noise, min_regret=0.0)


def _check_learning_rate(learning_rate: float) -> None:
    check_number("learning_rate", learning_rate)
    if learning_rate == 0:
        raise ParameterError(
            "learning_rate=0 would never change the policy; give a positive rate, such as 1.0"
        )
