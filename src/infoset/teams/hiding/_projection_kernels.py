"""Kernels of reach probabilities, payoffs, and the projector of eq. 4.

Loops over nodes are in order of their numbers, so that parents come before children.
"""

from __future__ import annotations

from infoset.teams.hiding.arrays import Nodes, View
from infoset.typing import FloatArray, IndexArray
from infoset.utils.array_kernels import clear
from infoset.utils.compilation import kernel, linear_kernel, nested_kernel


@linear_kernel
def fill_reach(nodes: Nodes, view: View, policy: FloatArray, reach: FloatArray) -> None:
    """Fill `reach` [N] with ρ^π(n), the probability that each node is reached under a policy."""
    for node in range(len(reach)):
        parent = nodes.parent[node]
        # A root is its own parent.
        if parent == node:
            reach[node] = nodes.chance[node]
        else:
            # The entry of a node is the entry of the action that leads to the node.
            reach[node] = reach[parent] * policy[view.entry[node]]


@nested_kernel
def fill_reach_without(
    group: IndexArray,
    removed: int,
    nodes: Nodes,
    view: View,
    policy: FloatArray,
    others: FloatArray,
    weight: FloatArray,
) -> None:
    """Fill `weight` [N], where group `removed` acts, with the reach without that group's choices.

    group : [N] the group of the acting agent.
    others : [N] filled, at all nodes, with the reach of chance and the other groups.
    """
    for node in range(len(others)):
        parent = nodes.parent[node]
        if parent == node:
            others[node] = nodes.chance[node]
        else:
            # The choices of the removed group count as certain.
            factor = 1.0 if group[parent] == removed else policy[view.entry[node]]
            others[node] = others[parent] * factor
        if group[node] == removed:
            weight[node] = others[node]


@linear_kernel
def fill_payoffs(
    nodes: Nodes, view: View, policy: FloatArray, reach: FloatArray, payoffs: FloatArray
) -> None:
    """Fill `payoffs` [T] with J(π) of each team; `reach` [N] is the reach under the policy."""
    for team in range(len(payoffs)):
        payoffs[team] = 0.0
        for terminal in range(len(nodes.payoff_node)):
            # J(π) = Σ_z ρ(n) π(a) r(z), where z follows action a at node n.
            chance = reach[nodes.payoff_node[terminal]] * policy[view.payoff_entry[terminal]]
            payoffs[team] += chance * nodes.payoff[team, terminal]


@kernel
def sum_by_cell(cell: IndexArray, weight: FloatArray, total: FloatArray) -> None:
    """Fill `total` [M] with the sum of the weights [N] of each cell's nodes."""
    clear(total)
    # Addition in the order of nodes makes the sums reproducible.
    for node in range(len(cell)):
        total[cell[node]] += weight[node]


@kernel
def project_by_cell(
    fine: View,
    coarse: View,
    known: IndexArray,
    count: FloatArray,
    mass: FloatArray,
    policy: FloatArray,
    total: FloatArray,
    projected: FloatArray,
) -> None:
    """Fill the projected policy [C] of a relaxed policy [S] (eq. 4).

    (P π)_κ(a) = Σ_{ι in κ} m_ι π_ι(a) / Σ_{ι in κ} m_ι, where m_ι = Σ_{n in ι} ρ(n)

    known, count, mass : [M] the coarse cell κ that contains each fine cell ι, its number of nodes,
        and m_ι; `mass` is modified where a coarse cell has no weight.
    total : [K] buffer for the weight of each coarse cell.
    """
    # Denominator of eq. 4.
    clear(total)
    for cell in range(len(mass)):
        total[known[cell]] += mass[cell]
    # In a coarse cell of weight 0, eq. 4 would be 0 / 0: use the unweighted mean of its nodes.
    for cell in range(len(mass)):
        if not total[known[cell]] > 0.0:
            mass[cell] = count[cell]
    sum_by_cell(known, mass, total)
    # Numerator of eq. 4. Dividing each term makes the probabilities of a cell sum to 1.
    clear(projected)
    for cell in range(len(mass)):
        above = known[cell]
        # The conditional expectation of π given the coarse cell; among all policies that are equal
        # within coarse cells, it is nearest to π in the norm weighted by m.
        share = mass[cell] / total[above]
        first, to = fine.first_entry[cell], coarse.first_entry[above]
        for action in range(fine.first_entry[cell + 1] - first):
            # Actions of a fine cell and of its coarse cell are in the same order.
            projected[to + action] += share * policy[first + action]


@kernel
def fill_distances(
    fine: View,
    coarse: View,
    known: IndexArray,
    policy: FloatArray,
    projected: FloatArray,
    distance: FloatArray,
) -> None:
    """Fill `distance` [M] with ‖π_ι - π̂_c(ι)‖², the penalty of eq. 7 without γ."""
    for cell in range(len(distance)):
        first, to = fine.first_entry[cell], coarse.first_entry[known[cell]]
        # Both policies list the actions of a cell in the same order.
        total = 0.0
        for action in range(fine.first_entry[cell + 1] - first):
            total += (policy[first + action] - projected[to + action]) ** 2
        distance[cell] = total
