"""Kernels of product forms: draws of chance, reach, last own actions and payoff ranges."""

from __future__ import annotations

import numpy as np

from infoset.teams.product_form.arrays import ProductArrays
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.compilation import linear_kernel


@linear_kernel
def cumulate(first_child: LongArray, probability: FloatArray) -> FloatArray:
    """Return [H] the cumulative sum of `probability` within each group of children; 1 for the last.

    first_child : [G + 1] the children of each group.
    """
    # The value of the last child is exactly 1, so that every draw selects a child despite rounding.
    total = np.ones(len(probability))
    for group in range(len(first_child) - 1):
        so_far = 0.0
        for child in range(first_child[group], first_child[group + 1] - 1):
            so_far += probability[child]
            total[child] = so_far
    return total


@linear_kernel
def choose(
    first_child: LongArray, cumulative: FloatArray, group: LongArray, draw: FloatArray
) -> LongArray:
    """Return [n] the child that each `draw` [n] in [0, 1) selects in each `group` [n].

    first_child : [G + 1] the children of each group.
    cumulative : [H] as `cumulate` returns it.
    """
    chosen = np.empty(len(group), np.int64)
    for row in range(len(group)):
        child = first_child[group[row]]
        last = first_child[group[row] + 1] - 1
        # Inversion by linear search: groups are small. `<=` skips children of probability 0.
        while child < last and cumulative[child] <= draw[row]:
            child += 1
        chosen[row] = child
    return chosen


@linear_kernel
def reach_nodes(
    arrays: ProductArrays, first_entry: LongArray, probability: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return [N] the probability of each node and [E] that of each edge.

    first_entry : [N] the entry of each node's first action.
    probability : [entries] of the actions.
    """
    node_reach = np.empty(len(arrays.chance))
    edge_reach = np.empty(len(arrays.child))
    for node in range(len(node_reach)):
        # Nodes come after their parents, whose edges are already filled.
        above = arrays.parent_edge[node]
        reach = arrays.chance[node] if above < 0 else edge_reach[above]
        node_reach[node] = reach
        first = arrays.first_edge[node]
        for edge in range(first, arrays.first_edge[node + 1]):
            edge_reach[edge] = reach * probability[first_entry[node] + edge - first]
    return node_reach, edge_reach


@linear_kernel
def inherit_last(node_of_edge: IntArray, parent_edge: LongArray, is_own: BoolArray) -> LongArray:
    """Return [N] the last edge before each node that is an action of a team; -1 if none.

    node_of_edge, parent_edge : [E] and [N] as in `ProductArrays`.
    is_own : [N] whether the team acts.
    """
    last = np.full(len(parent_edge), -1, np.int64)
    for node in range(len(parent_edge)):
        edge = parent_edge[node]
        if edge >= 0:
            # A node inherits the last own edge of its parent, unless the edge to it is an own edge.
            above = node_of_edge[edge]
            last[node] = edge if is_own[above] else last[above]
    return last


@linear_kernel
def payoff_ranges(arrays: ProductArrays) -> tuple[FloatArray, FloatArray]:
    """Return [N, P] the minimum and maximum payoff of each agent from each node on."""
    num_agents = arrays.payoff.shape[1]
    low = np.full((len(arrays.agent), num_agents), np.inf)
    high = np.full((len(arrays.agent), num_agents), -np.inf)
    # Backward over the edges. `place` is the index of the last payoff edge not yet passed.
    place = len(arrays.payoff_edge) - 1
    # Children have larger numbers than their parents, so their ranges are final.
    for node in range(len(arrays.agent) - 1, -1, -1):
        for edge in range(arrays.first_edge[node + 1] - 1, arrays.first_edge[node] - 1, -1):
            child = arrays.child[edge]
            pays = place >= 0 and arrays.payoff_edge[place] == edge
            for agent in range(num_agents):
                paid = arrays.payoff[place, agent] if pays else 0.0
                # An edge either leads to a node or ends play; edges without an entry in
                # `payoff_edge` pay 0.
                lowest = low[child, agent] if child >= 0 else paid
                highest = high[child, agent] if child >= 0 else paid
                low[node, agent] = min(low[node, agent], lowest)
                high[node, agent] = max(high[node, agent], highest)
            # `payoff_edge` is sorted like the edges, so one index suffices.
            place -= pays
    return low, high
