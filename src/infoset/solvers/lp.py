"""The sequence-form linear program, solved by HiGHS, and the refinement of its solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.forms import Form, Treeplex
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import SCHEMES
from infoset.runs import Budget, Outcome, SolveResult, check_budget, refuse_checkpoint
from infoset.solvers._incumbent import BEST, Incumbent
from infoset.solvers._linear_program import (
    Algorithm,
    Answer,
    LinearModel,
    LinearSolution,
    centered_model,
    maximize_at_vertex,
    measured_answer,
    policy_of_solution,
    seconds_left,
    solve_program,
)
from infoset.solvers.regret_family import RegretSolver
from infoset.solvers.two_player import check_two_player
from infoset.typing import BoolArray, FloatArray, Player
from infoset.utils.arguments import check_type

Choice = Literal["auto", "simplex", "ipm"]

Maximize: TypeAlias = Callable[[LinearModel], LinearSolution]

POSITIVE = 1e-9
"""Plans, reduced costs and duals of a refinement below this count as zero."""


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
    budget.begin()
    incumbent = Incumbent(
        partial(RegretSolver, form, SCHEMES[BEST]),
        uniform_policy(form),
        evaluate_policy,
        budget,
    )
    answer = solve_program(
        centered_model(form, 0),
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


def refined_behavior(form: Form, player: Player, maximize: Maximize) -> FloatArray:
    """Return [Q] the refined behavior of a player at every infostate, reached or not.

    The first program solves the whole game. The second solves the game that begins after the first
    mistakes of the player: the plan begins with weight 1 at each sequence of probability zero whose
    infostate is reached. The next programs begin after second mistakes, and so on, until every
    infostate is reached.
    """
    own, other = (form.treeplexes[number] for number in (player, 1 - player))
    model = centered_model(form, player)
    stages = _mistake_costs(model, other)
    behavior = np.zeros(own.num_sequences)
    known = np.zeros(own.num_infostates, dtype=bool)
    starts = np.zeros(own.num_sequences, dtype=bool)
    starts[0] = True
    while starts.any():
        solved = _robust_plan(_restricted_model(model, own, starts, known), stages, maximize)
        # The columns after the plan are the opponent's values.
        plan = np.where(solved > POSITIVE, solved, 0.0)[: own.num_sequences]
        # Set the behavior at the infostates that no earlier plan reached.
        reached = ~known & (plan[own.parent_sequence] > 0)
        acts = _of_sequences(own, reached)
        behavior[acts] = plan[acts] / plan[own.parent_sequence[own.infostate_of_sequence[acts]]]
        known |= reached
        starts = acts & (plan == 0)
    behavior[0] = 1.0
    return behavior


def _of_sequences(treeplex: Treeplex, infostates: BoolArray) -> BoolArray:
    """Return [Q] whether the last action of a sequence is at one of the given infostates [I]."""
    return np.concatenate([[False], np.repeat(infostates, treeplex.num_actions)])


def _restricted_model(
    model: LinearModel, own: Treeplex, starts: BoolArray, known: BoolArray
) -> LinearModel:
    """Return the program of the game in which the player's plan begins at the sequences `starts`.

    Sequences at known infostates are fixed: weight 1 for `starts`, 0 for others. The flow
    constraints of known infostates are dropped.
    """
    decided = _of_sequences(own, known)
    decided[0] = True
    lower, upper = model.lower.copy(), model.upper.copy()
    lower[: own.num_sequences][decided] = upper[: own.num_sequences][decided] = starts[decided]
    row_lower, row_upper = model.row_lower.copy(), model.row_upper.copy()
    # The first row is that of the empty sequence, whose weight is fixed, too.
    dropped = np.flatnonzero(np.concatenate([[True], known]))
    row_lower[dropped], row_upper[dropped] = -np.inf, np.inf
    return model._replace(lower=lower, upper=upper, row_lower=row_lower, row_upper=row_upper)


def _robust_plan(model: LinearModel, stages: list[FloatArray], maximize: Maximize) -> FloatArray:
    """Return a solution that maximizes the model's objective, then each of `stages` in order.

    Each objective is maximized over the optimal solutions of the previous one. By complementary
    slackness, these are the feasible solutions in which columns with nonzero reduced cost and rows
    with nonzero dual variable are fixed at their bounds.
    """
    solution = maximize(model)
    for cost in stages:
        model = _face(model, solution)._replace(cost=cost)
        solution = maximize(model)
    return solution.values


def _face(model: LinearModel, solution: LinearSolution) -> LinearModel:
    """Return the program restricted to the optimal solutions of the last objective."""
    lower, upper = model.lower.copy(), model.upper.copy()
    row_lower, row_upper = model.row_lower.copy(), model.row_upper.copy()
    # Intervals with more than one number have a finite lower end only, so that is the bound.
    priced_columns = np.abs(solution.reduced_costs) > POSITIVE
    upper[priced_columns] = lower[priced_columns]
    priced_rows = np.abs(solution.duals) > POSITIVE
    row_upper[priced_rows] = row_lower[priced_rows]
    return model._replace(lower=lower, upper=upper, row_lower=row_lower, row_upper=row_upper)


def _mistake_costs(model: LinearModel, other: Treeplex) -> list[FloatArray]:
    """Return, for k = 1, 2, …, [columns] the total loss of the opponent's k-action sequences."""
    # [Q] the number of actions of each sequence
    length = np.append(0, np.repeat(other.own_depth + 1, other.num_actions))
    # The rows of the opponent's sequences are what the plan gains if it plays them by mistake.
    losses = model.matrix[-other.num_sequences :]
    costs = []
    for count in range(1, int(length.max()) + 1):
        cost: FloatArray = losses.T @ (length == count).astype(np.float64)
        costs.append(cost)
    return costs
