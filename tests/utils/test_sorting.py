"""Sorting by counting, against NumPy's sort, and runs of sorted values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infoset.utils.sorting import gather_runs, lexicographic_order


@given(st.data(), st.integers(1, 4), st.integers(0, 40))
def test_rows_are_sorted_as_numpy_sorts_them(data, num_columns, num_rows):
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=num_columns, max_size=num_columns))
    columns = [
        np.array(
            data.draw(st.lists(st.integers(0, size - 1), min_size=num_rows, max_size=num_rows)),
            dtype=np.uint32,
        )
        for size in sizes
    ]
    assert lexicographic_order(columns, sizes).tolist() == np.lexsort(columns[::-1]).tolist()


def test_runs_come_in_the_order_of_their_owners():
    values, first = np.array([7, 3, 9, 4, 4], np.int32), np.array([0, 2, 2, 5], np.int32)
    for owners, expected in (([2, 0], [9, 4, 4, 7, 3]), ([1], []), ([], [])):
        assert gather_runs(values, first, np.array(owners, np.int32)).tolist() == expected
