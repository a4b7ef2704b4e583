"""State of the branch and bound: a stack of frames and a memo of solved states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GameTooLargeError
from infoset.teams.exact.public_states import PublicStates
from infoset.tree import allowed_memory
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.text import format_bytes

__all__ = ["Frames", "Memo", "empty_frames", "empty_memo"]


class Memo(NamedTuple):
    """Hash table of solved states of the search: C rows, a power of two, some of them empty.

    A state of the search is a public state and a set of its nodes: those that play can have reached
    under the actions chosen so far.

    Attributes
    ----------
    num_filled : LongArray
        [1] number of rows in use.
    state : LongArray
        [C] the public state; -1 in empty rows.
    nodes : NDArray
        [C, words] of `uint64`, one bit per node of the public state.
    upper : FloatArray
        [C] upper bound on the value.
    is_exact : BoolArray
        [C] whether the bound is the value.
    choice : IntArray
        [C, cells] an optimal action at each cell of the public state, where the value is exact.
    """

    num_filled: LongArray
    state: LongArray
    nodes: NDArray[np.uint64]
    upper: FloatArray
    is_exact: BoolArray
    choice: IntArray


def empty_memo(num_rows: int, num_words: int, num_cells: int) -> Memo:
    """Return an empty table."""
    return Memo(
        num_filled=np.zeros(1, np.int64),
        state=np.full(num_rows, -1, np.int64),
        nodes=np.zeros((num_rows, num_words), np.uint64),
        upper=np.zeros(num_rows),
        is_exact=np.zeros(num_rows, np.bool_),
        choice=np.zeros((num_rows, num_cells), np.int32),
    )


class Frames(NamedTuple):
    """The stack of a depth-first search: D frames, one per stage of play.

    A frame holds a state of the search whose cells receive their actions one by one. Row i of
    `sets`, `value` and `total` describes the first i cells with their actions: the set of nodes
    reached in each successor, its value or a bound on it, and the value of all together. A
    candidate is an action for the next cell; it fills row i + 1 and is evaluated by the frames
    below.

    Attributes
    ----------
    depth : LongArray
        [1] the active frame; -1 when the search is done.
    state : LongArray
        [D] the public state.
    nodes : NDArray
        [D, words] the set of its nodes, as bits.
    need : FloatArray
        [D] only values above this matter; below it, an upper bound suffices.
    best : FloatArray
        [D] the best value found above `need`; -inf if none.
    choice : LongArray
        [D, cells] the actions with that value, by cell.
    num_successors : LongArray
        [D] number of public states that may come next.
    num_cells : LongArray
        [D] number K of cells with a node in the set.
    cell : LongArray
        [D, K] the cells, in the order in which they receive their actions.
    num_actions : LongArray
        [D, K]
    is_trying : BoolArray
        [D] whether cells are still evaluated one at a time, as if they were alone.
    single : FloatArray
        [D, K, A] upper bound on the value of an action at a cell alone.
    rest : FloatArray
        [D, K + 1] sum of the best single values of the cells from the i-th on.
    level : LongArray
        [D] number of cells that have their action.
    candidate : LongArray
        [D] the action that is being evaluated for the next cell.
    is_valued : BoolArray
        [D] whether row `level + 1` is that of the candidate, evaluated.
    bound : FloatArray
        [D, K, A] upper bound on the value of each action at each level.
    picked : LongArray
        [D, K] the action taken at each level.
    sets : NDArray
        [D, K + 1, successors, words]
    value : FloatArray
        [D, K + 1, successors]
    total : FloatArray
        [D, K + 1]
    is_open : BoolArray
        [D, successors] whether the candidate changes a set whose value is not known yet.
    """

    depth: LongArray
    state: LongArray
    nodes: NDArray[np.uint64]
    need: FloatArray
    best: FloatArray
    choice: LongArray
    num_successors: LongArray
    num_cells: LongArray
    cell: LongArray
    num_actions: LongArray
    is_trying: BoolArray
    single: FloatArray
    rest: FloatArray
    level: LongArray
    candidate: LongArray
    is_valued: BoolArray
    bound: FloatArray
    picked: LongArray
    sets: NDArray[np.uint64]
    value: FloatArray
    total: FloatArray
    is_open: BoolArray


def empty_frames(states: PublicStates, num_frames: int, num_words: int) -> Frames:
    """Return frames for a search, with an empty stack.

    Raises
    ------
    GameTooLargeError
        If they would not fit in memory.
    """
    cells, successors = _widest(states.first_cell), _widest(states.first_successor)
    actions = _widest(states.first_move)
    _check_fits(num_frames, cells, actions, successors, num_words)
    return Frames(
        depth=np.full(1, -1),
        state=np.zeros(num_frames, np.int64),
        nodes=np.zeros((num_frames, num_words), np.uint64),
        need=np.zeros(num_frames),
        best=np.zeros(num_frames),
        choice=np.zeros((num_frames, cells), np.int64),
        num_successors=np.zeros(num_frames, np.int64),
        num_cells=np.zeros(num_frames, np.int64),
        cell=np.zeros((num_frames, cells), np.int64),
        num_actions=np.zeros((num_frames, cells), np.int64),
        is_trying=np.zeros(num_frames, np.bool_),
        single=np.zeros((num_frames, cells, actions)),
        rest=np.zeros((num_frames, cells + 1)),
        level=np.zeros(num_frames, np.int64),
        candidate=np.zeros(num_frames, np.int64),
        is_valued=np.zeros(num_frames, np.bool_),
        bound=np.zeros((num_frames, cells, actions)),
        picked=np.zeros((num_frames, cells), np.int64),
        sets=np.zeros((num_frames, cells + 1, successors, num_words), np.uint64),
        value=np.zeros((num_frames, cells + 1, successors)),
        total=np.zeros((num_frames, cells + 1)),
        is_open=np.zeros((num_frames, successors), np.bool_),
    )


def _check_fits(frames: int, cells: int, actions: int, successors: int, words: int) -> None:
    """Raise unless the arrays that grow with a product of sizes fit in memory."""
    needed = 8 * frames * cells * (2 * actions + successors * (words + 1))
    allowed = allowed_memory(None)
    if needed > allowed:
        raise GameTooLargeError(
            f"a search with {cells:,} cells in a public state, {actions:,} actions, {successors:,} "
            f"public states that may come next and sets of {64 * words:,} nodes needs about "
            f"{format_bytes(needed)}, and {format_bytes(allowed)} are allowed; give a smaller "
            "game, such as merge_outcomes(form) or drop_decided(form)",
            {"cells": cells, "actions": actions, "public_states": successors, "bytes": needed},
        )


def _widest(first: LongArray) -> int:
    return max(1, int(np.diff(first).max()))
