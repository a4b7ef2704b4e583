"""Penalty schedules: how γ changes from one iteration to the next."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from infoset.errors import ParameterError
from infoset.utils.arguments import check_count, check_number

__all__ = [
    "PenaltySchedule",
    "adaptive_penalty",
    "check_penalty",
    "constant_penalty",
    "geometric_penalty",
    "linear_penalty",
]


@dataclass(frozen=True)
class PenaltySchedule:
    """The penalty coefficient γ of each iteration, in utility units, as numbers.

    After an iteration in which the relaxed policy earns J,

        γ ← clip(γ · (up if J > target else down) + step, low, high)

    Attributes
    ----------
    name : str
    first : float
        γ of the first iteration.
    up, down : float
        Factors of γ.
    step : float
    target : float
        Payoff, in the game's units.
    low, high : float
        Bounds of γ.

    Raises
    ------
    ParameterError
        If γ is or could become negative or not finite, or a factor is negative.
    """

    name: str
    first: float
    up: float = 1.0
    down: float = 1.0
    step: float = 0.0
    target: float = inf
    low: float = 0.0
    high: float = inf

    def __post_init__(self) -> None:
        check_penalty("first", self.first)
        check_penalty("low", self.low)
        check_number("up", self.up)
        check_number("down", self.down)
        check_number("step", self.step, minimum=-inf)
        if not self.low <= self.first <= self.high:
            raise ParameterError(
                f"the first penalty {self.first} is not between low={self.low} and "
                f"high={self.high}; widen the bounds, or choose first between them"
            )
        if self.target != self.target:
            raise ParameterError("target=nan must be a payoff in the game's units")


def constant_penalty(penalty: float) -> PenaltySchedule:
    """Return a constant penalty.

    Raises
    ------
    ParameterError
        If it is negative or not finite.

    Examples
    --------
    >>> constant_penalty(0.3).first
    0.3
    """
    check_penalty("penalty", penalty)
    return PenaltySchedule("constant", penalty)


def geometric_penalty(first: float, last: float, iterations: int) -> PenaltySchedule:
    """Return a penalty that changes by a constant factor per iteration, from `first` to `last`.

    The last of `iterations` has the penalty `last`, which then stays.

    Raises
    ------
    ParameterError
        If a penalty is not positive, or there are fewer than two iterations.
    """
    _check_ends(first, last, iterations)
    if not first > 0 < last:
        raise ParameterError(
            f"a penalty cannot grow by a factor from {first} to {last}; give numbers above 0, or "
            "linear_penalty(first, last, iterations)"
        )
    factor = (last / first) ** (1 / (iterations - 1))
    low, high = sorted((first, last))
    return PenaltySchedule("geometric", first, factor, factor, low=low, high=high)


def linear_penalty(first: float, last: float, iterations: int) -> PenaltySchedule:
    """Return a penalty that changes by a constant amount per iteration, from `first` to `last`.

    The last of `iterations` has the penalty `last`, which then stays.

    Raises
    ------
    ParameterError
        If a penalty is negative, or there are fewer than two iterations.
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

    While it earns more than `target` the penalty is multiplied by 1 + `change`, otherwise divided
    by it.

    Parameters
    ----------
    target : float
        In the game's units.
    first : float
    change : float
    low, high : float
        Bounds of the penalty.
    """
    check_number("target", target, minimum=-inf)
    check_number("change", change)
    factor = 1.0 + change
    return PenaltySchedule(
        "adaptive", first, factor, 1.0 / factor, target=target, low=low, high=high
    )


def check_penalty(name: str, value: float) -> None:
    """Raise unless a value is a valid penalty.

    Raises
    ------
    ParameterError
        If it is negative or not finite.
    """
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
