"""Kernels that make the nodes of a simulator, and play episodes on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.kernels import inner_kernel, kernel
from infoset.streams import Stream, next_uniform
from infoset.typing import FloatArray, IntArray

CHANCE_NODE = -1
TERMINAL_NODE = -2


class Nodes(NamedTuple):
    """Where episodes go: decisions, draws of nature and ends, parents before children; 0 first.

    Attributes
    ----------
    kind : IntArray
        [K] infostate of the actor, in the numbering of `Infostates`; `CHANCE_NODE` or
        `TERMINAL_NODE`.
    first : IntArray
        [K] the first of a node's children, which stand side by side, one per action or outcome;
        of a terminal node, its rank among them.
    num_children : IntArray
        [K]
    keep : FloatArray
        [K] probability that nature, having drawn a child out of all alike, keeps it.
    other : IntArray
        [K] rank of the sibling that nature takes otherwise (Walker's alias method).
    """

    kind: IntArray
    first: IntArray
    num_children: IntArray
    keep: FloatArray
    other: IntArray


class Infostates(NamedTuple):
    """The acting infostates of all players in one numbering, player by player, parents first.

    The sequences of all players stand in one row of S slots, player by player as in their
    treeplexes, each beginning with the empty sequence.

    Attributes
    ----------
    first_slot, num_actions : IntArray
        [I] the slots of an infostate are `first_slot:first_slot + num_actions`, one per action.
    player : IntArray
        [I]
    parent_slot : IntArray
        [I] slot of the player's last sequence before the infostate.
    root_slot : IntArray
        [N] slot of each player's empty sequence.
    """

    first_slot: IntArray
    num_actions: IntArray
    player: IntArray
    parent_slot: IntArray
    root_slot: IntArray


class Paths(NamedTuple):
    """What each player did in an episode: the kernels write it, and learners read it.

    Attributes
    ----------
    length : IntArray
        [N] number of decisions of each player.
    infostate, slot : IntArray
        [N, D] where they were made, and the slots of the actions taken, in order.
    """

    length: IntArray
    infostate: IntArray
    slot: IntArray


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
        while True:
            while player < num_players and acting[here, player] < 0:
                player += 1
            if player < num_players or high - low != 1:
                break
            here = low
            low, high, player = first_child[here], first_child[here + 1], 0
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


@inner_kernel
def draw_outcome(nodes: Nodes, node: int, stream: Stream) -> int:
    """Return the child that nature takes at one of its nodes."""
    place = next_uniform(stream) * nodes.num_children[node]
    rank = np.int64(place)
    child = nodes.first[node] + rank
    if place - rank < nodes.keep[child]:
        return int(child)
    return int(nodes.first[node] + nodes.other[child])


@inner_kernel
def draw_action(policy: FloatArray, first_slot: int, num_actions: int, stream: Stream) -> int:
    """Return the index of an action drawn from `policy` [S] at an infostate."""
    left = next_uniform(stream)
    for action in range(num_actions - 1):
        left -= policy[first_slot + action]
        if left < 0.0:
            return action
    return num_actions - 1


@inner_kernel
def draw_mixed(
    policy: FloatArray,
    exploration: FloatArray,
    share: float,
    first_slot: int,
    num_actions: int,
    stream: Stream,
) -> int:
    """Return the index of an action drawn from `exploration` with a probability, else `policy`.

    share : that probability. Both are [S].
    """
    left = next_uniform(stream)
    for action in range(num_actions - 1):
        slot = first_slot + action
        left -= share * exploration[slot] + (1.0 - share) * policy[slot]
        if left < 0.0:
            return action
    return num_actions - 1


@inner_kernel
def play(
    nodes: Nodes,
    infostates: Infostates,
    policy: FloatArray,
    explorer: int,
    exploration: FloatArray,
    share: float,
    num_steps: int,
    stream: Stream,
    paths: Paths,
) -> int:
    """Play an episode; return the rank of the terminal, and write `paths` in place.

    policy, exploration : [S] what players do. The player `explorer` (-1 for nobody) follows the
    mixture of both, with the share of exploration, in its first `num_steps` decisions.
    """
    paths.length[:] = 0
    node = 0
    while True:
        here = nodes.kind[node]
        if here < 0:
            if here == TERMINAL_NODE:
                return int(nodes.first[node])
            node = draw_outcome(nodes, node, stream)
            continue
        player = infostates.player[here]
        first_slot, num_actions = infostates.first_slot[here], infostates.num_actions[here]
        step = paths.length[player]
        if player == explorer and step < num_steps:
            action = draw_mixed(policy, exploration, share, first_slot, num_actions, stream)
        else:
            action = draw_action(policy, first_slot, num_actions, stream)
        paths.infostate[player, step] = here
        paths.slot[player, step] = first_slot + action
        paths.length[player] = step + 1
        node = nodes.first[node] + action
