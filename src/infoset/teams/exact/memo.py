"""What a search knows of the states it has met."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.typing import BoolArray, FloatArray, IntArray, LongArray

__all__ = ["Memo", "empty_memo"]


class Memo(NamedTuple):
    """A table of states of a search: C rows, a power of two, of which some are empty.

    A state of a search is a public state and a set of its nodes, those that play has come to.

    Attributes
    ----------
    num_filled : LongArray
        [1] rows that are not empty.
    state : LongArray
        [C] the public state; -1 where a row is empty.
    nodes : NDArray
        [C, words] of `uint64`, a bit for each node of the public state that is in the set.
    upper : FloatArray
        [C] no less than what can be won.
    is_exact : BoolArray
        [C] whether just that can be won.
    choice : IntArray
        [C, cells] the action at each cell of the public state that wins it, where it is exact.
    """

    num_filled: LongArray
    state: LongArray
    nodes: NDArray[np.uint64]
    upper: FloatArray
    is_exact: BoolArray
    choice: IntArray


def empty_memo(num_rows: int, num_words: int, num_cells: int) -> Memo:
    """Return a table with no state in it."""
    return Memo(
        num_filled=np.zeros(1, np.int64),
        state=np.full(num_rows, -1, np.int64),
        nodes=np.zeros((num_rows, num_words), np.uint64),
        upper=np.zeros(num_rows),
        is_exact=np.zeros(num_rows, np.bool_),
        choice=np.zeros((num_rows, num_cells), np.int32),
    )
