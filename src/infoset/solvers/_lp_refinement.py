"""Refinement of linear-program solutions: optimal plans that also exploit mistakes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from infoset.forms import Form, Treeplex
from infoset.solvers._linear_program import LinearModel, LinearSolution, plan_model
from infoset.typing import FloatArray, IntArray, Player

POSITIVE = 1e-9
"""Plans, reduced costs and duals below this count as zero."""

Maximize = Callable[[LinearModel], LinearSolution]
Flags = NDArray[np.bool_]


def refined_behavior(form: Form, player: Player, maximize: Maximize) -> FloatArray:
    """Return [Q] the refined behavior of a player at every infostate, reached or not.

    The first program solves the whole game. The second solves the game that begins after the first
    mistakes of the player: the plan begins with weight 1 at each sequence of probability zero whose
    infostate is reached. The next programs begin after second mistakes, and so on, until every
    infostate is reached.
    """
    own, other = (form.treeplexes[number] for number in (player, 1 - player))
    model = plan_model(form.centered, player)
    stages = _mistake_costs(model, other)
    behavior = np.zeros(own.num_sequences)
    known = np.zeros(own.num_infostates, dtype=bool)
    starts = np.zeros(own.num_sequences, dtype=bool)
    starts[0] = True
    while starts.any():
        solved = _robust_plan(_restricted_model(model, own, starts, known), stages, maximize)
        plan = np.where(solved > POSITIVE, solved, 0.0)[: own.num_sequences]
        # Set the behavior at the infostates that no earlier plan reached.
        reached = ~known & (plan[own.parent_sequence] > 0)
        acts = _of_sequences(own, reached)
        behavior[acts] = plan[acts] / plan[own.parent_sequence[own.infostate_of_sequence[acts]]]
        known |= reached
        starts = acts & (plan == 0)
    behavior[0] = 1.0
    return behavior


def _of_sequences(treeplex: Treeplex, infostates: Flags) -> Flags:
    """Return [Q] whether the last action of a sequence is at one of the given infostates [I]."""
    return np.concatenate([[False], np.repeat(infostates, treeplex.num_actions)])


def _restricted_model(
    model: LinearModel, own: Treeplex, starts: Flags, known: Flags
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
    length = _lengths(other)
    losses = model.matrix[-other.num_sequences :]
    costs = []
    for count in range(1, int(length.max()) + 1):
        cost: FloatArray = losses.T @ (length == count).astype(np.float64)
        costs.append(cost)
    return costs


def _lengths(treeplex: Treeplex) -> IntArray:
    """Return [Q] the number of actions of each sequence."""
    length = np.zeros(treeplex.num_sequences, np.int32)
    for infostate, before in enumerate(treeplex.parent_sequence.tolist()):
        first = int(treeplex.first_sequence[infostate])
        length[first : first + int(treeplex.num_actions[infostate])] = length[before] + 1
    return length
