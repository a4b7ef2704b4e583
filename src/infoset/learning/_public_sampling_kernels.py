"""Kernels of Monte Carlo CFR on public forms: the average of the policies of all episodes.

Like those of the CFR family, they process eight infostates at a time in the action-major layout.
"""

from __future__ import annotations

from infoset.typing import FloatArray, IndexArray
from infoset.utils.compilation import linear_kernel
from infoset.utils.simd import LANES, load, store, take


@linear_kernel
def count_groups(
    groups: IndexArray,
    parent: IndexArray,
    policy: FloatArray,
    cumulative_plan: FloatArray,
    parent_counted: FloatArray,
) -> None:
    """Update the cumulative plan at some infostates from that of their parents, in place.

    groups [G, 5]: parts of groups (see `Layout`), parents first; parent [I]: position of the parent
    sequence; policy, cumulative_plan [Q]; parent_counted [I]: the cumulative plan of the parent
    sequence at the last update of an infostate. This is `count_infostate` for all hands together.
    """
    for group in range(len(groups)):
        base, stride, actions, infostate, size = groups[group]
        for begin in range(0, size, LANES):
            place, count = infostate + begin, min(LANES, size - begin)
            total = take(cumulative_plan, parent, place, count)
            # The policy has not changed since the last update, so one product suffices.
            gained = total - load(parent_counted, place, count)
            store(parent_counted, place, count, total)
            for action in range(actions):
                at = base + begin + action * stride
                counted = load(cumulative_plan, at, count) + gained * load(policy, at, count)
                store(cumulative_plan, at, count, counted)
