"""Kernels for the layout of a public form, in which the infostates of a public decision are a run.

Runs are in the order of the treeplex. The infostates of run r have the positions `first[r] + a *
stride[r] + k`, where a is an action and k the class of the hand, and are the entries `place[r] + k`
of arrays [I] in the order of the groups. The sequences of a run follow those of the run before,
class by class.
"""

from __future__ import annotations

from infoset.typing import FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.compilation import linear_kernel


@linear_kernel
def fill_parents(
    begin: LongArray,
    count: LongArray,
    above: LongArray,
    step: LongArray,
    row: LongArray,
    class_above: IntArray,
    parent: IntArray | IndexArray,
) -> None:
    """Fill the parent of each infostate, parent [I], where those of run r begin at `begin[r]`.

    above: [R] the parent of the first class of hands; step: [R] the distance from one class to the
    next; row: [R] the row of `class_above` with the class of the parent of each class.
    """
    for run in range(len(begin)):
        for own in range(count[run]):
            parent[begin[run] + own] = above[run] + step[run] * class_above[row[run], own]


@linear_kernel
def move_values(
    first: LongArray,
    stride: LongArray,
    actions: LongArray,
    count: LongArray,
    values: FloatArray,
    moved: FloatArray,
    to_positions: bool,
) -> None:
    """Fill `moved` [Q] from `values` [Q], from order of sequence to order of position or back.

    to_positions: True from sequences to positions, False from positions to sequences.
    """
    moved[0] = values[0]
    at = 0
    for run in range(len(first)):
        for own in range(count[run]):
            for action in range(actions[run]):
                at += 1
                position = first[run] + action * stride[run] + own
                if to_positions:
                    moved[position] = values[at]
                else:
                    moved[at] = values[position]


@linear_kernel
def best_values_of_runs(
    first: LongArray,
    stride: LongArray,
    actions: LongArray,
    count: LongArray,
    place: LongArray,
    parent: IndexArray,
    gradient: FloatArray,
    best: FloatArray,
) -> None:
    """Fill the values [I] of infostates under best play, in the order of the groups.

    gradient [Q]: becomes the counterfactual value of each sequence. Values are added in the order
    of `best_response_sweep`, so that they are the same bit for bit.
    """
    for run in range(len(first) - 1, -1, -1):
        for own in range(count[run] - 1, -1, -1):
            at = first[run] + own
            value = gradient[at]
            for action in range(1, actions[run]):
                value = max(value, gradient[at + action * stride[run]])
            best[place[run] + own] = value
            gradient[parent[place[run] + own]] += value
