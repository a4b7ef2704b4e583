"""Passes down the nodes of a product form, under any information map.

Whatever is above a node has a smaller number. A root is its own parent.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.typing import FloatArray, IndexArray
from infoset.utils.compilation import inner_kernel, kernel


class Nodes(NamedTuple):
    """The nodes of a product form and what its terminals pay, whatever is known of them.

    Attributes
    ----------
    chance : FloatArray
        [N] probability of the outcome of chance above each node.
    parent : IndexArray
        [N] the node above; roots themselves.
    team : IndexArray
        [N] the team that acts.
    payoff_node : IndexArray
        [Z] the node after which play ends there, for each terminal that pays anything.
    payoff : FloatArray
        [T, Z] what it pays each team, in the game's units.
    """

    chance: FloatArray
    parent: IndexArray
    team: IndexArray
    payoff_node: IndexArray
    payoff: FloatArray


class View(NamedTuple):
    """An information map over the nodes: M cells, and a entry for each action of each cell.

    Attributes
    ----------
    cell : IndexArray
        [N] the cell of each node.
    entry : IndexArray
        [N] the entry of the action that leads to each node; 0 at roots.
    payoff_entry : IndexArray
        [Z] the entry of the action that ends play there.
    first_entry : IndexArray
        [M + 1] the first entry of each cell; policies are [S].
    """

    cell: IndexArray
    entry: IndexArray
    payoff_entry: IndexArray
    first_entry: IndexArray


@inner_kernel
def clear(array: FloatArray) -> None:
    """Set all numbers to 0; a loop compiles faster than an assignment."""
    for index in range(len(array)):
        array[index] = 0.0


@inner_kernel
def copy(source: FloatArray, target: FloatArray) -> None:
    """Set all numbers to those of another array; a loop compiles faster than an assignment."""
    for index in range(len(target)):
        target[index] = source[index]


@kernel
def fill_reach(nodes: Nodes, view: View, policy: FloatArray, reach: FloatArray) -> None:
    """Fill `reach` [N] with the probability that each node is reached under a policy [S]."""
    for node in range(len(reach)):
        parent = nodes.parent[node]
        if parent == node:
            reach[node] = nodes.chance[node]
        else:
            reach[node] = reach[parent] * policy[view.entry[node]]


@kernel
def fill_reach_without(
    group: IndexArray,
    removed: int,
    nodes: Nodes,
    view: View,
    policy: FloatArray,
    others: FloatArray,
    weight: FloatArray,
) -> None:
    """Fill `weight` [N], at nodes where the group `removed` acts, with the reach without its own.

    group [N] is who acts, however they are counted; others [N] is filled with the reach of chance
    and the other groups.
    """
    for node in range(len(others)):
        parent = nodes.parent[node]
        if parent == node:
            others[node] = nodes.chance[node]
        else:
            factor = 1.0 if group[parent] == removed else policy[view.entry[node]]
            others[node] = others[parent] * factor
        if group[node] == removed:
            weight[node] = others[node]


@kernel
def fill_payoffs(
    nodes: Nodes, view: View, policy: FloatArray, reach: FloatArray, payoffs: FloatArray
) -> None:
    """Fill `payoffs` [T] with what each team gets on average; `reach` [N] is of the policy [S]."""
    for team in range(len(payoffs)):
        payoffs[team] = 0.0
        for terminal in range(len(nodes.payoff_node)):
            chance = reach[nodes.payoff_node[terminal]] * policy[view.payoff_entry[terminal]]
            payoffs[team] += chance * nodes.payoff[team, terminal]
