"""Kernels shared by the depth-first searches: the stack of positions and the transposition table.

A search keeps one position per depth on an explicit stack instead of recursing, because Numba
cannot inline recursive calls. Forced moves (a single action, a single transition) are skipped, so
that every position on the stack is a decision, a chance move with several outcomes, or an end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from infoset.search.models._model_kernels import (
    CHANCE_MOVE,
    END,
    Position,
    actor,
    apply_outcome,
    choose_action,
    inlined,
    num_actions,
    num_outcomes,
)
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import inner_kernel

NODES, PROBLEM, NODE_LIMIT, ROW, DEPTH = range(5)
"""Indices of the `status` of a search: the number of positions visited; the problem that stopped
it; the number of positions at which it pauses; and where it paused: the row of the position that it
evaluates, and its depth below that position."""

NO_PROBLEM, TOO_DEEP, SIMULTANEOUS, PAUSED = range(4)
"""Problems. The stack holds the whole state of a paused search, so that the next call with the
same arguments continues it."""

FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(29)
"""Multiplier and shift of the hash, from SplitMix64."""


class Stack(NamedTuple):
    """The positions on the path from the root of a search to the current position, by depth."""

    here: Position
    """The current position, which the model changes in place."""
    states: LongArray
    rewards_so_far: FloatArray
    """[D, L] and [D, N], as in `Position`."""
    mover: LongArray
    """[D] the player to act, `CHANCE_MOVE` or `END`."""
    branch: LongArray
    num_branches: LongArray
    """[D] number of actions or outcomes tried, and their total."""


class TranspositionTable(NamedTuple):
    """Results by position. A position hashes to one place, where a new result replaces the old one.

    Results are utilities minus the rewards so far, so that they are valid for every path to a
    position.
    """

    states: LongArray
    """[T, L] where T is a power of two."""
    search: LongArray
    """[T] number of the search that wrote the result. Results of other searches are ignored."""
    result: FloatArray
    """[T, M]"""


@inner_kernel
def table_place(table: TranspositionTable, stack: Stack, depth: int) -> int:
    """Return the place in the table of the position at a depth, by hashing its state."""
    # Multiply, then xor-shift: the shift moves the well-mixed high bits of the product to the low
    # bits that the mask selects.
    mixed = np.uint64(0)
    for column in range(stack.states.shape[1]):
        mixed = (mixed ^ np.uint64(stack.states[depth, column])) * FACTOR
        mixed ^= mixed >> SHIFT
    # The length of the table is a power of two, so that `length - 1` masks the low bits.
    return int(mixed & np.uint64(len(table.search) - 1))


@inlined
def holds_position(
    table: TranspositionTable, place: int, stack: Stack, depth: int, search: int
) -> bool:
    """Return whether a place holds this search's result for the position at a depth."""
    # Results of an earlier search may be for another player or another range of utilities.
    if table.search[place] != search:
        return False
    # Compare the whole state: different states can have the same hash.
    for column in range(stack.states.shape[1]):
        if table.states[place, column] != stack.states[depth, column]:
            return False
    return True


@inlined
def claim_place(
    table: TranspositionTable, place: int, stack: Stack, depth: int, search: int
) -> None:
    """Assign a place to the position at a depth; the caller writes the result."""
    # Always replace: recent positions are deeper in the tree and likely to recur soon.
    table.search[place] = search
    for column in range(stack.states.shape[1]):
        table.states[place, column] = stack.states[depth, column]


@inlined
def save_position(stack: Stack, depth: int) -> None:
    """Write the current position to the stack."""
    # Loops instead of slices: see `inlined`.
    for column in range(stack.states.shape[1]):
        stack.states[depth, column] = stack.here.state[column]
    for player in range(stack.rewards_so_far.shape[1]):
        stack.rewards_so_far[depth, player] = stack.here.rewards_so_far[player]


@inlined
def load_position(stack: Stack, states: LongArray, rewards_so_far: FloatArray, row: int) -> None:
    """Copy one row of positions to the current position. These searches do not use observations."""
    for column in range(states.shape[1]):
        stack.here.state[column] = states[row, column]
    for player in range(rewards_so_far.shape[1]):
        stack.here.rewards_so_far[player] = rewards_so_far[row, player]


@inlined
def take_forced_actions(model: Any, position: Position) -> int:
    """Take the action of every actor that has only one, in place; return who acts next."""
    mover = actor(model, position)
    # A negative `mover` is `CHANCE_MOVE` or `END`.
    while mover >= 0 and num_actions(model, position) == 1:
        choose_action(model, position, 0)
        mover = actor(model, position)
    return mover


@inlined
def skip_forced_moves(model: Any, position: Position) -> int:
    """Play on, in place, to a decision, a chance move with several outcomes, or an end."""
    while True:
        mover = actor(model, position)
        if mover >= 0 and num_actions(model, position) == 1:
            choose_action(model, position, 0)
        # A deterministic transition is a chance move with one outcome. It follows after all actors
        # of a world state have chosen.
        elif mover == CHANCE_MOVE and num_outcomes(model, position) == 1:
            apply_outcome(model, position, 0)
        else:
            return mover


@inlined
def push_position(model: Any, stack: Stack, depth: int) -> int:
    """Skip forced moves and push the current position on the stack; return who acts there."""
    # Forced moves use no depth of their own, because there is nothing to maximize or to average.
    mover = skip_forced_moves(model, stack.here)
    save_position(stack, depth)
    stack.mover[depth] = mover
    # Branches are counted once, and then taken by index.
    stack.branch[depth] = 0
    # `num_branches` is not set at an end, where it is never read.
    if mover == CHANCE_MOVE:
        stack.num_branches[depth] = num_outcomes(model, stack.here)
    elif mover != END:
        stack.num_branches[depth] = num_actions(model, stack.here)
    return mover


@inlined
def pauses_at(depth: int, status: LongArray) -> bool:
    """Return whether the search pauses before it enters a position, which `status` then reports."""
    if status[NODES] < status[NODE_LIMIT]:
        return False
    status[DEPTH] = depth
    status[PROBLEM] = PAUSED
    return True


@inlined
def take_next_branch(model: Any, stack: Stack, depth: int, status: LongArray) -> bool:
    """Take the next branch of the position at a depth; on failure set `status` and return False.

    It fails if the stack is full, or if a second player has a choice before the next transition:
    simultaneous choices have no perfect-information value in pure strategies.
    """
    # A kernel does not resize arrays: the caller enlarges the stack and repeats the search.
    if depth + 1 == len(stack.mover):
        status[PROBLEM] = TOO_DEEP
        return False
    # Searching earlier branches changed the current position; restore it from the stack.
    load_position(stack, stack.states, stack.rewards_so_far, depth)
    branch = stack.branch[depth]
    # Counted before its search, so `back_up` subtracts 1 to find the branch whose value it gets.
    stack.branch[depth] = branch + 1
    if stack.mover[depth] == CHANCE_MOVE:
        apply_outcome(model, stack.here, branch)
    else:
        choose_action(model, stack.here, branch)
        # Further actors with a single action are no problem; a further choice is.
        if take_forced_actions(model, stack.here) >= 0:
            status[PROBLEM] = SIMULTANEOUS
            return False
    return True
