"""What is to be solved, and how long to try."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from infoset.runs import Budget, Checkpointing
from infoset.teams.exact import recall_bound
from infoset.teams.hiding import PenaltySchedule, RelaxedForm, relax
from infoset.teams.product_form import ProductForm
from infoset.teams.product_form.form import InformationMap, Team
from infoset.teams.relaxations import Relaxation, get_relaxation
from infoset.teams.solving.result import TeamCallback, TeamOutcome, TeamPoint, TeamResult
from infoset.teams.team import PayoffRule
from infoset.typing import FloatArray
from infoset.utils.arguments import check_callable, check_count

__all__ = ["TeamOptions", "TeamTask", "comes_to"]

ROUNDING = 1e-9
"""Shortfall from an upper bound, relative to it, at which an answer is taken to be optimal."""


@dataclass(frozen=True)
class TeamOptions:
    """What a method may be told; None where it is not, or where the method has no use for it.

    Attributes
    ----------
    relax : str, Relaxation or InformationMap, optional
        What agents are lent while they learn.
    penalty : float or PenaltySchedule, optional
        Its price γ, in units of utility.
    iterations : int, optional
        Of each run.
    restarts : int, optional
        Number of runs.
    seconds : float, optional
        Time after which to stop, of all runs together.
    checkpoint : Checkpointing, optional
        Where the runs are kept on disk; they go on from there.

    Raises
    ------
    ParameterError
        If a number is none.
    """

    relax: str | Relaxation | InformationMap | None = None
    penalty: float | PenaltySchedule | None = None
    iterations: int | None = None
    restarts: int | None = None
    seconds: float | None = None
    checkpoint: Checkpointing | None = None

    def __post_init__(self) -> None:
        if self.restarts is not None:
            check_count("restarts", self.restarts, minimum=1)
        Budget(iterations=self.iterations, seconds=self.seconds)


@dataclass
class TeamTask:
    """A game in product form, who plays together, and how to go about it.

    Attributes
    ----------
    form : ProductForm
    teams : tuple[Team, ...]
        Which have every agent once.
    options : TeamOptions
        Those that the method takes, filled in.
    rule : {"common", "sum"}
        What a team earns: what each of its agents does, or the sum.
    seed : int
        Of the first run; the others have the numbers that follow.
    callback : TeamCallback, optional
    trace : list[TeamPoint]
        Measurements so far.

    Raises
    ------
    ParameterError
        If the seed is no whole number, or the callback cannot be called.
    """

    form: ProductForm
    teams: tuple[Team, ...]
    options: TeamOptions
    rule: PayoffRule = "common"
    seed: int = 0
    callback: TeamCallback | None = None
    trace: list[TeamPoint] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        check_count("seed", self.seed)
        if self.callback is not None:
            check_callable("callback", self.callback, "a function of a TeamPoint")

    @property
    def elapsed(self) -> float:
        """Seconds since the first run began."""
        return time.monotonic() - self.started

    @property
    def information(self) -> InformationMap:
        """What agents know."""
        return self.form.information

    @cached_property
    def relaxed_form(self) -> RelaxedForm:
        """The form with what its teams are lent."""
        return relax(self.form, self._maps(), self.teams, self.rule)

    def _maps(self) -> InformationMap | Sequence[InformationMap] | None:
        wanted = self.options.relax
        if wanted is None or isinstance(wanted, InformationMap):
            return wanted
        row = wanted if isinstance(wanted, Relaxation) else get_relaxation(wanted)
        maps = [row.relax(self.information, team) for team in self.teams]
        return maps[0] if len(maps) == 1 else maps

    def upper_bound(self) -> float | None:
        """Return what the only team earns if whoever acts knows all; None where there are more."""
        if len(self.teams) > 1:
            return None
        return recall_bound(self.information, self.teams[0], rule=self.rule)

    def record(self, point: TeamPoint) -> TeamOutcome | None:
        """Add a measurement to the trace; return why to stop, or None to go on."""
        self.trace.append(point)
        if self.callback is not None and self.callback(point):
            return "stopped"
        limit = self.options.seconds
        return "seconds" if limit is not None and self.elapsed >= limit else None

    def finish(
        self,
        method: str,
        outcome: TeamOutcome,
        probability: FloatArray,
        *,
        upper_bound: float | None,
        last_probability: FloatArray | None = None,
        run: int = 0,
    ) -> TeamResult:
        """Return the result, of what was found and of the measurements on the way.

        Where the answer comes to the bound it is optimal, even if nothing else says so.
        """
        relaxed = self.relaxed_form
        payoffs = tuple(relaxed.payoffs(relaxed.lift(probability)).tolist())
        if outcome in ("iterations", "local") and comes_to(upper_bound, payoffs[0]):
            outcome = "optimal"
        return TeamResult(
            game=self.form.name,
            method=method,
            teams=self.teams,
            relaxed=relaxed.relaxed,
            information=self.information,
            probability=probability,
            last_probability=probability if last_probability is None else last_probability,
            payoffs=payoffs,
            upper_bound=upper_bound,
            outcome=outcome,
            run=run,
            seed=self.seed,
            seconds=self.elapsed,
            trace=tuple(self.trace),
        )


def comes_to(bound: float | None, payoff: float) -> bool:
    """Return whether a payoff is an upper bound, but for rounding; where there is none, it is not.

    Examples
    --------
    >>> comes_to(1.0, 1 - 1e-12), comes_to(1.0, 0.9), comes_to(None, 1.0)
    (True, False, False)
    """
    return bound is not None and payoff >= bound - ROUNDING * max(1.0, abs(bound))
