"""Contraction of terminal histories: sums of the payoffs of equal tuples of sequences."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.tree.terminal_contraction import merge_payoffs, numbers_in


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=40
    )
)
def test_payoffs_of_equal_rows_are_summed(rows):
    payoff = np.array([[1.5, -1.5], [-0.75, 0.75], [0.0, 0.0], [2.0, 0.0], [-1.5, 1.5]])
    expected = {}
    for first, second, outcome in rows:
        before = expected.get((first, second), np.zeros(2))
        expected[first, second] = before + payoff[outcome]
    kept = {row: total for row, total in sorted(expected.items()) if total.any()}
    columns = np.array([row[:2] for row in rows], dtype=np.uint32).T.copy()
    outcome = np.array([row[2] for row in rows], dtype=np.uint32)
    merged, total, max_equal = merge_payoffs(columns, (4, 3), outcome, payoff)
    assert list(map(tuple, merged.tolist())) == list(kept)
    assert total.tolist() == [values.tolist() for values in kept.values()]
    assert max_equal == max(Counter(row[:2] for row in rows).values())


def test_sums_are_taken_in_order():
    """In floating point the order matters: 1e16 absorbs a 1 added before it, but not after it."""
    payoff = np.array([[1.0], [1e16], [-1e16]])
    columns = np.zeros((1, 4), np.uint32)
    outcome = np.array([0, 1, 2, 0], np.uint32)
    _, total, max_added = merge_payoffs(columns, (1,), outcome, payoff)
    assert total.tolist() == [[1.0]]
    assert max_added == 4


@pytest.mark.parametrize(
    ("numbers", "met"), [([2, 0, 2, 5], [2, 0, 5]), ([0], [0]), ([3, 3, 1], [3, 1])]
)
def test_numbers_in_begin_with_the_first(numbers, met):
    assert numbers_in(np.array(numbers, np.uint32), 6).tolist() == met
