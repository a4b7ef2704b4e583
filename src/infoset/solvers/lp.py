"""The sequence-form linear program, solved by HiGHS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import Evaluation, evaluate_policy
from infoset.policy import TabularPolicy
from infoset.solvers._highs import (
    Algorithm,
    LinearModel,
    LinearSolution,
    maximise,
    maximise_at_vertex,
)
from infoset.solvers._lp_model import plan_model, policy_of_solution
from infoset.solvers._lp_refinement import refined_behavior
from infoset.solvers.budget import Budget
from infoset.solvers.result import Outcome, SolveResult
from infoset.solvers.resuming import refuse_checkpoint
from infoset.tree import SequenceForm

__all__ = ["LinearProgram", "solve_by_lp"]

CERTIFIED = 1e-6
"""Exploitability, relative to the payoff range, above which an 'optimal' answer is not believed."""

Choice = Literal["auto", "simplex", "ipm"]


@dataclass(frozen=True)
class LinearProgram:
    """The sequence-form linear program of a two-player constant-sum game.

    With x the first player's realization plan, E x = e its flow, F the other's, A the payoffs,

        maximise q₀  under  E x = e,  x ≥ 0,  Aᵀx − Fᵀq ≥ 0,

    and the second player's plan is the dual of the inequalities: one solve gives both.

    Attributes
    ----------
    name, description : str
        What the result calls it; one line, with the source.
    algorithm : str
        'simplex' is exact up to rounding. 'ipm', an interior point without crossover, ends at
        10⁻⁸ to 10⁻¹⁰ of the payoff range. 'auto' gives the simplex a number of iterations set by
        the size of the program, and takes the interior point where that was not enough.
    refine : bool
        Also play well where the plain answer does as it likes: among the plans that are optimal,
        one that makes the most of the opponent's mistakes; and after own mistakes, as in the
        game that begins with them. Many programs instead of one.

    Raises
    ------
    ParameterError
        If there is no such algorithm.

    Notes
    -----
    Source: von Stengel (1996). The refinement is after Miltersen and Sørensen (2010).
    Differs from theirs: only the opponent trembles, in the limit and not by a small number; what
    follows own mistakes is solved for itself.

    Examples
    --------
    >>> from infoset import solve
    >>> solve("kuhn_poker", LinearProgram(refine=True)).outcome
    'optimal'
    """

    name: str = "lp"
    description: str = "sequence-form linear program, by HiGHS (von Stengel 1996)"
    algorithm: Choice = "auto"
    refine: bool = False

    def __post_init__(self) -> None:
        if self.algorithm not in get_args(Choice):
            raise ParameterError(
                f"algorithm={self.algorithm!r} is none of {', '.join(get_args(Choice))}"
            )

    def run(self, sequence_form: SequenceForm, budget: Budget) -> SolveResult:
        """Solve a game; what `solve_by_lp` does.

        Raises
        ------
        UnsupportedGameError, ParameterError
            As `solve_by_lp`.
        """
        return solve_by_lp(sequence_form, budget, self)


class _Answer(NamedTuple):
    """Where a solve stands: the policy, how it was measured, and why it ended there."""

    policy: TabularPolicy
    measured: Evaluation
    outcome: Outcome
    iterations: int


def solve_by_lp(
    sequence_form: SequenceForm, budget: Budget, options: LinearProgram | None = None
) -> SolveResult:
    """Solve a two-player constant-sum game exactly, up to rounding.

    The answer is not trusted: the exploitability returned is measured by best responses, and
    where it is not small the outcome is 'failed', whatever HiGHS said. Where time runs out, or
    Ctrl-C comes, during refinement, the policy is that of the plain program.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    ParameterError
        If a checkpoint is asked for.
    """
    if not sequence_form.is_two_player_constant_sum:
        raise UnsupportedGameError(
            f"the linear program solves two-player constant-sum games; {sequence_form.name} is "
            "not one: use cfr+"
        )
    options = options or LinearProgram()
    refuse_checkpoint(budget.checkpoint, options.name)
    answer = _plain(sequence_form, budget, options)
    if options.refine and answer.outcome == "optimal":
        answer = _refined(answer, budget)
    budget.record(answer.iterations, answer.measured)
    return SolveResult(
        game=sequence_form.name,
        method=options.name,
        policy=answer.policy,
        current_policy=None,
        measured=answer.measured,
        outcome=answer.outcome,
        iterations=answer.iterations,
        seconds=budget.elapsed,
        trace=tuple(budget.trace),
    )


def _plain(sequence_form: SequenceForm, budget: Budget, options: LinearProgram) -> _Answer:
    model = plan_model(sequence_form, 0)
    iterations = 0
    for algorithm in _attempts(options):
        solution = maximise(model, algorithm, _seconds_left(budget))
        iterations += solution.iterations
        answer = _measured(
            policy_of_solution(sequence_form, solution), solution.outcome, iterations
        )
        if answer.outcome not in ("failed", "iterations"):
            return answer
    # Iterations of the simplex are our own limit, not one that was asked for.
    return answer._replace(outcome="failed")


def _attempts(options: LinearProgram) -> Iterator[Algorithm]:
    """Yield what to try, one after the other."""
    if options.algorithm != "ipm":
        yield "simplex"
    if options.algorithm != "simplex":
        yield "ipm"


def _seconds_left(budget: Budget) -> float | None:
    return None if budget.seconds is None else budget.seconds - budget.elapsed


def _measured(policy: TabularPolicy, outcome: Outcome, iterations: int) -> _Answer:
    """Return an answer whose outcome is 'optimal' only where best responses gain nothing."""
    measured = evaluate_policy(policy)
    low, high = policy.sequence_form.payoff_range
    certified = measured.nash_conv / 2 <= CERTIFIED * max(high - low, 1e-300)
    believed: Outcome = outcome if outcome != "optimal" or certified else "failed"
    return _Answer(policy, measured, believed, iterations)


class _EndedEarlyError(Exception):
    """A program of the refinement was not solved."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


def _refined(plain: _Answer, budget: Budget) -> _Answer:
    """Return the refined policy, or the plain one where that takes too long or fails."""
    form = plain.policy.sequence_form
    iterations = plain.iterations

    def maximise_or_end(model: LinearModel) -> LinearSolution:
        nonlocal iterations
        solution = maximise_at_vertex(model, _seconds_left(budget))
        iterations += solution.iterations
        if solution.outcome != "optimal":
            raise _EndedEarlyError(solution.outcome)
        return solution

    try:
        behavior = [refined_behavior(form, player, maximise_or_end) for player in (0, 1)]
    except _EndedEarlyError as ended:
        return plain._replace(outcome=ended.outcome, iterations=iterations)
    return _measured(TabularPolicy.from_weights(form, behavior), "optimal", iterations)
