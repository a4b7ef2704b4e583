"""The loop of every iterative method: iterate, measure, save, and stop at the budget's limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import dropwhile, takewhile
from math import isfinite
from typing import TYPE_CHECKING, Protocol

from infoset.errors import NumericalError, ParameterError
from infoset.evaluation import Evaluation, evaluate_policy
from infoset.policy import PublicPolicy, TabularPolicy
from infoset.runs.budget import Budget, check_budget
from infoset.runs.checkpointer import NullCheckpointer, RunCheckpointer, open_checkpointer
from infoset.runs.result import JointGaps, Outcome, PolicyT, SolveResult
from infoset.tree import GameForm, PublicForm

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    AnyPolicy = TabularPolicy | PublicPolicy
    Found = TypeVar("Found", bound=AnyPolicy, covariant=True, default=TabularPolicy)
    Answer = TypeVar("Answer")
else:  # defaults of type variables are for type checkers only
    from typing import TypeVar

    Found = TypeVar("Found", covariant=True)
    Answer = TypeVar("Answer")

__all__ = ["IterativeSolver", "gradient_cost", "run_measured"]

GROWTH = 0.1
COST_BETWEEN_MEASUREMENTS = 3_000_000_000
COST_BETWEEN_CLOCK_CHECKS = 20_000_000
EXTREME_PAYOFF = 1e100
"""Only payoffs above this or below its inverse are themselves the likely cause of a breakdown."""


class IterativeSolver(Protocol[Found]):
    """The attributes that `run_measured` needs: a state, and iterations that change it.

    Its policies are tabular, or those of a public form.
    """

    @property
    def sequence_form(self) -> GameForm:
        """The game: its sequence form, or its public form."""

    @property
    def iteration(self) -> int:
        """Number of iterations done."""

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one iteration reads; its time is roughly proportional to this."""

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations; an interrupt at any point must leave a valid answer."""

    def policy(self) -> Found:
        """Return the answer so far: the average policy or the last iterate."""

    def current_policy(self) -> Found | None:
        """Return the last iterate; None if the method has none."""


def gradient_cost(form: GameForm) -> int:
    """Return the count of numbers read to compute and use one gradient per player."""
    sequences = sum(plex.num_sequences for plex in form.treeplexes)
    if isinstance(form, PublicForm):
        return form.gradient_cost + 4 * sequences
    return form.num_payoffs * form.num_players + 4 * sequences


def run_measured(
    solver: IterativeSolver[PolicyT],
    method: str,
    budget: Budget,
    measure: Callable[[PolicyT], Evaluation] = evaluate_policy,
    joint: Callable[[], JointGaps] = JointGaps,
    is_at_limit: Callable[[PolicyT], bool] | None = None,
    evaluate: Callable[[], Evaluation] | None = None,
) -> SolveResult[PolicyT]:
    """Run an iterative method, named `method` in the result, until its budget is used up.

    `measure` evaluates the answer after iteration 1, and then each time the number of iterations
    has grown by a tenth; the interval has a maximum that depends on the cost of an iteration.
    Between measurements the clock and interrupts are checked. A resumed run is measured after the
    same iterations as an uninterrupted run. If `joint` returns gaps of joint play, the trace
    records them, and the target of the budget applies to them instead. `is_at_limit` is for methods
    that converge to something other than a Nash equilibrium. Once it returns True, a run without a
    target, an iteration limit or a time limit ends with the outcome 'converged', and a run with a
    target that was not reached ends as 'stalled'. `evaluate` returns what `measure` would return
    for the answer so far, for solvers that need not build the policy for it; the final answer is
    evaluated by `measure`.

    Raises
    ------
    ParameterError
        If the budget is not a `Budget`.
    NumericalError
        If the answer is no longer a policy, or has no finite value.
    """
    check_budget(budget)
    outcome: Outcome | None = None
    checkpointer = open_checkpointer(solver, method, budget)
    measurements = _measurements_left(solver, budget)
    try:
        while outcome is None:
            _run_to(solver, next(measurements), budget, checkpointer)
            policy = None
            if evaluate is not None and budget.policy_callback is None and is_at_limit is None:
                measured = _finite(solver, method, evaluate())
            else:
                policy, measured = _measured(solver, method, measure)
            if policy is not None and budget.policy_callback is not None:
                budget.policy_callback(policy)
            outcome = budget.record(solver.iteration, measured, joint())
            outcome = outcome or _default_outcome(solver, budget, policy, is_at_limit)
        checkpointer.save()
    except KeyboardInterrupt:
        outcome = "interrupted"
        checkpointer.save()
        if not budget.trace or budget.trace[-1].iteration < solver.iteration:
            budget.callback = None
            budget.record(solver.iteration, _measured(solver, method, measure)[1], joint=joint())
    policy, measured = _measured(solver, method, measure)
    return SolveResult(
        game=solver.sequence_form.name,
        method=method,
        policy=policy,
        current_policy=_unbroken(solver, method, solver.current_policy),
        measured=measured,
        outcome=outcome,
        iterations=solver.iteration,
        seconds=budget.elapsed,
        trace=tuple(budget.trace),
    )


def _default_outcome(
    solver: IterativeSolver[PolicyT],
    budget: Budget,
    policy: PolicyT | None,
    is_at_limit: Callable[[PolicyT], bool] | None,
) -> Outcome | None:
    """Return why to stop a run that has reached no limit of its budget; None to continue."""
    wants_limit = budget.is_default or budget.target is not None
    if is_at_limit and policy is not None and wants_limit and is_at_limit(policy):
        return "converged" if budget.is_default else "stalled"
    last = budget.max_iterations(solver.cost_per_iteration)
    return "iterations" if last is not None and solver.iteration >= last else None


def _measured(
    solver: IterativeSolver[PolicyT], method: str, measure: Callable[[PolicyT], Evaluation]
) -> tuple[PolicyT, Evaluation]:
    """Return the answer so far, and its evaluation."""
    policy = _unbroken(solver, method, solver.policy)
    return policy, _finite(solver, method, measure(policy))


def _finite(solver: IterativeSolver[PolicyT], method: str, measured: Evaluation) -> Evaluation:
    """Return an evaluation; raise an error if its numbers are not finite."""
    if not isfinite(measured.nash_conv):
        raise _breakdown(solver, method, f"NashConv is {measured.nash_conv}")
    return measured


def _unbroken(
    solver: IterativeSolver[PolicyT], method: str, policy: Callable[[], Answer]
) -> Answer:
    """Return a policy of the solver; raise an error if its numbers are not a policy."""
    try:
        return policy()
    except ParameterError as error:
        raise _breakdown(solver, method, str(error)) from error


def _breakdown(solver: IterativeSolver[PolicyT], method: str, found: str) -> NumericalError:
    precision = getattr(solver, "precision", "float64")
    return NumericalError(
        f"{method} broke down at or before iteration {solver.iteration}: {found}. Its numbers are "
        f"too large or too small for {precision}: {_remedy(solver, method, precision)}"
    )


def _remedy(solver: IterativeSolver[PolicyT], method: str, precision: str) -> str:
    """Return what to do about numbers that a precision cannot represent, by their likely cause."""
    if precision != "float64":
        return "use precision='float64'"
    low, high = solver.sequence_form.payoff_range
    if 1 / EXTREME_PAYOFF <= max(abs(low), abs(high)) <= EXTREME_PAYOFF:
        return f"give {method} less extreme parameters"
    return (
        f"the payoffs of {solver.sequence_form.name} go from {low:.3g} to {high:.3g}: scale them "
        "to a magnitude of about 1"
    )


def planned_measurements(
    cost: int, max_cost_between: int = COST_BETWEEN_MEASUREMENTS
) -> Iterator[int]:
    """Yield the iterations after which to measure; they do not depend on the machine."""
    longest = max(1, max_cost_between // cost)
    iteration = 1
    while True:
        yield iteration
        iteration += min(max(1, int(iteration * GROWTH)), longest)


def _measurements_left(solver: IterativeSolver[PolicyT], budget: Budget) -> Iterator[int]:
    """Return the iterations after which a new or resumed run is measured.

    Unplanned measurements of earlier sessions, such as those at an interrupt, are removed from the
    trace.
    """
    done, cost = solver.iteration, solver.cost_per_iteration
    passed = set(takewhile(lambda planned: planned < done, planned_measurements(cost)))
    budget.trace[:] = [point for point in budget.trace if point.iteration in passed]
    left = dropwhile(lambda planned: planned < done, planned_measurements(cost))
    last = budget.max_iterations(cost)
    return (planned if last is None else min(planned, last) for planned in left)


def _run_to(
    solver: IterativeSolver[PolicyT],
    iteration: int,
    budget: Budget,
    checkpointer: RunCheckpointer | NullCheckpointer,
) -> None:
    """Iterate up to `iteration`, or until the time limit is reached.

    A run whose earlier sessions have used up the time does not iterate.
    """
    if solver.iteration and budget.is_over:
        return
    longest = max(1, COST_BETWEEN_CLOCK_CHECKS // solver.cost_per_iteration)
    while solver.iteration < iteration:
        with checkpointer.without_interrupts():
            solver.run(min(longest, iteration - solver.iteration))
        checkpointer.save_if_due()
        if budget.is_over:
            return
