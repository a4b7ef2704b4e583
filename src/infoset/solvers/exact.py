"""Equilibria in fractions, by the basis of the linear program."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from infoset.efg import ExtensiveForm
from infoset.evaluation import ValueProof, prove_value
from infoset.evaluation.value_proofs import (
    Payoffs,
    Plan,
    exact_payoffs,
    provable_form,
    prove_bounds,
)
from infoset.solvers._highs import LinearModel, LinearSolution, maximize_at_vertex
from infoset.solvers._lp_model import plan_model, policy_of_solution
from infoset.solvers._rational import Equations, solve_in_fractions
from infoset.tree import GameTree, Treeplex
from infoset.typing import LongArray

__all__ = ["solve_exactly"]


def solve_exactly(game: GameTree | ExtensiveForm) -> ValueProof:
    """Solve a two-player constant-sum game in fractions, and prove it.

    The linear program in floating point says which variables are positive and which constraints
    are tight. Those make equations, which are solved in fractions, once for each player. Best
    responses in fractions then prove the answer; nothing that was computed before is trusted.

    Parameters
    ----------
    game : GameTree or ExtensiveForm
        With all of nature's probabilities exact (`Fraction` or `int`).

    Returns
    -------
    ValueProof
        `value` is the value of the game, and `probabilities` an exact equilibrium. Where the
        equations have no solution that is one, the bounds of `prove_value`.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum, or its probabilities are not exact.

    Notes
    -----
    Rewards are taken as the floating-point numbers they are kept as, which are fractions too.
    Source: Applegate, Cook, Dash and Espinoza (2007), for the basis; Wan (2006), for the equations.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> solve_exactly(build_tree(load_game("kuhn_poker"))).value
    Fraction(-1, 18)
    """
    form = provable_form(game)
    payoffs = exact_payoffs(game)
    model = plan_model(form, 0)
    solution = maximize_at_vertex(model, None)
    if solution.outcome == "interrupted":
        raise KeyboardInterrupt
    plans = _exact_plans(model, solution, form.treeplexes, payoffs)
    if plans is None:
        return prove_value(game, policy_of_solution(form, solution))
    behaviors = [_behavior(plex, plan) for plex, plan in zip(form.treeplexes, plans, strict=True)]
    return prove_bounds(form.treeplexes, payoffs, behaviors)


def _exact_plans(
    model: LinearModel, solution: LinearSolution, plexes: Sequence[Treeplex], payoffs: Payoffs
) -> tuple[Plan, Plan] | None:
    """Return the plans of both players, None where the basis is none."""
    tight, basic = np.flatnonzero(~solution.basic_rows), np.flatnonzero(solution.basic_columns)
    if len(tight) != len(basic):
        return None
    primal = _basis_equations(model, plexes, payoffs, tight, basic)
    dual = Equations(
        primal.columns, primal.rows, primal.values, [Fraction(c) for c in model.cost[basic]]
    )
    values, prices = solve_in_fractions(primal), solve_in_fractions(dual)
    if values is None or prices is None:
        return None
    first, second = plexes
    num_rows, num_columns = model.matrix.shape
    plan = _spread(num_columns, basic.tolist(), values)[: first.num_sequences]
    concessions = _spread(num_rows, tight.tolist(), prices)[num_rows - second.num_sequences :]
    return plan, [abs(price) for price in concessions]


def _basis_equations(
    model: LinearModel,
    plexes: Sequence[Treeplex],
    payoffs: Payoffs,
    tight: LongArray,
    basic: LongArray,
) -> Equations:
    """Return the tight constraints of the program, in the basic variables."""
    num_rows, num_columns = model.matrix.shape
    position = np.full(num_rows, -1, np.int32)
    position[tight] = np.arange(len(tight))
    place = np.full(num_columns, -1, np.int32)
    place[basic] = np.arange(len(basic))
    entries = model.matrix.tocoo()
    rows, columns = entries.coords
    kept = (position[rows] >= 0) & (place[columns] >= 0)
    rows, columns = rows[kept], columns[kept]
    values = [Fraction(value) for value in entries.data[kept].tolist()]
    first_payoff_row = num_rows - plexes[1].num_sequences
    is_payoff = (rows >= first_payoff_row) & (columns < plexes[0].num_sequences)
    for entry in np.flatnonzero(is_payoff).tolist():
        pair = int(columns[entry]), int(rows[entry]) - first_payoff_row
        values[entry] = payoffs[pair]
    right = [Fraction(value) for value in model.row_lower[tight].tolist()]
    return Equations(position[rows], place[columns], values, right)


def _spread(size: int, places: Sequence[int], values: Sequence[Fraction]) -> Plan:
    spread = [Fraction()] * size
    for place, value in zip(places, values, strict=True):
        spread[place] = value
    return spread


def _behavior(treeplex: Treeplex, plan: Plan) -> Plan:
    """Return [Q] the probabilities of actions; uniform where the plan does not come."""
    behavior = [Fraction(1)] * treeplex.num_sequences
    for first, count in zip(
        treeplex.first_sequence.tolist(), treeplex.num_actions.tolist(), strict=True
    ):
        weights = [max(weight, Fraction()) for weight in plan[first : first + count]]
        total = sum(weights, start=Fraction())
        behavior[first : first + count] = (
            [weight / total for weight in weights] if total else [Fraction(1, count)] * count
        )
    return behavior
