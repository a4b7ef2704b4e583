"""Games with one decision or chance move per node, as flat arrays for compiled play.

`decision_graph` splits a world graph into nodes, on which searchers play. `unfold_tree` unfolds it
along a game tree into `DecisionNodes`, on which learners play.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.forms import Treeplex
from infoset.tree._decision_nodes_kernels import CHANCE_NODE as CHANCE_NODE
from infoset.tree._decision_nodes_kernels import TERMINAL_NODE as TERMINAL_NODE
from infoset.tree._decision_nodes_kernels import DecisionGraph as DecisionGraph
from infoset.tree._decision_nodes_kernels import DecisionNodes as DecisionNodes
from infoset.tree._decision_nodes_kernels import Infostates as Infostates
from infoset.tree._decision_nodes_kernels import draw_action as draw_action
from infoset.tree._decision_nodes_kernels import draw_outcome as draw_outcome
from infoset.tree._decision_nodes_kernels import fill_alias, unfold
from infoset.tree.game_tree import GameTree
from infoset.tree.world_graph import WorldGraph
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray, Player


def decision_graph(graph: WorldGraph) -> DecisionGraph:
    """Split a complete world graph by actor: simultaneous actors choose one after another.

    The edges of a world state are sorted by joint action. Edges that agree on the actions of the
    first actors are therefore adjacent, and form one node.
    """
    # Groups of edges of one node: at first, all edges of a world state.
    inner = np.flatnonzero(np.diff(graph.first_edge))
    group_start = np.zeros(graph.num_edges, bool)
    group_start[graph.first_edge[inner]] = True
    zeros = np.zeros(graph.num_worlds, np.int32)
    nodes = DecisionGraph(np.full_like(zeros, TERMINAL_NODE), zeros, zeros.copy(), graph.next_world)
    node_of_group = inner
    for player, taken in enumerate(graph.joint_action.T):
        # A group is split where the player's action changes; its parts are the node's children, or,
        # if the player does not act, the group itself.
        group = np.cumsum(group_start) - 1
        group_start = group_start | np.append(True, taken[1:] != taken[:-1])
        node_of_group = node_of_group[group[group_start]]
        acts = taken[group_start] >= 0
        nodes, children = _add_decisions(nodes, player, node_of_group[acts])
        node_of_group[acts] = children
    # All actions are chosen: what is left of each group are the outcomes of chance.
    first_edge = np.flatnonzero(group_start)
    nodes.actor[node_of_group] = CHANCE_NODE
    nodes.first_child[node_of_group] = first_edge
    nodes.num_children[node_of_group] = np.diff(np.append(first_edge, graph.num_edges))
    return nodes


def _add_decisions(
    nodes: DecisionGraph, player: Player, parent: IntArray
) -> tuple[DecisionGraph, IntArray]:
    """Add one child per action [M] of a player, sorted by parent, and return the children."""
    children = np.arange(len(parent), dtype=np.int32) + np.int32(len(nodes.actor))
    decisions, first, counts = np.unique(parent, return_index=True, return_counts=True)
    nodes.actor[decisions] = player
    nodes.first_child[decisions] = first + len(nodes.next_node)
    nodes.num_children[decisions] = counts
    zeros = np.zeros(len(parent), np.int32)
    actor, first_child, num_children = (np.append(column, zeros) for column in nodes[:3])
    next_node = np.append(nodes.next_node, children)
    return DecisionGraph(actor, first_child, num_children, next_node), children


def unfold_tree(tree: GameTree) -> tuple[DecisionNodes, IntArray]:
    """Unfold a game tree to decision nodes; return the nodes and [K] the history of each node.

    Players who act at the same history decide one after another without observing each other.
    Chance nodes with one outcome are left out; decisions with one action are not.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> nodes, history = unfold_tree(build_tree(load_game("matrix_mp")))
    >>> nodes.kind.tolist(), history.tolist()
    ([0, 1, 1, -2, -2, -2, -2], [0, 0, 0, 1, 2, 3, 4])
    """
    acting = _acting_infostates(tree)
    # A history adds a node, and at most one for each player who acts at the one before.
    actors_above = (acting >= 0).sum(axis=1)[tree.parent[1:]]
    max_nodes = 1 + len(actors_above) + int(actors_above.sum())
    kind, first, history = (np.empty(max_nodes, np.int32) for _ in range(3))
    chance = np.empty(max_nodes)
    size = unfold(
        decision_graph(tree.graph),
        tree.world,
        tree.first_child,
        tree.graph.first_edge,
        acting,
        tree.graph.probability,
        kind,
        first,
        history,
        chance,
    )
    kind, first, history = (column[:size].copy() for column in (kind, first, history))
    inner = kind >= CHANCE_NODE
    num_children = np.zeros(size, np.int32)
    num_children[inner] = np.diff(np.append(first[inner], size))  # children are consecutive
    keep, other = np.ones(size), np.zeros(size, np.int32)
    fill_alias(kind, first, num_children, chance[:size], keep, other)
    return DecisionNodes(kind, first, num_children, keep, other), history


def _acting_infostates(tree: GameTree) -> IntArray:
    """Return [H, N] the number of each actor's infostate among those of all players, or -1."""
    columns, before = [], 0
    for player, own in enumerate(tree.infostate_trees):
        number = np.full(own.num_infostates, -1, np.int32)
        number[own.acting] = before + np.arange(own.num_acting)
        columns.append(number[tree.infostate[:, player]])
        before += own.num_acting
    return np.stack(columns, axis=1)


def number_infostates(treeplexes: Sequence[Treeplex]) -> Infostates:
    """Return the infostates and sequences of all treeplexes in one numbering."""
    sizes = [plex.num_sequences for plex in treeplexes]
    roots = (np.cumsum(sizes) - sizes).astype(np.int32)

    def joined(columns: list[IntArray]) -> IntArray:
        return np.concatenate(columns).astype(np.int32)

    numbered = list(zip(treeplexes, roots, strict=True))
    return Infostates(
        first_sequence=joined([root + plex.first_sequence for plex, root in numbered]),
        num_actions=joined([plex.num_actions for plex in treeplexes]),
        player=joined([np.full(plex.num_infostates, p) for p, plex in enumerate(treeplexes)]),
        parent_sequence=joined([root + plex.parent_sequence for plex, root in numbered]),
        root_sequence=roots,
    )


def infostate_sequences(
    infostates: Infostates, members: IntArray | LongArray | BoolArray | slice = slice(None)
) -> LongArray:
    """Return the sequences of the selected infostates (by default, of all) in order."""
    first, counts = infostates.first_sequence[members], infostates.num_actions[members]
    # The first sequence of each infostate, less the number of entries before it.
    begins = np.repeat(first - np.cumsum(counts) + counts, counts)
    return begins + np.arange(len(begins))


def uniform_probabilities(infostates: Infostates, num_sequences: int) -> FloatArray:
    """Return [S] the uniform policy; 1 at sequences that belong to no infostate."""
    policy = np.ones(num_sequences)
    counts = infostates.num_actions
    policy[infostate_sequences(infostates)] = 1.0 / np.repeat(counts, counts)
    return policy


def infostate_depths(infostates: Infostates) -> IntArray:
    """Return [I] the number of the player's decisions before each infostate."""
    size = int((infostates.first_sequence + infostates.num_actions).max(initial=1))
    depth_below = np.zeros(size, np.int32)
    depth = np.zeros(len(infostates.first_sequence), np.int32)
    for here, (first, count, parent) in enumerate(
        zip(
            infostates.first_sequence,
            infostates.num_actions,
            infostates.parent_sequence,
            strict=True,
        )
    ):
        depth[here] = depth_below[parent]
        depth_below[first : first + count] = depth[here] + 1
    return depth
