"""What solving a game returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from infoset.policy import TabularPolicy

__all__ = ["Callback", "Outcome", "SolveResult", "TracePoint"]

Outcome: TypeAlias = Literal[
    "converged", "optimal", "iterations", "seconds", "stopped", "interrupted", "failed"
]
"""Why solving ended: the target was reached; an exact method is done; the iterations or seconds
are used up; the callback said stop; Ctrl-C; or an exact method found no solution."""


@dataclass(frozen=True)
class TracePoint:
    """How far a solver had come at one moment.

    Attributes
    ----------
    iteration : int
        Iterations done.
    seconds : float
        Time since solving began, measuring included.
    values : tuple[float, ...]
        Expected utilities of the answer so far.
    nash_conv : float
        Of the answer so far.
    exploitability : float or None
        Of the answer so far; None unless the game is two-player constant-sum.
    """

    iteration: int
    seconds: float
    values: tuple[float, ...]
    nash_conv: float
    exploitability: float | None


Callback: TypeAlias = Callable[[TracePoint], object]
"""Called at every measurement; what it returns, if true, stops the solver."""


@dataclass(frozen=True)
class SolveResult:
    """What solving a game returns, converged or not.

    Attributes
    ----------
    game : str
        The game, as `load` reads it.
    method : str
    policy : TabularPolicy
        The answer: the average policy, the last iterate, or the solution of the linear program,
        as the method has it.
    current_policy : TabularPolicy or None
        The last iterate, where the method has one.
    values : tuple[float, ...]
        Expected utility of each player under `policy`, in the game's units.
    nash_conv : float
        Of `policy`, by exact best responses. With more than two players, or payoffs that are
        not constant-sum, a diagnostic: the average policy need not approach an equilibrium.
    exploitability : float or None
        Of `policy`; None unless the game is two-player constant-sum.
    outcome : Outcome
        Why solving ended; not converging is an outcome, not an error.
    iterations : int
        Iterations done.
    seconds : float
        Time taken, the building of the game not counted.
    trace : tuple[TracePoint, ...]
        Measurements on the way, the last of them of `policy`.
    """

    game: str
    method: str
    policy: TabularPolicy
    current_policy: TabularPolicy | None
    values: tuple[float, ...]
    nash_conv: float
    exploitability: float | None
    outcome: Outcome
    iterations: int
    seconds: float
    trace: tuple[TracePoint, ...]

    def summary(self) -> dict[str, Any]:
        """Return the numbers as JSON values, without policies and trace."""
        return {
            "game": self.game,
            "method": self.method,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "values": list(self.values),
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
            "outcome": self.outcome,
        }
