"""How many simulations a search makes, or for how long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import perf_counter

from infoset.checks import check_count, check_number
from infoset.errors import ParameterError

__all__ = ["SimulationBudget"]

SHARE_BETWEEN_LOOKS = 0.05
"""How much of the time allowed may pass between looks at the clock."""


@dataclass(frozen=True)
class SimulationBudget:
    """How many simulations are made, and how long that may take; both, if both are given.

    Attributes
    ----------
    num_simulations : int or None
        None for as many as there is time for.
    milliseconds : float or None
        None for no limit.

    Raises
    ------
    ParameterError
        If one of them is not a positive number, or both are None.
    """

    num_simulations: int | None
    milliseconds: float | None

    def __post_init__(self) -> None:
        if self.num_simulations is None and self.milliseconds is None:
            raise ParameterError(
                "num_simulations=None and milliseconds=None let a search go on forever; give one"
            )
        if self.num_simulations is not None:
            check_count("num_simulations", self.num_simulations, least=1)
        if self.milliseconds is not None:
            check_number("milliseconds", self.milliseconds)
            if self.milliseconds == 0:
                raise ParameterError(
                    "milliseconds=0 leaves no time; give more, or None for no limit"
                )

    @property
    def seconds(self) -> float | None:
        """The time allowed."""
        return None if self.milliseconds is None else self.milliseconds / 1000

    def spend(self, simulate: Callable[[int], None], start: float) -> int:
        """Make simulations; return how many there were.

        Under a time limit they are made in batches, which grow as long as one takes a small share
        of it, until there is no time for another.

        Parameters
        ----------
        simulate : callable
            Makes as many simulations as it is told.
        start : float
            What `time.perf_counter` was when the search began.
        """
        if self.seconds is None:
            simulate(self.num_simulations or 0)
            return self.num_simulations or 0
        most = inf if self.num_simulations is None else self.num_simulations
        longest = SHARE_BETWEEN_LOOKS * self.seconds
        done, batch = 0, 1
        while batch > 0:
            before = perf_counter()
            simulate(batch)
            now = perf_counter()
            done += batch
            each = max(now - before, 1e-9) / batch
            fitting = min(start + self.seconds - now, max(longest, each)) / each
            batch = int(min(fitting, 4 * batch, most - done))
        return done
