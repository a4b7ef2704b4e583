"""The loop around every iterative method: iterate, measure, and stop when the budget says so."""

from __future__ import annotations

from typing import Protocol

from infoset.evaluation import evaluate_policy
from infoset.policy import TabularPolicy
from infoset.solvers.budget import Budget
from infoset.solvers.result import Outcome, SolveResult
from infoset.tree import SequenceForm

__all__ = ["IterativeSolver", "run_measured", "work_of"]

GROWTH = 0.1
WORK_BETWEEN_MEASUREMENTS = 1_000_000_000
WORK_BETWEEN_LOOKS = 20_000_000


class IterativeSolver(Protocol):
    """What `run_measured` needs of a method: a state, and the iterations that move it."""

    @property
    def sequence_form(self) -> SequenceForm:
        """The game."""

    @property
    def iteration(self) -> int:
        """Number of iterations done."""

    @property
    def work(self) -> int:
        """Numbers read in one iteration: what its time is in proportion to."""

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations; interrupted anywhere, leave an answer behind."""

    def policy(self) -> TabularPolicy:
        """Return the answer so far: the average or the last iterate, as the method has it."""

    def current_policy(self) -> TabularPolicy | None:
        """Return the last iterate; None where the method has none."""


def work_of(sequence_form: SequenceForm) -> int:
    """Return the numbers read to make and use one gradient of every player."""
    sequences = sum(plex.num_sequences for plex in sequence_form.treeplexes)
    return sequence_form.num_payoffs * sequence_form.num_players + 4 * sequences


def run_measured(solver: IterativeSolver, method: str, budget: Budget) -> SolveResult:
    """Run an iterative method, called `method` in the result, until the budget ends it.

    The answer is measured after iterations 1, 2, … whose distance grows by a tenth, up to a
    bound set by the work; the clock and interrupts are looked at in between.
    """
    outcome: Outcome | None = None
    try:
        while outcome is None:
            _run_to(solver, _next_measurement(solver, budget), budget)
            outcome = budget.record(solver.iteration, evaluate_policy(solver.policy()))
    except KeyboardInterrupt:
        outcome = "interrupted"
        if not budget.trace or budget.trace[-1].iteration < solver.iteration:
            budget.callback = None
            budget.record(solver.iteration, evaluate_policy(solver.policy()))
    policy = solver.policy()
    return SolveResult(
        game=solver.sequence_form.name,
        method=method,
        policy=policy,
        current_policy=solver.current_policy(),
        measured=evaluate_policy(policy),
        outcome=outcome,
        iterations=solver.iteration,
        seconds=budget.elapsed,
        trace=tuple(budget.trace),
    )


def _next_measurement(solver: IterativeSolver, budget: Budget) -> int:
    """Return the iteration after which to measure next; the same on every machine."""
    longest = max(1, WORK_BETWEEN_MEASUREMENTS // solver.work)
    step = min(max(1, int(solver.iteration * GROWTH)), longest)
    following = solver.iteration + step
    return following if budget.iterations is None else min(following, budget.iterations)


def _run_to(solver: IterativeSolver, iteration: int, budget: Budget) -> None:
    """Iterate up to `iteration`, or until the time is used up."""
    longest = max(1, WORK_BETWEEN_LOOKS // solver.work)
    while solver.iteration < iteration:
        solver.run(min(longest, iteration - solver.iteration))
        if budget.is_over:
            return
