"""Kernel that compiles, for each set of possible worlds, what its infostates add to a gradient."""

from __future__ import annotations

import numpy as np

from infoset.forms._infostate_shape_kernels import END, WAIT
from infoset.forms._world_payoff_kernels import ADD, ADD_TO_COPY, PASS, SCALE
from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.interning_kernels import add_list, grown_to, no_lists

TERMINAL = -1
"""Node after the last transition of a play."""

NONE, SHARED, OWNED = 0, 1, 2
"""State of a slot: empty, a part of the opponent's plan or of another slot, or numbers of its own.
"""


@kernel
def kind_of_move(state: LongArray, slot: int, probability: float) -> int:
    """Return the kind of a move to a slot, and update the slot's state."""
    before = state[slot]
    if before == NONE:
        state[slot] = SHARED if probability == 1.0 else OWNED
        return PASS if probability == 1.0 else SCALE
    state[slot] = OWNED
    return ADD_TO_COPY if before == SHARED else ADD


@kernel
def compile_programs(
    first: LongArray,
    target: LongArray,
    code: LongArray,
    action: LongArray,
    offset: LongArray,
    other_action: LongArray,
    other_offset: LongArray,
    other_size: LongArray,
    probability: FloatArray,
    payoff: FloatArray,
    limit: int,
) -> tuple[LongArray, LongArray, LongArray, IntArray, FloatArray, IntArray, FloatArray, LongArray]:
    """Compile the programs of all sets of nodes that a player considers possible.

    Nodes are in topological order, beginning with the first of the game. first [M + 1]; per edge:
    target [F], or `TERMINAL`; the player's code, action and offset of its sequences; the opponent's
    action, the offset of its sequences and their number; probability, and payoff times probability.

    Returns, of the S sets: [S] the number of slots, [S] the smallest node, and ranges [S, 6]; then
    moves [K, 6] and their probabilities [K]; ends [T, 3] and what they pay [T]; and children [C,
    5]: see `WorldPayoffs`. If there are more than `limit` moves, the compilation stops, and some
    children are sets without a range.
    """
    lists, used = no_lists(), 1
    candidate = np.zeros(64, np.int64)
    lists, _ = add_list(lists, 0, candidate, 1)
    num_slots = np.zeros(16, np.int64)
    ranges = np.zeros(6 * 16, np.int64)
    moves, chances = np.zeros(6 * 64, np.int64), np.zeros(64)
    ends, paid = np.zeros(3 * 64, np.int64), np.zeros(64)
    children = np.zeros(5 * 16, np.int64)
    num_moves, num_ends, num_children = 0, 0, 0
    slot_of, mark = np.zeros(len(first) - 1, np.int64), np.full(len(first) - 1, -1, np.int64)
    child_slot = np.zeros(len(first) - 1, np.int64)
    inside, state = np.zeros(64, np.int64), np.zeros(64, np.int64)
    steps, sources = np.zeros(64, np.int64), np.zeros(64, np.int64)
    done = 0
    while done < used and num_moves <= limit:
        ranges = grown_to(ranges, 6 * (done + 1))
        at = 6 * done
        ranges[at], ranges[at + 2], ranges[at + 4] = num_moves, num_ends, num_children
        # The nodes inside are those that arrive, and those reached from them by waiting.
        size = lists.first[done + 1] - lists.first[done]
        inside = grown_to(inside, size)
        inside[:size] = lists.items[lists.first[done] : lists.first[done + 1]]
        arrived = size
        for i in range(size):
            slot_of[inside[i]], mark[inside[i]] = i, done
        place = 0
        edges = 0
        while place < size:
            node = inside[place]
            place += 1
            edges += first[node + 1] - first[node]
            for edge in range(first[node], first[node + 1]):
                after = target[edge]
                if after != TERMINAL and code[edge] == WAIT and mark[after] != done:
                    inside = grown_to(inside, size + 1)
                    inside[size] = after
                    slot_of[after], mark[after] = size, done
                    size += 1
        state = grown_to(state, size)
        state[:arrived], state[arrived:size] = SHARED, NONE
        moves, chances = (
            grown_to(moves, 6 * (num_moves + edges)),
            grown_to(chances, num_moves + edges),
        )
        ends, paid = grown_to(ends, 3 * (num_ends + edges)), grown_to(paid, num_ends + edges)
        steps, sources = grown_to(steps, edges), grown_to(sources, edges)
        # In topological order: all moves to a slot come before those from it.
        ordered = np.sort(inside[:size])
        leaving = 0
        for node in ordered:
            slot = slot_of[node]
            for edge in range(first[node], first[node + 1]):
                if payoff[edge] != 0.0:
                    at = 3 * num_ends
                    ends[at], ends[at + 1], ends[at + 2] = slot, other_action[edge], action[edge]
                    paid[num_ends] = payoff[edge]
                    num_ends += 1
                after = target[edge]
                if after == TERMINAL:
                    continue
                if code[edge] != WAIT:
                    # codes from 0 on first, and then those of ends
                    key = code[edge] if code[edge] >= 0 else (1 << 20) + END - code[edge]
                    steps[leaving], sources[leaving] = (key << 32) | leaving, (slot << 32) | edge
                    leaving += 1
                    continue
                at = 6 * num_moves
                moves[at], moves[at + 1] = slot, slot_of[after]
                moves[at + 2], moves[at + 3] = other_offset[edge], other_size[edge]
                moves[at + 4] = other_action[edge]
                moves[at + 5] = kind_of_move(state, slot_of[after], probability[edge])
                chances[num_moves] = probability[edge]
                num_moves += 1
        ranges[6 * done + 1], ranges[6 * done + 3] = num_moves, num_ends
        candidate = grown_to(candidate, leaving)
        steps[:leaving].sort()
        begin = 0
        while begin < leaving:
            key, count, end = steps[begin] >> 32, 0, begin
            while end < leaving and steps[end] >> 32 == key:
                edge = sources[steps[end] & 0xFFFFFFFF] & 0xFFFFFFFF
                candidate[count] = target[edge]
                count += 1
                end += 1
            candidate[:count].sort()
            kept = 0
            for i in range(count):
                if kept == 0 or candidate[kept - 1] != candidate[i]:
                    candidate[kept] = candidate[i]
                    child_slot[candidate[i]] = kept
                    kept += 1
            lists, number = add_list(lists, used, candidate, kept)
            used += number == used
            state = grown_to(state, kept)
            state[:kept] = NONE
            children = grown_to(children, 5 * (num_children + 1))
            at = 5 * num_children
            children[at], children[at + 1] = number, offset[edge]
            children[at + 2], children[at + 3] = action[edge], num_moves
            moves = grown_to(moves, 6 * (num_moves + end - begin))
            chances = grown_to(chances, num_moves + end - begin)
            for i in range(begin, end):
                packed = sources[steps[i] & 0xFFFFFFFF]
                slot, edge = packed >> 32, packed & 0xFFFFFFFF
                into = child_slot[target[edge]]
                place = 6 * num_moves
                moves[place], moves[place + 1] = slot, into
                moves[place + 2], moves[place + 3] = other_offset[edge], other_size[edge]
                moves[place + 4] = other_action[edge]
                moves[place + 5] = kind_of_move(state, into, probability[edge])
                chances[num_moves] = probability[edge]
                num_moves += 1
            children[at + 4] = num_moves
            num_children += 1
            begin = end
        num_slots = grown_to(num_slots, done + 1)
        num_slots[done] = size
        ranges[6 * done + 5] = num_children
        done += 1
    smallest = np.zeros(done, np.int64)
    for number in range(done):
        smallest[number] = lists.items[lists.first[number]]
    return (
        num_slots[:done].copy(),
        smallest,
        ranges[: 6 * done].copy().reshape((done, 6)),
        moves[: 6 * num_moves].astype(np.int32).reshape((num_moves, 6)),
        chances[:num_moves].copy(),
        ends[: 3 * num_ends].astype(np.int32).reshape((num_ends, 3)),
        paid[:num_ends].copy(),
        children[: 5 * num_children].copy().reshape((num_children, 5)),
    )


@kernel
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


@kernel
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
