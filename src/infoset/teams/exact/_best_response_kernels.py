"""Kernels of best responses: of a team with perfect recall, and of blocks of cells in turn."""

from __future__ import annotations

import numpy as np

from infoset.teams.exact.team_problem import NO_CHOICE, TeamTree
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.splitmix import Stream, next_uniform


@kernel
def respond(tree: TeamTree, first_entry: LongArray, pick: LongArray) -> FloatArray:
    """Return [N] the value of each node under a best response at each cell.

    `pick` [cells] is modified in place; an action stays where none is better. This is a best
    response if whoever chooses has perfect recall over its cells. first_entry [cells + 1].
    """
    worth = np.zeros(len(tree.cell))
    total = np.zeros(first_entry[-1])
    # Dynamic programming from the last stage: values of children are final.
    for stage in range(len(tree.first_node) - 2, -1, -1):
        first, end = tree.first_node[stage], tree.first_node[stage + 1]
        # All nodes of a stage first: a cell's total is over its nodes, which share one stage.
        for node in range(first, end):
            add_up(tree, first_entry, worth, total, node)
        for node in range(first, end):
            cell = tree.cell[node]
            if cell >= 0:
                pick[cell] = best(total, first_entry[cell], first_entry[cell + 1], pick[cell])
                worth[node] = value_of(tree, worth, tree.first_edge[node] + pick[cell])
    return worth


@kernel
def add_up(
    tree: TeamTree, first_entry: LongArray, worth: FloatArray, total: FloatArray, node: int
) -> None:
    """Add the values of a node's edges to `total` of its cell, or to `worth` without a choice."""
    cell, first = tree.cell[node], tree.first_edge[node]
    for edge in range(first, tree.first_edge[node + 1]):
        value = value_of(tree, worth, edge)
        if cell >= 0:
            # Gains carry the probabilities of chance and of other players, so sums over the nodes
            # of a cell are counterfactual values of its actions.
            total[first_entry[cell] + edge - first] += value
        else:
            worth[node] += value


@kernel
def value_of(tree: TeamTree, worth: FloatArray, edge: int) -> float:
    """Return the value of an edge from that of its child."""
    child = tree.child[edge]
    after = worth[child] if child >= 0 else 0.0
    return float(tree.gain[edge] + after)


@kernel
def best(total: FloatArray, first: int, end: int, pick: int) -> int:
    """Return the action with the largest `total`; `pick` if none is larger."""
    for entry in range(first, end):
        # Strict, so that ties keep the action that is already played and the iteration ends.
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
    """Let blocks of cells respond in turn until none gains; return the value.

    block : [cells] the block of each cell. roots : [R].
    pick : [cells] modified in place.
    """
    # Each response is exact given the other blocks, so the value never falls: hill climbing that
    # ends where no block alone can gain.
    num_blocks = block.max() + 1
    value = -np.inf
    turn, idle = 0, 0
    while idle < num_blocks:
        worth = respond_alone(tree, first_entry, block, turn, pick)
        found = 0.0
        for root in roots:
            found += worth[root]
        # Stop after a full round without a gain; a block that has just gained counts itself.
        idle = idle + 1 if found <= value + tolerance else 1
        value = found
        turn = (turn + 1) % num_blocks
    return value


@kernel
def respond_alone(
    tree: TeamTree, first_entry: LongArray, block: LongArray, turn: int, pick: LongArray
) -> FloatArray:
    """Let one block respond to the actions of the others, and return [N] the values.

    `pick` [cells] is modified in place.
    """
    # The other blocks' actions are built into a copy of the tree, which is solved by `respond`.
    cell = tree.cell.copy()
    gain = np.zeros(len(tree.gain))
    is_met = np.ones(len(cell), np.bool_)
    for node in range(len(cell)):
        # Parents come before children, so `is_met` of a node is final when it is read.
        own, first = tree.cell[node], tree.first_edge[node]
        # Other blocks' cells become nodes without a choice, and gains below actions that they do
        # not take become 0.
        is_fixed = own >= 0 and block[own] != turn
        if is_fixed:
            cell[node] = NO_CHOICE
        for edge in range(first, tree.first_edge[node + 1]):
            met = is_met[node] and (not is_fixed or pick[own] == edge - first)
            gain[edge] = tree.gain[edge] if met else 0.0
            if tree.child[edge] >= 0:
                is_met[tree.child[edge]] = met
    alone = TeamTree(tree.first_node, cell, tree.first_edge, tree.child, gain)
    return respond(alone, first_entry, pick)


@kernel
def pick_at_random(first_entry: LongArray, pick: LongArray, stream: Stream) -> None:
    """Draw a uniformly random action for each cell; `pick` [cells] is modified in place."""
    for cell in range(len(pick)):
        count = first_entry[cell + 1] - first_entry[cell]
        pick[cell] = int(next_uniform(stream) * count)
