"""When a solver stops."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import isfinite

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import Evaluation
from infoset.solvers.checkpoint import Checkpointing
from infoset.solvers.result import Callback, Outcome, TracePoint
from infoset.tree import SequenceForm

__all__ = ["DEFAULT_RELATIVE_TARGET", "DEFAULT_SECONDS", "Budget", "make_budget"]

DEFAULT_RELATIVE_TARGET = 1e-3
DEFAULT_SECONDS = 60.0


@dataclass
class Budget:
    """Limits of one solve, and the measurements made under it.

    Attributes
    ----------
    target : float or None
        Exploitability at which to stop.
    iterations : int or None
        Number of iterations after which to stop.
    seconds : float or None
        Time after which to stop.
    callback : Callback or None
    trace : list[TracePoint]
        Measurements so far.
    checkpoint : Checkpointing or None
        Where the run is kept on disk; it goes on from there.
    """

    target: float | None = None
    iterations: int | None = None
    seconds: float | None = None
    callback: Callback | None = None
    trace: list[TracePoint] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    checkpoint: Checkpointing | None = None

    @property
    def elapsed(self) -> float:
        """Seconds since solving began."""
        return time.monotonic() - self.started

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self.seconds is not None and self.elapsed >= self.seconds

    def record(self, iteration: int, measured: Evaluation) -> Outcome | None:
        """Add a measurement to the trace; return why to stop, or None to go on."""
        point = TracePoint(
            iteration, self.elapsed, measured.values, measured.nash_conv, measured.exploitability
        )
        self.trace.append(point)
        wants_stop = self.callback is not None and bool(self.callback(point))
        reached = measured.exploitability
        if self.target is not None and reached is not None and reached <= self.target:
            return "converged"
        if self.iterations is not None and iteration >= self.iterations:
            return "iterations"
        if self.is_over:
            return "seconds"
        return "stopped" if wants_stop else None


def make_budget(
    sequence_form: SequenceForm,
    *,
    target: float | None,
    iterations: int | None,
    seconds: float | None,
    callback: Callback | None,
) -> Budget:
    """Check the limits of a solve, and fill in the default where none is given.

    The default is an exploitability of 10⁻³ of the payoff range where the game has one, or 60
    seconds.

    Raises
    ------
    ParameterError
        If a limit is negative, zero iterations, or not finite.
    UnsupportedGameError
        If a target is given for a game without exploitability.
    """
    for name, limit, least in (
        ("target", target, 0),
        ("iterations", iterations, 1),
        ("seconds", seconds, 0),
    ):
        if limit is not None and not (isfinite(limit) and limit >= least):
            raise ParameterError(f"{name}={limit} is out of range: it must be at least {least}")
    has_exploitability = sequence_form.is_two_player_constant_sum
    if target is not None and not has_exploitability:
        raise UnsupportedGameError(
            f"{sequence_form.name} has no exploitability to set a target for: it is defined for "
            "two-player constant-sum games; give iterations or seconds instead"
        )
    if target is None and iterations is None and seconds is None:
        seconds = DEFAULT_SECONDS
        low, high = sequence_form.payoff_range
        target = DEFAULT_RELATIVE_TARGET * (high - low) if has_exploitability else None
    return Budget(target, iterations, seconds, callback)
