"""Where the weights of the projector come from: reference profiles as rows of shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from infoset.errors import ParameterError
from infoset.utils.arguments import check_number
from infoset.utils.registry import Registry

__all__ = ["PROJECTORS", "Projector"]


@dataclass(frozen=True)
class Projector:
    """The reference profile of a projector, as shares of three reaches that sum to 1.

    The weight of a node is

        ρ(n) = current · ρ^π(n) + previous · ρ^π̂(n) + uniform · ρ^u(n)

    with π the relaxed policy of this iteration, π̂ the projection of the previous iteration, and u
    uniform play.

    Attributes
    ----------
    name : str
    description : str
        One line.
    current, previous, uniform : float

    Raises
    ------
    ParameterError
        If a share is negative, or they do not sum to 1.
    """

    name: str
    description: str
    current: float = 0.0
    previous: float = 0.0
    uniform: float = 0.0

    def __post_init__(self) -> None:
        shares = self.current, self.previous, self.uniform
        for name, share in zip(("current", "previous", "uniform"), shares, strict=True):
            check_number(name, share)
        if abs(sum(shares) - 1.0) > 1e-12:
            raise ParameterError(
                f"the shares {shares} of a projector sum to {sum(shares)}; they must sum to 1"
            )

    def mixed(self, share: float) -> Projector:
        """Return the projector with `share` of its weights taken from uniform play.

        For learners that leave out actions, so that whatever can happen has some weight.

        Raises
        ------
        ParameterError
            If the share is not between 0 and 1.
        """
        check_number("share", share, maximum=1)
        kept = 1.0 - share
        uniform = kept * self.uniform + share
        return Projector(
            self.name, self.description, kept * self.current, kept * self.previous, uniform
        )


PROJECTORS: Final = Registry(
    "projector",
    (
        Projector("current", "by the reach under the relaxed policy", current=1.0),
        Projector("previous", "by the reach under the last implementable policy", previous=1.0),
        Projector(
            "uniform", "by the reach under uniform play; fails, kept to show it", uniform=1.0
        ),
    ),
    entry_type=Projector,
)
"""The projectors that have a name."""
