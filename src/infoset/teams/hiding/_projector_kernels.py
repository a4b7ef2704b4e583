"""The projector: from relaxed policies to what agents can do with what they really know."""

from __future__ import annotations

from infoset.teams.hiding._pass_kernels import View, clear
from infoset.typing import FloatArray, IndexArray
from infoset.utils.compilation import kernel


@kernel
def sum_by_cell(cell: IndexArray, weight: FloatArray, total: FloatArray) -> None:
    """Fill `total` [M] with the sum of the weights [N] of the nodes of each cell."""
    clear(total)
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
    """Fill the projection [C] with the weighted mean of a relaxed policy [S].

    (P π)_κ(a) = Σ_{ι in κ} m_ι π_ι(a) / Σ_{ι in κ} m_ι, m_ι the weight of the nodes of ι

    Where all weights of κ are 0, its nodes count alike.

    known, count, mass : [M] the cell κ that each fine cell ι is in, its number of nodes
    and their weight.
    total : [K] room for the weight of each coarse cell.
    """
    clear(total)
    for cell in range(len(mass)):
        total[known[cell]] += mass[cell]
    for cell in range(len(mass)):
        if not total[known[cell]] > 0.0:
            mass[cell] = count[cell]
    sum_by_cell(known, mass, total)
    clear(projected)
    for cell in range(len(mass)):
        above = known[cell]
        share = mass[cell] / total[above]
        first, to = fine.first_entry[cell], coarse.first_entry[above]
        for action in range(fine.first_entry[cell + 1] - first):
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
    """Fill `distance` [M] with ‖π_ι - π̂_κ‖², the square of what each cell is off its projection."""
    for cell in range(len(distance)):
        first, to = fine.first_entry[cell], coarse.first_entry[known[cell]]
        total = 0.0
        for action in range(fine.first_entry[cell + 1] - first):
            total += (policy[first + action] - projected[to + action]) ** 2
        distance[cell] = total
