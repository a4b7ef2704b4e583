"""The functions of `simd` in plain NumPy, for kernels that run without Numba's compiler.

With `NUMBA_DISABLE_JIT=1`, kernels are ordinary Python functions, which a debugger can step
through. Results are identical to those of the compiled kernels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LANES: Final = 8
"""The number of lanes of a vector."""


class InterpretedLanes:
    """Eight numbers of one float type, with the arithmetic of compiled lanes.

    In operations with lanes, numbers are converted to the type of the lanes, as in compiled
    kernels; NumPy would convert the lanes instead.
    """

    __array_ufunc__ = None  # makes NumPy scalars defer to the operators below

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values

    def _apply(self, symbol: Callable[[Any, Any], Any], other: Any) -> InterpretedLanes:
        with np.errstate(all="ignore"):
            return InterpretedLanes(symbol(self.values, self.like(other)))

    def _apply_reflected(self, symbol: Callable[[Any, Any], Any], other: Any) -> InterpretedLanes:
        with np.errstate(all="ignore"):
            return InterpretedLanes(symbol(self.like(other), self.values))

    def like(self, other: Any) -> NDArray[Any]:
        """Return the values of lanes; a number is repeated in every lane."""
        if isinstance(other, InterpretedLanes):
            return other.values
        return np.full(LANES, other, self.values.dtype)

    def __add__(self, other: Any) -> InterpretedLanes:
        return self._apply(operator.add, other)

    def __sub__(self, other: Any) -> InterpretedLanes:
        return self._apply(operator.sub, other)

    def __mul__(self, other: Any) -> InterpretedLanes:
        return self._apply(operator.mul, other)

    def __truediv__(self, other: Any) -> InterpretedLanes:
        return self._apply(operator.truediv, other)

    def __radd__(self, other: Any) -> InterpretedLanes:
        return self._apply_reflected(operator.add, other)

    def __rsub__(self, other: Any) -> InterpretedLanes:
        return self._apply_reflected(operator.sub, other)

    def __rmul__(self, other: Any) -> InterpretedLanes:
        return self._apply_reflected(operator.mul, other)

    def __rtruediv__(self, other: Any) -> InterpretedLanes:
        return self._apply_reflected(operator.truediv, other)


def maximum(a: Any, b: Any) -> InterpretedLanes:
    """Return the larger of a and b in each lane."""
    lanes = a if isinstance(a, InterpretedLanes) else b
    first, second = lanes.like(a), lanes.like(b)
    return InterpretedLanes(np.where(first > second, first, second))


def where_positive(sign: Any, a: Any, b: Any) -> InterpretedLanes:
    """Return a in the lanes where `sign` is positive, and b in the others."""
    lanes = next(value for value in (sign, a, b) if isinstance(value, InterpretedLanes))
    return InterpretedLanes(np.where(lanes.like(sign) > 0, lanes.like(a), lanes.like(b)))


def square_root(a: InterpretedLanes) -> InterpretedLanes:
    """Return the square root in each lane."""
    with np.errstate(all="ignore"):
        return InterpretedLanes(np.sqrt(a.values))


def filled(array: NDArray[Any], value: float) -> InterpretedLanes:
    """Return lanes of an array's element type, all with the same value."""
    return InterpretedLanes(np.full(LANES, value, array.dtype))


def load(array: NDArray[Any], at: int, count: int) -> InterpretedLanes:
    """Return `count` elements of an array from `at` on, followed by zeros."""
    lanes = filled(array, 0.0)
    lanes.values[: int(count)] = array[int(at) : int(at) + min(int(count), LANES)]
    return lanes


def store(array: NDArray[Any], at: int, count: int, lanes: InterpretedLanes) -> None:
    """Store the first `count` lanes in an array from `at` on."""
    array[int(at) : int(at) + min(int(count), LANES)] = lanes.values[: int(count)]


def take(array: NDArray[Any], indices: NDArray[Any], at: int, count: int) -> InterpretedLanes:
    """Return array[indices[at]], …, array[indices[at + count - 1]], followed by zeros."""
    lanes = filled(array, 0.0)
    lanes.values[: int(count)] = array[indices[int(at) : int(at) + int(count)]]
    return lanes


def add_at(
    array: NDArray[Any], indices: NDArray[Any], at: int, count: int, lanes: InterpretedLanes
) -> None:
    """Add the first lanes to array[indices[at]], …, array[indices[at + count - 1]], in order."""
    np.add.at(array, indices[int(at) : int(at) + int(count)], lanes.values[: int(count)])


def take_rows(
    array: NDArray[Any],
    starts: NDArray[Any],
    at: int,
    rows: int,
    offset: int,
    size: int,
    weights: NDArray[Any],
    weight_at: int,
    target: NDArray[Any],
    where: int,
) -> None:
    """Copy rows, times weights, to the columns of `target`, a matrix with 8 columns."""
    block = np.zeros((LANES, LANES), array.dtype)
    count = min(int(size), LANES)
    weight = weights[int(weight_at) : int(weight_at) + count]
    for row in range(min(int(rows), LANES)):
        begin = int(starts[int(at) + row]) + int(offset)
        block[:count, row] = array[begin : begin + count] * weight
    target[int(where) : int(where) + LANES * LANES] = block.ravel()


def add_rows(
    array: NDArray[Any],
    starts: NDArray[Any],
    at: int,
    rows: int,
    offset: int,
    size: int,
    weights: NDArray[Any],
    weight_at: int,
    source: NDArray[Any],
    where: int,
) -> None:
    """Add the columns of `source`, times weights, to rows of an array, one after the other."""
    block = source[int(where) : int(where) + LANES * LANES].reshape(LANES, LANES)
    count = min(int(size), LANES)
    weight = weights[int(weight_at) : int(weight_at) + count]
    for row in range(min(int(rows), LANES)):
        begin = int(starts[int(at) + row]) + int(offset)
        array[begin : begin + count] += block[:count, row] * weight
