"""What an iteration of progressive hiding learns: weights, values up the nodes, local regrets."""

from __future__ import annotations

import numpy as np

from infoset.regret import hedge, match_regrets
from infoset.teams.hiding._pass_kernels import Nodes, View, copy, fill_reach_without
from infoset.teams.hiding._visit_kernels import Visit
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel

LEAST_TOTAL = np.finfo(np.float64).tiny


@kernel
def fill_weights(
    group: IndexArray,
    num_groups: int,
    nodes: Nodes,
    view: View,
    policy: FloatArray,
    reach: FloatArray,
    others: FloatArray,
    weight: FloatArray,
) -> None:
    """Fill `weight` [N] with the reach [N] of each node without that of the group that acts.

    group [N]; with no groups it is the whole reach. others [N] is room.
    """
    if num_groups == 0:
        copy(reach, weight)
    for removed in range(num_groups):
        fill_reach_without(group, removed, nodes, view, policy, others, weight)


@kernel
def normalize_by_cell(
    nodes: Nodes,
    cell: IndexArray,
    total: FloatArray,
    of_chance: FloatArray,
    weight: FloatArray,
) -> None:
    """Make the weights [N] of the nodes of each cell sum to 1, in place; now it is `total` [M].

    Where they are all 0, they become those of chance, which sum to `of_chance` [M].
    """
    for node in range(len(weight)):
        here = cell[node]
        if total[here] >= LEAST_TOTAL:
            weight[node] /= total[here]
        else:
            weight[node] = nodes.chance[node] / of_chance[here]


@kernel
def add_gains(
    team: int,
    penalty: float,
    nodes: Nodes,
    view: View,
    visit: Visit,
    policy: FloatArray,
    distance: FloatArray,
    weight: FloatArray,
    value: FloatArray,
    gain: FloatArray,
    observed: FloatArray,
) -> None:
    """Add, at the nodes visited, what each action of a team is worth, future penalties paid.

    Q(n, a) = payoff, or V(child);  V(n) = Σ_a π(a) Q(n, a) - γ ‖π - π̂‖²
    gain(ι, a) = Σ_{n in ι} weight(n) Q(n, a);  observed(ι) = Σ_{n in ι} weight(n)

    gain [S] and observed [M] are added to in place; value [N], at first 0, is room for V(n), each
    times the importance of its node, and 0 again in the end.
    """
    for place in range(visit.size[1]):
        terminal = visit.terminal[place]
        node, entry = nodes.payoff_node[terminal], view.payoff_entry[terminal]
        worth = visit.terminal_importance[place] * nodes.payoff[team, terminal]
        value[node] += policy[entry] * worth
        if nodes.team[node] == team:
            gain[entry] += weight[node] * worth
    for place in range(visit.size[0] - 1, -1, -1):
        node = visit.node[place]
        worth = value[node]
        value[node] = 0.0
        if nodes.team[node] == team:
            cell = view.cell[node]
            worth -= visit.importance[place] * penalty * distance[cell]
            observed[cell] += visit.importance[place] * weight[node]
        parent = nodes.parent[node]
        if parent != node:
            entry = view.entry[node]
            value[parent] += policy[entry] * worth
            if nodes.team[parent] == team:
                gain[entry] += weight[parent] * worth


@kernel
def observe(
    cells: LongArray,
    fine: View,
    coarse: View,
    known: IndexArray,
    twice_penalty: FloatArray,
    policy: FloatArray,
    projected: FloatArray,
    min_regret: float,
    observed: FloatArray,
    gain: FloatArray,
    regret: FloatArray,
) -> None:
    """Tell the learners at some cells the gradients of their criteria, `regret` [S] in place.

    v(a) = gain(a) - observed · 2γ (π(a) - π̂(a));  regret(a) ← max(regret(a) + v(a) - <π, v>, floor)

    twice_penalty [M]. gain [S] and observed [M] are 0 in the end.
    """
    for cell in cells:
        first, end = fine.first_entry[cell], fine.first_entry[cell + 1]
        to = coarse.first_entry[known[cell]]
        pull = observed[cell] * twice_penalty[cell]
        mean = 0.0
        for action in range(end - first):
            entry = first + action
            gain[entry] -= pull * (policy[entry] - projected[to + action])
            mean += policy[entry] * gain[entry]
        for entry in range(first, end):
            regret[entry] = max(regret[entry] + gain[entry] - mean, min_regret)
            gain[entry] = 0.0
        observed[cell] = 0.0


@kernel
def decide(
    cells: LongArray, view: View, learning_rate: float, regret: FloatArray, policy: FloatArray
) -> None:
    """Let the learners at some cells choose, `policy` [S] in place.

    In proportion to exp(rate · regret), or at rate 0 to positive regret.
    """
    for cell in cells:
        first, end = view.first_entry[cell], view.first_entry[cell + 1]
        if learning_rate > 0.0:
            hedge(first, end, learning_rate, regret, policy)
        else:
            match_regrets(first, end, regret, policy)
