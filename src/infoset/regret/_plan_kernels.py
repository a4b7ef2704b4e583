"""Kernels of one sweep down a treeplex: from a policy to its plan, and to the average of plans."""

from __future__ import annotations

from infoset.typing import FloatArray, IndexArray
from infoset.utils.compilation import kernel
from infoset.utils.simd import LANES, load, store, take

AVERAGE_KEPT = 6
AVERAGE_WEIGHT = 7


@kernel
def realize_policy(
    groups: IndexArray, parent: IndexArray, policy: FloatArray, plan: FloatArray
) -> None:
    """Sweep one player's treeplex top down: fill its realization plan [Q] in place."""
    plan[0] = 1.0
    for group in range(len(groups)):
        base, stride, actions, infostate, size = groups[group]
        for begin in range(0, size, LANES):
            count = min(LANES, size - begin)
            reach = take(plan, parent, infostate + begin, count)
            for action in range(actions):
                at = base + begin + action * stride
                store(plan, at, count, load(policy, at, count) * reach)


@kernel
def realize_below(
    row: FloatArray,
    averages_next: bool,
    groups: IndexArray,
    parent: IndexArray,
    policy: FloatArray,
    plan: FloatArray,
    average: FloatArray,
) -> None:
    """Do what `realize_and_average` does, but for the empty sequence.

    The groups may be parts of them (see `Layout`), below those that it was done for.
    """
    kept = row[AVERAGE_KEPT]
    weight = row[AVERAGE_WEIGHT]
    for group in range(len(groups)):
        base, stride, actions, infostate, size = groups[group]
        for begin in range(0, size, LANES):
            count = min(LANES, size - begin)
            reach = take(plan, parent, infostate + begin, count)
            for action in range(actions):
                at = base + begin + action * stride
                taken = load(plan, at, count)
                made = load(policy, at, count) * reach
                if averages_next:
                    taken = made
                store(plan, at, count, made)
                store(average, at, count, kept * load(average, at, count) + weight * taken)


@kernel
def realize_and_average(
    row: FloatArray,
    averages_next: bool,
    groups: IndexArray,
    parent: IndexArray,
    policy: FloatArray,
    plan: FloatArray,
    average: FloatArray,
) -> None:
    """Do what `realize_policy` does, and in the same sweep add a plan to the average [Q].

    Of the average a share is kept, and the plan has a weight: both are in the row. The plan is the
    one that was there or, where averages_next, the one that is made.
    """
    plan[0] = 1.0
    average[0] = row[AVERAGE_KEPT] * average[0] + row[AVERAGE_WEIGHT]
    realize_below(row, averages_next, groups, parent, policy, plan, average)
