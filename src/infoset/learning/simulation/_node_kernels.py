"""Kernels that make the nodes of a simulator."""

from __future__ import annotations

import numpy as np

from infoset.learning.simulation._kernels import CHANCE_NODE, TERMINAL_NODE
from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import inner_kernel, kernel


@inner_kernel
def next_choice(
    first_child: IntArray, acting: IntArray, here: int, low: int, high: int, player: int
) -> tuple[int, int, int, int]:
    """Return the next history where there is a choice, its children, and whose choice it is.

    Children are `low:high`, and players before `player` have chosen among them. N for nature, or
    for nobody where there are no children. Arrays are those of `unfold`.
    """
    num_players = acting.shape[1]
    while True:
        while player < num_players and acting[here, player] < 0:
            player += 1
        if player < num_players or high - low != 1:
            return here, low, high, player
        here = low
        low, high, player = first_child[here], first_child[here + 1], 0


@kernel
def unfold(
    first_child: IntArray,
    acting: IntArray,
    taken: IntArray,
    probability: FloatArray,
    node_kind: IntArray,
    first_node: IntArray,
    history: IntArray,
    chance: FloatArray,
) -> int:
    """Make the nodes of a game tree, breadth first, all output in place; return their number K.

    Actors of a history decide one after another, in nodes of their own; nature draws in a node
    where there is more than one outcome. Nodes without a choice, other than decisions, are left
    out.

    Parameters
    ----------
    first_child : IntArray
        [H + 1] the children of a history h are `first_child[h]:first_child[h + 1]`, by joint
        action, then by outcome.
    acting : IntArray
        [H, N] number of each actor's infostate among those of all players; -1 for the others.
    taken, probability : arrays
        [H, N] and [H] the actions on the way to a history, and nature's probability given them.
    node_kind : IntArray
        [at least K] infostate of the actor, `CHANCE_NODE` or `TERMINAL_NODE`.
    first_node : IntArray
        [at least K] the first of a node's children, which stand side by side; of a terminal, its
        rank among the terminals.
    history : IntArray
        [at least K] the history that each node stands for, or begins to decide on.
    chance : FloatArray
        [at least K] nature's probability of a node, if its parent is nature's; otherwise 1.
    """
    num_players = acting.shape[1]
    begin = np.empty_like(history)
    end = np.empty_like(history)
    seat = np.empty_like(history)
    num_nodes, num_terminals, node = 1, 0, 0
    seat[0], history[0], chance[0] = -1, 0, 1.0
    while node < num_nodes:
        here = history[node]
        low, high, player = begin[node], end[node], seat[node]
        if player < 0:  # a history of its own, not in the middle of a joint action
            low, high, player = first_child[here], first_child[here + 1], 0
        here, low, high, player = next_choice(first_child, acting, here, low, high, player)
        history[node] = here
        if high == low:
            node_kind[node] = TERMINAL_NODE
            first_node[node] = num_terminals
            num_terminals += 1
        elif player == num_players:
            node_kind[node] = CHANCE_NODE
            first_node[node] = num_nodes
            for child in range(low, high):
                history[num_nodes], seat[num_nodes] = child, -1
                chance[num_nodes] = probability[child]
                num_nodes += 1
        else:
            node_kind[node] = acting[here, player]
            first_node[node] = num_nodes
            while low < high:
                action, start = taken[low, player], low
                while low < high and taken[low, player] == action:
                    low += 1
                history[num_nodes], seat[num_nodes] = here, player + 1
                begin[num_nodes], end[num_nodes] = start, low
                chance[num_nodes] = 1.0
                num_nodes += 1
        node += 1
    return num_nodes


@kernel
def fill_alias(
    node_kind: IntArray,
    first_node: IntArray,
    num_children: IntArray,
    chance: FloatArray,
    keep: FloatArray,
    other: IntArray,
) -> None:
    """Fill the tables that nature draws from (see `Nodes`), in place.

    Outcomes less likely than the mean are filled up, one by one, by one more likely.
    Source: Vose, "A linear algorithm for generating random numbers with a given distribution"
    (1991).
    """
    waiting = np.empty_like(other)
    for node in range(len(node_kind)):
        if node_kind[node] != CHANCE_NODE:
            continue
        count, first = num_children[node], first_node[node]
        small, large = 0, count  # two stacks, that grow towards each other
        for child in range(count):
            keep[first + child] = chance[first + child] * count
            other[first + child] = child
            if keep[first + child] < 1.0:
                waiting[small] = child
                small += 1
            else:
                large -= 1
                waiting[large] = child
        while small > 0 and large < count:
            small -= 1
            less, more = waiting[small], waiting[large]
            other[first + less] = more
            keep[first + more] -= 1.0 - keep[first + less]
            if keep[first + more] < 1.0:
                large += 1
                waiting[small] = more
                small += 1
        for rest in range(small):
            keep[first + waiting[rest]] = 1.0
        for rest in range(large, count):
            keep[first + waiting[rest]] = 1.0
