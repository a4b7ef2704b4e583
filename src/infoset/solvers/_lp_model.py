"""The linear program of a player's plan, in sequence form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infoset.policy import TabularPolicy
from infoset.solvers._highs import LinearModel, LinearSolution
from infoset.tree import SequenceForm, Treeplex
from infoset.typing import FloatArray, Player

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["plan_model", "policy_of_solution"]


def plan_model(sequence_form: SequenceForm, player: Player) -> LinearModel:
    """Return the program that maximizes what a player's plan guarantees.

    Columns: the plan x [Q of the player], then values q [1 + I of the opponent]. Rows: the flow
    of the plan [1 + I], then, for each sequence of the opponent, what choosing it concedes beyond
    its value [Q]. Their duals are the opponent's plan. Payoffs are divided by a power of two.
    """
    from scipy.sparse import block_array

    own, other = (sequence_form.treeplexes[number] for number in (player, 1 - player))
    flow, other_flow = _flow_matrix(own), _flow_matrix(other)
    payoffs = _payoff_matrix(sequence_form, player)
    matrix = block_array([[flow, None], [payoffs, -other_flow.T]], format="csr")
    num_rows, num_columns = matrix.shape
    num_plan, num_flow = own.num_sequences, 1 + own.num_infostates
    row_upper = np.full(num_rows, np.inf)
    row_upper[:num_flow] = 0.0
    row_lower = np.zeros(num_rows)
    row_lower[0] = row_upper[0] = 1.0
    lower = np.zeros(num_columns)
    lower[num_plan:] = -np.inf
    cost = np.zeros(num_columns)
    cost[num_plan] = 1.0
    return LinearModel(matrix, cost, lower, np.full(num_columns, np.inf), row_lower, row_upper)


def policy_of_solution(sequence_form: SequenceForm, solution: LinearSolution) -> TabularPolicy:
    """Return both policies, given a solution of player 0's program: variables and duals."""
    first, second = sequence_form.treeplexes
    plan = solution.values[: first.num_sequences]
    # A price is what the objective would change by, and the opponent's plan is what it would lose.
    dual = solution.duals[-second.num_sequences :]
    dual = -dual if dual.sum() < 0 else dual
    weights = [np.clip(plan, 0, None), np.clip(dual, 0, None)]
    return TabularPolicy.from_weights(sequence_form, weights)


def _flow_matrix(treeplex: Treeplex) -> csr_array:
    """Return the matrix [1 + I, Q] whose product with a plan is (1, 0, 0, …)."""
    from scipy.sparse import coo_array

    infostates = np.arange(1, treeplex.num_infostates + 1)
    sequences = np.arange(1, treeplex.num_sequences)
    rows = np.concatenate([[0], infostates, np.repeat(infostates, treeplex.num_actions)])
    columns = np.concatenate([[0], treeplex.parent_sequence, sequences])
    values = np.concatenate([[1.0], -np.ones(len(infostates)), np.ones(len(sequences))])
    shape = (1 + treeplex.num_infostates, treeplex.num_sequences)
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


def _payoff_matrix(sequence_form: SequenceForm, player: Player) -> csr_array:
    """Return [Q of the opponent, Q of the player] the player's payoffs, of size at most 1."""
    from scipy.sparse import coo_array

    payoff: FloatArray = sequence_form.payoff[:, player]
    largest = float(np.abs(payoff).max(initial=0.0))
    scale = float(2.0 ** np.ceil(np.log2(largest))) if largest > 0 else 1.0
    columns = sequence_form.terminal_sequence[:, player]
    rows = sequence_form.terminal_sequence[:, 1 - player]
    shape = tuple(sequence_form.treeplexes[p].num_sequences for p in (1 - player, player))
    return coo_array((payoff / scale, (rows, columns)), shape=shape).tocsr()
