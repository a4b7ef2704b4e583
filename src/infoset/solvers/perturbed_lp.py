"""The linear program of a game in which every hand trembles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infoset.policy import TabularPolicy
from infoset.runs import Budget, SolveResult, refuse_checkpoint
from infoset.solvers._highs import LinearModel, LinearSolution
from infoset.solvers._lp_answer import solve_program
from infoset.solvers._lp_model import plan_model
from infoset.solvers.perturbed_game import PerturbedGame
from infoset.solvers.two_player import check_two_player
from infoset.tree import SequenceForm, Treeplex
from infoset.typing import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["solve_perturbed_by_lp"]


def solve_perturbed_by_lp(perturbed: PerturbedGame, budget: Budget) -> SolveResult:
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
    form = perturbed.form
    check_two_player(form, "lp")
    refuse_checkpoint(budget.checkpoint, "lp")
    first, second = map(_plan_of_rest, form.treeplexes, perturbed.min_probabilities)

    def policy_of(solution: LinearSolution) -> TabularPolicy:
        dual = solution.duals[-second.shape[0] :]
        return perturbed.from_plans(
            (first @ solution.values[: first.shape[0]], second @ np.abs(dual))
        )

    answer = solve_program(
        _model_of_rests(form, first, second),
        ("simplex", "ipm"),
        policy_of,
        perturbed.evaluate,
        budget,
    )
    return answer.to_result("lp", budget)


def _model_of_rests(form: SequenceForm, first: csr_array, second: csr_array) -> LinearModel:
    """Return the program of the plan in the changed variables, its dual ones changed too."""
    from scipy.sparse import block_diag, eye_array

    model = plan_model(form, 0)
    rows, columns = model.matrix.shape
    left = block_diag([eye_array(rows - second.shape[0]), second.T], format="csr")
    right = block_diag([first, eye_array(columns - first.shape[0])], format="csr")
    return model._replace(matrix=(left @ model.matrix @ right).tocsr())


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
