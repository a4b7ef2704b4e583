"""Budgets: the limits of a run, and its measurements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, isfinite
from threading import Event
from typing import Any, TypeAlias

from infoset.errors import ParameterError, show
from infoset.evaluation import Evaluation, evaluate_policy
from infoset.forms import Form, check_form
from infoset.game import InitialPot
from infoset.policy import TabularPolicy
from infoset.runs.checkpoint import Checkpointing
from infoset.runs.result import UNMEASURED, Callback, JointGaps, Outcome, TracePoint
from infoset.runs.task_messages import Interrupt
from infoset.utils.arguments import check_callable, check_count, check_number, check_type
from infoset.utils.clocks import working_seconds

Target: TypeAlias = float | str
"""A distance from equilibrium: in the game's units, as a percentage of the payoff range (`0.1%`),
or as a percentage of the initial pot (`0.1%pot`)."""

DEFAULT_FRACTION = 1e-3
DEFAULT_TARGET = f"{DEFAULT_FRACTION:.1%}"
DEFAULT_POT_FRACTION = 3e-3
DEFAULT_ITERATIONS = 100_000
DEFAULT_COST = 60_000_000_000
"""Count of numbers read after which a run without limits ends: about one minute in large games."""

POT = "%pot"
"""The unit of targets in percent of the pot."""

DEFAULT_POT_TARGET = f"{DEFAULT_POT_FRACTION:.1%}pot"

STALLED_AFTER = 10_000
STALLED_FRACTION = 0.9
STALLED_GAIN = 0.99


@dataclass
class Budget:
    """The limits of one run, and its measurements."""

    target: float | None = None
    """Distance from equilibrium at which to stop, in the game's units: exploitability in two-player
    constant-sum games, NashConv in others, and the CCE gap (or EFCE gap) for methods that find
    joint play. `make_budget` also accepts a percentage."""
    iterations: int | None = None
    """Number of iterations after which to stop."""
    seconds: float | None = None
    """Time after which to stop. If none of the three limits is given, iterative methods stop at a
    default number of iterations (see `max_iterations`), and exact methods when they are done."""
    callback: Callback | None = None
    """Called at every measurement; a true return value stops the run."""
    trace: list[TracePoint] = field(default_factory=list)
    """Measurements so far."""
    started: float = field(default_factory=working_seconds)
    checkpoint: Checkpointing | None = None
    """The file in which the run is saved. If it exists, the run is resumed from it."""
    interrupt: Interrupt = field(default_factory=Event)
    """Ends the run once it is set, as Ctrl-C does in the main thread; by default an event."""
    is_default: bool = False
    """Whether none of the three limits was given. The target may then be the default, which methods
    may exceed in accuracy."""
    policy_callback: Callable[[Any], object] | None = None
    """Called with the answer at every measurement, before `callback`."""
    can_stall: bool = True
    """Whether a run with a target ends once nine tenths of its iterations have not reduced the
    error; not for learners, whose errors are random."""

    def __post_init__(self) -> None:
        if isinstance(self.target, str):
            raise ParameterError(
                f"target={self.target!r} is text; give a number in the game's units, or create the "
                f"budget with make_budget(form, target={self.target!r})"
            )
        if self.target is not None:
            check_number("target", self.target)
        if self.iterations is not None:
            check_count("iterations", self.iterations, minimum=1)
        if self.seconds is not None:
            check_number("seconds", self.seconds)
        if self.callback is not None:
            check_callable("callback", self.callback, "a function of a TracePoint")
        if self.target is None and self.iterations is None and self.seconds is None:
            self.is_default = True

    def begin(self) -> None:
        """Prepare for the first iteration; methods call this when they have accepted the game."""

    @property
    def elapsed(self) -> float:
        """Seconds since the run began, without compilation."""
        return working_seconds() - self.started

    @property
    def is_over(self) -> bool:
        """Whether the time limit is reached or the run is interrupted."""
        late = self.seconds is not None and self.elapsed >= self.seconds
        return late or self.interrupt.is_set()

    def max_iterations(self, cost_per_iteration: int) -> int | None:
        """Return the number of iterations after which to stop; None for no limit.

        Without any limit this is 100,000 iterations, or fewer if they read more than 6·10¹⁰
        numbers. This depends on the game and the method, but not on the machine or its load.
        """
        if not self.is_default:
            return self.iterations
        return max(1, min(DEFAULT_ITERATIONS, DEFAULT_COST // cost_per_iteration))

    def record(
        self,
        iteration: int,
        measured: Evaluation | TabularPolicy,
        joint: JointGaps = UNMEASURED,
        goal: Callable[[], float] | None = None,
    ) -> Outcome | None:
        """Add a measurement to the trace; return the reason to stop, or None to continue.

        A policy is measured here. The target applies to `TracePoint.error`, the distance from
        equilibrium that is most specific to the method. `goal` returns a second target, which is
        computed only where the first one is reached.
        """
        if isinstance(measured, TabularPolicy):
            measured = evaluate_policy(measured)
        point = TracePoint(
            iteration,
            self.elapsed,
            measured.values,
            measured.nash_conv,
            measured.exploitability,
            cce_gap=joint.cce,
            efce_gap=joint.efce,
        )
        self.trace.append(point)
        wants_stop = self.callback is not None and bool(self.callback(point))
        # Reaching the target counts first, also in the last iteration that the limits allow.
        is_close = self.target is not None and point.error <= self.target
        if is_close and (goal is None or point.error <= goal()):
            return "converged"
        if self.iterations is not None and iteration >= self.iterations:
            return "iterations"
        if self.is_over:
            return "interrupted" if self.interrupt.is_set() else "seconds"
        if wants_stop:
            return "stopped"
        checks = self.target is not None and self.can_stall
        return "stalled" if checks and self._is_stalled() else None

    def _is_stalled(self) -> bool:
        """Return whether nine tenths of the iterations have not reduced the error.

        The error of a method that converges at least as 1 / √iterations would have been divided by
        three. The limit may be single precision, or an equilibrium of another kind.
        """
        last = self.trace[-1].iteration
        if last < STALLED_AFTER:
            return False
        early, late = inf, inf
        for point in self.trace:
            if point.iteration <= (1 - STALLED_FRACTION) * last:
                early = min(early, point.error)
            else:
                late = min(late, point.error)
        return late > STALLED_GAIN * early


def make_budget(
    form: Form,
    *,
    target: Target | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    callback: Callback | None = None,
    checkpoint: Checkpointing | None = None,
) -> Budget:
    """Check the limits of a run and return its budget, with default limits if none is given.

    By default the run ends when the distance from equilibrium (see `Budget`) is at most
    `default_target`, or after a number of iterations that depends only on the game and the method.
    In games that are not two-player constant-sum, it must also be at most 0.1% of the spread of the
    payoffs on the path, which `run_measured` defines.

    Raises
    ------
    ParameterError
        If `Budget` rejects a limit, if the target is below the rounding error of float64, or if it
        is a percentage of a payoff range that float64 cannot represent.
    """
    check_form(form)
    is_default = target is None and iterations is None and seconds is None
    if is_default:
        target = default_target(form)
    goal = None if target is None else _absolute_target(form, target)
    return Budget(
        goal,
        iterations,
        seconds,
        callback,
        checkpoint=checkpoint,
        is_default=is_default,
    )


def default_target(form: Form) -> str:
    """Return the target of runs without limits: 0.1% of the payoff range, or 0.3% of the pot.

    The smaller one applies, because with deep stacks 0.1% of the payoff range may be a large part
    of the pot.
    """
    pot = form.source.initial_pot
    goal = 0.0 if pot is None else DEFAULT_POT_FRACTION * pot.size
    is_less = form.rounding <= goal < DEFAULT_FRACTION * _payoff_width(form)
    return DEFAULT_POT_TARGET if is_less else DEFAULT_TARGET


def check_budget(budget: object) -> None:
    """Raise unless `budget` is a `Budget`."""
    check_type("budget", budget, Budget, "a Budget, such as Budget(iterations=1000)")


def _payoff_width(form: Form) -> float:
    """Return the width of the payoffs, or raise; targets may be percentages of it."""
    width = form.payoff_width
    if not isfinite(width):
        low, high = form.payoff_range
        raise ParameterError(
            f"the payoffs of {form.name} go from {low:.3g} to {high:.3g}; float64 cannot "
            "represent the difference, so a percentage of it (the default target is 0.1%) is "
            "undefined: scale the payoffs to magnitudes of about 1, or give only iterations or "
            "seconds"
        )
    return width


def parse_target(target: Target, game: str, pot: InitialPot | None) -> tuple[float, str]:
    """Return the number of a target, and its unit: `%`, `%pot`, or an empty string.

    Raises
    ------
    ParameterError
        If the target is not a finite number of at least 0, or is a percentage of the pot and the
        game has no pot.
    """
    try:
        text = "".join(str(target).split())
        unit = next((unit for unit in (POT, "%") if text.endswith(unit)), "")
        number = float(text.removesuffix(unit))
    except ValueError:
        raise ParameterError(
            f"target={show(target)} is not a number: give a distance from equilibrium such as "
            "0.001, a percentage of the payoff range such as '0.1%', or one of the pot such as "
            "'0.3%pot'"
        ) from None
    if unit == POT and pot is None:
        raise ParameterError(
            f"target={show(target)} is a percentage of the pot, but {game} does not begin with a "
            "pot: give a percentage of the payoff range such as '0.1%'"
        )
    if not (isfinite(number) and number >= 0):
        raise ParameterError(
            f"target={target} is out of range: give a finite number that is at least 0"
        )
    return number, unit


def _absolute_target(form: Form, target: Target) -> float:
    """Return a target in the game's units."""
    pot = form.source.initial_pot
    number, unit = parse_target(target, form.name, pot)
    if unit == POT and pot is not None:
        number *= pot.size / 100
    elif unit == "%":
        width = _payoff_width(form)
        number *= width / 100
        if width <= form.rounding:
            # All payoffs of a player are equal up to rounding, so that every policy is optimal.
            number = max(number, form.rounding)
    if number < form.rounding:
        raise ParameterError(
            f"target={target} is below {form.rounding:.1g}, the rounding error of "
            f"float64 in {form.name}: give a larger target, or limit iterations instead"
        )
    return number
