"""Learning again from where learning ended: rounds, between which regrets are nearly forgotten."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.errors import ParameterError
from infoset.utils.arguments import check_count, check_number

__all__ = ["RegretRestarts"]


@dataclass(frozen=True)
class RegretRestarts:
    """When learners forget, and what is left then of their regrets.

    After each round

        regret ← retain · regret + noise

    and the penalty schedule begins again. At `retain` 0 that is a restart. A little that is retain
    settles again, as it was, what was clear, while the noise settles anew what was not: a word that
    two items share, and another that none has.

    Attributes
    ----------
    iterations : int
        Of a round.
    retain : float
        The share of regrets that is retain.
    noise : float
        σ of what is added, as in the learner: in the exponent, or in units of utility where regrets
        are matched.

    Raises
    ------
    ParameterError
        If a number is none, or the share is more than 1.
    """

    iterations: int
    retain: float = 0.001
    noise: float = 0.5

    def __post_init__(self) -> None:
        check_count("iterations", self.iterations, minimum=1)
        check_number("retain", self.retain)
        check_number("noise", self.noise)
        if self.retain > 1:
            raise ParameterError(f"retain={self.retain!r} is a share: it must be between 0 and 1")
