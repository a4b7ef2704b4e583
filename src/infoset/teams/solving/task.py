"""The task that a team method solves, and the options of the method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from infoset.runs import Budget, Checkpointing
from infoset.teams.exact import SecurityLevel, recall_bound
from infoset.teams.hiding import PenaltySchedule, RelaxedForm, relax
from infoset.teams.product_form import ProductForm
from infoset.teams.product_form.form import InformationMap, Team
from infoset.teams.relaxations import Relaxation, get_relaxation
from infoset.teams.solving.result import (
    TeamCallback,
    TeamCandidate,
    TeamOutcome,
    TeamPoint,
    TeamResult,
)
from infoset.teams.team import PayoffRule
from infoset.tree import BuildPoint, BuildProgress, BuildStage
from infoset.typing import FloatArray
from infoset.utils.arguments import check_callable, check_count
from infoset.utils.clocks import compiling_seconds, working_seconds

ROUNDING = 1e-9
"""Relative distance from an upper bound up to which an answer counts as optimal."""


@dataclass(frozen=True)
class TeamOptions:
    """Options of a method; each is None if it is not given or the method does not accept it."""

    relax: str | Relaxation | InformationMap | None = None
    """Information relaxation used during learning."""
    penalty: float | PenaltySchedule | None = None
    """Penalty coefficient γ for relying on relaxed information, in utility units."""
    iterations: int | None = None
    """Iterations of each run."""
    restarts: int | None = None
    """Number of runs."""
    seconds: float | None = None
    """Time limit for all runs together."""
    checkpoint: Checkpointing | None = None
    """File in which runs are saved, and from which they are resumed."""

    def __post_init__(self) -> None:
        if self.restarts is not None:
            check_count("restarts", self.restarts, minimum=1)
        Budget(iterations=self.iterations, seconds=self.seconds)


@dataclass
class TeamClock:
    """The time that a method takes, without construction and compilation."""

    build_seconds: float = 0.0
    """Time taken to build the product form and, once it exists, its relaxation."""
    compiled_before: float = field(default_factory=compiling_seconds)
    """`compiling_seconds()` before the game was built."""
    reserved_seconds: float = 0.0
    """Part of the time limit that is left for work after learning."""
    changed_course: bool = False
    """Whether a time limit has changed the course of the method."""
    started: float = field(default_factory=working_seconds)

    @property
    def elapsed(self) -> float:
        """Seconds since the method began, without construction and compilation."""
        return working_seconds() - self.started

    def add_build_seconds(self, seconds: float) -> None:
        """Count some of the elapsed time as construction."""
        self.build_seconds += seconds
        self.started += seconds


@dataclass
class TeamTask:
    """A game in product form, its teams, and the options of a method."""

    form: ProductForm
    teams: tuple[Team, ...]
    """A partition of the agents."""
    options: TeamOptions
    """The options, completed with the defaults of the method."""
    rule: PayoffRule = "common"
    """A team's payoff: the common payoff of its agents, or the sum of their payoffs."""
    seed: int = 0
    """Seed of the first run; each later run uses the next integer."""
    callback: TeamCallback | None = None
    """Called at every measurement."""
    trace: list[TeamPoint] = field(default_factory=list)
    """Measurements so far."""
    progress: BuildProgress | None = None
    """Called when the stages `cfr+` and `security levels` begin, and during the second."""
    clock: TeamClock = field(default_factory=TeamClock)
    """The time so far; a task with other options for a part of the work shares it and the trace."""

    def __post_init__(self) -> None:
        check_count("seed", self.seed)
        if self.callback is not None:
            check_callable("callback", self.callback, "a function of a TeamPoint")

    @property
    def num_runs(self) -> int:
        """Number of runs with a measurement."""
        return self.trace[-1].run + 1 if self.trace else 0

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit, at least 0; None without a limit."""
        limit = self.options.seconds
        return None if limit is None else max(0.0, limit - self.clock.elapsed)

    @property
    def learning_seconds_left(self) -> float | None:
        """Seconds until learning must end, at least 0; None without a limit."""
        left = self.seconds_left
        return None if left is None else max(0.0, left - self.clock.reserved_seconds)

    def report(self, stage: BuildStage, done: int, total: int | None, began: float) -> None:
        """Report how far a stage has come that began at `began`."""
        if self.progress is not None:
            self.progress(BuildPoint(stage, done, total, working_seconds() - began))

    @property
    def information(self) -> InformationMap:
        """The original information map."""
        return self.form.information

    @cached_property
    def relaxed_form(self) -> RelaxedForm:
        """The form with its information relaxation; the clock stands still while it is built."""
        began, wanted = working_seconds(), self.options.relax
        maps: InformationMap | list[InformationMap] | None
        if wanted is None or isinstance(wanted, InformationMap):
            maps = wanted
        else:
            relaxation = wanted if isinstance(wanted, Relaxation) else get_relaxation(wanted)
            maps = [relaxation.relax(self.information, team) for team in self.teams]
            # A single map keeps its name.
            maps = maps[0] if len(maps) == 1 else maps
        relaxed_form = relax(self.form, maps, self.teams, rule=self.rule)
        self.clock.add_build_seconds(working_seconds() - began)
        return relaxed_form

    def upper_bound(self) -> float | None:
        """Return the optimum under perfect recall if there is one team; None for several teams."""
        return None if len(self.teams) > 1 else self.recall_bound()

    def recall_bound(self) -> float:
        """Return the optimum of the first team under perfect recall."""
        return recall_bound(self.information, self.teams[0], rule=self.rule)

    def uniform_policy(self) -> FloatArray:
        """Return the uniform policy for the original map."""
        num_actions = self.information.num_actions
        return np.repeat(1 / num_actions, num_actions)

    def payoffs_of(self, probability: FloatArray) -> tuple[float, ...]:
        """Return [T] the payoff of each team under a policy for the original map."""
        relaxed = self.relaxed_form
        return tuple(relaxed.payoffs(relaxed.lift(probability)).tolist())

    def record(self, point: TeamPoint) -> TeamOutcome | None:
        """Add a measurement to the trace; return a reason to stop, or None."""
        self.trace.append(point)
        if self.callback is not None and self.callback(point):
            return "stopped"
        # At the limit, or where the reserve begins.
        if self.learning_seconds_left == 0:
            self.clock.changed_course = True
            return "seconds"
        return None

    def finish(
        self,
        method: str,
        outcome: TeamOutcome,
        probability: FloatArray,
        *,
        upper_bound: float | None,
        last_probability: FloatArray | None = None,
        run: int = 0,
        candidates: Sequence[TeamCandidate] = (),
        chosen: Sequence[str] = (),
        security_levels: tuple[SecurityLevel, ...] | None = None,
    ) -> TeamResult:
        """Return the result with an answer and the measurements so far.

        If the answer reaches the upper bound, the outcome is `optimal`, whatever ended the method.
        """
        # The time is read first: measuring the answer does not count.
        seconds, payoffs = self.clock.elapsed, self.payoffs_of(probability)
        if outcome in ("iterations", "local") and reaches(upper_bound, payoffs[0]):
            outcome = "optimal"
        return TeamResult(
            game=self.form.name,
            method=method,
            teams=self.teams,
            relaxed=self.relaxed_form.relaxed,
            information=self.information,
            probability=probability,
            last_probability=probability if last_probability is None else last_probability,
            payoffs=payoffs,
            upper_bound=upper_bound,
            outcome=outcome,
            run=run,
            seed=self.seed,
            seconds=seconds,
            trace=tuple(self.trace),
            build_seconds=self.clock.build_seconds,
            compile_seconds=compiling_seconds() - self.clock.compiled_before,
            security_levels=security_levels,
            candidates=tuple(candidates),
            chosen=tuple(chosen),
            depends_on_clock=self.clock.changed_course or outcome == "seconds",
        )


def reaches(bound: float | None, payoff: float) -> bool:
    """Return whether a payoff equals an upper bound up to rounding; False without a bound.

    Examples
    --------
    >>> reaches(1.0, 1 - 1e-12), reaches(1.0, 0.9), reaches(None, 1.0)
    (True, False, False)
    """
    return bound is not None and payoff >= bound - ROUNDING * max(1.0, abs(bound))
