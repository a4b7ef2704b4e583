"""Kernels that compile, for each set of possible worlds, what its infostates add to a gradient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.forms._infostate_shape_kernels import END, WAIT
from infoset.forms._world_payoff_kernels import (
    ADD,
    ADD_TO_COPY,
    CHILD,
    CHILDREN,
    ENDS,
    FIRST_SEQUENCE,
    PASS,
    SCALE,
    SET,
    TRANSFERS,
)
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.compilation import linear_kernel
from infoset.utils.interning_kernels import add_list, grown_to, no_lists

TERMINAL = -1
"""Class after the last transition of a play."""

NONE, SHARED, OWNED = 0, 1, 2
"""State of a slot: empty; a view of the opponent's plan or of another slot's vector; or a vector of
its own."""

LAST_CODES = 1 << 20
"""Key of the first code of steps that end a structure; these keys are larger than all others."""
LOW = 0xFFFFFFFF
"""Mask of the second of two numbers that are packed into one."""


class Edges(NamedTuple):
    """The edges of a graph of world classes, as one of two players sees them.

    Classes are in topological order, beginning with that of the initial world.
    """

    first: LongArray
    """[M + 1] first edge of each class."""
    target: LongArray
    """[F] class after each edge; `TERMINAL` at the end of the game."""
    code: LongArray
    """[F] how the edge changes the structure of the player's infostate; see `InfostateShapes.code`.
    """
    action: LongArray
    offset: LongArray
    size: LongArray
    """[F] the player's action, the number of its sequences before those after the edge, and the
    number of its sequences after the edge."""
    other_action: LongArray
    other_offset: LongArray
    other_size: LongArray
    """[F] the same for the opponent, and the number of its sequences after the edge."""
    probability: FloatArray
    """[F] probability of the edge, given the actions."""
    is_end: BoolArray
    """[F] whether something may be paid at the edge."""


class Transfers(NamedTuple):
    """Transfers of vectors between slots, in arrays with room for more; see `WorldPayoffs`."""

    rows: LongArray
    """[6 * room]"""
    chance: FloatArray
    """[room]"""
    state: LongArray
    """[slots] content of each slot before the next transfer: `NONE`, `SHARED` or `OWNED`."""


class Leaving(NamedTuple):
    """The edges from the worlds of a set that lead to other infostates."""

    keys: LongArray
    """[room] code of the step, and the place of the edge in `sources`; sorted by both."""
    sources: LongArray
    """[room] slot, and edge."""


@linear_kernel
def add_transfer(
    transfers: Transfers, number: int, edges: Edges, edge: int, slot: int, goal: int
) -> None:
    """Write the transfer along an edge from a slot to another, and update the state of the goal."""
    chance, before = edges.probability[edge], transfers.state[goal]
    if before == NONE:
        kind = PASS if chance == 1.0 else SCALE
    else:
        kind = ADD_TO_COPY if before == SHARED else ADD
    transfers.state[goal] = SHARED if kind == PASS else OWNED
    row = 6 * number
    transfers.rows[row], transfers.rows[row + 1] = slot, goal
    transfers.rows[row + 2] = edges.other_offset[edge]
    transfers.rows[row + 3] = edges.other_size[edge]
    transfers.rows[row + 4], transfers.rows[row + 5] = edges.other_action[edge], kind
    transfers.chance[number] = chance


@linear_kernel
def with_room(transfers: Transfers, size: int, slots: int) -> Transfers:
    """Return the arrays with room for `size` transfers, and for the states of `slots`."""
    return Transfers(
        grown_to(transfers.rows, 6 * size),
        grown_to(transfers.chance, size),
        grown_to(transfers.state, slots),
    )


@linear_kernel
def add_waiting(
    edges: Edges, inside: LongArray, size: int, slot_of: LongArray, mark: LongArray, number: int
) -> tuple[LongArray, int]:
    """Add the classes that are reached by waiting to inside[:size]; return array and new size.

    slot_of [M]: filled with the places of these classes; mark [M]: filled with `number`.
    """
    for place in range(size):
        slot_of[inside[place]], mark[inside[place]] = place, number
    place = 0
    while place < size:
        node = inside[place]
        place += 1
        for edge in range(edges.first[node], edges.first[node + 1]):
            after = edges.target[edge]
            if after != TERMINAL and edges.code[edge] == WAIT and mark[after] != number:
                inside = grown_to(inside, size + 1)
                inside[size] = after
                slot_of[after], mark[after] = size, number
                size += 1
    return inside, size


@linear_kernel
def add_inside(
    edges: Edges,
    ordered: LongArray,
    slot_of: LongArray,
    transfers: Transfers,
    num_transfers: int,
    ends: LongArray,
    num_ends: int,
    leaving: Leaving,
) -> tuple[int, int, int]:
    """Write what happens inside a set; return the numbers of transfers, ends and leaving edges.

    ordered: the classes of the set in topological order, so that all transfers to a slot precede
    those from it. slot_of [M]: their slots. The arrays have room for all edges of these classes.
    """
    num_leaving = 0
    for node in ordered:
        slot = slot_of[node]
        for edge in range(edges.first[node], edges.first[node + 1]):
            after, code = edges.target[edge], edges.code[edge]
            if edges.is_end[edge]:
                row = 4 * num_ends
                ends[row], ends[row + 1] = slot, edges.other_action[edge]
                ends[row + 2], ends[row + 3] = edges.action[edge], edge
                num_ends += 1
            if after == TERMINAL:
                continue
            if code == WAIT:
                add_transfer(transfers, num_transfers, edges, edge, slot, slot_of[after])
                num_transfers += 1
            else:
                key = code if code >= 0 else LAST_CODES + END - code
                leaving.keys[num_leaving] = (key << 32) | num_leaving
                leaving.sources[num_leaving] = (slot << 32) | edge
                num_leaving += 1
    leaving.keys[:num_leaving].sort()
    return num_transfers, num_ends, num_leaving


@linear_kernel
def distinct(values: LongArray, size: int) -> int:
    """Sort values[:size] in place, and move the distinct ones to the front; return their number."""
    values[:size].sort()
    used = 0
    for i in range(size):
        if used == 0 or values[used - 1] != values[i]:
            values[used] = values[i]
            used += 1
    return used


@linear_kernel
def compile_programs(
    edges: Edges, limit: int
) -> tuple[LongArray, LongArray, LongArray, IntArray, FloatArray, IntArray, LongArray]:
    """Compile the programs of all sets of classes that a player considers possible.

    Returns, of the S sets: [S] the number of slots, [S] the smallest class, and ranges [S, 6]; then
    transfers [K, 6] and their probabilities [K], ends [T, 4] and children [C, 6]: see
    `WorldPayoffs`; the last column of ends is the edge. If there are more than `limit` transfers,
    the compilation stops before all sets are compiled.
    """
    lists, used = no_lists(), 1
    found = np.zeros(64, np.int64)
    lists, _ = add_list(lists, 0, found, 1)
    num_slots, ranges = np.zeros(16, np.int64), np.zeros(6 * 16, np.int64)
    transfers = Transfers(np.zeros(6 * 64, np.int64), np.zeros(64), np.zeros(64, np.int64))
    ends, children = np.zeros(4 * 64, np.int64), np.zeros(6 * 16, np.int64)
    num_transfers = num_ends = num_children = done = 0
    num_classes = len(edges.first) - 1
    slot_of, mark = np.zeros(num_classes, np.int64), np.full(num_classes, -1, np.int64)
    child_slot = np.zeros(num_classes, np.int64)
    inside = np.zeros(64, np.int64)
    leaving = Leaving(np.zeros(64, np.int64), np.zeros(64, np.int64))
    while done < used and num_transfers <= limit:
        ranges, num_slots = grown_to(ranges, 6 * (done + 1)), grown_to(num_slots, done + 1)
        row = 6 * done
        ranges[row + TRANSFERS], ranges[row + ENDS] = num_transfers, num_ends
        ranges[row + CHILDREN] = num_children
        # The classes inside are those that arrive, and those reached from them by waiting.
        arrived = lists.first[done + 1] - lists.first[done]
        inside = grown_to(inside, arrived)
        inside[:arrived] = lists.items[lists.first[done] : lists.first[done + 1]]
        inside, size = add_waiting(edges, inside, arrived, slot_of, mark, done)
        num_slots[done] = size
        ordered = np.sort(inside[:size])
        count = 0
        for node in ordered:
            count += edges.first[node + 1] - edges.first[node]
        # Each edge is at most one transfer, one end, and one leaving edge.
        transfers = with_room(transfers, num_transfers + count, size)
        transfers.state[:arrived], transfers.state[arrived:size] = SHARED, NONE
        ends, found = grown_to(ends, 4 * (num_ends + count)), grown_to(found, count)
        leaving = Leaving(grown_to(leaving.keys, count), grown_to(leaving.sources, count))
        num_transfers, num_ends, num_leaving = add_inside(
            edges, ordered, slot_of, transfers, num_transfers, ends, num_ends, leaving
        )
        ranges[row + TRANSFERS + 1], ranges[row + ENDS + 1] = num_transfers, num_ends
        begin = 0
        while begin < num_leaving:
            key, end = leaving.keys[begin] >> 32, begin
            while end < num_leaving and leaving.keys[end] >> 32 == key:
                found[end - begin] = edges.target[leaving.sources[leaving.keys[end] & LOW] & LOW]
                end += 1
            size = distinct(found, end - begin)
            for place in range(size):
                child_slot[found[place]] = place
            lists, number = add_list(lists, used, found, size)
            used += number == used
            edge = leaving.sources[leaving.keys[begin] & LOW] & LOW
            children = grown_to(children, 6 * (num_children + 1))
            at = 6 * num_children
            children[at], children[at + 1] = number, edges.offset[edge]
            children[at + 2], children[at + 3] = edges.action[edge], num_transfers
            children[at + 5] = 0
            transfers = with_room(transfers, num_transfers, size)
            transfers.state[:size] = NONE
            for i in range(begin, end):
                source = leaving.sources[leaving.keys[i] & LOW]
                edge, slot = source & LOW, source >> 32
                goal = child_slot[edges.target[edge]]
                # After omitted steps, the player may have no decisions in some worlds.
                children[at + 5] = max(children[at + 5], edges.size[edge])
                add_transfer(transfers, num_transfers, edges, edge, slot, goal)
                num_transfers += 1
            children[at + 4] = num_transfers
            num_children += 1
            begin = end
        ranges[row + CHILDREN + 1] = num_children
        done += 1
    smallest = np.zeros(done, np.int64)
    for number in range(done):
        smallest[number] = lists.items[lists.first[number]]
    return (
        num_slots[:done].copy(),
        smallest,
        ranges[: 6 * done].copy().reshape((done, 6)),
        transfers.rows[: 6 * num_transfers].astype(np.int32).reshape((num_transfers, 6)),
        transfers.chance[:num_transfers].copy(),
        ends[: 4 * num_ends].astype(np.int32).reshape((num_ends, 4)),
        children[: 6 * num_children].copy().reshape((num_children, 6)),
    )


@linear_kernel
def measure_transfers(
    transfers: IntArray, begin: int, end: int, is_inside: bool, ways: LongArray, before: LongArray
) -> tuple[int, int, int]:
    """Return the numbers of entries that are added and newly written, and of roundings of an entry.

    is_inside: whether sources are slots of the same set. ways, before: at least one entry per slot,
    all zeros, as they are again at the end.
    """
    added, written, roundings = 0, 0, 0
    for number in range(begin, end):
        slot, goal = transfers[number, 0], transfers[number, 1]
        size, kind = transfers[number, 3], transfers[number, 5]
        added += size if kind != PASS else 0
        written += size if kind in (ADD_TO_COPY, SCALE) else 0
        # All transfers to the source precede this one: its roundings are known. There is one for
        # each vector that is added to a slot, and one for the probability.
        if is_inside:
            before[goal] = max(before[goal], before[slot] + ways[slot])
        ways[goal] += 1 if ways[goal] else 2
        roundings = max(roundings, before[goal] + ways[goal])
    for number in range(begin, end):
        ways[transfers[number, 1]] = before[transfers[number, 1]] = 0
    return added, written, roundings


@linear_kernel
def count_work(
    order: LongArray,
    num_slots: LongArray,
    ranges: LongArray,
    transfers: IntArray,
    ends: IntArray,
    children: LongArray,
) -> tuple[LongArray, FloatArray]:
    """Forecast the programs from each set on.

    order [S]: later sets first; the rest as in `WorldPayoffs`. Returns [S, 5], along the chain of
    infostates where each is largest: the number of infostates, of slots, and of new numbers in the
    workspace; the number of payoffs that are added to one entry of the gradient; and the number of
    roundings of an entry of a plan. And [S, 3], in all: infostates visited, operations, and entries
    added.
    """
    sizes, work = np.zeros((len(order), 5), np.int64), np.zeros((len(order), 3))
    # Payoffs by the player's action, in the place after the one for no action.
    payoffs = np.zeros(64, np.int64)
    ways, before = np.zeros(num_slots.max(), np.int64), np.zeros(num_slots.max(), np.int64)
    for number in order:
        begin, end = ranges[number, TRANSFERS], ranges[number, TRANSFERS + 1]
        first, last = ranges[number, ENDS], ranges[number, ENDS + 1]
        added, written, inside = measure_transfers(transfers, begin, end, True, ways, before)
        work[number] = 1, end - begin + last - first, added
        payoffs[:] = 0
        for place in range(first, last):
            payoffs = grown_to(payoffs, ends[place, 2] + 2)
            payoffs[ends[place, 2] + 1] += 1
        below = np.zeros(5, np.int64)
        for child in range(ranges[number, CHILDREN], ranges[number, CHILDREN + 1]):
            goal, action = children[child, 0], children[child, 2]
            begin, end = children[child, 3], children[child, 4]
            more, fresh, entering = measure_transfers(transfers, begin, end, False, ways, before)
            below[0], below[1] = max(below[0], sizes[goal, 0]), max(below[1], sizes[goal, 1])
            below[2] = max(below[2], fresh + sizes[goal, 2])
            below[4] = max(below[4], entering + sizes[goal, 4])
            work[number, 0] += work[goal, 0]
            work[number, 1] += work[goal, 1] + end - begin
            work[number, 2] += work[goal, 2] + more
            payoffs = grown_to(payoffs, action + 2)
            payoffs[action + 1] += sizes[goal, 3]
        sizes[number, 0], sizes[number, 1] = below[0] + 1, below[1] + num_slots[number]
        sizes[number, 2], sizes[number, 3] = below[2] + written, payoffs.max()
        sizes[number, 4] = below[4] + inside
    return sizes, work


@linear_kernel
def largest_reach(first: LongArray, target: LongArray, probability: FloatArray) -> FloatArray:
    """Return [F] the largest product of probabilities on a way from node 0 to the end of each edge.

    first [M + 1], with nodes in topological order; target, probability [F].
    """
    reach = np.zeros(len(first) - 1)
    reach[0] = 1.0
    found = np.zeros(len(target))
    for node in range(len(reach)):
        for edge in range(first[node], first[node + 1]):
            found[edge] = reach[node] * probability[edge]
            if target[edge] != TERMINAL:
                reach[target[edge]] = max(reach[target[edge]], found[edge])
    return found


@linear_kernel
def equal_cuts(
    number: int, work: FloatArray, ranges: LongArray, children: LongArray, frames: LongArray
) -> LongArray:
    """Return [number - 1] sequences that divide a player's into parts of about equal work.

    work [S], ranges, children: see `WorldPayoffs`; frames: its workspace.
    """
    cuts = np.zeros(number - 1, np.int64)
    enough = work[0] / (50 * number)
    found, passed, depth = 0, 0.0, 0
    frames[0, SET], frames[0, FIRST_SEQUENCE], frames[0, CHILD] = 0, 1, ranges[0, CHILDREN]
    while depth >= 0 and found < number - 1:
        child = frames[depth, CHILD]
        if child == ranges[frames[depth, SET], CHILDREN + 1]:
            depth -= 1
            continue
        frames[depth, CHILD] = child + 1
        goal, first = children[child, 0], frames[depth, FIRST_SEQUENCE] + children[child, 1]
        share = work[0] * (found + 1) / number
        if work[goal] > enough and passed + work[goal] > share:
            depth += 1
            frames[depth, SET], frames[depth, FIRST_SEQUENCE] = goal, first
            frames[depth, CHILD] = ranges[goal, CHILDREN]
            continue
        if passed + work[goal] / 2 >= share:
            cuts[found] = first
            found += 1
        passed += work[goal]
    return cuts[:found]
