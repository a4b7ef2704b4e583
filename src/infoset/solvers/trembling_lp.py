"""The linear program of a game in which every hand trembles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.solvers._highs import LinearSolution, maximise
from infoset.solvers._lp_model import plan_model
from infoset.solvers.budget import Budget
from infoset.solvers.lp import CERTIFIED
from infoset.solvers.result import Outcome, SolveResult
from infoset.solvers.resuming import refuse_checkpoint
from infoset.solvers.trembles import TremblingForm
from infoset.tree import Treeplex
from infoset.typing import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["solve_trembling_by_lp"]


def solve_trembling_by_lp(trembling: TremblingForm, budget: Budget) -> SolveResult:
    """Solve a two-player constant-sum game with least probabilities exactly, up to rounding.

    With x the plan and ε its least probabilities, u(I, a) = x(I, a) − ε(I, a) x(p(I)) is what is
    not negative: the program of `solve_by_lp`, its variables and its dual ones changed to these.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    ParameterError
        If a checkpoint is asked for.
    """
    form = trembling.form
    if not form.is_two_player_constant_sum:
        raise UnsupportedGameError(
            f"the linear program solves two-player constant-sum games; {form.name} is not one: "
            "use cfr+"
        )
    refuse_checkpoint(budget.checkpoint, "lp")
    first, second = map(_plan_of_rest, form.treeplexes, trembling.least)
    solution = _solve(trembling, (first, second), budget)
    dual = solution.duals[-second.shape[0] :]
    plans = first @ solution.values[: first.shape[0]], second @ np.abs(dual)
    policy = trembling.from_plans(plans)
    measured = trembling.evaluate(policy)
    budget.record(solution.iterations, measured)
    low, high = form.payoff_range
    believed = measured.nash_conv / 2 <= CERTIFIED * max(high - low, 1e-300)
    outcome: Outcome = solution.outcome
    if outcome == "iterations" or (outcome == "optimal" and not believed):
        outcome = "failed"
    return SolveResult(
        game=form.name,
        method="lp",
        policy=policy,
        current_policy=None,
        measured=measured,
        outcome=outcome,
        iterations=solution.iterations,
        seconds=budget.elapsed,
        trace=tuple(budget.trace),
    )


def _solve(
    trembling: TremblingForm, plans_of_rest: tuple[csr_array, csr_array], budget: Budget
) -> LinearSolution:
    """Solve the program in the changed variables, by the simplex or else by an interior point."""
    from scipy.sparse import block_diag, eye_array

    first, second = plans_of_rest
    model = plan_model(trembling.form, 0)
    rows, columns = model.matrix.shape
    left = block_diag([eye_array(rows - second.shape[0]), second.T], format="csr")
    right = block_diag([first, eye_array(columns - first.shape[0])], format="csr")
    changed = model._replace(matrix=(left @ model.matrix @ right).tocsr())
    left_over = None if budget.seconds is None else budget.seconds - budget.elapsed
    solution = maximise(changed, "simplex", left_over)
    if solution.outcome in ("failed", "iterations"):
        solution = maximise(changed, "ipm", left_over)
    return solution


def _plan_of_rest(plex: Treeplex, least: FloatArray) -> csr_array:
    """Return the matrix [Q, Q] that makes the plan x of u: x(I, a) = u(I, a) + ε(I, a) x(p(I))."""
    from scipy.sparse import csr_array, eye_array

    size = plex.num_sequences
    rows = np.flatnonzero(least)
    above = np.concatenate([[0], np.repeat(plex.parent_sequence, plex.num_actions)])
    step = csr_array((least[rows], (rows, above[rows])), shape=(size, size))
    total = term = csr_array(eye_array(size))
    while term.nnz:
        term = (step @ term).tocsr()
        total = total + term
    return total
