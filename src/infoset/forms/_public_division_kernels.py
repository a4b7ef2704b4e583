"""Kernels for the parts of a divided public form; loops run over all hands of a public decision.

All hands at a public decision have the same actions, and the entries of an action are consecutive,
so that loops over hands are vectorized.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.forms._public_payoff_kernels import PublicPayoffs, add_batches
from infoset.typing import FloatArray, IntArray, LongArray, ShortArray
from infoset.utils.compilation import bare_kernel, inner_kernel, nested_kernel


class Parts(NamedTuple):
    """Places of one player's sequences and infostates in P parts; part 0 is the top.

    A kernel treats a part as a small treeplex: first copies of the rows of the top that the part
    continues, hand by hand, and then its own sequences, in the order of the layout.
    """

    position: LongArray
    infostate: LongArray
    """[P + 1] the first own sequence and infostate of each part, in the order of the layout."""
    above: LongArray
    """[P] the number of copies, and so the place of the first own sequence."""
    first_row: LongArray
    """[P + 1] the rows of the top that each part continues."""
    row_position: LongArray
    row_size: LongArray
    """[rows] position of the first sequence, and number of sequences."""
    first_copy: LongArray
    """[P + 1] the first copy of each part among those of all parts."""
    first_run: LongArray
    """[P + 1] the public decisions of each part, parents first."""
    place: IntArray
    stride: IntArray
    actions: IntArray
    size: IntArray
    """[R] place of the first action of the first class of hands, the distance to the next action,
    and the numbers of actions and of classes."""
    first_infostate: IntArray
    """[R] the infostate of the first class, relative to the first infostate of the part."""
    parent: IntArray
    """[R] place of the parent sequence of the first class."""
    parent_step: IntArray
    """[R] distance between classes there; 0 for the empty sequence."""
    parent_row: IntArray
    """[R] the row of `class_above` with the class at the parent sequence of each class; -1 if they
    are the same."""
    class_above: IntArray
    row: IntArray
    row_stride: IntArray
    """[R] the first action among the rows of `RowNumbers`, and the distance to the next action."""


class RowNumbers(NamedTuple):
    """One player's numbers in the order of the layout, in floating point or in 16 bits.

    A row is an action at a public decision: one number for each class of hands. Row 0 is the empty
    sequence; rows are in the order of positions. A number x in 16 bits stands for x · |x| times the
    scale of its row, so that numbers far below the largest one of a row are precise, too.
    """

    number: FloatArray
    """[Q] floating-point numbers; empty if numbers have 16 bits."""
    packed: ShortArray
    """[Q] numbers in 16 bits; empty otherwise."""
    scale: FloatArray
    """[rows] in single precision; empty for floating-point numbers."""


class RowWorkspace(NamedTuple):
    """Arrays for the hands of one public decision; `weights` also by action."""

    total: FloatArray
    value: FloatArray
    reach: FloatArray
    weights: FloatArray
    row: FloatArray
    dither: FloatArray
    """Multiples of the golden ratio modulo 1: numbers evenly distributed between 0 and 1."""


@nested_kernel
def copy_rows(parts: Parts, part: int, top: FloatArray, plan: FloatArray) -> None:
    """Copy the plan of the top into the first places of a part."""
    place = 0
    for row in range(parts.first_row[part], parts.first_row[part + 1]):
        first, size = parts.row_position[row], parts.row_size[row]
        source, target = top[first : first + size], plan[place : place + size]
        for hand in range(size):
            target[hand] = source[hand]
        place += size


@inner_kernel
def read_reach_of_run(parts: Parts, run: int, plan: FloatArray, reach: FloatArray) -> None:
    """Fill `reach` with the plan at the parent sequences of a public decision, hand by hand."""
    first, count, row = parts.parent[run], parts.size[run], parts.parent_row[run]
    if row < 0 and parts.parent_step[run] == 1:
        source, found = plan[first : first + count], reach[:count]
        for own in range(count):
            found[own] = source[own]
        return
    for own in range(count):
        step = own if row < 0 else parts.class_above[row, own]
        reach[own] = plan[first + step * parts.parent_step[run]]


@inner_kernel
def add_to_parents(parts: Parts, run: int, value: FloatArray, gradient: FloatArray) -> None:
    """Add the values of a public decision to the gradient at its parent sequences."""
    first, count, row = parts.parent[run], parts.size[run], parts.parent_row[run]
    if row < 0 and parts.parent_step[run] == 1:
        target = gradient[first : first + count]
        for own in range(count):
            target[own] += value[own]
        return
    for own in range(count):
        step = own if row < 0 else parts.class_above[row, own]
        gradient[first + step * parts.parent_step[run]] += value[own]


@inner_kernel
def unpack_row(rows: RowNumbers, row: int, at: int, found: FloatArray) -> None:
    """Unpack the numbers of a row into `found`; at: the position of the first one."""
    kind = found.dtype.type
    packed, scale = rows.packed[at : at + len(found)], kind(rows.scale[row])
    for hand in range(len(found)):
        found[hand] = kind(packed[hand]) * abs(kind(packed[hand])) * scale


@inner_kernel
def first_number(rows: RowNumbers) -> float:
    """Return the number of the empty sequence in double precision; if packed, it is the scale."""
    return np.float64(rows.scale[0] if len(rows.scale) else rows.number[0])


@nested_kernel
def realize_part(
    parts: Parts,
    part: int,
    weights: RowNumbers,
    are_policy: bool,
    plan: FloatArray,
    work: RowWorkspace,
) -> None:
    """Compute the plan of a part from weights of its own sequences; its copies must be filled.

    weights, in any precision, are divided by the weight of the empty sequence, and then normalized
    as by `Layout.normalize`. are_policy: True for a behavior policy, which is not normalized.
    """
    # In double precision, as `averaged` divides.
    divisor = first_number(weights)
    own = parts.position[part] - parts.above[part]
    for run in range(parts.first_run[part], parts.first_run[part + 1]):
        place, stride, count = parts.place[run], parts.stride[run], parts.size[run]
        actions = parts.actions[run]
        reach, total = work.reach[:count], work.total[:count]
        read_reach_of_run(parts, run, plan, reach)
        total[:] = 0.0
        for action in range(actions):
            at = place + action * stride
            found = plan[at : at + count]
            if len(weights.scale):
                row = parts.row[run] + action * parts.row_stride[run]
                unpack_row(weights, row, own + at, found)
            else:
                weight = weights.number[own + at : own + at + count]
                for hand in range(count):
                    found[hand] = weight[hand]
            for hand in range(count):
                found[hand] /= divisor
                total[hand] += found[hand]
        if are_policy:
            total[:] = 1.0
        for action in range(actions):
            at = place + action * stride
            found = plan[at : at + count]
            for hand in range(count):
                share = found[hand] / total[hand] if total[hand] > 0.0 else 1.0 / actions
                found[hand] = share * reach[hand]


@nested_kernel
def best_values_of_part(
    parts: Parts, part: int, gradient: FloatArray, best: FloatArray, work: RowWorkspace
) -> None:
    """Add the values of infostates under best play to those of parent sequences, bottom up.

    best: [R] filled with the largest values of public decisions, unless it is empty.
    """
    for run in range(parts.first_run[part + 1] - 1, parts.first_run[part] - 1, -1):
        place, stride, count = parts.place[run], parts.stride[run], parts.size[run]
        value, first = work.value[:count], gradient[place : place + count]
        for hand in range(count):
            value[hand] = first[hand]
        for action in range(1, parts.actions[run]):
            at = place + action * stride
            own = gradient[at : at + count]
            for hand in range(count):
                value[hand] = max(value[hand], own[hand])
        if len(best):
            best[run] = value[0]
            for hand in range(1, count):
                best[run] = max(best[run], value[hand])
        add_to_parents(parts, run, value, gradient)


@inner_kernel
def inner_product(one: FloatArray, other: FloatArray, size: int, sums: FloatArray) -> float:
    """Return the sum of the products of the first `size` entries; sums: workspace."""
    sums[:] = 0.0
    # One partial sum per hand of a row, so that the additions are vectorized.
    for begin in range(0, size, len(sums)):
        width = min(len(sums), size - begin)
        left, right = one[begin : begin + width], other[begin : begin + width]
        for place in range(width):
            sums[place] += left[place] * right[place]
    total = 0.0
    for place in range(len(sums)):
        total += sums[place]
    return total


@nested_kernel
def fill_part_gradient(
    parts: Parts,
    part: int,
    payoffs: PublicPayoffs,
    first_batch: LongArray,
    plan: FloatArray,
    gradient: FloatArray,
) -> int:
    """Fill the gradient of a player in a part, given the opponent's plan; return its size."""
    size = int(parts.above[part] + parts.position[part + 1] - parts.position[part])
    gradient[:size] = 0.0
    add_batches(payoffs, first_batch[part], first_batch[part + 1], plan, gradient)
    return size


@nested_kernel
def keep_copies(
    parts: Parts, part: int, wave: int, gradient: FloatArray, copies: FloatArray
) -> None:
    """Store the gradient at the copies of a part; wave: the first part of the wave."""
    begin, size = parts.first_copy[part] - parts.first_copy[wave], parts.above[part]
    source, target = gradient[:size], copies[begin : begin + size]
    for place in range(size):
        target[place] = source[place]


@nested_kernel
def add_copies(
    first: int, last: int, parts: Parts, copies: FloatArray, gradient: FloatArray
) -> None:
    """Add the gradients at the copies of some parts, in order, to the gradient of the top."""
    place = 0
    for row in range(parts.first_row[first], parts.first_row[last]):
        begin, size = parts.row_position[row], parts.row_size[row]
        source, target = copies[place : place + size], gradient[begin : begin + size]
        for hand in range(size):
            target[hand] += source[hand]
        place += size


@bare_kernel
def measure_parts(
    first: int,
    last: int,
    parts: tuple[Parts, Parts],
    payoffs: tuple[PublicPayoffs, PublicPayoffs],
    first_batch: tuple[LongArray, LongArray],
    weights: tuple[RowNumbers, RowNumbers],
    are_policies: bool,
    tops: tuple[FloatArray, FloatArray],
    top_gradients: tuple[FloatArray, FloatArray],
    plans: tuple[FloatArray, FloatArray],
    gradient: FloatArray,
    work: RowWorkspace,
    values: FloatArray,
    best: tuple[FloatArray, FloatArray],
) -> None:
    """Fill values [P, 2] with the players' values in some parts; add best responses to the top.

    weights, are_policies: see `realize_part`. tops, top_gradients: plans and gradients of the
    top. best [R]: see `best_values_of_part`. The other arrays are overwritten.
    """
    for part in range(first, last):
        for player in range(2):
            own = parts[player]
            copy_rows(own, part, tops[player], plans[player])
            realize_part(own, part, weights[player], are_policies, plans[player], work)
        for player in range(2):
            own, terms, batches = parts[player], payoffs[player], first_batch[player]
            size = fill_part_gradient(own, part, terms, batches, plans[1 - player], gradient)
            values[part, player] = inner_product(gradient, plans[player], size, work.total)
            best_values_of_part(own, part, gradient, best[player], work)
            add_copies(part, part + 1, own, gradient, top_gradients[player])
