"""The nodes that a world graph is searched on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._kernels import CHANCE_MOVE, END
from infoset.search.models.graph._kernels import Graph
from infoset.tree import WorldGraph
from infoset.tree.state_numbering import StepTable
from infoset.typing import FloatArray, IntArray, Player

__all__ = ["graph_nodes"]


class Nodes(NamedTuple):
    """The nodes: first the world states, then what is left when one actor after another chose.

    Attributes
    ----------
    kind, first_child, num_children : IntArray
        [K] see `Graph`; transitions are the first children, in the order of the edges.
    next_node : IntArray
        [C]
    """

    kind: IntArray
    first_child: IntArray
    num_children: IntArray
    next_node: IntArray


def graph_nodes(graph: WorldGraph) -> Graph:
    """Return a complete world graph as nodes."""
    nodes = _decide_in_turn(graph)
    steps = [StepTable.of_player(graph, player).of_edge for player in range(graph.num_players)]
    num_choices = len(nodes.next_node) - graph.num_edges
    return Graph(
        *nodes,
        probability=np.pad(graph.probability, (0, num_choices), constant_values=1.0),
        below=np.pad(_sums(graph, nodes), (0, num_choices), constant_values=np.inf),
        rewards=np.pad(graph.rewards, ((0, num_choices), (0, 0))),
        observations=np.pad(np.stack(steps, axis=1), ((0, num_choices), (0, 0))),
    )


def _decide_in_turn(graph: WorldGraph) -> Nodes:
    """Return the nodes of a world graph: edges are split by the action of one actor after another.

    At each step the edges stand in parts, those that are left at one node.
    """
    inner = np.flatnonzero(np.diff(graph.first_edge))
    begins = np.zeros(graph.num_edges, bool)
    begins[graph.first_edge[inner]] = True
    nothing = np.zeros(graph.num_worlds, np.int32)
    nodes = Nodes(np.full_like(nothing, END), nothing, nothing.copy(), graph.next_world)
    left_at = inner
    for player, taken in enumerate(graph.joint_action.T):
        part = np.cumsum(begins) - 1
        begins = begins | np.append(True, taken[1:] != taken[:-1])
        left_at = left_at[part[begins]]
        acts = taken[begins] >= 0
        nodes, children = _grow(nodes, player, left_at[acts])
        left_at[acts] = children
    first_edge = np.flatnonzero(begins)
    nodes.kind[left_at] = CHANCE_MOVE
    nodes.first_child[left_at] = first_edge
    nodes.num_children[left_at] = np.diff(np.append(first_edge, graph.num_edges))
    return nodes


def _grow(nodes: Nodes, player: Player, parent: IntArray) -> tuple[Nodes, IntArray]:
    """Add a child for each of the decisions [M] of a player, given in order; return them too."""
    children = np.arange(len(parent), dtype=np.int32) + np.int32(len(nodes.kind))
    decisions, first, counts = np.unique(parent, return_index=True, return_counts=True)
    nodes.kind[decisions] = player
    nodes.first_child[decisions] = first + len(nodes.next_node)
    nodes.num_children[decisions] = counts
    nothing = np.zeros(len(parent), np.int32)
    kind, first_child, num_children = (np.append(column, nothing) for column in nodes[:3])
    return Nodes(kind, first_child, num_children, np.append(nodes.next_node, children)), children


def _sums(graph: WorldGraph, nodes: Nodes) -> FloatArray:
    """Return [E] `below` of `Graph`: added one by one, as one who asks would add them."""
    draws = nodes.kind == CHANCE_MOVE
    first, counts = nodes.first_child[draws], nodes.num_children[draws]
    below = graph.probability.copy()
    for rank in range(1, int(counts.max(initial=0))):
        here = first[counts > rank] + rank
        below[here] += below[here - 1]
    below[first + counts - 1] = np.inf
    return below
