"""Linear equations in fractions, by way of floating point."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.typing import IntArray

__all__ = ["Equations", "solve_in_fractions"]

BITS_PER_STEP = 24
MOST_STEPS = 1024


class Equations(NamedTuple):
    """Square linear equations: entries of a sparse matrix, and the right side.

    rows, columns [entries], values [entries] fractions, right [equations] fractions.
    """

    rows: IntArray
    columns: IntArray
    values: Sequence[Fraction]
    right: Sequence[Fraction]


class _Integers(NamedTuple):
    """The same equations in whole numbers: each multiplied by its common denominator."""

    rows: IntArray
    columns: IntArray
    values: NDArray[Any]
    right: NDArray[Any]

    def product(self, vector: NDArray[Any]) -> NDArray[Any]:
        total = np.zeros(len(self.right), dtype=object)
        np.add.at(total, self.rows, self.values * vector[self.columns])
        return total


def solve_in_fractions(equations: Equations) -> list[Fraction] | None:
    """Return the exact solution; None where it is not found.

    The equations are solved in floating point, the residual is computed in whole numbers, and
    solved for again, which gives some more bits each time. Fractions are read off once there are
    enough bits, and what is returned was put into the equations (Wan 2006). Where the residual
    grows instead, floating point has no digit right, and there is no solution to be found so.
    """
    whole = _in_integers(equations)
    factors = _factors(whole)
    if factors is None:
        return None
    answer = np.zeros(len(whole.right), dtype=object)
    residual = whole.right
    largest = max(map(abs, [*whole.values.tolist(), *whole.right.tolist()]), default=0)
    hopeless = 2 ** (2 * BITS_PER_STEP) * len(whole.right) * largest
    next_look = 1
    for step in range(1, MOST_STEPS + 1):
        size = max(1, *map(abs, residual.tolist()))
        if size > hopeless:
            return None
        found = factors.solve(np.array([number / size for number in residual.tolist()]))
        scale = size * 2**BITS_PER_STEP
        more = np.array([round(Fraction(value) * scale) for value in found.tolist()], object)
        answer = answer * 2**BITS_PER_STEP + more
        residual = residual * 2**BITS_PER_STEP - whole.product(more)
        if step == next_look:
            next_look = 2 * step
            solution = _read_off(answer.tolist(), BITS_PER_STEP * step, whole)
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
    """Return the equations factored in floating point; None where they have no one solution."""
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import splu

    size = len(whole.right)
    matrix = coo_array((whole.values.astype(float), (whole.rows, whole.columns)), (size, size))
    try:
        return splu(matrix.tocsc())
    except RuntimeError:
        return None


def _read_off(answer: list[int], bits: int, whole: _Integers) -> list[Fraction] | None:
    """Return the fractions that numbers of so many binary places stand for, if they solve it."""
    most = 2 ** (bits // 2)
    common = 1
    numerators: list[tuple[int, int]] = []
    for number in answer:
        near = Fraction(number * common, 2**bits).limit_denominator(max(1, most // common))
        common *= near.denominator
        numerators.append((near.numerator, common))
        if common > most:
            return None
    over_common = np.array([top * (common // bottom) for top, bottom in numerators], object)
    if (whole.product(over_common) != whole.right * common).any():
        return None
    return [Fraction(top, bottom) for top, bottom in numerators]
