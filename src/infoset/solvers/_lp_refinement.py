"""Refinement: optimal plans that also exploit the mistakes of the opponent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from infoset.solvers._linear_program import LinearModel, LinearSolution, plan_model
from infoset.tree import SequenceForm, Treeplex
from infoset.typing import FloatArray, IntArray, Player

__all__ = ["refined_behavior"]

POSITIVE = 1e-9
"""Below this a plan, a reduced cost or a dual counts as zero."""

Maximize = Callable[[LinearModel], LinearSolution]
Flags = NDArray[np.bool_]


def refined_behavior(sequence_form: SequenceForm, player: Player, maximize: Maximize) -> FloatArray:
    """Return [Q] how a player acts at every infostate, reached or not.

    First the plan of the whole game is found, then that of the game which begins with the
    player's own first mistakes (each sequence that the plan leaves out where it could take it,
    with weight 1), then with second ones, until every infostate is reached.
    """
    own, other = (sequence_form.treeplexes[number] for number in (player, 1 - player))
    model = plan_model(sequence_form, player)
    stages = _mistake_costs(model, other)
    behavior = np.zeros(own.num_sequences)
    known = np.zeros(own.num_infostates, dtype=bool)
    starts = np.zeros(own.num_sequences, dtype=bool)
    starts[0] = True
    while starts.any():
        solved = _robust_plan(_begun_at(model, own, starts, known), stages, maximize)
        plan = np.where(solved > POSITIVE, solved, 0.0)[: own.num_sequences]
        reached = ~known & (plan[own.parent_sequence] > 0)
        acts = _of_sequences(own, reached)
        behavior[acts] = plan[acts] / plan[own.parent_sequence[own.infostate_of_sequence[acts]]]
        known |= reached
        starts = acts & (plan == 0)
    behavior[0] = 1.0
    return behavior


def _of_sequences(treeplex: Treeplex, infostates: Flags) -> Flags:
    """Return [Q] whether a sequence ends at one of some infostates [I]."""
    return np.concatenate([[False], np.repeat(infostates, treeplex.num_actions)])


def _begun_at(model: LinearModel, own: Treeplex, starts: Flags, known: Flags) -> LinearModel:
    """Return the program of the game in which the player's plan begins at some sequences.

    What is decided already, at known infostates and before, has no weight but there.
    """
    decided = _of_sequences(own, known)
    decided[0] = True
    lower, upper = model.lower.copy(), model.upper.copy()
    lower[: own.num_sequences][decided] = upper[: own.num_sequences][decided] = starts[decided]
    row_lower, row_upper = model.row_lower.copy(), model.row_upper.copy()
    loose = np.flatnonzero(np.concatenate([[True], known]))
    row_lower[loose], row_upper[loose] = -np.inf, np.inf
    return model._replace(lower=lower, upper=upper, row_lower=row_lower, row_upper=row_upper)


def _robust_plan(model: LinearModel, stages: list[FloatArray], maximize: Maximize) -> FloatArray:
    """Return a solution that is best at the cost of the model, and among those at each stage.

    By complementary slackness the solutions of one program are those of the next: columns and
    rows that have a price are held where they are.
    """
    solution = maximize(model)
    for cost in stages:
        model = _face(model, solution)._replace(cost=cost)
        solution = maximize(model)
    return solution.values


def _face(model: LinearModel, solution: LinearSolution) -> LinearModel:
    lower, upper = model.lower.copy(), model.upper.copy()
    row_lower, row_upper = model.row_lower.copy(), model.row_upper.copy()
    _hold(lower, upper, np.abs(solution.reduced_costs) > POSITIVE)
    _hold(row_lower, row_upper, np.abs(solution.duals) > POSITIVE)
    return model._replace(lower=lower, upper=upper, row_lower=row_lower, row_upper=row_upper)


def _hold(lower: FloatArray, upper: FloatArray, priced: Flags) -> None:
    """Close the interval of what has a price; only lower ends are finite where it is open."""
    upper[priced] = lower[priced]


def _mistake_costs(model: LinearModel, other: Treeplex) -> list[FloatArray]:
    """Return [columns] for k = 1, 2, …: what the opponent loses by its sequences of length k."""
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
