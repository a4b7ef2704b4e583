"""What a match has come to: means over deals, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from infoset.typing import FloatArray

__all__ = [
    "Estimate",
    "MatchResult",
    "Tally",
    "exact_result",
    "match_columns",
    "match_result",
    "shared_wins",
]

CONFIDENCE = 0.95
BLOCK = 1024
"""Deals that are summed up together."""

ROUNDING = 1e-9
"""Utilities closer than this share of them are the same: sums of rewards are rounded."""


@dataclass(frozen=True)
class Estimate:
    """A mean, and where the number that it estimates is.

    Attributes
    ----------
    mean : float
    standard_error : float
        Standard deviation of `mean`, estimated from the deals; 0 if it is exact.
    interval : tuple[float, float]
        95 % confidence interval.
    """

    mean: float
    standard_error: float
    interval: tuple[float, float]

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.interval[1] - self.interval[0]) / 2


@dataclass(frozen=True)
class MatchResult:
    """What one policy earns against another, estimated by play or computed.

    Attributes
    ----------
    utility : Estimate
        Utility of the first policy per play, over all seats, in the game's units.
    win_rate : Estimate
        Share of plays that the first policy wins, over all seats: those in which nobody has a
        higher utility; a play in which k players have the highest counts 1 / k.
    position_utilities, position_win_rates : tuple[Estimate, ...]
        The same by the seat (player) that the first policy plays.
    num_deals : int
        Number of deals; each was played once per seat. 0 where nothing was played, since all is
        exact.
    seed : int
    """

    utility: Estimate
    win_rate: Estimate
    position_utilities: tuple[Estimate, ...]
    position_win_rates: tuple[Estimate, ...]
    num_deals: int
    seed: int

    @property
    def mean(self) -> float:
        """Mean utility of the first policy per play, over all seats."""
        return self.utility.mean

    @property
    def standard_error(self) -> float:
        """Standard deviation of `mean`, estimated from the averages of the deals."""
        return self.utility.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the expected utility that `mean` estimates."""
        return self.utility.interval

    @property
    def position_means(self) -> tuple[float, ...]:
        """Mean utility of the first policy by the seat it plays."""
        return tuple(seat.mean for seat in self.position_utilities)

    def __str__(self) -> str:
        wins = f"wins {100 * self.win_rate.mean:.4g} %"
        if self.num_deals == 0:
            return f"{self.mean:.6g} per play, exactly; {wins}"
        low, high = self.interval
        return (
            f"{self.mean:.6g} per play, 95 % confidence interval {low:.6g} to {high:.6g}; {wins} "
            f"({self.num_deals:,} deals, each in {len(self.position_utilities)} seats)"
        )


class Tally:
    """Means and spreads of columns of numbers, row by row; the bits do not depend on portions.

    Blocks of rows are summed up as soon as they are full, and what is left over is kept.

    Parameters
    ----------
    num_columns : int
        C.
    """

    def __init__(self, num_columns: int) -> None:
        self._means: list[FloatArray] = []
        self._spreads: list[FloatArray] = []
        self._rest = np.empty((0, num_columns))

    @property
    def num_rows(self) -> int:
        """Number of rows so far."""
        return BLOCK * len(self._means) + len(self._rest)

    def add(self, rows: FloatArray) -> None:
        """Add rows [n, C]."""
        rows = np.concatenate([self._rest, rows])
        for start in range(0, len(rows) - BLOCK + 1, BLOCK):
            mean, spread = _moments(rows[start : start + BLOCK])
            self._means.append(mean)
            self._spreads.append(spread)
        self._rest = rows[len(rows) // BLOCK * BLOCK :]

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Return [C] the means, and [C] the sums of squared distances from them."""
        means, spreads = [*self._means], [*self._spreads]
        sizes = [float(BLOCK)] * len(means)
        if len(self._rest):
            mean, spread = _moments(self._rest)
            means.append(mean)
            spreads.append(spread)
            sizes.append(float(len(self._rest)))
        of_blocks, weight = np.array(means), np.array(sizes)[:, None]
        mean = (weight * of_blocks).sum(axis=0) / self.num_rows
        between = (weight * (of_blocks - mean) ** 2).sum(axis=0)
        return mean, np.array(spreads).sum(axis=0) + between

    def state(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            "means": [mean.tolist() for mean in self._means],
            "spreads": [spread.tolist() for spread in self._spreads],
            "rest": self._rest.tolist(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned.

        Raises
        ------
        ValueError
            If the arrays in it do not have the shapes they have here.
        """
        shape = self._rest.shape[1:]
        means, spreads = (
            [np.array(row, np.float64).reshape(shape) for row in state[name]]
            for name in ("means", "spreads")
        )
        if len(means) != len(spreads):
            raise ValueError("there are not as many means as spreads")
        self._means, self._spreads = means, spreads
        self._rest = np.array(state["rest"], np.float64).reshape(-1, *shape)


def _moments(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return [C] the means of rows [n, C], and [C] the sums of squared distances from them."""
    mean = rows.mean(axis=0)
    return mean, ((rows - mean) ** 2).sum(axis=0)


def match_columns(utility: FloatArray, wins: FloatArray) -> FloatArray:
    """Return [D, 2 + 2N] what is tallied of each deal: both averages over seats, then both."""
    averages = np.stack([utility.mean(axis=1), wins.mean(axis=1)], axis=1)
    return np.concatenate([averages, utility, wins], axis=1)


def match_result(tally: Tally, seed: int) -> MatchResult:
    """Summarise a tally of `match_columns` of at least two deals."""
    from scipy.special import stdtrit

    num_deals = tally.num_rows
    means, spreads = tally.moments()
    errors = np.sqrt(spreads / (num_deals - 1) / num_deals)
    margins = float(stdtrit(num_deals - 1, (1 + CONFIDENCE) / 2)) * errors
    return _result(means, errors, margins, num_deals, seed)


def exact_result(utility: FloatArray, wins: FloatArray) -> MatchResult:
    """Summarise expected utilities and win rates [N] by seat."""
    means = match_columns(utility[None], wins[None])[0]
    return _result(means, np.zeros_like(means), np.zeros_like(means), 0, 0)


def _result(
    means: FloatArray, errors: FloatArray, margins: FloatArray, num_deals: int, seed: int
) -> MatchResult:
    utility, win_rate, *seats = (
        Estimate(mean, error, (mean - margin, mean + margin))
        for mean, error, margin in zip(
            means.tolist(), errors.tolist(), margins.tolist(), strict=True
        )
    )
    half = len(seats) // 2
    return MatchResult(utility, win_rate, tuple(seats[:half]), tuple(seats[half:]), num_deals, seed)


def shared_wins(utility: FloatArray) -> FloatArray:
    """Return [..., N] who wins at utilities [..., N]: 1 / k where k players have the highest."""
    highest = utility.max(axis=-1, keepdims=True)
    is_highest = utility >= highest - ROUNDING * np.abs(utility).max(axis=-1, keepdims=True)
    return np.asarray(is_highest / is_highest.sum(axis=-1, keepdims=True), np.float64)
