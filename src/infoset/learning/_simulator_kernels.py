"""Kernels that play episodes on a compiled game, and those that build its nodes.

A game is one flat array of nodes, parents before children: decisions, chance draws and terminals.
Simultaneous moves become consecutive decisions, of which the later do not observe the earlier.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.typing import FloatArray, IntArray, LongArray
from infoset.utils.compilation import inner_kernel, kernel
from infoset.utils.splitmix import Stream, next_uniform

CHANCE_NODE = -1
TERMINAL_NODE = -2


class Nodes(NamedTuple):
    """The nodes of a game, parents before children; the root is node 0.

    Attributes
    ----------
    kind : IntArray
        [K] infostate of the actor, in the numbering of `Infostates`; `CHANCE_NODE` or
        `TERMINAL_NODE`.
    first : IntArray
        [K] first child of a node; children are adjacent, one per action or outcome. For a
        terminal, its index among the terminals.
    num_children : IntArray
        [K]
    keep : FloatArray
        [K] probability that chance, having drawn a child uniformly, keeps it.
    other : IntArray
        [K] rank of the sibling that chance takes otherwise (Walker's alias method).
    """

    kind: IntArray
    first: IntArray
    num_children: IntArray
    keep: FloatArray
    other: IntArray


class Infostates(NamedTuple):
    """The acting infostates of all players in one numbering, player by player, parents first.

    The S sequences of all players form one array, player by player in the order of their
    treeplexes. Each player's part begins with the empty sequence.

    Attributes
    ----------
    first_sequence, num_actions : IntArray
        [I] the sequences of an infostate are `first_sequence:first_sequence + num_actions`, one
        per action.
    player : IntArray
        [I]
    parent_sequence : IntArray
        [I] the player's last sequence before the infostate.
    root_sequence : IntArray
        [N] each player's empty sequence.
    """

    first_sequence: IntArray
    num_actions: IntArray
    player: IntArray
    parent_sequence: IntArray
    root_sequence: IntArray


class Paths(NamedTuple):
    """Each player's decisions in an episode; kernels write them, learners read them.

    Attributes
    ----------
    length : IntArray
        [N] number of decisions of each player.
    infostate, sequence : IntArray
        [N, D] the infostates of these decisions and the sequences of the actions taken, in order.
    reach : FloatArray
        [N, D + 1] workspace of the learners: own reach along the path.
    """

    length: IntArray
    infostate: IntArray
    sequence: IntArray
    reach: FloatArray


class PlayState(NamedTuple):
    """A game under way, as self-play kernels take it; they write the last three fields.

    Attributes
    ----------
    nodes : Nodes
    infostates : Infostates
    feedback : FloatArray
        [Z, N] what each player learns from at a terminal: its loss or its utility.
    done : LongArray
        [1] number of episodes played.
    stream : Stream
        Source of all random draws.
    paths : Paths
        Each player's decisions in the last episode.
    """

    nodes: Nodes
    infostates: Infostates
    feedback: FloatArray
    done: LongArray
    stream: Stream
    paths: Paths


@inner_kernel
def draw_outcome(nodes: Nodes, node: int, stream: Stream) -> int:
    """Return the child that chance takes at one of its nodes."""
    # One uniform number serves twice: its integer part draws the child, its fraction decides
    # whether to keep it.
    place = next_uniform(stream) * nodes.num_children[node]
    rank = np.int64(place)
    child = nodes.first[node] + rank
    if place - rank < nodes.keep[child]:
        return int(child)
    return int(nodes.first[node] + nodes.other[child])


@inner_kernel
def draw_action(policy: FloatArray, first_sequence: int, num_actions: int, stream: Stream) -> int:
    """Return the index of an action drawn from `policy` [S] at an infostate."""
    left = next_uniform(stream)
    for action in range(num_actions - 1):
        left -= policy[first_sequence + action]
        if left < 0.0:
            return action
    return num_actions - 1


@inner_kernel
def draw_mixed(
    policy: FloatArray,
    exploration_policy: FloatArray,
    exploration: float,
    first_sequence: int,
    num_actions: int,
    stream: Stream,
) -> int:
    """Return the index of an action drawn from a mixture of two policies [S].

    exploration : probability of following `exploration_policy` instead of `policy`.
    """
    left = next_uniform(stream)
    for action in range(num_actions - 1):
        sequence = first_sequence + action
        left -= exploration * exploration_policy[sequence] + (1.0 - exploration) * policy[sequence]
        if left < 0.0:
            return action
    return num_actions - 1


@inner_kernel
def add_step(infostates: Infostates, here: int, sequence: int, paths: Paths) -> None:
    """Append a decision at infostate `here` to its player's path, in place."""
    player = infostates.player[here]
    step = paths.length[player]
    paths.infostate[player, step] = here
    paths.sequence[player, step] = sequence
    paths.length[player] = step + 1


@inner_kernel
def play(
    nodes: Nodes,
    infostates: Infostates,
    policy: FloatArray,
    explorer: int,
    exploration_policy: FloatArray,
    exploration: float,
    num_steps: int,
    stream: Stream,
    paths: Paths,
) -> int:
    """Play an episode, write `paths` in place, and return the index of the terminal.

    policy : [S] policies of all players.
    explorer : player that follows `exploration_policy` [S] with probability `exploration` in its
    first `num_steps` decisions; -1 for none.
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
        first_sequence, num_actions = infostates.first_sequence[here], infostates.num_actions[here]
        if player == explorer and paths.length[player] < num_steps:
            action = draw_mixed(
                policy, exploration_policy, exploration, first_sequence, num_actions, stream
            )
        else:
            action = draw_action(policy, first_sequence, num_actions, stream)
        add_step(infostates, here, first_sequence + action, paths)
        node = nodes.first[node] + action


@inner_kernel
def next_choice(
    first_child: IntArray, acting: IntArray, here: int, low: int, high: int, player: int
) -> tuple[int, int, int, int]:
    """Return the next history with a choice, the range of its children, and the chooser.

    The children are `low:high`; players before `player` have already chosen among them. The
    chooser is N for chance, and for terminals. Arrays are those of `unfold`.
    """
    num_players = acting.shape[1]
    while True:
        while player < num_players and acting[here, player] < 0:
            player += 1
        if player < num_players or high - low != 1:
            return here, low, high, player
        here = low  # a single outcome: chance has no choice, so the history gets no node
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
    """Build the nodes of a game tree breadth first, all outputs in place; return their number K.

    The actors of one history decide one after another, each at its own node. Chance draws where
    there is more than one outcome. Nodes without a choice are left out, except decisions.

    Parameters
    ----------
    first_child : IntArray
        [H + 1] the children of history h are `first_child[h]:first_child[h + 1]`, ordered by
        joint action, then by outcome.
    acting : IntArray
        [H, N] number of each actor's infostate among those of all players; -1 for the others.
    taken, probability : arrays
        [H, N] and [H] the actions that lead to a history, and its chance probability given them.
    node_kind : IntArray
        [at least K] infostate of the actor, `CHANCE_NODE` or `TERMINAL_NODE`.
    first_node : IntArray
        [at least K] first child of a node; for a terminal, its index among the terminals.
    history : IntArray
        [at least K] history that each node stands for, or whose joint action it belongs to.
    chance : FloatArray
        [at least K] chance probability of a node whose parent is a chance node; otherwise 1.
    """
    num_players = acting.shape[1]
    begin = np.empty_like(history)
    end = np.empty_like(history)
    chooser = np.empty_like(history)
    num_nodes, num_terminals, node = 1, 0, 0
    chooser[0], history[0], chance[0] = -1, 0, 1.0
    while node < num_nodes:
        here = history[node]
        low, high, player = begin[node], end[node], chooser[node]
        if player < 0:  # a new history, not a decision within a joint action
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
                history[num_nodes], chooser[num_nodes] = child, -1
                chance[num_nodes] = probability[child]
                num_nodes += 1
        else:
            # Children are ordered by joint action, so each action of this player is a range.
            node_kind[node] = acting[here, player]
            first_node[node] = num_nodes
            while low < high:
                action, start = taken[low, player], low
                while low < high and taken[low, player] == action:
                    low += 1
                history[num_nodes], chooser[num_nodes] = here, player + 1
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
    """Fill the alias tables of chance (`keep` and `other` of `Nodes`), in place.

    Source: Vose, "A linear algorithm for generating random numbers with a given distribution"
    (1991).
    """
    waiting = np.empty_like(other)
    for node in range(len(node_kind)):
        if node_kind[node] != CHANCE_NODE:
            continue
        count, first = num_children[node], first_node[node]
        small, large = 0, count  # two stacks that grow towards each other
        for child in range(count):
            keep[first + child] = chance[first + child] * count
            other[first + child] = child
            if keep[first + child] < 1.0:
                waiting[small] = child
                small += 1
            else:
                large -= 1
                waiting[large] = child
        # Fill up an outcome below the mean with one above it, which may drop below in turn.
        while small > 0 and large < count:
            small -= 1
            less, more = waiting[small], waiting[large]
            other[first + less] = more
            keep[first + more] -= 1.0 - keep[first + less]
            if keep[first + more] < 1.0:
                large += 1
                waiting[small] = more
                small += 1
        # What is left differs from 1 by rounding only.
        for rest in range(small):
            keep[first + waiting[rest]] = 1.0
        for rest in range(large, count):
            keep[first + waiting[rest]] = 1.0
