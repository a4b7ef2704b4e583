"""Penalty schedules: how γ changes from one iteration to the next."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from infoset.errors import ParameterError
from infoset.utils.arguments import check_count, check_number


@dataclass(frozen=True)
class PenaltySchedule:
    """The rule for the penalty coefficient γ of each iteration, in utility units.

    After an iteration in which the relaxed policy has the payoff J,

        γ ← clip(γ · (up if J > target else down) + step, low, high)
    """

    name: str
    first: float
    """γ of the first iteration."""
    up: float = 1.0
    down: float = 1.0
    """Factors by which γ is multiplied if J is above the target, and otherwise."""
    step: float = 0.0
    """Amount added to γ in each iteration."""
    target: float = inf
    """Payoff with which J is compared, in the game's units."""
    low: float = 0.0
    high: float = inf
    """Bounds of γ."""

    def __post_init__(self) -> None:
        check_penalty("first", self.first)
        check_penalty("low", self.low)
        check_number("up", self.up)
        check_number("down", self.down)
        check_number("step", self.step, minimum=-inf)
        if not self.low <= self.first <= self.high:
            raise ParameterError(
                f"the first penalty {self.first} is not between low={self.low} and "
                f"high={self.high}; give a first penalty between the bounds, or widen the bounds"
            )
        if self.target != self.target:
            raise ParameterError("target=nan is not a number; give a payoff in the game's units")


def constant_penalty(penalty: float) -> PenaltySchedule:
    """Return a constant penalty.

    Examples
    --------
    >>> constant_penalty(0.3).first
    0.3
    """
    check_penalty("penalty", penalty)
    return PenaltySchedule("constant", penalty)


def geometric_penalty(first: float, last: float, iterations: int) -> PenaltySchedule:
    """Return a penalty that changes by a constant factor per iteration, from `first` to `last`.

    The penalty is `last` in iteration number `iterations` and in all later ones.
    """
    _check_ends(first, last, iterations)
    if not first > 0 < last:
        raise ParameterError(
            f"a penalty cannot change by a constant factor from {first} to {last}; give positive "
            "numbers, or use linear_penalty(first, last, iterations)"
        )
    # `last` is the penalty of iteration number `iterations`, after one step fewer.
    factor = (last / first) ** (1 / (iterations - 1))
    low, high = sorted((first, last))
    return PenaltySchedule("geometric", first, factor, factor, low=low, high=high)


def linear_penalty(first: float, last: float, iterations: int) -> PenaltySchedule:
    """Return a penalty that changes by a constant amount per iteration, from `first` to `last`.

    The penalty is `last` in iteration number `iterations` and in all later ones.
    """
    _check_ends(first, last, iterations)
    step = (last - first) / (iterations - 1)
    low, high = sorted((first, last))
    return PenaltySchedule("linear", first, step=step, low=low, high=high)


def adaptive_penalty(
    target: float,
    first: float = 10.0,
    change: float = 0.2,
    low: float = 0.05,
    high: float = 500.0,
) -> PenaltySchedule:
    """Return a penalty that keeps the payoff of the relaxed policy near a target.

    After an iteration in which the relaxed policy earns more than `target`, the penalty is
    multiplied by 1 + `change`; otherwise it is divided by 1 + `change`.

    Parameters
    ----------
    target
        Payoff of the relaxed policy, in the game's units.
    first
        Penalty of the first iteration.
    change
        Relative change of the penalty per iteration.
    low, high
        Bounds of the penalty.
    """
    check_number("target", target, minimum=-inf)
    check_number("change", change)
    factor = 1.0 + change
    return PenaltySchedule(
        "adaptive", first, factor, 1.0 / factor, target=target, low=low, high=high
    )


def check_penalty(name: str, value: float) -> None:
    """Raise unless a value is a valid penalty."""
    try:
        check_number(name, value)
    except ParameterError as error:
        raise ParameterError(
            f"invalid penalty γ: {error}; a negative penalty would reward policies that cannot be "
            "implemented"
        ) from error


def _check_ends(first: float, last: float, iterations: int) -> None:
    check_penalty("first", first)
    check_penalty("last", last)
    check_count("iterations", iterations, minimum=2)
