"""Exact equilibria, as fractions, from the optimal basis of the linear program."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.efg import ExtensiveForm
from infoset.evaluation import ValueProof
from infoset.evaluation.value_proofs import (
    Payoffs,
    Plan,
    exact_payoffs,
    provable_form,
    prove_bounds,
)
from infoset.forms import Treeplex
from infoset.solvers._exact_pivots import optimal_plans
from infoset.solvers._linear_program import (
    LinearModel,
    LinearSolution,
    maximize_at_vertex,
    plan_model,
)
from infoset.tree import GameTree
from infoset.typing import IntArray, LongArray


def solve_exactly(game: GameTree | ExtensiveForm) -> ValueProof:
    """Solve a two-player constant-sum game in exact arithmetic, and prove the solution.

    The linear program is solved in floating point. Its optimal basis gives two systems of linear
    equations, one per player, which are solved in exact arithmetic. If the basis is wrong, as it
    can be if payoffs differ by many orders of magnitude, exact pivoting moves from it to an optimal
    basis. Exact best responses then prove the solution, independently of how it was found.

    Parameters
    ----------
    game
        The game, with exact chance probabilities (`Fraction` or `int`).

    Returns
    -------
    ValueProof
        `value` is the value of the game, and `probabilities` is an exact equilibrium.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum, or its chance probabilities are not exact.

    Notes
    -----
    Rewards are taken as exactly the floating-point numbers that the game stores.
    Source: Applegate, Cook, Dash and Espinoza (2007), for the basis and the pivots; Wan (2006), for
    the equations; Terlaky (1985), for the pivot rule.

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
    # A basis of the centered program is a basis of the program itself: both have the same slacks.
    solution = maximize_at_vertex(plan_model(form.centered, 0), None)
    if solution.outcome == "interrupted":
        raise KeyboardInterrupt
    # First the equations of the basis; if they do not give an equilibrium, pivots from it.
    plans = _exact_plans(model, solution, form.treeplexes, payoffs)
    proof = None if plans is None else _proof(form.treeplexes, payoffs, plans)
    if proof is None or proof.value is None:
        basic = np.flatnonzero(solution.basic_columns).tolist()
        tight = np.flatnonzero(~solution.basic_rows).tolist()
        plans = optimal_plans(form.treeplexes, payoffs, basic, tight)
        proof = _proof(form.treeplexes, payoffs, plans)
    return proof


def _proof(plexes: Sequence[Treeplex], payoffs: Payoffs, plans: Sequence[Plan]) -> ValueProof:
    behaviors = [behavior_of_plan(plex, plan) for plex, plan in zip(plexes, plans, strict=True)]
    return prove_bounds(plexes, payoffs, behaviors)


def _exact_plans(
    model: LinearModel, solution: LinearSolution, plexes: Sequence[Treeplex], payoffs: Payoffs
) -> tuple[Plan, Plan] | None:
    """Return the plans of both players; None if the basis is not square or is singular."""
    # Nonbasic variables are zero, and nonbasic rows are tight. The plan solves B z = b in the basic
    # variables; the dual variables solve the transposed system with the costs of these variables.
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
    # The sign of prices depends on the convention for maximization.
    return plan, [abs(price) for price in concessions]


def _basis_equations(
    model: LinearModel,
    plexes: Sequence[Treeplex],
    payoffs: Payoffs,
    tight: LongArray,
    basic: LongArray,
) -> Equations:
    """Return the equations of the tight constraints in the basic variables."""
    num_rows, num_columns = model.matrix.shape
    # From the rows and columns of the model to those of the basis; -1 if they are not in it.
    position = np.full(num_rows, -1, np.int32)
    position[tight] = np.arange(len(tight))
    column = np.full(num_columns, -1, np.int32)
    column[basic] = np.arange(len(basic))
    entries = model.matrix.tocoo()
    rows, columns = entries.coords
    kept = (position[rows] >= 0) & (column[columns] >= 0)
    rows, columns = rows[kept], columns[kept]
    values = [Fraction(value) for value in entries.data[kept].tolist()]
    # Payoffs in the model are scaled and rounded: replace them by the exact payoffs.
    first_payoff_row = num_rows - plexes[1].num_sequences
    is_payoff = (rows >= first_payoff_row) & (columns < plexes[0].num_sequences)
    for entry in np.flatnonzero(is_payoff).tolist():
        pair = int(columns[entry]), int(rows[entry]) - first_payoff_row
        values[entry] = payoffs[pair]
    right = [Fraction(value) for value in model.row_lower[tight].tolist()]
    return Equations(position[rows], column[columns], values, right)


def _spread(size: int, places: Sequence[int], values: Sequence[Fraction]) -> Plan:
    spread = [Fraction()] * size
    for place, value in zip(places, values, strict=True):
        spread[place] = value
    return spread


def behavior_of_plan(treeplex: Treeplex, plan: Plan) -> Plan:
    """Return [Q] the probabilities of actions; uniform where the plan does not reach."""
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


BITS_PER_STEP = 24
MAX_STEPS = 1024


class Equations(NamedTuple):
    """A square system of linear equations in exact arithmetic."""

    rows: IntArray
    columns: IntArray
    """[E] row and column of each nonzero entry."""
    values: Sequence[Fraction]
    """[E] value of each entry."""
    right: Sequence[Fraction]
    """[size] the right-hand side."""


class _Integers(NamedTuple):
    """`Equations` in integers: each equation is multiplied by its common denominator."""

    rows: IntArray
    columns: IntArray
    values: NDArray[Any]
    right: NDArray[Any]

    def product(self, vector: NDArray[Any]) -> NDArray[Any]:
        total = np.zeros(len(self.right), dtype=object)
        np.add.at(total, self.rows, self.values * vector[self.columns])
        return total


def solve_in_fractions(equations: Equations) -> list[Fraction] | None:
    """Return the exact solution of linear equations; None if it is not found.

    The method is iterative refinement (Wan 2006). Each step computes the residual in integers and
    solves for it in floating point, which adds `BITS_PER_STEP` bits to the solution. From these
    bits, fractions with small denominators are reconstructed; they are returned if they satisfy the
    equations exactly. If the residual grows, the floating-point solution has no correct digit, and
    the method fails.
    """
    whole = _in_integers(equations)
    factors = _factors(whole)
    if factors is None:
        return None
    answer = np.zeros(len(whole.right), dtype=object)
    residual = whole.right
    largest = max(map(abs, [*whole.values.tolist(), *whole.right.tolist()]), default=0)
    hopeless = 2 ** (2 * BITS_PER_STEP) * len(whole.right) * largest
    next_check = 1
    for step in range(1, MAX_STEPS + 1):
        size = max([1, *map(abs, residual.tolist())])
        if size > hopeless:
            return None
        # d ← 2²⁴ B⁻¹ r, rounded to integers;  z ← 2²⁴ z + d;  r ← 2²⁴ r − B d
        found = factors.solve(np.array([number / size for number in residual.tolist()]))
        scale = size * 2**BITS_PER_STEP
        more = np.array([round(Fraction(value) * scale) for value in found.tolist()], object)
        answer = answer * 2**BITS_PER_STEP + more
        residual = residual * 2**BITS_PER_STEP - whole.product(more)
        # Reconstruction is expensive, so it is tried after 1, 2, 4, … steps.
        if step == next_check:
            next_check = 2 * step
            solution = _reconstruct(answer.tolist(), BITS_PER_STEP * step, whole)
            if solution is not None:
                return solution
    return None


def _in_integers(equations: Equations) -> _Integers:
    common = [value.denominator for value in equations.right]
    for row, value in zip(equations.rows.tolist(), equations.values, strict=True):
        common[row] = lcm(common[row], value.denominator)
    values = [
        int(value * common[row])
        for row, value in zip(equations.rows.tolist(), equations.values, strict=True)
    ]
    right = [int(value * factor) for value, factor in zip(equations.right, common, strict=True)]
    return _Integers(
        equations.rows, equations.columns, np.array(values, object), np.array(right, object)
    )


def _factors(whole: _Integers) -> Any:
    """Return the LU factors of the matrix in floating point.

    None if it is singular, or has numbers beyond the range of floating point.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import splu

    size = len(whole.right)
    try:
        values = whole.values.astype(float)
        return splu(coo_array((values, (whole.rows, whole.columns)), (size, size)).tocsc())
    except (RuntimeError, OverflowError):
        return None


def _reconstruct(answer: list[int], bits: int, whole: _Integers) -> list[Fraction] | None:
    """Return the fractions near answer / 2**bits, if they satisfy the equations exactly.

    Denominators are at most the square root of 2**bits. All fractions share a common denominator,
    which grows as they are reconstructed one after another.
    """
    # Fractions with denominators up to D are at least 1 / D² apart, which the bits must resolve.
    limit = 2 ** (bits // 2)
    common = 1
    numerators: list[tuple[int, int]] = []
    for number in answer:
        near = Fraction(number * common, 2**bits).limit_denominator(max(1, limit // common))
        common *= near.denominator
        numerators.append((near.numerator, common))
        if common > limit:
            return None
    over_common = np.array([top * (common // bottom) for top, bottom in numerators], object)
    if (whole.product(over_common) != whole.right * common).any():
        return None
    return [Fraction(top, bottom) for top, bottom in numerators]
