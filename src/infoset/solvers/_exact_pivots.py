"""Exact pivots from any basis of a sequence-form linear program to an optimal basis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from infoset.evaluation.value_proofs import Payoffs, Plan
from infoset.forms import Treeplex

Row: TypeAlias = dict[int, Fraction]
"""A basic variable as a combination of nonbasic ones: the coefficients that are not zero."""

ONE = Fraction(1)


def optimal_plans(
    plexes: Sequence[Treeplex], payoffs: Payoffs, basic: Iterable[int], tight: Iterable[int]
) -> tuple[Plan, Plan]:
    """Return optimal plans of both players, by pivots in exact arithmetic.

    The program is that of `plan_model`: maximize q₀ subject to E x = e, x ≥ 0, Aᵀx − Fᵀq ≥ 0. The
    basis that floating point found is used as a start only, so it may be infeasible, incomplete or
    singular. From there, the criss-cross method reaches an optimal basis: the least variable that
    is infeasible, in the program or in its dual, is exchanged for the least one that may replace
    it. It needs neither a feasible start nor two phases, and never visits a basis twice. As soon as
    the program or its dual is feasible, the simplex method with Bland's rule keeps it so, which
    takes about half as many exchanges.

    Parameters
    ----------
    plexes
        The treeplexes of both players.
    payoffs
        As `exact_payoffs` returns them.
    basic, tight
        The columns in the initial basis and the rows outside it, numbered as in `plan_model`.

    Notes
    -----
    Source: Terlaky (1985); Fukuda and Terlaky (1997); Bland (1977). The cost of a pivot is that of
    the nonzero fractions of the whole dictionary, so this is for games that floating point cannot
    solve.
    """
    dictionary = _Dictionary(plexes, payoffs)
    dictionary.begin(set(basic), set(tight))
    dictionary.optimize()
    return dictionary.plans()


class _Dictionary:
    """The program as a dictionary: each basic variable as a combination of the nonbasic ones.

    Variables are numbered: the plan x, then the values q, then one for the activity of each row.
    The activity of the first row is 1 in every solution, so its coefficient is the constant term.
    """

    def __init__(self, plexes: Sequence[Treeplex], payoffs: Payoffs) -> None:
        own, other = plexes
        self._num_plan, self._num_rows = own.num_sequences, other.num_sequences
        self._values = range(self._num_plan, self._num_plan + 1 + other.num_infostates)
        self._flows = range(self._values.stop, self._values.stop + 1 + own.num_infostates)
        self._slacks = range(self._flows.stop, self._flows.stop + self._num_rows)
        self._constant = self._flows.start
        flows = [{0: ONE}, *_flow_rows(own, 0, ONE)]
        slacks = _slack_rows(other, self._values.start)
        for (first, second), payoff in payoffs.items():
            if payoff:
                slacks[second][first] = payoff
        self._rows = dict(zip((*self._flows, *self._slacks), [*flows, *slacks], strict=True))
        self._objective: Row = {self._values.start: ONE}

    def begin(self, basic: set[int], tight: set[int]) -> None:
        """Pivot to the given basis, or one near it that fixed and free variables allow."""
        tight_rows = {self._flows.start + row for row in tight}
        # Activities of flow rows are fixed, so they leave the basis and never enter it again.
        for flow in reversed(self._flows):
            entries = [name for name in self._rows[flow] if name < self._num_plan]
            if flow in tight_rows and not basic.isdisjoint(entries):
                self._fix(flow, min(basic.intersection(entries)))
        # Free variables enter the basis and never leave it, so their rows are not needed.
        for value in reversed(self._values):
            rows = [name for name in self._slacks if value in self._rows.get(name, {})]
            leaving = min(rows, key=lambda name: (name not in tight_rows, *self._size(name)))
            self._pivot(leaving, value)
            del self._rows[value]
        for column in sorted(basic):
            rows = [name for name in self._slacks if column in self._rows.get(name, {})]
            rows = [name for name in rows if name in tight_rows]
            if rows:
                self._pivot(min(rows, key=self._size), column)
        # The basis of floating point may contain fixed activities. They leave it by the ratio test
        # of the dual simplex method, after which an optimal basis is still optimal.
        for flow in reversed(self._flows):
            if flow in self._rows:
                self._fix(flow, self._ratio_test(flow))

    def _ratio_test(self, flow: int) -> int:
        """Return the variable that keeps the dual feasible if it replaces a fixed activity."""
        entries = {name: v for name, v in self._rows[flow].items() if name != self._constant}
        zero = Fraction()
        ratios: list[tuple[Fraction, int]]
        ratios = [(-self._objective.get(name, zero) / v, name) for name, v in entries.items()]
        upward = [(ratio, name) for ratio, name in ratios if entries[name] > 0]
        if upward:
            return min(upward)[1]
        return max(ratios)[1]

    def _fix(self, flow: int, entering: int) -> None:
        """Take the activity of a flow row, which is 0 except for the first row, from the basis."""
        self._pivot(flow, entering)
        if flow != self._constant:
            for row in (*self._rows.values(), self._objective):
                row.pop(flow, None)

    def optimize(self) -> None:
        """Exchange variables until none is infeasible, in the program or in its dual.

        Once all variables of one of the two are feasible, a ratio test keeps them so. From a basis
        that is nearly optimal, this takes far fewer exchanges than least indices alone.
        """
        while True:
            negative = [name for name, row in self._rows.items() if self._constant_of(row) < 0]
            improving = [name for name, gain in self._gains() if gain > 0]
            if not negative and not improving:
                return
            if min(negative, default=self._slacks.stop) < min(improving, default=self._slacks.stop):
                leaving = min(negative)
                entering = self._entering(leaving, is_dual_feasible=not improving)
            else:
                entering = min(improving)
                leaving = self._leaving(entering, is_feasible=not negative)
            self._pivot(leaving, entering)

    def _entering(self, leaving: int, *, is_dual_feasible: bool) -> int:
        """Return the variable that replaces an infeasible one, by Bland's rule."""
        row: Row = self._rows[leaving]
        upward = [name for name, v in row.items() if v > 0 and name != self._constant]
        if not is_dual_feasible:
            return min(upward)
        zero = Fraction()
        ratios: list[tuple[Fraction, int]]
        ratios = [(-self._objective.get(name, zero) / row[name], name) for name in upward]
        return min(ratios)[1]

    def _leaving(self, entering: int, *, is_feasible: bool) -> int:
        """Return the variable that an improving one replaces, by Bland's rule."""
        rows: dict[int, Row] = self._rows
        falling = [name for name, row in rows.items() if row.get(entering, 0) < 0]
        if not is_feasible:
            return min(falling)
        ratios: list[tuple[Fraction, int]]
        ratios = [(self._constant_of(rows[name]) / -rows[name][entering], name) for name in falling]
        return min(ratios)[1]

    def plans(self) -> tuple[Plan, Plan]:
        """Return the plan of the first player, and that of the second: the dual variables."""
        first = [self._constant_of(self._rows.get(name, {})) for name in range(self._num_plan)]
        second = [-self._objective.get(name, Fraction()) for name in self._slacks]
        return first, second

    def _size(self, name: int) -> tuple[int, int]:
        """Return a key by which the shortest row comes first, so that few entries fill up."""
        return len(self._rows[name]), name

    def _constant_of(self, row: Row) -> Fraction:
        return row.get(self._constant, Fraction())

    def _gains(self) -> list[tuple[int, Fraction]]:
        """Return the nonbasic variables with their coefficients in the objective."""
        return [(name, gain) for name, gain in self._objective.items() if name != self._constant]

    def _pivot(self, leaving: int, entering: int) -> None:
        """Exchange a basic and a nonbasic variable."""
        # leaving = factor · entering + rest, solved for the entering variable
        row = self._rows.pop(leaving)
        factor = row.pop(entering)
        solved = {name: -value / factor for name, value in row.items()}
        solved[leaving] = ONE / factor
        for other in (*self._rows.values(), self._objective):
            _substitute(other, entering, solved)
        self._rows[entering] = solved


def _substitute(row: Row, name: int, solved: Mapping[int, Fraction]) -> None:
    """Replace a variable in a row with the combination that it is equal to."""
    factor = row.pop(name, None)
    if factor is None:
        return
    for other, value in solved.items():
        total = row.get(other, 0) + factor * value
        if total:
            row[other] = total
        else:
            row.pop(other, None)


def _flow_rows(treeplex: Treeplex, first_column: int, sign: Fraction) -> list[Row]:
    """Return, per infostate, its sequences minus the parent sequence, times `sign`."""
    rows: list[Row] = []
    for parent, first, count in zip(
        treeplex.parent_sequence.tolist(),
        treeplex.first_sequence.tolist(),
        treeplex.num_actions.tolist(),
        strict=True,
    ):
        row = {first_column + sequence: sign for sequence in range(first, first + count)}
        rows.append({**row, first_column + parent: -sign})
    return rows


def _slack_rows(treeplex: Treeplex, first_value: int) -> list[Row]:
    """Return, per sequence of the opponent, the part −Fᵀq of its row, without the payoffs."""
    rows: list[Row] = [{} for _ in range(treeplex.num_sequences)]
    rows[0][first_value] = -ONE
    for infostate, flow in enumerate(_flow_rows(treeplex, 0, -ONE)):
        for sequence, value in flow.items():
            rows[sequence][first_value + 1 + infostate] = value
    return rows
