"""The projector: from relaxed policies to what agents can do with what they really know."""

from __future__ import annotations

from infoset.teams.hiding._pass_kernels import View, clear
from infoset.typing import FloatArray, IndexArray
from infoset.utils.compilation import kernel


@kernel
def sum_by_label(label: IndexArray, weight: FloatArray, total: FloatArray) -> None:
    """Fill `total` [M] with the sum of the weights [N] of the nodes of each label."""
    clear(total)
    for node in range(len(label)):
        total[label[node]] += weight[node]


@kernel
def project_by_label(
    fine: View,
    coarse: View,
    known: IndexArray,
    count: FloatArray,
    mass: FloatArray,
    policy: FloatArray,
    total: FloatArray,
    shadow: FloatArray,
) -> None:
    """Fill the shadow, per slot of the coarse view, with the mean of a policy per slot of the fine.

    (P π)_κ(a) = Σ_{ι in κ} m_ι π_ι(a) / Σ_{ι in κ} m_ι, m_ι the weight of the nodes of ι

    Where all weights of κ are 0, its nodes count alike.

    known, count, mass : [M] the label κ that each fine label ι is in, its number of nodes
    and their weight.
    total : [K] room for the weight of each coarse label.
    """
    clear(total)
    for label in range(len(mass)):
        total[known[label]] += mass[label]
    for label in range(len(mass)):
        if not total[known[label]] > 0.0:
            mass[label] = count[label]
    sum_by_label(known, mass, total)
    clear(shadow)
    for label in range(len(mass)):
        above = known[label]
        share = mass[label] / total[above]
        first, to = fine.first_slot[label], coarse.first_slot[above]
        for action in range(fine.first_slot[label + 1] - first):
            shadow[to + action] += share * policy[first + action]


@kernel
def fill_distances(
    fine: View,
    coarse: View,
    known: IndexArray,
    policy: FloatArray,
    shadow: FloatArray,
    distance: FloatArray,
) -> None:
    """Fill `distance` [M] with ‖π_ι - π̂_κ‖², the square of what each label is off its shadow."""
    for label in range(len(distance)):
        first, to = fine.first_slot[label], coarse.first_slot[known[label]]
        total = 0.0
        for action in range(fine.first_slot[label + 1] - first):
            total += (policy[first + action] - shadow[to + action]) ** 2
        distance[label] = total
