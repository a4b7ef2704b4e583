"""Kernels on the tree of an extensive form, whose histories are numbered breadth first.

Parents come before their children, so that one loop over histories follows all paths at once.
"""

from __future__ import annotations

import numpy as np

from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import linear_kernel


@linear_kernel
def inherit(parent: IntArray, own: IntArray) -> IntArray:
    """Return [H] the own value of each history or, if it is -1, its nearest ancestor's value.

    parent [H], own [H].
    """
    values = own.copy()
    # The parent's value is already inherited, so it equals that of the nearest ancestor with one.
    for history in range(1, len(parent)):
        if values[history] < 0:
            values[history] = values[parent[history]]
    return values


@linear_kernel
def sum_along_paths(parent: IntArray, steps: FloatArray) -> FloatArray:
    """Return [H, N] the sum of `steps` [H, N] from the root to each history. parent [H]."""
    totals = steps.copy()
    for history in range(1, len(parent)):
        # The parent's entry is already the sum up to the parent, so one addition per history
        # suffices.
        totals[history] += totals[parent[history]]
    return totals


@linear_kernel
def product_along_paths(parent: IntArray, factors: FloatArray) -> FloatArray:
    """Return [H] the product of `factors` [H] from the root to each history. parent [H]."""
    # As in `sum_along_paths`; history 0 is the root, whose own factor starts the product.
    products = factors.copy()
    for history in range(1, len(parent)):
        products[history] *= products[parent[history]]
    return products


@linear_kernel
def find_thick_set(first_child: IntArray, set_of: IntArray) -> tuple[int, int]:
    """Return a history and a strict extension of it in the same set; (-1, -1) if none exist.

    first_child [H + 1], set_of [H] with -1 for no set.
    """
    # Depth-first search; `on_path` has, for each set, its history on the current path. Set -1
    # indexes the last entry of `on_path`, which is never tested.
    on_path = np.full(set_of.max() + 2, -1, np.int32)
    next_child = first_child[:-1].copy()
    # An explicit stack, so that the length of games is not limited by that of the call stack.
    # `next_child` is the place at which the search resumes a history.
    path = [0]
    on_path[set_of[0]] = 0
    while len(path) > 0:
        history = path[-1]
        if next_child[history] == first_child[history + 1]:
            # All extensions of the history are done: the set is free again for its siblings. No
            # other history of the set is on the path, or the search would have ended.
            on_path[set_of[history]] = -1
            path.pop()
            continue
        child = next_child[history]
        next_child[history] += 1
        if set_of[child] >= 0 and on_path[set_of[child]] >= 0:
            return on_path[set_of[child]], child
        on_path[set_of[child]] = child
        path.append(child)
    return -1, -1


@linear_kernel
def latest_times(parent: IntArray, group: IntArray, num_groups: int) -> tuple[IntArray, IntArray]:
    """Return the earliest exact timing in which all histories of a group have the same time.

    parent [H], group [H] in 0..num_groups-1. Returns times [num_groups], where a group's time is
    one more than the latest time of its members' parents, and missing [num_groups], the number of
    moves into each group from groups without a time. `missing` is zero except for groups on a cycle
    or reachable from one.
    """
    # Build adjacency lists of the graph of groups by a counting sort of the moves.
    num_histories = len(parent)
    first_edge = np.zeros(num_groups + 1, np.int32)
    missing = np.zeros(num_groups, np.int32)
    for history in range(1, num_histories):
        first_edge[group[parent[history]] + 1] += 1
        missing[group[history]] += 1
    first_edge = np.cumsum(first_edge).astype(np.int32)
    target = np.empty(num_histories, np.int32)
    free = first_edge[:-1].copy()
    for history in range(1, num_histories):
        # An edge for every history, repeated where several histories make the same move: `missing`
        # counts the repetitions too, so both sides agree.
        before = group[parent[history]]
        target[free[before]] = group[history]
        free[before] += 1
    # Longest paths in topological order: a group is ready when all its parents have their times.
    # Only the root's group can have no incoming edges, because every other history has a parent.
    # The -1 gives the list its type if even that group is on a cycle.
    times = np.zeros(num_groups, np.int32)
    ready = [np.int64(group[0])] if missing[group[0]] == 0 else [np.int64(-1)]
    while len(ready) > 0:
        here = ready.pop()
        if here < 0:
            continue
        for edge in range(first_edge[here], first_edge[here + 1]):
            after = target[edge]
            times[after] = max(times[after], times[here] + 1)
            missing[after] -= 1
            if missing[after] == 0:
                ready.append(np.int64(after))
    return times, missing


@linear_kernel
def breadth_first_order(parent: IntArray, position: IntArray) -> tuple[IntArray, IntArray]:
    """Return the nodes of a tree breadth first, and first_child [H + 1] in that numbering.

    parent [H] (-1 at node 0, the root), position [H] of each node among its parent's children.
    """
    # A counting sort puts the children of each node in their order, then a queue lists the nodes.
    num_nodes = len(parent)
    first = np.zeros(num_nodes + 1, np.int32)
    for node in range(1, num_nodes):
        first[parent[node] + 1] += 1
    first = np.cumsum(first).astype(np.int32)
    child = np.empty(num_nodes, np.int32)
    for node in range(1, num_nodes):
        child[first[parent[node]] + position[node]] = node
    order = np.zeros(num_nodes, np.int32)
    first_child = np.empty(num_nodes + 1, np.int32)
    filled = 1
    for done in range(num_nodes):
        first_child[done] = filled
        # `order` is the queue too; `done` never catches up, because each node but the root is
        # appended by its parent, which precedes it.
        node = order[done]
        for slot in range(first[node], first[node + 1]):
            order[filled] = child[slot]
            filled += 1
    first_child[num_nodes] = filled
    return order, first_child
