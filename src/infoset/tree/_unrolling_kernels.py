"""Kernels that order, count and unroll a world graph, and number states level by level."""

from __future__ import annotations

import numpy as np

from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import kernel, linear_kernel
from infoset.utils.interning_kernels import grown_to


@linear_kernel
def topological_order(first_edge: IntArray, next_world: IntArray) -> IntArray:
    """Return the world states in topological order (Kahn's algorithm).

    first_edge [W + 1], next_world [E]. Returns [<= W]: world states on a cycle, or reachable only
    through one, are missing.
    """
    num_worlds = len(first_edge) - 1
    # Number of incoming edges that do not come from a world in the order yet. An edge counts as
    # often as it occurs: several joint actions and outcomes may lead to the same world.
    missing = np.zeros(num_worlds, np.int32)
    for target in next_world:
        missing[target] += 1
    # `order` is also the queue: its first `done` worlds have released their successors.
    order = np.empty(num_worlds, np.int32)
    filled = 0
    for world in range(num_worlds):
        if missing[world] == 0:
            order[filled] = world
            filled += 1
    done = 0
    while done < filled:
        world = order[done]
        done += 1
        for edge in range(first_edge[world], first_edge[world + 1]):
            target = next_world[edge]
            missing[target] -= 1
            if missing[target] == 0:
                order[filled] = target
                filled += 1
    return order[:filled]


@linear_kernel
def path_counts(order: IntArray, first_edge: IntArray, next_world: IntArray) -> FloatArray:
    """Return [W] the number of paths from world 0 to each world, exact below 2**53.

    order [W] topological, first_edge [W + 1], next_world [E].
    """
    paths = np.zeros(len(order))
    paths[0] = 1.0
    # In topological order, all edges into a world have been followed before its own are. Float64
    # instead of integers: a count beyond 2**63 is rounded, it does not wrap around.
    for world in order:
        for edge in range(first_edge[world], first_edge[world + 1]):
            paths[next_world[edge]] += paths[world]
    return paths


@linear_kernel
def reward_ranges(
    order: IntArray, first_edge: IntArray, next_world: IntArray, rewards: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return [W, N] the smallest and the largest sum of the rewards after each world.

    order [W] topological, first_edge [W + 1], next_world [E], rewards [E, N].
    """
    num_players = rewards.shape[1]
    low = np.zeros((len(order), num_players))
    high = np.zeros((len(order), num_players))
    # Backward: all worlds after a world are processed before it.
    for place in range(len(order) - 1, -1, -1):
        world = order[place]
        start = first_edge[world]
        for edge in range(start, first_edge[world + 1]):
            target = next_world[edge]
            for player in range(num_players):
                least = rewards[edge, player] + low[target, player]
                most = rewards[edge, player] + high[target, player]
                if edge == start or least < low[world, player]:
                    low[world, player] = least
                if edge == start or most > high[world, player]:
                    high[world, player] = most
    return low, high


@linear_kernel
def count_levels(first_edge: IntArray, next_world: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return [L] the numbers of histories and of nonterminal histories with each length.

    first_edge [W + 1], next_world [E]. The time is that of the edges from the worlds of each level,
    so that long games with few worlds in a level are counted quickly.
    """
    num_worlds = len(first_edge) - 1
    # Without cycles, a history visits each world at most once: there are at most W levels.
    histories = np.zeros(num_worlds)
    inner = np.zeros(num_worlds)
    paths = np.zeros(num_worlds)
    later_paths = np.zeros(num_worlds)
    level = np.zeros(num_worlds, np.int32)
    later = np.zeros(num_worlds, np.int32)
    paths[0] = 1.0
    size, depth = 1, 0
    while size > 0:
        later_size = 0
        for position in range(size):
            world = level[position]
            number = paths[world]
            # Cleared here, so that the array is zero everywhere when it becomes `later_paths`: the
            # time of a level does not depend on the number W of all worlds.
            paths[world] = 0.0
            histories[depth] += number
            if first_edge[world] < first_edge[world + 1]:
                inner[depth] += number
            for edge in range(first_edge[world], first_edge[world + 1]):
                target = next_world[edge]
                # Counts are positive, so zero marks a world that is not yet in the next level.
                if later_paths[target] == 0.0:
                    later[later_size] = target
                    later_size += 1
                later_paths[target] += number
        level, later = later, level
        paths, later_paths = later_paths, paths
        size = later_size
        depth += 1
    return histories[:depth], inner[:depth]


@linear_kernel
def unroll_histories(
    num_histories: int,
    first_edge: IntArray,
    next_world: IntArray,
    probability: FloatArray,
    rewards: FloatArray,
) -> tuple[IntArray, IntArray, IntArray, IntArray, FloatArray, FloatArray]:
    """List all histories breadth first, the children of each in the order of their edges.

    first_edge [W + 1], next_world [E], probability [E], rewards [E, N]. Returns world [H],
    parent [H] and edge [H] (-1 at the root), first_child [H + 1], chance_reach [H],
    rewards_so_far [N, H].
    """
    num_players = rewards.shape[1]
    world = np.empty(num_histories, np.int32)
    parent = np.empty(num_histories, np.int32)
    edge = np.empty(num_histories, np.int32)
    first_child = np.empty(num_histories + 1, np.int32)
    chance_reach = np.empty(num_histories)
    rewards_so_far = np.empty((num_players, num_histories))
    world[0] = 0
    parent[0] = -1
    edge[0] = -1
    chance_reach[0] = 1.0
    rewards_so_far[:, 0] = 0.0
    # The arrays serve as the queue of the breadth-first search. Histories before `free` are
    # written; `history` never catches up with `free`, because histories were counted beforehand.
    free = 1
    for history in range(num_histories):
        first_child[history] = free
        here = world[history]
        for out in range(first_edge[here], first_edge[here + 1]):
            world[free] = next_world[out]
            parent[free] = history
            edge[free] = out
            # The edge's probability is 1 if the players' actions alone determine the next world.
            chance_reach[free] = chance_reach[history] * probability[out]
            for player in range(num_players):
                rewards_so_far[player, free] = (
                    rewards_so_far[player, history] + rewards[out, player]
                )
            free += 1
    first_child[num_histories] = free
    return world, parent, edge, first_child, chance_reach, rewards_so_far


@linear_kernel
def child_worlds(
    world: IntArray, first_edge: IntArray, next_world: IntArray, num_children: int
) -> IntArray:
    """Return [C] the world states in which the children of a level end, in edge order.

    world [n] of the histories of the level, first_edge [W + 1], next_world [E].
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
    """Return the slot of `key` in an open-addressing hash table, or the free slot for it.

    slots [2 ** (64 - shift), 2] contains keys (-1 in free slots) and their numbers.
    """
    # Fibonacci hashing (multiplication by 2^64 / golden ratio) of everything but the last three
    # bits, which select one of eight neighboring slots: consecutive keys share a cache line.
    mixed = np.uint64(key >> 3) * np.uint64(11400714819323198485)
    slot = (np.int64(mixed >> np.uint64(shift)) & ~7) | (key & 7)
    # Linear probing; it ends because the table is never full.
    while slots[slot, 0] != key and slots[slot, 0] != -1:
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@kernel
def empty_table(shift: int) -> LongArray:
    """Return a hash table for `find_pair` without keys."""
    slots = np.empty((1 << (64 - shift), 2), np.int64)
    for slot in range(len(slots)):
        slots[slot, 0] = -1
    return slots


@kernel
def filled_table(parent: IntArray, step: IntArray, num_steps: int, shift: int) -> LongArray:
    """Return a hash table for `find_pair` that maps (parent, step) [s] to 0, 1, ..."""
    slots = empty_table(shift)
    for number in range(len(parent)):
        # Steps are below num_steps, so one integer identifies the pair.
        key = np.int64(parent[number]) * num_steps + step[number]
        slot = find_pair(slots, key, shift)
        slots[slot, 0] = key
        slots[slot, 1] = number
    return slots


@linear_kernel
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
    """Intern the states (infostates of a player, or public states) of the children of a level.

    Two children get the same number exactly when their parents have the same number and their
    edges show the same step. Numbers start at first_number, in order of first appearance.

    world, state [n] of the histories of the level, whose states have numbers in
    last_number..first_number-1; first_edge [W + 1]; step [E] in 0..num_steps-1; child_state [C]
    is filled in place. Returns the parent [s], the step [s] and the first child [s] of each new
    number.
    """
    # 2**10 places to begin with. `find_pair` takes the top 64 - shift bits of a hash, so a larger
    # table has a smaller shift. The other arrays have half as many places as the table.
    shift = 54
    slots = empty_table(shift)
    new_parent = np.empty(len(slots) // 2, np.int32)
    new_step = np.empty(len(slots) // 2, np.int32)
    first = np.empty(len(slots) // 2, np.int32)
    # For each state of the level, the number of the first child of the history seen last. Histories
    # of a state mostly have the same children in the same order, so the number after that of the
    # previous child is almost always right. The hash table is used only where this guess fails.
    eldest = np.empty(first_number - last_number, np.int32)
    for number in range(len(eldest)):
        eldest[number] = -1
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
                    # The table is half full: double it, so that probe sequences remain short.
                    if used == len(new_parent):
                        shift -= 1
                        new_parent = grown_to(new_parent, used + 1)
                        new_step = grown_to(new_step, used + 1)
                        first = grown_to(first, used + 1)
                        slots = filled_table(new_parent[:used], new_step[:used], num_steps, shift)
                        slot = find_pair(slots, key, shift)
                    slots[slot, 0] = key
                    slots[slot, 1] = used
                    new_parent[used] = before
                    new_step[used] = step[edge]
                    first[used] = child
                    used += 1
                guess = slots[slot, 1]
            # The first child of this history: there the guesses of the next history of the same
            # state begin.
            if edge == start:
                eldest[before - last_number] = guess
            child_state[child] = first_number + guess
            child += 1
            # Siblings that appeared together have consecutive numbers.
            guess += 1
    # Copies, because views would keep the whole tables in memory.
    return new_parent[:used].copy(), new_step[:used].copy(), first[:used].copy()


@linear_kernel
def find_contradiction(
    state: IntArray, first_number: int, world: IntArray, action_set: IntArray, expected: IntArray
) -> int:
    """Return the first history whose action set differs from that of its infostate, or -1.

    state, world [C] of histories of one length; action_set [W] of one player; expected [s] the
    action sets of its infostates from first_number on.
    """
    # One history for each infostate has set `expected`; perfect recall of the rules requires that
    # all others agree. A set of actions is one interned number, so it is compared as one.
    for history in range(len(state)):
        if action_set[world[history]] != expected[state[history] - first_number]:
            return history
    return -1
