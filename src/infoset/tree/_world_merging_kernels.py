"""Kernels that split worlds by the shapes of all players, and merge those with equal futures."""

from __future__ import annotations

import numpy as np

from infoset.forms import TERMINAL, WAIT
from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import linear_kernel
from infoset.utils.interning_kernels import add_list, grown_to, no_lists


@linear_kernel
def split_worlds(
    first_edge: IntArray,
    next_world: IntArray,
    steps: tuple[IntArray, ...],
    items: tuple[LongArray, ...],
    first: tuple[LongArray, ...],
    codes: tuple[LongArray, ...],
    roots: LongArray,
) -> tuple[LongArray, LongArray, LongArray, LongArray, LongArray]:
    """Find the nodes: worlds with the shapes of the infostates of all players.

    In most games the world determines the shapes, so that nodes are worlds. first_edge, next_world
    of the world graph; per player: steps [E], shapes as in `find_shapes`, codes as in
    `find_structures`, and roots [N] the shapes of the whole game. Returns [nodes, 1 + N] world and
    shapes; first [nodes + 1] edge of each node; and, of each edge: edge [F] of the world graph, the
    next node [F], or `TERMINAL`, and the code [F, N] of the step of each player.
    """
    num_players = len(steps)
    lists, used = no_lists(), 1
    candidate = np.zeros(1 + num_players, np.int64)
    candidate[1:] = roots
    lists, _ = add_list(lists, 0, candidate, 1 + num_players)
    node_first = np.zeros(16, np.int64)
    edges, targets = np.zeros(64, np.int64), np.zeros(64, np.int64)
    found = np.zeros(64 * num_players, np.int64)
    node = 0
    done = 0
    while node < used:
        at = node * (1 + num_players)
        world = lists.items[at]
        begin, end = first_edge[world], first_edge[world + 1]
        edges = grown_to(edges, done + end - begin)
        targets = grown_to(targets, done + end - begin)
        found = grown_to(found, (done + end - begin) * num_players)
        for edge in range(begin, end):
            target = np.int64(next_world[edge])
            edges[done] = edge
            if first_edge[target + 1] == first_edge[target]:
                targets[done] = TERMINAL
                for player in range(num_players):
                    found[done * num_players + player] = WAIT
            else:
                candidate[0] = target
                for player in range(num_players):
                    shape, step = lists.items[at + 1 + player], steps[player][edge]
                    # Steps are sorted: the largest that is at most the one sought is the one.
                    low, high = first[player][shape] + 1, first[player][shape + 1]
                    while high - low > 2:
                        middle = low + (high - low) // 4 * 2
                        if items[player][middle] <= step:
                            low = middle
                        else:
                            high = middle
                    candidate[1 + player] = items[player][low + 1]
                    found[done * num_players + player] = codes[player][low + 1]
                lists, targets[done] = add_list(lists, used, candidate, 1 + num_players)
                used += targets[done] == used
            done += 1
        node += 1
        node_first = grown_to(node_first, node + 1)
        node_first[node] = done
    return (
        lists.items[: used * (1 + num_players)].copy().reshape((used, 1 + num_players)),
        node_first[: used + 1].copy(),
        edges[:done].copy(),
        targets[:done].copy(),
        found[: done * num_players].copy().reshape((done, num_players)),
    )


@linear_kernel
def merge_nodes(
    order: LongArray,
    first: LongArray,
    target: LongArray,
    columns: LongArray,
    num_codes: int,
    probability: FloatArray,
    structure: LongArray,
) -> tuple[LongArray, LongArray, LongArray, LongArray, LongArray]:
    """Find the classes of nodes with equal futures, without nodes at which nothing happens.

    order [nodes]: later ones first; first [nodes + 1]; per edge: target [F], columns [F, C] whose
    first `num_codes` are the players' codes and the next as many their actions, which with the
    rewards determine what happens, probability [F]; structure [nodes, N]. Returns items and first
    [classes + 1]: each class is its structures, and then, for each of its edges, a number of an
    outcome and the bits of its probability; items and first of outcomes: the next class plus 1,
    or 0 at the end, and the columns; and [nodes] the class of each node. Later classes come first.
    """
    num_players = structure.shape[1]
    num_columns = columns.shape[1]
    outcomes, num_outcomes = no_lists(), 0
    classes, num_classes = no_lists(), 0
    row = np.zeros(1 + num_columns, np.int64)
    candidate, numbers, weights = (
        np.zeros(64, np.int64),
        np.zeros(64, np.int64),
        np.zeros(64, np.float64),
    )
    merged = np.zeros(64, np.float64)
    found = np.zeros(len(order), np.int64)
    for node in order:
        begin, size = first[node], first[node + 1] - first[node]
        numbers, weights = grown_to(numbers, size), grown_to(weights, size)
        merged = grown_to(merged, size)
        for i in range(size):
            edge = begin + i
            row[0] = 0 if target[edge] == TERMINAL else found[target[edge]] + 1
            row[1:] = columns[edge]
            outcomes, numbers[i] = add_list(outcomes, num_outcomes, row, 1 + num_columns)
            num_outcomes += numbers[i] == num_outcomes
            weights[i] = probability[edge]
        candidate = grown_to(candidate, num_players + 2 * size)
        candidate[:num_players] = structure[node]
        # Equal outcomes of a node are one, with the sum of their probabilities.
        ordered = np.argsort(numbers[:size], kind="mergesort")
        count = 0
        for place in ordered:
            if count and candidate[num_players + 2 * count - 2] == numbers[place]:
                merged[count - 1] += weights[place]
            else:
                candidate[num_players + 2 * count] = numbers[place]
                merged[count] = weights[place]
                count += 1
        bits = merged.view(np.int64)
        for i in range(count):
            candidate[num_players + 2 * i + 1] = bits[i]
        if count == 1:  # its probability is 1, up to rounding
            at = outcomes.first[candidate[num_players]]
            nothing = outcomes.items[at] > 0
            for i in range(num_columns):
                # codes and actions are all negative, and the bits of all rewards are 0
                expected = WAIT if i < 2 * num_codes else 0
                nothing = nothing and outcomes.items[at + 1 + i] == expected
            if nothing:
                found[node] = outcomes.items[at] - 1
                continue
        classes, found[node] = add_list(classes, num_classes, candidate, num_players + 2 * count)
        num_classes += found[node] == num_classes
    return (
        classes.items[: classes.first[num_classes]].copy(),
        classes.first[: num_classes + 1].copy(),
        outcomes.items[: outcomes.first[num_outcomes]].copy(),
        outcomes.first[: num_outcomes + 1].copy(),
        found,
    )
