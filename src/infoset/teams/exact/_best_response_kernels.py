"""Kernels of best responses: of a team with perfect recall, and of alternating blocks of cells."""

from __future__ import annotations

import numpy as np

from infoset.teams.exact.team_problem import NO_CHOICE, TeamTree
from infoset.typing import BoolArray, FloatArray, LongArray
from infoset.utils.array_kernels import clear
from infoset.utils.compilation import inner_kernel, kernel, linear_kernel, nested_kernel
from infoset.utils.splitmix import Stream, next_uniform


@linear_kernel
def respond(tree: TeamTree, first_entry: LongArray, pick: LongArray) -> FloatArray:
    """Return [N] the value of each node under a best response at each cell.

    The result is a best response if the choosing player has perfect recall.

    first_entry : [cells + 1] the first action entry of each cell.
    pick : [cells] the action at each cell; modified in place where another action is better.
    """
    worth = np.empty(len(tree.cell))
    total = np.empty(first_entry[-1])
    fill_response(tree, first_entry, pick, worth, total)
    return worth


@nested_kernel
def fill_response(
    tree: TeamTree, first_entry: LongArray, pick: LongArray, worth: FloatArray, total: FloatArray
) -> None:
    """Fill `worth` [N] with the values that `respond` returns; `total` is a buffer."""
    clear(worth)
    clear(total)
    # Dynamic programming from the last stage, so that the values of children are final.
    for stage in range(len(tree.first_node) - 2, -1, -1):
        first, end = tree.first_node[stage], tree.first_node[stage + 1]
        # Two passes, because the total of a cell must be complete before its action is chosen. All
        # nodes of a cell are in one stage.
        for node in range(first, end):
            add_up(tree, first_entry, worth, total, node)
        for node in range(first, end):
            cell = tree.cell[node]
            if cell >= 0:
                pick[cell] = best(total, first_entry[cell], first_entry[cell + 1], pick[cell])
                worth[node] = value_of(tree, worth, tree.first_edge[node] + pick[cell])


@inner_kernel
def add_up(
    tree: TeamTree, first_entry: LongArray, worth: FloatArray, total: FloatArray, node: int
) -> None:
    """Add the values of a node's edges to `total` of its cell or, without a choice, to `worth`."""
    cell, first = tree.cell[node], tree.first_edge[node]
    for edge in range(first, tree.first_edge[node + 1]):
        value = value_of(tree, worth, edge)
        if cell >= 0:
            # Gains include the probabilities of chance and of agents outside the team. Sums over
            # the nodes of a cell are therefore counterfactual values of its actions.
            total[first_entry[cell] + edge - first] += value
        else:
            worth[node] += value


@inner_kernel
def value_of(tree: TeamTree, worth: FloatArray, edge: int) -> float:
    """Return the value of an edge from that of its child."""
    child = tree.child[edge]
    after = worth[child] if child >= 0 else 0.0
    return float(tree.gain[edge] + after)


@inner_kernel
def best(total: FloatArray, first: int, end: int, pick: int) -> int:
    """Return the action with the largest `total`; `pick` if none is larger."""
    for entry in range(first, end):
        # The comparison is strict: in a tie the current action remains, so that climbs end.
        if total[entry] > total[first + pick]:
            pick = entry - first
    return pick


@kernel
def alternate(
    tree: TeamTree,
    roots: LongArray,
    first_entry: LongArray,
    block: LongArray,
    pick: LongArray,
    tolerance: float,
) -> float:
    """Let blocks of cells respond in turn until no block gains, and return the value.

    roots : [R] the nodes at which play begins.
    block : [cells] the block of each cell.
    pick : [cells] the action at each cell; modified in place.
    tolerance : gains up to this size count as rounding errors.
    """
    # Each response is exact given the other blocks, so the value never decreases. The climb ends
    # where no block can gain alone.
    num_blocks = 0
    for cell in range(len(block)):
        num_blocks = max(num_blocks, block[cell] + 1)
    num_nodes, num_edges = len(tree.cell), len(tree.gain)
    cells, is_met = np.empty(num_nodes, np.int64), np.empty(num_nodes, np.bool_)
    alone = TeamTree(tree.first_node, cells, tree.first_edge, tree.child, np.empty(num_edges))
    worth, total = np.empty(num_nodes), np.empty(first_entry[-1])
    value = -np.inf
    turn, idle = -1, 0
    while idle < num_blocks:
        turn = (turn + 1) % num_blocks
        fix_others(tree, block, turn, pick, is_met, alone)
        fill_response(alone, first_entry, pick, worth, total)
        found = 0.0
        for root in roots:
            found += worth[root]
        # Stop after a full round without a gain. A block that has just gained cannot gain again
        # before another block does, so the count starts at 1.
        idle = idle + 1 if found <= value + tolerance else 1
        value = found
    return value


@nested_kernel
def fix_others(
    tree: TeamTree,
    block: LongArray,
    turn: int,
    pick: LongArray,
    is_met: BoolArray,
    alone: TeamTree,
) -> None:
    """Fill `alone`, a tree in which only the block `turn` chooses, and the others play `pick`.

    is_met : [N] buffer.
    alone : the arrays of `tree`, except for `cell` and `gain`, which are modified in place.
    """
    for node in range(len(is_met)):
        is_met[node] = True
    for node in range(len(is_met)):
        # `is_met`: whether the fixed actions allow play to reach a node. Parents come before
        # children, so it is final when it is read.
        own, first = tree.cell[node], tree.first_edge[node]
        # Nodes of other blocks become nodes without a choice, and gains below actions that these
        # blocks do not take become 0.
        is_fixed = own >= 0 and block[own] != turn
        alone.cell[node] = NO_CHOICE if is_fixed else own
        for edge in range(first, tree.first_edge[node + 1]):
            met = is_met[node] and (not is_fixed or pick[own] == edge - first)
            alone.gain[edge] = tree.gain[edge] if met else 0.0
            if tree.child[edge] >= 0:
                is_met[tree.child[edge]] = met


@kernel
def pick_at_random(first_entry: LongArray, pick: LongArray, stream: Stream) -> None:
    """Set `pick` [cells] to a uniformly random action of each cell."""
    for cell in range(len(pick)):
        count = first_entry[cell + 1] - first_entry[cell]
        pick[cell] = int(next_uniform(stream) * count)
