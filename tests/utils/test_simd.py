"""Operations on eight numbers at a time, against NumPy bit for bit, and within array bounds."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.utils.compilation import kernel
from infoset.utils.simd import (
    LANES,
    add_at,
    filled,
    load,
    maximum,
    square_root,
    store,
    take,
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
