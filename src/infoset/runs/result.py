"""What solving a game returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from infoset.evaluation import Evaluation
from infoset.policy import TabularPolicy

__all__ = ["Callback", "JointGaps", "Outcome", "SolveResult", "TracePoint"]

Outcome: TypeAlias = Literal[
    "converged", "optimal", "iterations", "seconds", "stopped", "interrupted", "failed"
]
"""Why solving ended: the target was reached; an exact method is done; the iterations or seconds
are used up; the callback said stop; Ctrl-C; or an exact method found no solution."""


class JointGaps(NamedTuple):
    """How far joint play is from equilibria in which players are correlated, in the game's units.

    Attributes
    ----------
    cce : float or None
        From a coarse correlated equilibrium; None where it is not measured.
    efce : float or None
        From an extensive-form correlated equilibrium; None where it is not measured.
    """

    cce: float | None = None
    efce: float | None = None


UNMEASURED = JointGaps()


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
    cce_gap, efce_gap : float or None
        Of joint play so far, where that is what the method is for; see `JointGaps`.
    """

    iteration: int
    seconds: float
    values: tuple[float, ...]
    nash_conv: float
    exploitability: float | None
    cce_gap: float | None = None
    efce_gap: float | None = None

    @property
    def errors(self) -> dict[str, float]:
        """How far from equilibrium, by name: first what says most of what the method is for."""
        named = {
            "EFCE gap": self.efce_gap,
            "CCE gap": self.cce_gap,
            "exploitability": self.exploitability,
            "NashConv": self.nash_conv,
        }
        return {name: error for name, error in named.items() if error is not None}


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
    measured : Evaluation
        What `policy` earns and guarantees, by exact best responses in float64 that trust nothing
        the solver said.
    outcome : Outcome
        Why solving ended; not converging is an outcome, not an error.
    iterations : int
        Iterations done.
    seconds : float
        Time taken, the building of the game not counted.
    trace : tuple[TracePoint, ...]
        Measurements on the way, the last of them of `policy`.
    reason : str or None
        Why this method, where `auto` chose it.
    gaps : Mapping[str, float]
        What some methods measure of their answers besides, in the game's units: `quantal`, how
        far magnetic mirror descent is from its quantal response equilibrium (see `quantal_gap`);
        `excessive`, what NashConv is at most by EGT's own certificate.
    """

    game: str
    method: str
    policy: TabularPolicy
    current_policy: TabularPolicy | None
    measured: Evaluation
    outcome: Outcome
    iterations: int
    seconds: float
    trace: tuple[TracePoint, ...]
    reason: str | None = None
    gaps: Mapping[str, float] = field(default_factory=dict)

    @property
    def values(self) -> tuple[float, ...]:
        """Expected utility of each player under `policy`, in the game's units."""
        return self.measured.values

    @property
    def nash_conv(self) -> float:
        """Sum of what each player would gain by a best response to `policy`.

        With more than two players, or payoffs that are not constant-sum, a diagnostic: the
        average policy need not approach an equilibrium.
        """
        return self.measured.nash_conv

    @property
    def exploitability(self) -> float | None:
        """Half of NashConv; None unless the game is two-player constant-sum."""
        return self.measured.exploitability

    @property
    def guarantees(self) -> tuple[float, float] | None:
        """What each player's policy earns at least, whoever it meets, rounding allowed for.

        None unless the game is two-player constant-sum.
        """
        return self.measured.guarantees

    def summary(self) -> dict[str, Any]:
        """Return the numbers as JSON values, without policies and trace."""
        return {
            "game": self.game,
            "method": self.method,
            "reason": self.reason,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "values": list(self.values),
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
            "guarantees": None if self.guarantees is None else list(self.guarantees),
            "rounding": self.measured.rounding,
            "gaps": dict(self.gaps),
            "outcome": self.outcome,
        }
