"""Learning again from where learning ended: rounds, between which regrets are nearly forgotten."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.errors import ParameterError
from infoset.utils.arguments import check_count, check_number

__all__ = ["Rounds"]


@dataclass(frozen=True)
class Rounds:
    """When learners forget, and what is left then of their regrets.

    After each round

        regret ← kept · regret + noise

    and the penalty schedule begins again. At `kept` 0 that is a restart. A little that is kept
    settles again, as it was, what was clear, while the noise settles anew what was not: a word that
    two items share, and another that none has.

    Attributes
    ----------
    iterations : int
        Of a round.
    kept : float
        The share of regrets that is kept.
    noise : float
        σ of what is added, as in the learner: in the exponent, or in units of utility where regrets
        are matched.

    Raises
    ------
    ParameterError
        If a number is none, or the share is more than 1.
    """

    iterations: int
    kept: float = 0.001
    noise: float = 0.5

    def __post_init__(self) -> None:
        check_count("iterations", self.iterations, minimum=1)
        check_number("kept", self.kept)
        check_number("noise", self.noise)
        if self.kept > 1:
            raise ParameterError(f"kept={self.kept!r} is a share: it must be between 0 and 1")
