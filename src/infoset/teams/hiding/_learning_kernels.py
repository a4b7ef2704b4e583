"""What an iteration of progressive hiding learns: weights, values up the nodes, local regrets."""

from __future__ import annotations

import numpy as np

from infoset.regret._slot_kernels import hedge, match_regrets
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
def normalize_by_label(
    nodes: Nodes,
    label: IndexArray,
    total: FloatArray,
    of_nature: FloatArray,
    weight: FloatArray,
) -> None:
    """Make the weights [N] of the nodes of each label sum to 1, in place; now it is `total` [M].

    Where they are all 0, they become those of nature, which sum to `of_nature` [M].
    """
    for node in range(len(weight)):
        here = label[node]
        if total[here] >= LEAST_TOTAL:
            weight[node] /= total[here]
        else:
            weight[node] = nodes.chance[node] / of_nature[here]


@kernel
def add_gains(
    team: int,
    gamma: float,
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
        ending = visit.ending[place]
        node, slot = nodes.payoff_node[ending], view.payoff_slot[ending]
        worth = visit.ending_importance[place] * nodes.payoff[team, ending]
        value[node] += policy[slot] * worth
        if nodes.team[node] == team:
            gain[slot] += weight[node] * worth
    for place in range(visit.size[0] - 1, -1, -1):
        node = visit.node[place]
        worth = value[node]
        value[node] = 0.0
        if nodes.team[node] == team:
            label = view.label[node]
            worth -= visit.importance[place] * gamma * distance[label]
            observed[label] += visit.importance[place] * weight[node]
        parent = nodes.parent[node]
        if parent != node:
            slot = view.slot[node]
            value[parent] += policy[slot] * worth
            if nodes.team[parent] == team:
                gain[slot] += weight[parent] * worth


@kernel
def observe(
    labels: LongArray,
    fine: View,
    coarse: View,
    known: IndexArray,
    twice_gamma: FloatArray,
    policy: FloatArray,
    shadow: FloatArray,
    floor: float,
    observed: FloatArray,
    gain: FloatArray,
    regret: FloatArray,
) -> None:
    """Tell the learners at some labels the gradients of their criteria, `regret` [S] in place.

    v(a) = gain(a) - observed · 2γ (π(a) - π̂(a));  regret(a) ← max(regret(a) + v(a) - <π, v>, floor)

    twice_gamma [M]. gain [S] and observed [M] are 0 in the end.
    """
    for label in labels:
        first, end = fine.first_slot[label], fine.first_slot[label + 1]
        to = coarse.first_slot[known[label]]
        pull = observed[label] * twice_gamma[label]
        mean = 0.0
        for action in range(end - first):
            slot = first + action
            gain[slot] -= pull * (policy[slot] - shadow[to + action])
            mean += policy[slot] * gain[slot]
        for slot in range(first, end):
            regret[slot] = max(regret[slot] + gain[slot] - mean, floor)
            gain[slot] = 0.0
        observed[label] = 0.0


@kernel
def decide(
    labels: LongArray, view: View, rate: float, regret: FloatArray, policy: FloatArray
) -> None:
    """Let the learners at some labels choose, `policy` [S] in place.

    In proportion to exp(rate · regret), or at rate 0 to positive regret.
    """
    for label in labels:
        first, end = view.first_slot[label], view.first_slot[label + 1]
        if rate > 0.0:
            hedge(first, end, rate, regret, policy)
        else:
            match_regrets(first, end, regret, policy)
