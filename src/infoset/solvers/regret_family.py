"""Solving by regret minimisation: the loop around the kernel."""

from __future__ import annotations

from dataclasses import replace

from infoset.evaluation import evaluate_policy
from infoset.policy import TabularPolicy
from infoset.regret import RegretMinimizer, RegretScheme
from infoset.solvers.budget import Budget
from infoset.solvers.result import Outcome, SolveResult
from infoset.tree import SequenceForm

__all__ = ["average_policy", "current_policy", "solve_by_regret"]

GROWTH = 0.1
WORK_BETWEEN_MEASUREMENTS = 1_000_000_000
WORK_BETWEEN_LOOKS = 20_000_000


def average_policy(minimizer: RegretMinimizer) -> TabularPolicy:
    """Return the average policy, uniform where the average never goes."""
    return TabularPolicy.from_weights(minimizer.sequence_form, minimizer.average_plans())


def current_policy(minimizer: RegretMinimizer) -> TabularPolicy:
    """Return the policy that the next iteration begins with."""
    return TabularPolicy.from_weights(minimizer.sequence_form, minimizer.current_probabilities())


def solve_by_regret(
    sequence_form: SequenceForm, scheme: RegretScheme, budget: Budget
) -> SolveResult:
    """Run a member of the CFR family until the budget ends it.

    The average policy is measured after iterations 1, 2, … whose distance grows by a tenth, up
    to a bound set by the size of the game; the clock and interrupts are looked at in between.
    Exponents that move do so over the iterations of the budget, where it has a number of them.
    """
    if scheme.moves and budget.iterations is not None:
        scheme = replace(scheme, horizon=budget.iterations)
    minimizer = RegretMinimizer(sequence_form, scheme)
    outcome: Outcome | None = None
    try:
        while outcome is None:
            _run_to(minimizer, _next_measurement(minimizer, budget), budget)
            measured = evaluate_policy(average_policy(minimizer))
            outcome = budget.record(minimizer.iteration, measured)
    except KeyboardInterrupt:
        outcome = "interrupted"
        if not budget.trace or budget.trace[-1].iteration < minimizer.iteration:
            budget.callback = None
            budget.record(minimizer.iteration, evaluate_policy(average_policy(minimizer)))
    last = budget.trace[-1]
    return SolveResult(
        game=sequence_form.name,
        method=scheme.name,
        policy=average_policy(minimizer),
        current_policy=current_policy(minimizer),
        values=last.values,
        nash_conv=last.nash_conv,
        exploitability=last.exploitability,
        outcome=outcome,
        iterations=minimizer.iteration,
        seconds=budget.elapsed,
        trace=tuple(budget.trace),
    )


def _next_measurement(minimizer: RegretMinimizer, budget: Budget) -> int:
    """Return the iteration after which to measure next; the same on every machine."""
    longest = max(1, WORK_BETWEEN_MEASUREMENTS // minimizer.work)
    step = min(max(1, int(minimizer.iteration * GROWTH)), longest)
    following = minimizer.iteration + step
    return following if budget.iterations is None else min(following, budget.iterations)


def _run_to(minimizer: RegretMinimizer, iteration: int, budget: Budget) -> None:
    """Iterate up to `iteration`, or until the time is used up."""
    longest = max(1, WORK_BETWEEN_LOOKS // minimizer.work)
    while minimizer.iteration < iteration:
        minimizer.run(min(longest, iteration - minimizer.iteration))
        if budget.is_over:
            return
