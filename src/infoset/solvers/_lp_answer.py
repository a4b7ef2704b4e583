"""From a linear program to a policy that best responses have confirmed, and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from infoset.evaluation import Evaluation
from infoset.policy import TabularPolicy
from infoset.runs import Budget, Outcome, SolveResult
from infoset.solvers._highs import Algorithm, LinearModel, LinearSolution, maximize

__all__ = ["Answer", "Measure", "measured_answer", "seconds_left", "solve_program"]

CERTIFIED = 1e-6
"""Exploitability, relative to the payoff range, above which an 'optimal' answer is not believed."""

Measure = Callable[[TabularPolicy], Evaluation]


class Answer(NamedTuple):
    """Where a solve stands: the policy, how it was measured, and why it ended there."""

    policy: TabularPolicy
    measured: Evaluation
    outcome: Outcome
    iterations: int

    def to_result(self, method: str, budget: Budget) -> SolveResult:
        """Return the result of a solve that ends with this; record it in the budget."""
        budget.record(self.iterations, self.measured)
        return SolveResult(
            game=self.policy.sequence_form.name,
            method=method,
            policy=self.policy,
            current_policy=None,
            measured=self.measured,
            outcome=self.outcome,
            iterations=self.iterations,
            seconds=budget.elapsed,
            trace=tuple(budget.trace),
        )


def solve_program(
    model: LinearModel,
    algorithms: Iterable[Algorithm],
    policy_of: Callable[[LinearSolution], TabularPolicy],
    measure: Measure,
    budget: Budget,
) -> Answer:
    """Solve a program by one algorithm after the other, until there is an answer to believe."""
    iterations = 0
    for algorithm in algorithms:
        solution = maximize(model, algorithm, seconds_left(budget))
        iterations += solution.iterations
        answer = measured_answer(policy_of(solution), measure, solution.outcome, iterations)
        if answer.outcome not in ("failed", "iterations"):
            return answer
    # Iterations of the simplex are our own limit, not one that was asked for.
    return answer._replace(outcome="failed")


def measured_answer(
    policy: TabularPolicy, measure: Measure, outcome: Outcome, iterations: int
) -> Answer:
    """Return an answer whose outcome is 'optimal' only where best responses gain nothing."""
    measured = measure(policy)
    low, high = policy.sequence_form.payoff_range
    certified = measured.nash_conv / 2 <= CERTIFIED * max(high - low, 1e-300)
    believed: Outcome = outcome if outcome != "optimal" or certified else "failed"
    return Answer(policy, measured, believed, iterations)


def seconds_left(budget: Budget) -> float | None:
    """Return the time that is left, None where there is no limit."""
    return None if budget.seconds is None else budget.seconds - budget.elapsed
