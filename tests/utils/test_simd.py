"""Operations on eight numbers at a time, against NumPy bit for bit, and within array bounds."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.utils import _interpreted_simd
from infoset.utils.compilation import kernel
from infoset.utils.simd import (
    LANES,
    add_at,
    add_rows,
    filled,
    load,
    maximum,
    square_root,
    store,
    take,
    take_rows,
    where_positive,
)


@kernel
def compute(a, b, indices, count, results):
    """Write the result of each function on eight numbers of a, from index 1, and of b."""
    x = load(a, 1, count)
    y = load(b, 1, count)
    store(results[0], 1, count, x)
    store(results[1], 1, count, x + y)
    store(results[2], 1, count, 2.0 - x)
    store(results[3], 1, count, x * 3.0)
    store(results[4], 1, count, x / y)
    store(results[5], 1, count, maximum(x, y))
    store(results[6], 1, count, where_positive(x, y, -1.0))
    store(results[7], 1, count, square_root(x * x + y))
    store(results[8], 1, count, take(a, indices, 2, count))
    add_at(results[9], indices, 2, count, x)
    total = filled(a, 0.1)
    total += x
    store(results[10], 1, count, total)


@pytest.mark.parametrize("number", [np.float64, np.float32])
@pytest.mark.parametrize("count", range(1, LANES + 1))
def test_the_functions_are_those_of_numpy(number, count):
    rng = np.random.default_rng(count)
    a = rng.standard_normal(LANES + 3).astype(number)
    b = rng.uniform(0.5, 2, LANES + 3).astype(number)
    indices = rng.integers(0, LANES + 3, LANES + 2).astype(np.uint32)
    results = np.zeros((11, LANES + 3), number)
    compute(a, b, indices, count, results)
    x, y = a[1 : 1 + count], b[1 : 1 + count]
    at = indices[2 : 2 + count]
    expected = [
        x,
        x + y,
        number(2) - x,
        x * number(3),
        x / y,
        np.maximum(x, y),
        np.where(x > 0, y, number(-1)),
        np.sqrt(x * x + y),
        a[at],
        None,
        number(0.1) + x,
    ]
    for row, wanted in zip(results, expected, strict=True):
        if wanted is not None:
            assert np.array_equal(row[1 : 1 + count], wanted)
            assert not row[0]
            assert not row[1 + count :].any()
    scattered = np.zeros(LANES + 3, number)
    np.add.at(scattered, at, x)
    assert np.array_equal(results[9], scattered)


def test_lanes_past_the_count_do_not_touch_the_array():
    """The smallest positive count affects one number; counts above eight mean eight."""
    a, b, indices = np.ones(20), np.ones(20), np.zeros(20, np.uint32)
    results = np.zeros((11, 20))
    compute(a, b, indices, 100, results)
    assert results[0].tolist() == [0.0] + [1.0] * LANES + [0.0] * 11


@kernel
def copy_rows(array, starts, rows, size, weights, target, source):
    """Copy rows from offset 2 on to the columns of `target`, and add the columns of `source`."""
    take_rows(array, starts, 1, rows, 2, size, weights, 3, target, 4)
    add_rows(array, starts, 1, rows, 2, size, weights, 3, source, 4)


@pytest.mark.parametrize("number", [np.float64, np.float32])
@pytest.mark.parametrize("rows", [1, 2, 5, LANES])
@pytest.mark.parametrize("size", range(1, LANES + 1))
def test_rows_become_columns_and_columns_are_added_to_rows(number, rows, size):
    rng = np.random.default_rng(size)
    before = rng.standard_normal(60).astype(number)
    weights = rng.standard_normal(3 + size).astype(number)
    starts = rng.integers(0, 60 - 2 - size, 1 + rows)
    starts[-1] = starts[1]  # the same row twice
    source = rng.standard_normal(4 + LANES**2).astype(number)
    array, target = before.copy(), np.zeros(4 + LANES**2, number)
    copy_rows(array, starts, rows, size, weights, target, source)
    wanted, columns = before.copy(), target[4:].reshape(LANES, LANES)
    for row, start in enumerate(starts[1:]):
        place = slice(start + 2, start + 2 + size)
        assert np.array_equal(columns[:size, row], before[place] * weights[3:])
        wanted[place] += source[4:].reshape(LANES, LANES)[:size, row] * weights[3:]
    assert np.array_equal(array, wanted)
    assert not target[:4].any()
    # The functions in plain NumPy, which replace the compiled ones with NUMBA_DISABLE_JIT=1.
    plain, copied = before.copy(), np.zeros(4 + LANES**2, number)
    _interpreted_simd.take_rows(plain, starts, 1, rows, 2, size, weights, 3, copied, 4)
    _interpreted_simd.add_rows(plain, starts, 1, rows, 2, size, weights, 3, source, 4)
    assert np.array_equal(plain, array)
    assert np.array_equal(copied[4:].reshape(LANES, LANES)[:size, :rows], columns[:size, :rows])
