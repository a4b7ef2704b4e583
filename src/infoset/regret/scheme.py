"""A member of the CFR family as data: how regrets accumulate and plans are averaged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.errors import NumericalError, ParameterError
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count, check_number


class LinearSchedule(NamedTuple):
    """An exponent that changes linearly over the planned iterations and then remains constant."""

    start: float
    """Value at iteration 1."""
    end: float
    """Value after `horizon` iterations."""


Exponent: TypeAlias = float | LinearSchedule
"""A constant, or a linear schedule over the iterations."""


TOLERANCE_DOUBLING = 16
"""Iterations after which tolerances for ties have doubled: a sum of regrets has one rounding error
per iteration, and the same tie often has the same error."""


@dataclass(frozen=True)
class RegretScheme:
    """A member of the CFR family: how regrets accumulate and plans are averaged.

    With q the counterfactual value of an action and v that of its infostate, iteration t sets

        r ← t ** regret_exponent · (q − v)
        R ← max(discount(t) · R + r, regret_floor)
        z ← max(discount(t + 1) · R + prediction · r, 0)

    and plays in proportion to z, or uniformly if z is zero. The discount is 1, or
    `(t − 1)^e / ((t − 1)^e + discount_offset)`, where e is the exponent for the sign of R. z is
    discounted only if the scheme predicts. The sum of plans is multiplied by
    `((t − 1) / t) ** average_exponent` before plan t is added. So with a constant exponent, plan t
    has the weight `t ** average_exponent` in the average.

    Attributes
    ----------
    name
        The method in `solve` and in results.
    description
        One line, with the source.
    regret_exponent
        0 to weight all iterations equally, 1 for linear weights.
    positive_discount, negative_discount
        Exponents of the discounts of positive and of other regrets; None for no discount.
    discount_offset
        Constant in the denominator of the discounts.
    regret_floor
        0 for regret matching+, −∞ for regret matching.
    prediction
        Weight of the last instantaneous regret as a prediction of the next; 0 for no prediction.
    adaptive_limit
        If given, the prediction has the weight 1 / (1 + α), where α ≤ `adaptive_limit` is computed
        at each infostate from the changes of its regrets.
    average_exponent
        0 for the uniform average, 1 for the linear one.
    average_delay
        Number of first iterations that the average omits; meanwhile it is the current plan.
    averages_next
        Whether iteration t adds to the average the plan that it computes, instead of the plan that
        it starts from.
    alternating
        Whether each player responds to the plans that earlier players have just computed. Otherwise
        all players respond to the plans of the previous iteration.
    horizon
        Planned number of iterations, for linear schedules; `solve` sets it to `iterations` or, with
        only `seconds`, to the number that fits, at the measured rate. With only a target it stays
        as it is, because the number of iterations is unknown.

    Examples
    --------
    A variant changes some numbers:

    >>> from dataclasses import replace
    >>> from infoset import solve
    >>> from infoset.regret import SCHEMES
    >>> mine = replace(SCHEMES["cfr+"], name="mine", average_exponent=2)
    >>> solve("kuhn_poker", mine, iterations=1000).method
    'mine'
    """

    name: str
    description: str
    regret_exponent: float = 0.0
    positive_discount: Exponent | None = None
    negative_discount: Exponent | None = None
    discount_offset: float = 1.0
    regret_floor: float = -inf
    prediction: float = 0.0
    adaptive_limit: float | None = None
    average_exponent: Exponent = 0.0
    average_delay: int = 0
    averages_next: bool = False
    alternating: bool = True
    horizon: int = 1000

    def __post_init__(self) -> None:
        for name in ("regret_exponent", "discount_offset", "prediction"):
            check_number(name, getattr(self, name))
        for name, minimum in (
            ("positive_discount", -inf),
            ("negative_discount", -inf),
            ("average_exponent", 0.0),
        ):
            _check_exponent(name, getattr(self, name), minimum)
        if self.adaptive_limit is not None:
            check_number("adaptive_limit", self.adaptive_limit)
        if not (self.regret_floor == -inf or -inf < self.regret_floor <= 0):
            raise ParameterError(
                f"regret_floor={self.regret_floor} must be at most 0: 0 for regret matching+, "
                "-inf for regret matching"
            )
        check_count("average_delay", self.average_delay)
        check_count("horizon", self.horizon, minimum=1)

    @property
    def depends_on_horizon(self) -> bool:
        """Whether a schedule depends on the planned number of iterations."""
        exponents = (self.positive_discount, self.negative_discount, self.average_exponent)
        return any(isinstance(exponent, LinearSchedule) for exponent in exponents)

    def schedule(self, first: int, count: int) -> FloatArray:
        """Return [count, 9] the numbers that the kernel needs for iterations from `first` on.

        Columns: weight of the instantaneous regret; discounts of positive and of other regrets;
        regret floor; discount and weight of the prediction; factor by which the average is
        multiplied, and weight of the plan added to it; factor of the tolerances for ties.

        Raises
        ------
        NumericalError
            If a number is too large for floating point.
        """
        return _schedule(self, first, count).copy()

    def checked_schedule(self, first: int, count: int) -> FloatArray:
        """Return `schedule`, which a subclass may have overridden, for a kernel.

        Raises
        ------
        NumericalError
            As `schedule`.
        ParameterError
            If there are not `NUM_COLUMNS` numbers for each iteration: a kernel would read others.
        """
        rows = self.schedule(first, count)
        if rows.shape != (count, NUM_COLUMNS):
            raise ParameterError(
                f"the schedule of {self.name} has shape {rows.shape} for {count} iterations; "
                f"return an array of shape ({count}, {NUM_COLUMNS}), such as a changed copy of "
                "super().schedule(first, count)"
            )
        return rows

    def _rows(self, first: int, count: int) -> FloatArray:
        t = np.arange(first, first + count, dtype=np.float64)
        one = np.ones(count)
        # Number of iterations in the average; during the delay, their weight is 0 (last column).
        averaged = np.maximum(t - self.average_delay, 1)
        return np.stack(
            [
                t**self.regret_exponent,
                self._discount(self.positive_discount, t),
                self._discount(self.negative_discount, t),
                one * self.regret_floor,
                self._discount(self.positive_discount, t + 1) if self.predicts else one,
                one * self.prediction,
                (1 - 1 / averaged) ** self._at(self.average_exponent, t),
                one * (t > self.average_delay),
                t**self.regret_exponent * (1 + t / TOLERANCE_DOUBLING),
            ],
            axis=1,
        )

    def average_weights(self, iteration: int) -> tuple[float, float]:
        """Return the factor of the average, and the weight of the plan added to it."""
        kept, weight = self.schedule(iteration, 1)[0, 6:8].tolist()
        return kept, weight

    @property
    def predicts(self) -> bool:
        """Whether the next regret is predicted."""
        return self.prediction != 0 or self.adaptive_limit is not None

    def _at(self, exponent: Exponent, t: FloatArray) -> FloatArray:
        if not isinstance(exponent, LinearSchedule):
            return np.full(len(t), exponent)
        done = np.minimum((t - 1) / self.horizon, 1.0)
        return exponent.start + (exponent.end - exponent.start) * done

    def _discount(self, exponent: Exponent | None, t: FloatArray) -> FloatArray:
        """Return (t − 1)^e / ((t − 1)^e + offset); 0 at t = 1, before any regret."""
        if exponent is None:
            return np.ones(len(t))
        # 1 instead of 0, whose negative powers are infinite; `where` replaces the result.
        powers = np.maximum(t - 1, 1) ** self._at(exponent, t)
        return np.where(t > 1, powers / (powers + self.discount_offset), 0.0)


NUM_COLUMNS = 9
"""Number of numbers that kernels read for each iteration; see `RegretScheme.schedule`."""


@lru_cache(maxsize=1)  # many small games are solved by the same iterations
def _schedule(scheme: RegretScheme, first: int, count: int) -> FloatArray:
    """Return the numbers of iterations; see `RegretScheme.schedule`."""
    with np.errstate(over="ignore", invalid="ignore"):
        rows = scheme._rows(first, count)
    if not (rows < inf).all():
        raise NumericalError(
            f"the weights or discounts of {scheme.name} at iterations up to "
            f"{first + count - 1} are too large for floating point: use smaller exponents"
        )
    return rows


def _check_exponent(name: str, exponent: Exponent | None, minimum: float) -> None:
    """Raise unless all numbers of an exponent are finite and at least `minimum`."""
    if isinstance(exponent, LinearSchedule):
        check_number(f"{name}.start", exponent.start, minimum)
        check_number(f"{name}.end", exponent.end, minimum)
    elif exponent is not None:
        check_number(name, exponent, minimum)
