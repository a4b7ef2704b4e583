"""Kernels that go from the histories of one length to those one transition longer."""

from __future__ import annotations

import numpy as np

from infoset.typing import IntArray, LongArray
from infoset.utils.compilation import kernel


@kernel
def child_worlds(
    world: IntArray, first_edge: IntArray, next_world: IntArray, num_children: int
) -> IntArray:
    """Return [C] the world states that children end in, in the order of their edges.

    world [n] of the histories, first_edge [W + 1], next_world [E].
    """
    reached = np.empty(num_children, np.int32)
    child = 0
    for here in world:
        for edge in range(first_edge[here], first_edge[here + 1]):
            reached[child] = next_world[edge]
            child += 1
    return reached


@kernel
def find_pair(slots: LongArray, key: int, shift: int) -> np.int64:
    """Return the slot of `key` in an open addressing table, or the free one where it belongs.

    slots [2 ** (64 - shift), 2] keys, -1 where free, each beside its number. Eight keys in a row
    lie side by side.
    """
    mixed = np.uint64(key >> 3) * np.uint64(11400714819323198485)
    slot = (np.int64(mixed >> np.uint64(shift)) & ~7) | (key & 7)
    while slots[slot, 0] != key and slots[slot, 0] != -1:
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@kernel
def filled_table(parent: IntArray, step: IntArray, num_steps: int, shift: int) -> LongArray:
    """Return a table for `find_pair` with the keys of states 0, 1, … of parent, step [s]."""
    slots = np.full((1 << (64 - shift), 2), -1, np.int64)
    for number in range(len(parent)):
        key = np.int64(parent[number]) * num_steps + step[number]
        slot = find_pair(slots, key, shift)
        slots[slot, 0] = key
        slots[slot, 1] = number
    return slots


@kernel
def extend_states(
    world: IntArray,
    state: IntArray,
    first_edge: IntArray,
    step: IntArray,
    num_steps: int,
    last_number: int,
    first_number: int,
    child_state: IntArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Give each child the number of its infostate (of one player) or public state.

    Two children get one number exactly when their parents have one and their edges show the
    same step. world, state [n] of histories of one length, whose states are numbered from
    last_number to first_number; first_edge [W + 1]; step [E] in 0..num_steps-1; child_state [C]
    is filled in place. Returns, for each of the s new numbers, its parent [s], its step [s], and
    the first child [s] that has it.

    Numbers are given from first_number on, in order of first appearance. Histories of one state
    mostly have the same children in the same order, so that the number after the last one is
    tried first; then (parent number, step) is looked up in a hash table, doubled when half full.
    """
    shift = 54
    slots = np.full((1 << (64 - shift), 2), -1, np.int64)
    new_parent = np.empty(len(slots) // 2, np.int32)
    new_step = np.empty(len(slots) // 2, np.int32)
    first = np.empty(len(slots) // 2, np.int32)
    eldest = np.full(first_number - last_number, -1, np.int32)
    used = 0
    child = 0
    for history in range(len(world)):
        before = np.int64(state[history])
        guess = np.int64(eldest[before - last_number])
        start = first_edge[world[history]]
        for edge in range(start, first_edge[world[history] + 1]):
            is_known = 0 <= guess < used
            if not (is_known and new_step[guess] == step[edge] and new_parent[guess] == before):
                key = before * num_steps + step[edge]
                slot = find_pair(slots, key, shift)
                if slots[slot, 0] == -1:
                    if used == len(new_parent):
                        shift -= 1
                        new_parent = np.append(new_parent, np.empty_like(new_parent))
                        new_step = np.append(new_step, np.empty_like(new_step))
                        first = np.append(first, np.empty_like(first))
                        slots = filled_table(new_parent[:used], new_step[:used], num_steps, shift)
                        slot = find_pair(slots, key, shift)
                    slots[slot, 0] = key
                    slots[slot, 1] = used
                    new_parent[used] = before
                    new_step[used] = step[edge]
                    first[used] = child
                    used += 1
                guess = slots[slot, 1]
            if edge == start:
                eldest[before - last_number] = guess
            child_state[child] = first_number + guess
            child += 1
            guess += 1
    return new_parent[:used].copy(), new_step[:used].copy(), first[:used].copy()


@kernel
def find_contradiction(
    state: IntArray, first_number: int, world: IntArray, action_set: IntArray, expected: IntArray
) -> int:
    """Return the first history whose action set is not that of its infostate, or -1.

    state, world [C] of histories of one length; action_set [W] of one player; expected [s] of
    its infostates from first_number on.
    """
    for history in range(len(state)):
        if action_set[world[history]] != expected[state[history] - first_number]:
            return history
    return -1
