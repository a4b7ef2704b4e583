"""Kernels that count, unroll and number a game."""

from __future__ import annotations

import numpy as np

from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import kernel


@kernel
def topological_order(first_edge: IntArray, next_world: IntArray) -> IntArray:
    """Return world states, every one after all its predecessors; fewer than W on a cycle.

    first_edge [W + 1], next_world [E]. Returns [<= W].
    """
    num_worlds = len(first_edge) - 1
    missing = np.zeros(num_worlds, np.int32)
    for target in next_world:
        missing[target] += 1
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


@kernel
def path_counts(order: IntArray, first_edge: IntArray, next_world: IntArray) -> FloatArray:
    """Return [W] the number of paths from world 0 to each world, exact below 2**53.

    order [W] topological, first_edge [W + 1], next_world [E].
    """
    paths = np.zeros(len(order))
    paths[0] = 1.0
    for world in order:
        for edge in range(first_edge[world], first_edge[world + 1]):
            paths[next_world[edge]] += paths[world]
    return paths


@kernel
def unroll_histories(
    num_histories: int,
    first_edge: IntArray,
    next_world: IntArray,
    probability: FloatArray,
    rewards: FloatArray,
) -> tuple[IntArray, IntArray, IntArray, IntArray, FloatArray, FloatArray]:
    """List all histories, breadth first, children in the order of their edges.

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
    free = 1
    for history in range(num_histories):
        first_child[history] = free
        here = world[history]
        for out in range(first_edge[here], first_edge[here + 1]):
            world[free] = next_world[out]
            parent[free] = history
            edge[free] = out
            chance_reach[free] = chance_reach[history] * probability[out]
            for player in range(num_players):
                rewards_so_far[player, free] = (
                    rewards_so_far[player, history] + rewards[out, player]
                )
            free += 1
    first_child[num_histories] = free
    return world, parent, edge, first_child, chance_reach, rewards_so_far


@kernel
def last_sequences(parent: IntArray, action: IntArray, first_sequence: IntArray) -> IntArray:
    """Return [S] the last own sequence before each infostate.

    parent [S], action [S] the own action on the way from the parent (-1 for none),
    first_sequence [S] of each acting infostate.
    """
    last = np.zeros(len(parent), np.int32)
    for infostate in range(1, len(parent)):
        before = parent[infostate]
        if action[infostate] >= 0:
            last[infostate] = first_sequence[before] + action[infostate]
        else:
            last[infostate] = last[before]
    return last


@kernel
def most_additions(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    additions: LongArray,
) -> int:
    """Return how many additions a payoff meets at most on its way to the root of a treeplex.

    parent_sequence, first_sequence, num_actions [I]; additions [Q] the number of payoffs at each
    sequence, overwritten.
    """
    children = np.zeros(len(additions), np.int64)
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        most = 0
        for sequence in range(first, first + num_actions[infostate]):
            most = max(most, additions[sequence] + children[sequence])
        parent = parent_sequence[infostate]
        additions[parent] = max(additions[parent], most)
        children[parent] += 1
    return int(additions[0] + children[0])


@kernel
def most_multiplications(
    parent_sequence: IntArray, first_sequence: IntArray, num_actions: IntArray, num_sequences: int
) -> int:
    """Return the most roundings in making a realization plan of a policy that is normalised.

    parent_sequence, first_sequence, num_actions [I]. At each infostate on the way: a sum over its
    actions, a division, a product.
    """
    met = np.zeros(num_sequences, np.int64)
    for infostate in range(len(num_actions)):
        first = first_sequence[infostate]
        here = met[parent_sequence[infostate]] + num_actions[infostate] + 1
        met[first : first + num_actions[infostate]] = here
    return int(met.max())
