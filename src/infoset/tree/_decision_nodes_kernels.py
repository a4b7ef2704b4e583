"""Kernels that build decision nodes and sample their children and actions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import inner_kernel, linear_kernel
from infoset.utils.splitmix import Stream, draw_index, next_uniform

CHANCE_NODE = -1
TERMINAL_NODE = -2


class DecisionGraph(NamedTuple):
    """A world graph split into nodes at which one player acts or chance moves.

    A node is a world state together with the actions that its first actors have chosen; the first
    W nodes are the world states. Simultaneous actors choose in the order of their numbers, without
    observing each other. The children of a node are the actions of the next actor or, once all have
    chosen, the transitions.
    """

    actor: IntArray
    """[K] the player who acts, `CHANCE_NODE` or `TERMINAL_NODE`."""
    first_child: IntArray
    num_children: IntArray
    """[K] the children of a node are `first_child:first_child + num_children`. The first E children
    are the edges of the world graph in their order; the actions follow."""
    next_node: IntArray
    """[C] the node that a child leads to."""


class DecisionNodes(NamedTuple):
    """A game tree of decision, chance and terminal nodes, parents first; node 0 is the root."""

    kind: IntArray
    """[K] infostate of the actor, in the numbering of `Infostates`; `CHANCE_NODE` or
    `TERMINAL_NODE`."""
    first: IntArray
    """[K] first child of a node; children are adjacent, one per action or outcome. For a terminal,
    its index among the terminals."""
    num_children: IntArray
    """[K]"""
    keep: FloatArray
    """[K] probability that chance, having drawn a child uniformly, keeps it."""
    other: IntArray
    """[K] position of the sibling that chance takes if it does not keep the child (Walker's alias
    method)."""


class Infostates(NamedTuple):
    """The acting infostates of all players in one numbering: by player, with parents first.

    The S sequences of all players form one array, player by player in the order of their
    treeplexes. Each player's part begins with the empty sequence.
    """

    first_sequence: IntArray
    num_actions: IntArray
    """[I] the sequences of an infostate are `first_sequence:first_sequence + num_actions`, one per
    action."""
    player: IntArray
    """[I]"""
    parent_sequence: IntArray
    """[I] the player's last sequence before the infostate."""
    root_sequence: IntArray
    """[N] each player's empty sequence."""


@inner_kernel
def draw_outcome(nodes: DecisionNodes, node: int, stream: Stream) -> int:
    """Return the child that chance takes at a chance node."""
    # One scaled uniform number is used twice: its integer part selects the child, and its
    # fractional part decides whether to keep it.
    place = next_uniform(stream) * nodes.num_children[node]
    rank = np.int64(place)
    child = nodes.first[node] + rank
    # Given the integer part, the fractional part is uniform in [0, 1), independent of the child.
    if place - rank < nodes.keep[child]:
        return int(child)
    return int(nodes.first[node] + nodes.other[child])


@inner_kernel
def draw_action(policy: FloatArray, first_sequence: int, num_actions: int, stream: Stream) -> int:
    """Return the index of an action drawn from `policy` [S] at an infostate."""
    # `policy` covers the sequences of all players, so the draw runs over a slice and its position
    # is shifted to an action index.
    end = first_sequence + num_actions
    return draw_index(policy, first_sequence, end, next_uniform(stream)) - first_sequence


@linear_kernel
def unfold(
    graph: DecisionGraph,
    world: IntArray,
    first_child: IntArray,
    first_edge: IntArray,
    acting: IntArray,
    probability: FloatArray,
    kind: IntArray,
    first: IntArray,
    history: IntArray,
    chance: FloatArray,
) -> int:
    """Unfold a decision graph along a game tree, breadth first, and return the number K of nodes.

    Chance nodes with a single outcome get no node. Outputs are filled in place.

    Parameters
    ----------
    world
        [H] world state of each history.
    first_child
        [H + 1] the children of history h are `first_child[h]:first_child[h + 1]`, in the order of
        the edges of its world state.
    first_edge
        [W + 1] of the world graph.
    acting
        [H, N] number of each actor's infostate among those of all players; -1 for the others.
    probability
        [E] chance probability of each edge.
    kind
        [at least K] infostate of the actor, `CHANCE_NODE` or `TERMINAL_NODE`.
    first
        [at least K] first child of a node; for a terminal, its index among the terminals.
    history
        [at least K] history that each node represents, or in whose joint action it is one player's
        choice.
    chance
        [at least K] probability of a node whose parent is a chance node; otherwise 1.
    """
    place = np.empty_like(history)  # the node of the decision graph
    num_nodes, num_terminals, node = 1, 0, 0
    history[0], place[0], chance[0] = 0, 0, 1.0
    # The arrays are also the queue of the breadth-first search: nodes before `node` are finished,
    # those up to `num_nodes` wait. Children of a node are appended together, so they are adjacent.
    while node < num_nodes:
        here, at = history[node], place[node]
        # Chance moves with one outcome get no node: go on to their only child. The children of a
        # history and the edges of its world state have the same order, so the child after an edge
        # is at a constant offset.
        while graph.actor[at] == CHANCE_NODE and graph.num_children[at] == 1:
            edge = graph.first_child[at]
            here = first_child[here] + edge - first_edge[world[here]]
            at = graph.next_node[edge]
        # The node stands for the history at the end of the skipped moves, whose infostate acts.
        history[node] = here
        player = graph.actor[at]
        if player == TERMINAL_NODE:
            kind[node] = TERMINAL_NODE
            # Terminals have no children, so the field is free for their index.
            first[node] = num_terminals
            num_terminals += 1
        else:
            # The infostate depends on the history only: choices at the nodes in between, which
            # belong to the same history, are unobserved.
            kind[node] = CHANCE_NODE if player == CHANCE_NODE else acting[here, player]
            first[node] = num_nodes
            start = graph.first_child[at]
            for child in range(start, start + graph.num_children[at]):
                place[num_nodes] = graph.next_node[child]
                if player == CHANCE_NODE:
                    history[num_nodes] = first_child[here] + child - first_edge[world[here]]
                    chance[num_nodes] = probability[child]
                else:
                    # No transition has happened yet, so the node belongs to the same history.
                    history[num_nodes] = here
                    chance[num_nodes] = 1.0
                num_nodes += 1
        node += 1
    return num_nodes


@linear_kernel
def fill_alias(
    kind: IntArray,
    first: IntArray,
    num_children: IntArray,
    chance: FloatArray,
    keep: FloatArray,
    other: IntArray,
) -> None:
    """Fill the alias tables of chance (`keep` and `other` of `DecisionNodes`), in place.

    Source: Vose, "A linear algorithm for generating random numbers with a given distribution"
    (1991).
    """
    # Children whose probability, times their number, is below 1 (small) or at least 1 (large).
    waiting = np.empty_like(other)
    for node in range(len(kind)):
        if kind[node] != CHANCE_NODE:
            continue
        count, start = num_children[node], first[node]
        small, large = 0, count  # two stacks that grow toward each other
        for child in range(count):
            # Scaled so that the mean is 1: a place of the table has room for probability 1 / count.
            keep[start + child] = chance[start + child] * count
            other[start + child] = child
            if keep[start + child] < 1.0:
                waiting[small] = child
                small += 1
            else:
                large -= 1
                waiting[large] = child
        # An outcome above the mean fills up one below it, and may then drop below the mean itself.
        while small > 0 and large < count:
            small -= 1
            less, more = waiting[small], waiting[large]
            # The place of `less` is full now: `less` with its own probability, `more` with the
            # rest.
            other[start + less] = more
            keep[start + more] -= 1.0 - keep[start + less]
            if keep[start + more] < 1.0:
                # `more` leaves the stack of large children and takes the free entry of `less`.
                large += 1
                waiting[small] = more
                small += 1
        # The remaining probabilities differ from 1 only by rounding.
        for rest in range(small):
            keep[start + waiting[rest]] = 1.0
        for rest in range(large, count):
            keep[start + waiting[rest]] = 1.0
