"""The loop of every iterative method: iterate, measure, save, and stop at the budget's limits.

Measurements are planned by counted costs, so they do not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property, partial
from itertools import dropwhile, takewhile
from math import ceil, inf, isfinite
from typing import Protocol, TypeVar

from infoset.errors import NumericalError, ParameterError
from infoset.evaluation import Evaluation, evaluate_policy
from infoset.forms import Form
from infoset.policy import TabularPolicy
from infoset.runs.budget import DEFAULT_FRACTION, Budget, check_budget
from infoset.runs.checkpointer import RunCheckpointer, open_checkpointer
from infoset.runs.result import JointGaps, Outcome, SolveResult

Answer = TypeVar("Answer")


GROWTH = 0.1
"""Smallest growth of the number of iterations between measurements."""

TARGET_GROWTH = 0.05
"""The same in runs with a target, which stop at the first measurement that reaches it."""

WORK_PER_MEASURING = 20
"""Work between two measurements, in costs of a measurement: measuring is a twentieth of it."""

START_COST = 200_000_000
"""Cost of the early measurements that are closer together: less than a tenth of a second."""

EARLY_MEASUREMENTS = 6
"""Maximum number of early measurements of a run with a target or a start, whatever they cost: few
iterations may reach the target."""

MEASUREMENT_OVERHEAD = 100_000
"""Cost of a measurement of the smallest game: 35 to 40 µs, at 0.3 to 0.4 ns for each number."""

COST_BETWEEN_MEASUREMENTS = 3_000_000_000

COST_BETWEEN_CLOCK_CHECKS = 20_000_000

SPARE_ITERATIONS = 10_000
SPARE_COST = 20_000_000
"""Number of iterations, and their cost, up to which a default run in a general-sum game continues
although it could stop: less than a tenth of a second."""

MAX_SPREAD_COST = 20_000
"""Numbers read by a gradient up to which the spread counts in two-player constant-sum trees."""

RARE_FRACTION = 0.1
"""Fraction of the payoff range below which the spread on the path shows that extreme payoffs are
rare."""

EXTREME_PAYOFF = 1e100
"""Only payoffs above this or below its inverse are themselves the likely cause of a breakdown."""


class IterativeSolver(Protocol):
    """The attributes that `run_measured` needs: a state, and iterations that change it."""

    @property
    def form(self) -> Form:
        """The form of the game."""

    @property
    def iteration(self) -> int:
        """Number of iterations done."""

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads; its time is roughly proportional to this."""

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations; an interrupt at any point must leave a valid answer."""

    def policy(self) -> TabularPolicy:
        """Return the answer so far: the average policy or the last iterate."""

    def current_policy(self) -> TabularPolicy | None:
        """Return the last iterate; None if the method has none."""


def run_measured(
    solver: IterativeSolver,
    method: str,
    budget: Budget,
    measure: Callable[[TabularPolicy], Evaluation] = evaluate_policy,
    joint: Callable[[], JointGaps] = JointGaps,
    is_at_limit: Callable[[TabularPolicy], bool] | None = None,
    evaluate: Callable[[], Evaluation] | None = None,
    extra_cost: int = 0,
    min_iterations: int = 1,
    min_early: int = 0,
    finish: Callable[[], None] | None = None,
) -> SolveResult:
    """Run an iterative method, named `method` in the result, until its budget is used up.

    `measure` evaluates the answer after the iterations that `planned_measurements` yields for the
    costs of an iteration and of a measurement, and at the end. Between measurements the clock and
    interrupts are checked; a time limit includes the expected time of the last measurement. A
    resumed run is measured after the same iterations as an uninterrupted run. If `joint` returns
    gaps of joint play, the trace records them, and the target of the budget applies to them
    instead. `is_at_limit` is for methods that converge to something other than a Nash equilibrium.
    Once it returns True, a run without a target, an iteration limit or a time limit ends with the
    outcome 'converged', and a run with a target that was not reached ends as 'stalled'. `evaluate`
    returns what `measure` would return for the answer so far, for solvers that need not build the
    policy for it. `extra_cost` is the cost of a measurement beyond that of evaluating a policy on
    the form of the solver. `min_iterations` are run even if there is no time for them. `min_early`
    is that of `planned_measurements`. `finish` is called after the last iteration, before the
    policies of the result are created.

    A run without a target, an iteration limit or a time limit ends when the error is at most
    `default_target`, which one extreme payoff may make large. In games that are not two-player
    constant-sum, the error must therefore also be at most 0.1% of the spread on the path: the
    largest of the players' `2 √(Σ p(z) (u(z) - ū)²)`, where p(z) is the probability of a terminal
    history z under the answer, u(z) the utility there, and ū its mean. Utilities count as at most
    8,192 median distances from their median. The spread is at most the payoff range. Such a run
    also continues, unless the error is only rounding, until it has run 10,000 iterations or these
    have read 2·10⁷ numbers. In two-player constant-sum games that are tables or small, the spread
    counts if it is less than 10% of the payoff range.

    Raises
    ------
    NumericalError
        If the answer is no longer a policy, or has no finite value.
    """
    check_budget(budget)
    budget.begin()
    outcome: Outcome | None = None
    checkpointer: RunCheckpointer | NullCheckpointer = NullCheckpointer()
    if budget.checkpoint is not None:
        checkpointer = open_checkpointer(solver, method, budget, budget.checkpoint)
    cost = measurement_cost(solver.form) + extra_cost
    measurements = _measurements_left(solver, budget, cost, min_early)
    pace = _Pace(solver, budget, cost)
    answer: _Answer | None = None
    try:
        while outcome is None:
            answer = None  # The last policy need not stay in memory.
            if solver.iteration < min_iterations or not budget.is_over:
                _run_to(solver, next(measurements), budget, checkpointer, pace)
            answer = _Answer(solver, method, measure, evaluate)
            with pace.measuring():
                measured, gaps = answer.measured, joint()
            if budget.policy_callback is not None:
                budget.policy_callback(answer.policy)
            goal = partial(_goal_on_path, solver, answer) if budget.is_default else None
            outcome = budget.record(solver.iteration, measured, gaps, goal)
            # Limits of the budget come first: they name the reason that the user has asked for.
            outcome = outcome or _default_outcome(solver, budget, answer, is_at_limit)
            outcome = outcome or ("seconds" if pace.is_late else None)
        checkpointer.save()
    except KeyboardInterrupt:
        outcome = "interrupted"
        checkpointer.save()
        # An answer that was being measured is still that of this iteration.
        answer = answer or _Answer(solver, method, measure, evaluate)
        if not budget.trace or budget.trace[-1].iteration < solver.iteration:
            budget.callback = None
            budget.record(solver.iteration, answer.measured, joint=joint())
    assert answer is not None
    measured = answer.measured
    if finish is not None:
        finish()
    return SolveResult(
        game=solver.form.name,
        method=method,
        policy=answer.policy,
        current_policy=_unbroken(solver, method, solver.current_policy),
        measured=measured,
        outcome=outcome,
        iterations=solver.iteration,
        seconds=budget.elapsed,
        trace=tuple(budget.trace),
        target=budget.target,
    )


class NullCheckpointer:
    """A checkpointer for runs without a checkpoint; it saves nothing."""

    def without_interrupts(self) -> AbstractContextManager[None]:
        """Let Ctrl-C interrupt at any time."""
        return nullcontext()

    def save_if_due(self) -> None:
        """Save nothing."""

    def save(self) -> None:
        """Save nothing."""


class _Answer:
    """The answer after the iterations so far; it is computed where it is needed, and once."""

    def __init__(
        self,
        solver: IterativeSolver,
        method: str,
        measure: Callable[[TabularPolicy], Evaluation],
        evaluate: Callable[[], Evaluation] | None,
    ) -> None:
        self._solver: IterativeSolver = solver
        self._measure: Callable[[TabularPolicy], Evaluation] = measure
        self._method, self._evaluate = method, evaluate

    @cached_property
    def policy(self) -> TabularPolicy:
        """The policy; its numbers are checked."""
        return _unbroken(self._solver, self._method, self._solver.policy)

    @cached_property
    def measured(self) -> Evaluation:
        """The evaluation; its numbers are finite."""
        measured = self._evaluate() if self._evaluate else self._measure(self.policy)
        if not isfinite(measured.nash_conv):
            raise _breakdown(self._solver, self._method, f"NashConv is {measured.nash_conv}")
        return measured


class _Pace:
    """How long a measurement takes; a time limit includes the last one.

    Before the first measurement, its time is estimated from the time of the iterations and from the
    counted costs of both. The plan of measurements does not depend on these times.
    """

    def __init__(self, solver: IterativeSolver, budget: Budget, measurement_cost: int) -> None:
        self._solver, self._budget = solver, budget
        self._ratio = measurement_cost / solver.cost_per_iteration
        self._began, self._first = budget.elapsed, solver.iteration
        self._seconds: float | None = None

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Note the time that a block takes as that of a measurement."""
        began = self._budget.elapsed
        yield
        self._seconds = self._budget.elapsed - began

    @property
    def is_late(self) -> bool:
        """Whether a measurement that begins now would end after the time limit."""
        limit, seconds = self._budget.seconds, self._seconds
        if limit is None:
            return False
        if seconds is None:
            done = max(1, self._solver.iteration - self._first)
            seconds = self._ratio * (self._budget.elapsed - self._began) / done
        return self._budget.elapsed + seconds >= limit


def _goal_on_path(solver: IterativeSolver, answer: _Answer) -> float:
    """Return the error at which a default run may end, if that is less than the default target."""
    form, counts = solver.form, inf
    if form.is_two_player_constant_sum:
        is_table = all(plex.num_infostates == 1 for plex in form.treeplexes)
        if not is_table and form.gradient_cost > MAX_SPREAD_COST:
            return inf  # The spread may take longer than the run, and security levels are known.
        counts = RARE_FRACTION * form.payoff_width
    elif solver.iteration < min(SPARE_ITERATIONS, SPARE_COST / solver.cost_per_iteration):
        return form.rounding
    spread = form.payoff_spread(answer.policy.realization_plans())
    return max(form.rounding, DEFAULT_FRACTION * spread) if spread < counts else inf


def _default_outcome(
    solver: IterativeSolver,
    budget: Budget,
    answer: _Answer,
    is_at_limit: Callable[[TabularPolicy], bool] | None,
) -> Outcome | None:
    """Return why to stop a run that has reached no limit of its budget; None to continue."""
    wants_limit = budget.is_default or budget.target is not None
    if is_at_limit and wants_limit and is_at_limit(answer.policy):
        return "converged" if budget.is_default else "stalled"
    last = budget.max_iterations(solver.cost_per_iteration)
    return "iterations" if last is not None and solver.iteration >= last else None


def _unbroken(solver: IterativeSolver, method: str, policy: Callable[[], Answer]) -> Answer:
    """Return a policy of the solver; raise an error if its numbers are not a policy."""
    try:
        return policy()
    except ParameterError as error:
        raise _breakdown(solver, method, str(error)) from error


def _breakdown(solver: IterativeSolver, method: str, found: str) -> NumericalError:
    precision = getattr(solver, "precision", "float64")
    return NumericalError(
        f"{method} broke down at or before iteration {solver.iteration}: {found}. Its numbers are "
        f"too large or too small for {precision}: {_remedy(solver, method, precision)}"
    )


def _remedy(solver: IterativeSolver, method: str, precision: str) -> str:
    """Return what to do about numbers that a precision cannot represent, by their likely cause."""
    if precision != "float64":
        return "use precision='float64'"
    low, high = solver.form.payoff_range
    if 1 / EXTREME_PAYOFF <= max(abs(low), abs(high)) <= EXTREME_PAYOFF:
        return f"give {method} less extreme parameters"
    return (
        f"the payoffs of {solver.form.name} go from {low:.3g} to {high:.3g}: scale them "
        "to a magnitude of about 1"
    )


def _measurements_left(
    solver: IterativeSolver, budget: Budget, measurement_cost: int, min_early: int
) -> Iterator[int]:
    """Return the iterations after which a new or resumed run is measured.

    Unplanned measurements of earlier sessions, such as those at an interrupt, are removed from the
    trace.
    """
    done, cost = solver.iteration, solver.cost_per_iteration
    growth = GROWTH
    if budget.target is not None:
        # A large game may be solved long before a plan by costs measures it for the first time.
        growth, min_early = TARGET_GROWTH, max(min_early, EARLY_MEASUREMENTS)
    plan = partial(
        planned_measurements, cost, measurement_cost, min_growth=growth, min_early=min_early
    )
    # The measurement at `done` itself is repeated: its policy is needed for the answer.
    passed = set(takewhile(lambda at: at < done, plan()))
    budget.trace[:] = [point for point in budget.trace if point.iteration in passed]
    left = dropwhile(lambda at: at < done, plan())
    last = budget.max_iterations(cost)
    return (at if last is None else min(at, last) for at in left)


def _run_to(
    solver: IterativeSolver,
    iteration: int,
    budget: Budget,
    checkpointer: RunCheckpointer | NullCheckpointer,
    pace: _Pace,
) -> None:
    """Iterate up to `iteration`, or until a measurement is due because of the time limit."""
    longest = max(1, COST_BETWEEN_CLOCK_CHECKS // solver.cost_per_iteration)
    while solver.iteration < iteration:
        with checkpointer.without_interrupts():
            solver.run(min(longest, iteration - solver.iteration))
        checkpointer.save_if_due()
        if budget.is_over or pace.is_late:
            return


def gradient_cost(form: Form) -> int:
    """Return the count of numbers read to compute and use one gradient per player."""
    sequences = sum(plex.num_sequences for plex in form.treeplexes)
    return form.gradient_cost + 4 * sequences


def measurement_cost(form: Form) -> int:
    """Return the cost of measuring an answer, in the unit of `gradient_cost`."""
    return MEASUREMENT_OVERHEAD + form.evaluation_cost


def planned_measurements(
    cost: int,
    measurement_cost: int = 0,
    max_cost_between: int = COST_BETWEEN_MEASUREMENTS,
    min_growth: float = GROWTH,
    min_early: int = 0,
) -> Iterator[int]:
    """Yield the iterations after which to measure; they do not depend on the machine.

    A measurement follows when the iterations since the last one cost 20 measurements and the number
    of iterations has grown by `min_growth`, but for the latter no later than after iterations that
    cost `max_cost_between`.

    Early measurements are closer together: after iteration 1, and then each time the number of
    iterations has grown by `min_growth`. If these measurements, and one at the end of the run,
    would cost more than 2·10⁸, this growth is doubled until they do not. If even two measurements
    cost more than 2·10⁸, no measurement is early, and the first one follows when the iterations
    cost 40 measurements.

    Apart from the early ones, measurements therefore cost at most a twentieth of the iterations,
    including one at the end of the run, wherever it ends. With `TARGET_GROWTH`, a target is passed
    by at most 5% of the iterations or the cost of 20 measurements, whichever is more.

    Parameters
    ----------
    cost
        Cost of an iteration.
    measurement_cost
        Cost of a measurement, in the same unit.
    max_cost_between
        Cost of iterations after which to measure even if their number has grown by less.
    min_growth
        Smallest growth of the number of iterations between measurements.
    min_early
        Number of early measurements, including one at the end of the run, that are allowed even if
        they cost more than 2·10⁸.
    """
    pause = ceil(WORK_PER_MEASURING * measurement_cost / cost)
    longest = max(1, max_cost_between // cost)
    max_early = max(min_early, START_COST // max(1, measurement_cost))
    growth = _early_growth(min_growth, pause, max_early)
    iteration = 1 if growth < inf else 2 * pause
    while True:
        yield iteration
        # At least `pause`, whose work pays for a measurement, except among the early ones.
        early = int(min(growth * iteration, pause))
        iteration += max(1, early, min(int(min_growth * iteration), longest))


def _early_growth(growth: float, pause: int, max_measurements: int) -> float:
    """Return the growth between early measurements, at least `growth`; infinite if there are none.

    Early measurements are fewer than `pause` iterations apart. At most `max_measurements` are taken
    after so few iterations, including the one at the end of the run.
    """
    if max_measurements < 2:
        return inf
    while 2 + _num_early(pause, growth) > max_measurements:
        growth *= 2
    return growth


def _num_early(pause: int, growth: float) -> int:
    """Return the number of measurements before growth leads to an interval of `pause`."""
    iteration, count = 1, 0
    while growth * iteration < pause:
        iteration += max(1, int(growth * iteration))
        count += 1
    return count
