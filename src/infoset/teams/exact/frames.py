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


class Memo(NamedTuple):
    """Hash table of states of the search, with C rows, some of them empty; C is a power of two.

    A state of the search is a public state together with the set of its nodes that play can have
    reached under the actions chosen so far.
    """

    num_filled: LongArray
    """[1] number of rows in use."""
    state: LongArray
    """[C] the public state; -1 in empty rows."""
    nodes: NDArray[np.uint64]
    """[C, words] of `uint64`, one bit per node of the public state."""
    upper: FloatArray
    """[C] upper bound on the value."""
    is_exact: BoolArray
    """[C] whether the upper bound is the exact value."""
    choice: IntArray
    """[C, cells] an optimal action at each cell of the public state, if the value is exact."""


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

    A frame contains a state of the search whose cells receive their actions one by one. A successor
    is a public state that may come next. Row i of `sets`, `value` and `total` describes the result
    of the actions of the first i cells: the set of nodes reached in each successor, the value of
    that set or a bound on it, and the total value. A candidate is an action for the next cell; it
    fills row i + 1, and the frames below evaluate it.
    """

    depth: LongArray
    """[1] the active frame; -1 when the search is done."""
    state: LongArray
    """[D] the public state."""
    nodes: NDArray[np.uint64]
    """[D, words] the set of nodes of the public state, as bits."""
    need: FloatArray
    """[D] the threshold above which values must be exact; for others an upper bound suffices."""
    best: FloatArray
    """[D] the best value found that exceeds `need`; -inf if none."""
    choice: LongArray
    """[D, cells] the actions that achieve `best`, by cell."""
    num_successors: LongArray
    """[D] number of successors."""
    num_cells: LongArray
    """[D] number K of cells that have a node in the set."""
    cell: LongArray
    """[D, K] the cells, in the order in which they receive their actions."""
    num_actions: LongArray
    """[D, K] number of actions of each cell."""
    is_trying: BoolArray
    """[D] whether the frame is in its first stage, which evaluates each cell alone."""
    single: FloatArray
    """[D, K, A] upper bound on the value of an action if its cell were alone."""
    rest: FloatArray
    """[D, K + 1] sum of the best single values of the i-th and all later cells."""
    level: LongArray
    """[D] number of cells that have received their actions."""
    candidate: LongArray
    """[D] the action that is being evaluated for the next cell."""
    is_valued: BoolArray
    """[D] whether row `level + 1` contains the evaluated candidate."""
    bound: FloatArray
    """[D, K, A] upper bound on the value of each action at each level."""
    picked: LongArray
    """[D, K] the action taken at each level."""
    sets: NDArray[np.uint64]
    """[D, K + 1, successors, words] the set of nodes reached in each successor, as bits."""
    value: FloatArray
    """[D, K + 1, successors] the value of each set, or an upper bound on it."""
    total: FloatArray
    """[D, K + 1] the total value, or an upper bound on it."""
    is_open: BoolArray
    """[D, successors] whether the candidate changes a set whose value is not known yet."""


def empty_frames(states: PublicStates, num_frames: int, num_words: int) -> Frames:
    """Return frames for a search, with an empty stack.

    Raises
    ------
    GameTooLargeError
        If the frames would not fit in memory.
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
    """Raise unless the largest arrays, whose sizes are products, fit in memory."""
    # `single` and `bound` hold A numbers per cell, `sets` and `value` words + 1 per successor.
    needed = 8 * frames * cells * (2 * actions + successors * (words + 1))
    allowed = allowed_memory(None)
    if needed > allowed:
        raise GameTooLargeError(
            f"the exact search of this form needs about {format_bytes(needed)}, but only "
            f"{format_bytes(allowed)} is allowed (per public state: up to {cells:,} cells, "
            f"{actions:,} actions, {successors:,} successors and {64 * words:,} nodes); reduce the "
            "form with merge_outcomes(form) or drop_decided(form)",
            {"cells": cells, "actions": actions, "public_states": successors, "bytes": needed},
        )


def _widest(first: LongArray) -> int:
    return max(1, int(np.diff(first).max()))
