"""Passes down the nodes of a product form, under any information map.

Whatever is above a node has a smaller number. A root is its own parent.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.typing import FloatArray, IndexArray
from infoset.utils.compilation import inner_kernel, kernel


class Nodes(NamedTuple):
    """The nodes of a product form and what its endings pay, whatever is known of them.

    Attributes
    ----------
    chance : FloatArray
        [N] probability of the outcome of nature above each node.
    parent : IndexArray
        [N] the node above; roots themselves.
    team : IndexArray
        [N] the team that acts.
    payoff_node : IndexArray
        [Z] the node after which play ends there, for each ending that pays anything.
    payoff : FloatArray
        [T, Z] what it pays each team, in the game's units.
    """

    chance: FloatArray
    parent: IndexArray
    team: IndexArray
    payoff_node: IndexArray
    payoff: FloatArray


class View(NamedTuple):
    """An information map over the nodes: M labels, and a slot for each action of each label.

    Attributes
    ----------
    label : IndexArray
        [N] the label of each node.
    slot : IndexArray
        [N] the slot of the action that leads to each node; 0 at roots.
    payoff_slot : IndexArray
        [Z] the slot of the action that ends play there.
    first_slot : IndexArray
        [M + 1] the first slot of each label; policies are [S].
    """

    label: IndexArray
    slot: IndexArray
    payoff_slot: IndexArray
    first_slot: IndexArray


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
            reach[node] = reach[parent] * policy[view.slot[node]]


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

    group [N] is who acts, however they are counted; others [N] is filled with the reach of nature
    and the other groups.
    """
    for node in range(len(others)):
        parent = nodes.parent[node]
        if parent == node:
            others[node] = nodes.chance[node]
        else:
            factor = 1.0 if group[parent] == removed else policy[view.slot[node]]
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
        for ending in range(len(nodes.payoff_node)):
            chance = reach[nodes.payoff_node[ending]] * policy[view.payoff_slot[ending]]
            payoffs[team] += chance * nodes.payoff[team, ending]
