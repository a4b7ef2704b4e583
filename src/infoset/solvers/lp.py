"""The sequence-form linear program, solved by HiGHS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, get_args

from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.forms import Form
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import SCHEMES
from infoset.runs import Budget, Outcome, SolveResult, check_budget, refuse_checkpoint
from infoset.solvers._incumbent import BEST, Incumbent
from infoset.solvers._linear_program import (
    Algorithm,
    Answer,
    LinearModel,
    LinearSolution,
    maximize_at_vertex,
    measured_answer,
    plan_model,
    policy_of_solution,
    seconds_left,
    solve_program,
)
from infoset.solvers._lp_refinement import refined_behavior
from infoset.solvers.regret_family import RegretSolver
from infoset.solvers.two_player import check_two_player
from infoset.utils.arguments import check_type

Choice = Literal["auto", "simplex", "ipm"]


@dataclass(frozen=True)
class LinearProgram:
    """The sequence-form linear program of a two-player constant-sum game.

    With x the realization plan of player 0, E x = e its flow constraints, F the flow matrix of
    player 1, and A the payoffs, it is

        maximize q₀  subject to  E x = e,  x ≥ 0,  Aᵀx − Fᵀq ≥ 0

    The dual variables of the inequalities are the plan of player 1, so one solve gives both
    policies.

    Notes
    -----
    Source: von Stengel (1996). The refinement is based on Miltersen and Sørensen (2010). Differs
    from that paper: only the opponent makes mistakes, with probabilities that go to zero instead of
    given ones; the play after the player's own mistakes is solved separately.

    Examples
    --------
    >>> from infoset import solve
    >>> solve("kuhn_poker", LinearProgram(refine=True)).outcome
    'optimal'
    """

    name: str = "lp"
    description: str = "sequence-form linear program, by HiGHS (von Stengel 1996)"
    """Name of the method in results, and its description in one line with the source."""
    algorithm: Choice = "auto"
    """'simplex' is exact up to rounding. 'ipm', an interior point method without crossover, reaches
    an exploitability of 10⁻⁸ to 10⁻¹⁰ of the payoff range. 'auto' tries the simplex method with an
    iteration limit that depends on the size of the program, and then the interior point method."""
    refine: bool = False
    """Whether to refine the solution where optimality does not determine it. Among optimal plans,
    the refined one best exploits the opponent's mistakes. After the player's own mistakes, the
    refined plan is optimal in the game that begins there. Refinement solves many programs instead
    of one."""

    def __post_init__(self) -> None:
        check_type("refine", self.refine, bool, "True or False")
        if self.algorithm not in get_args(Choice):
            raise ParameterError(
                f"algorithm={self.algorithm!r} is unknown: use one of {', '.join(get_args(Choice))}"
            )

    kinds: ClassVar[tuple[str, ...]] = ("sequence",)
    """The forms on which the method runs: those that list payoffs by pairs of sequences."""

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Solve a game as `solve_by_lp` does.

        Raises
        ------
        UnsupportedGameError, ParameterError
            In the cases that `solve_by_lp` lists.
        """
        return solve_by_lp(form, budget, self)


def solve_by_lp(form: Form, budget: Budget, options: LinearProgram | None = None) -> SolveResult:
    """Solve a two-player constant-sum game exactly, up to rounding.

    The solution is checked independently: best responses measure its exploitability. If this is not
    small, the outcome is 'failed', whatever status HiGHS reports. If the time limit is reached or
    Ctrl-C is pressed during refinement, the policy is the solution of the first program.

    If the first program is not solved, the policy is the best known: that of the program so far,
    the uniform policy, or that of `sapdcfr+`, which runs alongside the program. `reason` of the
    result then says which, and `iterations` still counts those of the program. The outcome is
    'converged' if this policy reaches the target of the budget within the time limit.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """
    options = options or LinearProgram()
    check_two_player(form, options.name)
    check_budget(budget)
    refuse_checkpoint(budget.checkpoint, options.name)
    incumbent = Incumbent(
        partial(RegretSolver, form, SCHEMES[BEST]),
        uniform_policy(form),
        evaluate_policy,
        budget,
    )
    answer = solve_program(
        plan_model(form.centered, 0),
        _attempts(options),
        partial(policy_of_solution, form),
        evaluate_policy,
        budget,
        incumbent,
    )
    if options.refine and answer.outcome == "optimal":
        answer = _refined(answer, budget)
    return answer.to_result(options.name, budget)


def _attempts(options: LinearProgram) -> Iterator[Algorithm]:
    """Yield the algorithms to try, in order."""
    if options.algorithm != "ipm":
        yield "simplex"
    if options.algorithm != "simplex":
        yield "ipm"


class _EndedEarlyError(Exception):
    """A program of the refinement ended without an optimal solution."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


def _refined(plain: Answer, budget: Budget) -> Answer:
    """Return the refined answer, or the original policy if refinement ends early."""
    form = plain.policy.form
    iterations = plain.iterations

    def maximize_or_end(model: LinearModel) -> LinearSolution:
        nonlocal iterations
        solution = maximize_at_vertex(model, seconds_left(budget))
        iterations += solution.iterations
        if solution.outcome != "optimal":
            raise _EndedEarlyError(solution.outcome)
        return solution

    try:
        behavior = [refined_behavior(form, player, maximize_or_end) for player in (0, 1)]
    except _EndedEarlyError as ended:
        return plain._replace(outcome=ended.outcome, iterations=iterations)
    policy = TabularPolicy.from_weights(form, behavior)
    return measured_answer(policy, evaluate_policy, "optimal", iterations)
