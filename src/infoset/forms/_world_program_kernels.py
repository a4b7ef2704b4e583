"""Kernel that compiles, for each set of possible worlds, what its infostates add to a gradient."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.forms._infostate_shape_kernels import END, WAIT
from infoset.forms._world_payoff_kernels import ADD, ADD_TO_COPY, PASS, SCALE
from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import linear_kernel
from infoset.utils.interning_kernels import add_list, grown_to, no_lists

TERMINAL = -1
"""Node after the last transition of a play."""

NONE, SHARED, OWNED = 0, 1, 2
"""State of a slot: empty, a part of the opponent's plan or of another slot, or numbers of its own.
"""


LAST_CODES = 1 << 20
"""Key of the first of the codes of ends, which come after all others."""
LOW = 0xFFFFFFFF
"""The lower of two numbers in one."""


class Edges(NamedTuple):
    """The edges of a graph of world classes, as one of two players sees them.

    Classes are in topological order, beginning with that of the first world of the game.
    """

    first: LongArray
    """[M + 1] first edge of each class."""
    target: LongArray
    """[F] class after each edge; `TERMINAL` at the end of the game."""
    code: LongArray
    """[F] what the edge means for the structure of the player's infostate; see `InfostateShapes`.
    """
    action: LongArray
    offset: LongArray
    """[F] the player's action, and the number of its sequences before those after the edge."""
    other_action: LongArray
    other_offset: LongArray
    other_size: LongArray
    """[F] the same of the opponent, and the number of its sequences after the edge."""
    probability: FloatArray
    """[F] probability of the edge, given the actions."""
    paid: FloatArray
    """[F] what the player gets at the edge, times its probability."""


class Moves(NamedTuple):
    """Moves of vectors from slot to slot, with room for more; see `WorldPayoffs`."""

    rows: LongArray
    """[6 * room]"""
    chance: FloatArray
    """[room]"""
    state: LongArray
    """[slots] what each slot contains before the next move: `NONE`, `SHARED` or `OWNED`."""


@linear_kernel
def add_move(moves: Moves, number: int, edges: Edges, edge: int, slot: int, goal: int) -> None:
    """Write the move along an edge from a slot to another one, and update the state of the goal."""
    chance, before = edges.probability[edge], moves.state[goal]
    if before == NONE:
        kind = PASS if chance == 1.0 else SCALE
    else:
        kind = ADD_TO_COPY if before == SHARED else ADD
    moves.state[goal] = SHARED if kind == PASS else OWNED
    row = 6 * number
    moves.rows[row], moves.rows[row + 1] = slot, goal
    moves.rows[row + 2], moves.rows[row + 3] = edges.other_offset[edge], edges.other_size[edge]
    moves.rows[row + 4], moves.rows[row + 5] = edges.other_action[edge], kind
    moves.chance[number] = chance


@linear_kernel
def with_room(moves: Moves, size: int, slots: int) -> Moves:
    """Return moves with room for `size` in all, and for the states of `slots`."""
    return Moves(
        grown_to(moves.rows, 6 * size),
        grown_to(moves.chance, size),
        grown_to(moves.state, slots),
    )


@linear_kernel
def add_waiting(
    edges: Edges, inside: LongArray, size: int, slot_of: LongArray, mark: LongArray, number: int
) -> tuple[LongArray, int]:
    """Return the classes inside[:size] and those reached from them by waiting, and their number.

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
def distinct(values: LongArray, size: int) -> int:
    """Sort values[:size] in place, without repetitions; return how many there are."""
    values[:size].sort()
    kept = 0
    for i in range(size):
        if kept == 0 or values[kept - 1] != values[i]:
            values[kept] = values[i]
            kept += 1
    return kept


@linear_kernel
def compile_programs(
    edges: Edges, limit: int
) -> tuple[LongArray, LongArray, LongArray, IntArray, FloatArray, IntArray, FloatArray, LongArray]:
    """Compile the programs of all sets of classes that a player considers possible.

    Returns, of the S sets: [S] the number of slots, [S] the smallest class, and ranges [S, 6]; then
    moves [K, 6] and their probabilities [K]; ends [T, 3] and what they pay [T]; and children [C,
    5]: see `WorldPayoffs`. If there are more than `limit` moves, the compilation stops, and some
    children are sets without a range.
    """
    first, target = edges.first, edges.target
    lists, used = no_lists(), 1
    candidate = np.zeros(64, np.int64)
    lists, _ = add_list(lists, 0, candidate, 1)
    num_slots, ranges = np.zeros(16, np.int64), np.zeros(6 * 16, np.int64)
    moves, num_moves = Moves(np.zeros(384, np.int64), np.zeros(64), np.zeros(64, np.int64)), 0
    ends, paid, num_ends = np.zeros(192, np.int64), np.zeros(64), 0
    children, num_children = np.zeros(5 * 16, np.int64), 0
    slot_of, mark = np.zeros(len(first) - 1, np.int64), np.full(len(first) - 1, -1, np.int64)
    child_slot = np.zeros(len(first) - 1, np.int64)
    inside = np.zeros(64, np.int64)
    steps, leaving = np.zeros(64, np.int64), np.zeros(64, np.int64)
    done = 0
    while done < used and num_moves <= limit:
        ranges, num_slots = grown_to(ranges, 6 * (done + 1)), grown_to(num_slots, done + 1)
        row = 6 * done
        ranges[row], ranges[row + 2], ranges[row + 4] = num_moves, num_ends, num_children
        # The classes inside are those that arrive, and those reached from them by waiting.
        arrived = lists.first[done + 1] - lists.first[done]
        inside = grown_to(inside, arrived)
        inside[:arrived] = lists.items[lists.first[done] : lists.first[done + 1]]
        inside, size = add_waiting(edges, inside, arrived, slot_of, mark, done)
        num_slots[done] = size
        # In topological order, all moves to a slot come before those from it.
        ordered = np.sort(inside[:size])
        count = 0
        for node in ordered:
            count += first[node + 1] - first[node]
        moves = with_room(moves, num_moves + 2 * count, size)
        moves.state[:arrived], moves.state[arrived:size] = SHARED, NONE
        ends, paid = grown_to(ends, 3 * (num_ends + count)), grown_to(paid, num_ends + count)
        steps, leaving = grown_to(steps, count), grown_to(leaving, count)
        candidate = grown_to(candidate, count)
        num_leaving = 0
        for node in ordered:
            slot = slot_of[node]
            for edge in range(first[node], first[node + 1]):
                if edges.paid[edge] != 0.0:
                    at = 3 * num_ends
                    ends[at], ends[at + 1] = slot, edges.other_action[edge]
                    ends[at + 2], paid[num_ends] = edges.action[edge], edges.paid[edge]
                    num_ends += 1
                if target[edge] == TERMINAL:
                    continue
                code = edges.code[edge]
                if code == WAIT:
                    add_move(moves, num_moves, edges, edge, slot, slot_of[target[edge]])
                    num_moves += 1
                else:
                    # By code, those of ends last, and in the same order as here.
                    key = code if code >= 0 else LAST_CODES + END - code
                    steps[num_leaving] = (key << 32) | num_leaving
                    leaving[num_leaving] = (slot << 32) | edge
                    num_leaving += 1
        ranges[row + 1], ranges[row + 3] = num_moves, num_ends
        steps[:num_leaving].sort()
        begin = 0
        while begin < num_leaving:
            key, end = steps[begin] >> 32, begin
            while end < num_leaving and steps[end] >> 32 == key:
                candidate[end - begin] = target[leaving[steps[end] & LOW] & LOW]
                end += 1
            size = distinct(candidate, end - begin)
            for place in range(size):
                child_slot[candidate[place]] = place
            lists, number = add_list(lists, used, candidate, size)
            used += number == used
            edge = leaving[steps[begin] & LOW] & LOW
            children = grown_to(children, 5 * (num_children + 1))
            at = 5 * num_children
            children[at], children[at + 1] = number, edges.offset[edge]
            children[at + 2], children[at + 3] = edges.action[edge], num_moves
            moves = with_room(moves, num_moves, size)
            moves.state[:size] = NONE
            for i in range(begin, end):
                edge = leaving[steps[i] & LOW] & LOW
                slot = leaving[steps[i] & LOW] >> 32
                add_move(moves, num_moves, edges, edge, slot, child_slot[target[edge]])
                num_moves += 1
            children[at + 4] = num_moves
            num_children += 1
            begin = end
        ranges[row + 5] = num_children
        done += 1
    smallest = np.zeros(done, np.int64)
    for number in range(done):
        smallest[number] = lists.items[lists.first[number]]
    return (
        num_slots[:done].copy(),
        smallest,
        ranges[: 6 * done].copy().reshape((done, 6)),
        moves.rows[: 6 * num_moves].astype(np.int32).reshape((num_moves, 6)),
        moves.chance[:num_moves].copy(),
        ends[: 3 * num_ends].astype(np.int32).reshape((num_ends, 3)),
        paid[:num_ends].copy(),
        children[: 5 * num_children].copy().reshape((num_children, 5)),
    )


@linear_kernel
def count_work(
    order: LongArray,
    num_slots: LongArray,
    ranges: LongArray,
    moves: IntArray,
    ends: IntArray,
    children: LongArray,
) -> tuple[LongArray, FloatArray]:
    """Forecast the programs, from each set to the end of the game.

    order [S]: later sets first; the rest as in `WorldPayoffs`. Returns [S, 4] the longest chain of
    infostates, and the largest numbers of slots, of numbers of their own, and of payoffs that are
    added to one entry; and [S, 3] infostates visited, operations, and numbers added.
    """
    sizes = np.zeros((len(order), 4), np.int64)
    work = np.zeros((len(order), 3))
    added = np.zeros(64, np.int64)
    for number in order:
        begin, end = ranges[number, 0], ranges[number, 1]
        own, numbers = 0, 0
        for move in range(begin, end):
            own += moves[move, 3] if moves[move, 5] > ADD else 0
            numbers += moves[move, 3] if moves[move, 5] > PASS else 0
        work[number, 0] = 1
        work[number, 1] = end - begin + ranges[number, 3] - ranges[number, 2]
        work[number, 2] = numbers
        deepest, slots, scratch = 0, 0, 0
        # Payoffs by the player's action, after the one before.
        added[:] = 0
        for place in range(ranges[number, 2], ranges[number, 3]):
            action = ends[place, 2]
            added = grown_to(added, action + 2)
            added[action + 1] += 1
        for child in range(ranges[number, 4], ranges[number, 5]):
            below, action = children[child, 0], children[child, 2]
            begin, end = children[child, 3], children[child, 4]
            fresh, numbers = 0, 0
            for move in range(begin, end):
                fresh += moves[move, 3] if moves[move, 5] > ADD else 0
                numbers += moves[move, 3] if moves[move, 5] > PASS else 0
            deepest = max(deepest, sizes[below, 0])
            slots = max(slots, sizes[below, 1])
            scratch = max(scratch, fresh + sizes[below, 2])
            work[number, 0] += work[below, 0]
            work[number, 1] += work[below, 1] + end - begin
            work[number, 2] += work[below, 2] + numbers
            added = grown_to(added, action + 2)
            added[action + 1] += sizes[below, 3]
        most = added.max()
        sizes[number, 0], sizes[number, 1] = deepest + 1, slots + num_slots[number]
        sizes[number, 2], sizes[number, 3] = scratch + own, most
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
