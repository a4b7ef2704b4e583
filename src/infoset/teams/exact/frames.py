"""Where a search stands: one frame for each stage that it has gone down to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GameTooLargeError
from infoset.teams.exact.public_states import PublicStates
from infoset.tree import allowed_memory
from infoset.typing import BoolArray, FloatArray, LongArray
from infoset.utils.text import format_bytes

__all__ = ["Frames", "empty_frames"]


class Frames(NamedTuple):
    """The frames of a search, one below the other: D frames.

    A frame stands for a state of the search. Its labels get their actions one by one. Row i of
    `sets`, `value` and `total` tells what the first i have come to: the nodes in each public state
    that may come next, what can be won there, and all that can be won. A candidate is an action
    for the next label; it makes row i + 1 and is valued by frames below.

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
        [D, labels] the actions that win it, by label.
    num_slots : LongArray
        [D] public states that may come next.
    num_labels : LongArray
        [D] labels of the nodes, K.
    label : LongArray
        [D, K] in the order in which they get their actions.
    num_actions : LongArray
        [D, K]
    is_trying : BoolArray
        [D] whether labels are still valued one at a time, as if there were no others.
    single : FloatArray
        [D, K, A] what an action for a label would win at most, if there were no others.
    rest : FloatArray
        [D, K + 1] what the labels from the i-th on would win at most, each by itself.
    level : LongArray
        [D] number of labels that have their action.
    candidate : LongArray
        [D] the action that is valued for the next one.
    is_valued : BoolArray
        [D] whether row `level + 1` is that of the candidate.
    bound : FloatArray
        [D, K, A] the most that could be won with each action at each level.
    picked : LongArray
        [D, K] the action at each level that the levels below belong to.
    sets : NDArray
        [D, K + 1, slots, words]
    value : FloatArray
        [D, K + 1, slots]
    total : FloatArray
        [D, K + 1]
    is_open : BoolArray
        [D, slots] whether the candidate changes a set, and what it can win is not known yet.
    """

    depth: LongArray
    state: LongArray
    nodes: NDArray[np.uint64]
    need: FloatArray
    best: FloatArray
    choice: LongArray
    num_slots: LongArray
    num_labels: LongArray
    label: LongArray
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
    labels, slots = _widest(states.first_label), _widest(states.first_slot)
    actions = _widest(states.first_move)
    _check_fits(num_frames, labels, actions, slots, num_words)
    return Frames(
        depth=np.full(1, -1),
        state=np.zeros(num_frames, np.int64),
        nodes=np.zeros((num_frames, num_words), np.uint64),
        need=np.zeros(num_frames),
        best=np.zeros(num_frames),
        choice=np.zeros((num_frames, labels), np.int64),
        num_slots=np.zeros(num_frames, np.int64),
        num_labels=np.zeros(num_frames, np.int64),
        label=np.zeros((num_frames, labels), np.int64),
        num_actions=np.zeros((num_frames, labels), np.int64),
        is_trying=np.zeros(num_frames, np.bool_),
        single=np.zeros((num_frames, labels, actions)),
        rest=np.zeros((num_frames, labels + 1)),
        level=np.zeros(num_frames, np.int64),
        candidate=np.zeros(num_frames, np.int64),
        is_valued=np.zeros(num_frames, np.bool_),
        bound=np.zeros((num_frames, labels, actions)),
        picked=np.zeros((num_frames, labels), np.int64),
        sets=np.zeros((num_frames, labels + 1, slots, num_words), np.uint64),
        value=np.zeros((num_frames, labels + 1, slots)),
        total=np.zeros((num_frames, labels + 1)),
        is_open=np.zeros((num_frames, slots), np.bool_),
    )


def _check_fits(frames: int, labels: int, actions: int, slots: int, words: int) -> None:
    """Raise unless what grows with a product of sizes fits in memory."""
    needed = 8 * frames * labels * (2 * actions + slots * (words + 1))
    allowed = allowed_memory(None)
    if needed > allowed:
        raise GameTooLargeError(
            f"a search with {labels:,} labels in a public state, {actions:,} actions, {slots:,} "
            f"public states that may come next and sets of {64 * words:,} nodes needs about "
            f"{format_bytes(needed)}, and {format_bytes(allowed)} are allowed; give a smaller "
            "game, such as merge_outcomes(form) or drop_decided(form)",
            {"labels": labels, "actions": actions, "public_states": slots, "bytes": needed},
        )


def _widest(first: LongArray) -> int:
    return max(1, int(np.diff(first).max()))
