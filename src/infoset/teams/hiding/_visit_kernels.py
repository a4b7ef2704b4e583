"""Which nodes an iteration learns at: all of them, those below one outcome of chance, or one path.

A visit lists nodes and terminals, parents first, each with its importance: one over the probability
that it is visited, so that sums over what is visited are right on average.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.teams.hiding._pass_kernels import Nodes, View
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import inner_kernel, kernel
from infoset.utils.splitmix import Stream, next_uniform


class Below(NamedTuple):
    """What is below each of R outcomes of chance, and what each edge leads to.

    Attributes
    ----------
    first_node, first_terminal : LongArray
        [R + 1] where the nodes and terminals of each outcome begin in the lists.
    node, terminal : IndexArray
        [N] and [Z] nodes and terminals, outcome by outcome, parents first.
    first_edge : LongArray
        [N + 1] the edges of each node.
    child : LongArray
        [E] the node that an edge leads to; -1 - z where play ends with payoff z, -1 - Z where it
        ends without any.
    """

    first_node: LongArray
    node: IndexArray
    first_terminal: LongArray
    terminal: IndexArray
    first_edge: LongArray
    child: LongArray


class Visit(NamedTuple):
    """The nodes and terminals visited.

    Attributes
    ----------
    node : IndexArray
        [N] their nodes, parents first, as far as they go.
    terminal : IndexArray
        [Z] their terminals.
    size : LongArray
        [2] how many nodes and terminals there are.
    importance, terminal_importance : FloatArray
        [N] and [Z], in the same order.
    """

    node: IndexArray
    terminal: IndexArray
    size: LongArray
    importance: FloatArray
    terminal_importance: FloatArray


@inner_kernel
def draw_index(probability: FloatArray, first: int, end: int, draw: float) -> int:
    """Return which probability a number in [0, 1) hits, of those from `first` on."""
    for index in range(first, end - 1):
        draw -= probability[index]
        if draw < 0.0:
            return index
    return end - 1


@inner_kernel
def draw_outcome(below: Below, nodes: Nodes, stream: Stream) -> int:
    """Draw an outcome of chance."""
    outcome, last = 0, len(below.first_node) - 2
    draw = next_uniform(stream) - nodes.chance[below.node[0]]
    while draw >= 0.0 and outcome < last:
        outcome += 1
        draw -= nodes.chance[below.node[below.first_node[outcome]]]
    return outcome


@kernel
def visit_outcome(below: Below, nodes: Nodes, stream: Stream, visit: Visit) -> None:
    """Draw an outcome of chance and visit all that is below it, `visit` in place."""
    outcome = draw_outcome(below, nodes, stream)
    first, end = below.first_node[outcome], below.first_node[outcome + 1]
    importance = 1.0 / nodes.chance[below.node[first]]
    for place in range(first, end):
        visit.node[place - first] = below.node[place]
        visit.importance[place - first] = importance
    visit.size[0] = end - first
    first, end = below.first_terminal[outcome], below.first_terminal[outcome + 1]
    for place in range(first, end):
        visit.terminal[place - first] = below.terminal[place]
        visit.terminal_importance[place - first] = importance
    visit.size[1] = end - first


@kernel
def visit_path(
    exploration: float,
    below: Below,
    nodes: Nodes,
    view: View,
    policy: FloatArray,
    stream: Stream,
    visit: Visit,
) -> None:
    """Draw one play and visit its nodes and its terminal, if that pays anything, `visit` in place.

    All follow the policy [S], mixed with uniform play in the share `exploration`.
    """
    node = below.node[below.first_node[draw_outcome(below, nodes, stream)]]
    chance = nodes.chance[node]
    visit.size[0] = visit.size[1] = 0
    while True:
        visit.node[visit.size[0]] = node
        visit.importance[visit.size[0]] = 1.0 / chance
        visit.size[0] += 1
        first = view.first_entry[view.cell[node]]
        num_actions = below.first_edge[node + 1] - below.first_edge[node]
        if next_uniform(stream) < exploration:
            action = int(next_uniform(stream) * num_actions)
        else:
            action = draw_index(policy, first, first + num_actions, next_uniform(stream)) - first
        chance *= (1.0 - exploration) * policy[first + action] + exploration / num_actions
        child = below.child[below.first_edge[node] + action]
        if child < 0:
            break
        node = child
    terminal = -1 - child
    if terminal < len(visit.terminal):
        visit.terminal[0] = terminal
        visit.terminal_importance[0] = 1.0 / chance
        visit.size[1] = 1
