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


class Frames(NamedTuple):
    """The frames of a search, one below the other: D frames.

    A frame stands for a state of the search. Its cells get their actions one by one. Row i of
    `sets`, `value` and `total` tells what the first i have come to: the nodes in each public state
    that may come next, what can be won there, and all that can be won. A candidate is an action
    for the next cell; it makes row i + 1 and is valued by frames below.

    Attributes
    ----------
    depth : LongArray
        [1] the frame at work; -1 when all are done.
    state : LongArray
        [D] the public state.
    nodes : NDArray
        [D, words] the nodes of it, by bits.
    need : FloatArray
        [D] what must be exceeded to be of interest: below, a bound will do.
    best : FloatArray
        [D] the most that was found above it; -inf before that.
    choice : LongArray
        [D, cells] the actions that win it, by cell.
    num_successors : LongArray
        [D] public states that may come next.
    num_cells : LongArray
        [D] cells of the nodes, K.
    cell : LongArray
        [D, K] in the order in which they get their actions.
    num_actions : LongArray
        [D, K]
    is_trying : BoolArray
        [D] whether cells are still valued one at a time, as if there were no others.
    single : FloatArray
        [D, K, A] what an action for a cell would win at most, if there were no others.
    rest : FloatArray
        [D, K + 1] what the cells from the i-th on would win at most, each by itself.
    level : LongArray
        [D] number of cells that have their action.
    candidate : LongArray
        [D] the action that is valued for the next one.
    is_valued : BoolArray
        [D] whether row `level + 1` is that of the candidate.
    bound : FloatArray
        [D, K, A] the most that could be won with each action at each level.
    picked : LongArray
        [D, K] the action at each level that the levels below belong to.
    sets : NDArray
        [D, K + 1, successors, words]
    value : FloatArray
        [D, K + 1, successors]
    total : FloatArray
        [D, K + 1]
    is_open : BoolArray
        [D, successors] whether the candidate changes a set, and what it can win is not known yet.
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
    """Return frames for a search of some public states, none of them at work.

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
    """Raise unless what grows with a product of sizes fits in memory."""
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
