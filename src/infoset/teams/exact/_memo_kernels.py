"""Kernels of the table of a search: finding and moving rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.teams.exact.memo import Memo
from infoset.utils.compilation import inner_kernel, kernel

FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(29)
ONE = np.uint64(1)


@inner_kernel
def find_row(memo: Memo, state: int, nodes: NDArray[np.uint64]) -> int:
    """Return the row of a state of the search, an empty one where it has none."""
    mask = len(memo.state) - 1
    row = _mixed(state, nodes) & mask
    while memo.state[row] >= 0 and not _is_at(memo, row, state, nodes):
        row = (row + 1) & mask
    return row


@inner_kernel
def _mixed(state: int, nodes: NDArray[np.uint64]) -> int:
    mixed = np.uint64(state)
    for word in range(len(nodes)):
        mixed = (mixed ^ nodes[word]) * FACTOR
        mixed ^= mixed >> SHIFT
    return int(mixed >> ONE)


@inner_kernel
def _is_at(memo: Memo, row: int, state: int, nodes: NDArray[np.uint64]) -> bool:
    differs = memo.state[row] != state
    for word in range(len(nodes)):
        differs |= memo.nodes[row, word] != nodes[word]
    return not differs


@inner_kernel
def add_row(memo: Memo, row: int, state: int, nodes: NDArray[np.uint64], upper: float) -> None:
    """Fill an empty row with a state of the search, of which only a bound is known."""
    memo.state[row] = state
    for word in range(len(nodes)):
        memo.nodes[row, word] = nodes[word]
    memo.upper[row] = upper
    memo.is_exact[row] = False
    memo.num_filled[0] += 1


@kernel
def row_of(memo: Memo, state: int, nodes: NDArray[np.uint64]) -> int:
    """Return the row of a state of the search, an empty one where it has none."""
    return find_row(memo, state, nodes)


@kernel
def move_rows(old: Memo, new: Memo) -> None:
    """Put the rows of a table into a larger one, which is modified in place."""
    for row in range(len(old.state)):
        if old.state[row] >= 0:
            place = find_row(new, old.state[row], old.nodes[row])
            add_row(new, place, old.state[row], old.nodes[row], old.upper[row])
            new.is_exact[place] = old.is_exact[row]
            for cell in range(old.choice.shape[1]):
                new.choice[place, cell] = old.choice[row, cell]
