"""Perfect-information values of all nodes of a graph in one pass, from the ends back."""

from __future__ import annotations

import numpy as np

from infoset.search.models._kernels import CHANCE_MOVE
from infoset.search.models.graph._kernels import Graph
from infoset.search.pimc._max_n_kernels import TIE_TOLERANCE
from infoset.typing import BoolArray, FloatArray, IntArray
from infoset.utils.compilation import kernel


@kernel
def node_order(graph: Graph) -> IntArray:
    """Return [K] the nodes of a graph without cycles, each after all that lead to it."""
    missing = np.zeros(len(graph.kind), np.int32)
    for target in graph.next_node:
        missing[target] += 1
    order = np.empty(len(graph.kind), np.int32)
    filled = 0
    for node in range(len(missing)):
        if missing[node] == 0:
            order[filled] = node
            filled += 1
    done = 0
    while done < filled:
        node = order[done]
        done += 1
        first = graph.first_child[node]
        for child in range(first, first + graph.num_children[node]):
            target = graph.next_node[child]
            missing[target] -= 1
            if missing[target] == 0:
                order[filled] = target
                filled += 1
    return order


@kernel
def someone_chooses(graph: Graph, order: IntArray, chooses: BoolArray) -> bool:
    """Write [K] whether a player has a choice before the next transition.

    Returns whether at most one has, everywhere. order [K] see `node_order`.
    """
    in_turn = True
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        chooses[node] = False
        if graph.kind[node] < 0:
            continue
        first, count = graph.first_child[node], graph.num_children[node]
        for child in range(first, first + count):
            if chooses[graph.next_node[child]]:
                chooses[node] = True
                in_turn = in_turn and count == 1
        if count > 1:
            chooses[node] = True
    return in_turn


@kernel
def max_n_values(graph: Graph, order: IntArray, values: FloatArray) -> None:
    """Write [K, N] what all players get from each node on, everybody for itself.

    Of several actions that are best for the player to decide, the mean counts. order [K] see
    `node_order`. values begin as zeros.
    """
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        who, first = graph.kind[node], graph.first_child[node]
        best, num_best = 0.0, 0
        for child in range(first, first + graph.num_children[node]):
            target = graph.next_node[child]
            if who == CHANCE_MOVE:
                gain = graph.rewards[child] + values[target]
                values[node] += graph.probability[child] * gain
                num_best = 1
                continue
            tolerance = TIE_TOLERANCE * max(1.0, abs(best))
            if num_best == 0 or values[target, who] > best + tolerance:
                best, num_best = values[target, who], 1
                values[node] = values[target]
            elif values[target, who] >= best - tolerance:
                num_best += 1
                values[node] += values[target]
        values[node] /= max(num_best, 1)


@kernel
def minimax_values(graph: Graph, order: IntArray, values: FloatArray) -> None:
    """Write [K, N] what each player gets from each node on, all others against it.

    order [K] see `node_order`. values begin as zeros.
    """
    for place in range(len(order) - 1, -1, -1):
        node = order[place]
        who, first = graph.kind[node], graph.first_child[node]
        for child in range(first, first + graph.num_children[node]):
            target = graph.next_node[child]
            for player in range(values.shape[1]):
                value = values[target, player]
                if who == CHANCE_MOVE:
                    gain = graph.rewards[child, player] + value
                    values[node, player] += graph.probability[child] * gain
                elif child == first:
                    values[node, player] = value
                elif player == who:
                    values[node, player] = max(values[node, player], value)
                else:
                    values[node, player] = min(values[node, player], value)
