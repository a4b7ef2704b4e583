"""Kernels of the CFR family on the parts of a divided public form.

Policies are computed from regrets, as in `match_regrets`, so that only regrets and averages are
stored. In a part, the opponent's plan is computed from its plan in the top and its regrets, and
averaged in the same pass. The player's gradient at the copies of its last sequences before the part
is stored, and later added to the gradient of the top.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.forms import (
    Parts,
    PublicPayoffs,
    RowNumbers,
    RowWorkspace,
    add_to_parents,
    copy_rows,
    fill_part_gradient,
    keep_copies,
    read_reach_of_run,
    unpack_row,
)
from infoset.regret._cfr_kernels import (
    AVERAGE_RETENTION,
    AVERAGE_WEIGHT,
    NEGATIVE_DISCOUNT,
    NUM_COLUMNS,
    POSITIVE_DISCOUNT,
    PREDICTION_DISCOUNT,
    PREDICTION_WEIGHT,
    REGRET_FLOOR,
    REGRET_WEIGHT,
    TOLERANCE_WEIGHT,
)
from infoset.typing import FloatArray, LongArray, ShortArray
from infoset.utils.compilation import bare_kernel, inner_kernel, nested_kernel
from infoset.utils.splitmix import uniform_at

ITERATION = NUM_COLUMNS
"""Column with the number of the iteration, after those of `RegretScheme.schedule`."""

MAX_REGRET, MAX_WEIGHT = 2**15 - 1, 2**16 - 1
"""Largest packed regret, and largest packed average or probability."""

SMALLEST = 1e-28
"""Rows without a larger number are packed as zeros: the inverses of their scales might not be
finite in single precision."""

PEAKS = 64
"""Number of maxima over parts of a row, which vector instructions compute together."""

NUM_ARRAYS = 3
REGRET, AVERAGE, POLICY = range(NUM_ARRAYS)
"""The packed arrays."""


class DividedState(NamedTuple):
    """The arrays of one player that iterations update; see `update_regrets`."""

    player: int
    regret: RowNumbers
    average: RowNumbers
    policy: RowNumbers
    """Empty if the policy follows from the regrets."""
    tolerance: FloatArray
    """[R] by public decision; 0 for packed regrets, whose rounding decides ties."""
    previous: FloatArray
    changes: FloatArray
    """Both are empty without an adaptive prediction."""


@inner_kernel
def row_of(parts: Parts, run: int, action: int) -> int:
    """Return the row of an action; see `RowNumbers`."""
    return int(parts.row[run] + action * parts.row_stride[run])


@inner_kernel
def read_row(
    rows: RowNumbers, row: int, at: int, stored: FloatArray, unpacked: FloatArray
) -> FloatArray:
    """Return the numbers of a row: `stored`, or `unpacked`, which is filled if they have 16 bits.

    at: position of the first number. stored: those from there on.
    """
    if len(rows.scale) == 0:
        return stored
    unpack_row(rows, row, at, unpacked)
    return unpacked


@inner_kernel
def has_numbers(rows: RowNumbers) -> bool:
    """Return whether the numbers are stored."""
    return len(rows.number) + len(rows.packed) > 0


@inner_kernel
def pack_row(
    values: FloatArray, packed: ShortArray, limit: int, shift: float, work: RowWorkspace
) -> float:
    """Pack the values of a row as numbers of at most `limit`, and return their scale.

    A value between two packed numbers is rounded to one of them at random, so that its expected
    value is unchanged; rounding to the nearest would lose all smaller changes. `total` of the
    workspace is overwritten.

    shift: a number drawn uniformly from [0, 1) for the row. Added to the dither modulo 1, it gives
    each hand a uniform number, and the rounding errors of a row nearly cancel.
    """
    count, kind = len(values), work.total.dtype.type
    peaks = work.total[: min(PEAKS, count)]
    peaks[:] = 0.0
    for begin in range(0, count, len(peaks)):
        some = values[begin : begin + len(peaks)]
        for place in range(len(some)):
            peaks[place] = max(peaks[place], abs(some[place]))
    largest = kind(0.0)
    for place in range(len(peaks)):
        largest = max(largest, peaks[place])
    if not largest > SMALLEST:
        packed[:] = 0
        return kind(0.0)
    one, two, top, shift = kind(1.0), kind(2.0), kind(limit), kind(shift)
    inverse = top * top / largest
    dither = work.dither[:count]
    for hand in range(count):
        value = values[hand] * inverse
        size = abs(value)
        below = np.floor(np.sqrt(size))
        up = dither[hand] + shift
        up = up - one if up >= one else up
        # The next number stands for 2 · below + 1 more.
        number = below + one if up * (two * below + one) < size - below * below else below
        number = min(number, top)
        packed[hand] = np.int32(-number if value < kind(0.0) else number)
    return largest / (top * top)


@inner_kernel
def random_shift(player: int, array: int, iteration: float, row: int) -> float:
    """Return the random number of a row of an array in an iteration; see `pack_row`."""
    key = np.uint64(iteration) << np.uint64(3) | np.uint64(NUM_ARRAYS * player + array)
    return uniform_at(key << np.uint64(32) | np.uint64(row))


@inner_kernel
def next_regret(
    regret: float, instant: float, positive: float, negative: float, floor: float
) -> float:
    """Return max(discount · R + r, floor), as in `match_regrets_in_lanes`."""
    return max(regret * (positive if regret > 0.0 else negative) + instant, floor)


@inner_kernel
def read_policy(
    parts: Parts,
    part: int,
    run: int,
    state: DividedState,
    made: FloatArray,
    work: RowWorkspace,
) -> None:
    """Fill `weights` of the workspace with the current policy at a public decision.

    made: the row of the schedule of the iteration in which the regrets were updated, in the
    precision of the state; see `match_regrets`.
    """
    count, width = parts.size[run], len(work.total)
    total = work.total[:count]
    is_stored = has_numbers(state.policy)
    discount = made[PREDICTION_DISCOUNT]
    tolerance = made[TOLERANCE_WEIGHT] * state.tolerance[run]
    own = parts.position[part] - parts.above[part] + parts.place[run]
    total[:] = 0.0
    for action in range(parts.actions[run]):
        at, row = own + action * parts.stride[run], row_of(parts, run, action)
        policy = work.weights[action * width : action * width + count]
        if is_stored:
            stored = read_row(
                state.policy, row, at, state.policy.number[at : at + count], work.row[:count]
            )
            for hand in range(count):
                policy[hand] = stored[hand]
                total[hand] += policy[hand]
            continue
        regret = read_row(
            state.regret, row, at, state.regret.number[at : at + count], work.row[:count]
        )
        for hand in range(count):
            wanted = discount * regret[hand]
            # A regret within the tolerance may be the rounding error of a tie.
            policy[hand] = wanted if wanted - tolerance > 0.0 else 0.0
            total[hand] += policy[hand]
    if not is_stored or len(state.policy.scale):
        divide_by_totals(parts, run, work)


@inner_kernel
def divide_by_totals(parts: Parts, run: int, work: RowWorkspace) -> None:
    """Divide the weights at a public decision by their sums; uniform where the sum is 0."""
    count, actions, width = parts.size[run], parts.actions[run], len(work.total)
    total, uniform = work.total[:count], work.total.dtype.type(1.0) / work.total.dtype.type(actions)
    for action in range(actions):
        weights = work.weights[action * width : action * width + count]
        for hand in range(count):
            weights[hand] = weights[hand] / total[hand] if total[hand] > 0.0 else uniform


@inner_kernel
def store_policy(
    parts: Parts,
    run: int,
    own: int,
    work: RowWorkspace,
    player: int,
    iteration: float,
    policy: RowNumbers,
) -> None:
    """Copy the weights at a public decision to a policy.

    own: position of place 0 of the part. player, iteration: see `random_shift`.
    """
    count, width = parts.size[run], len(work.total)
    for action in range(parts.actions[run]):
        at = own + parts.place[run] + action * parts.stride[run]
        weights = work.weights[action * width : action * width + count]
        if len(policy.scale):
            row, packed = row_of(parts, run, action), policy.packed[at : at + count]
            shift = random_shift(player, POLICY, iteration, row)
            policy.scale[row] = pack_row(weights, packed, MAX_WEIGHT, shift, work)
            continue
        found = policy.number[at : at + count]
        for hand in range(count):
            found[hand] = weights[hand]


@bare_kernel
def fill_policy(
    parts: Parts, state: DividedState, made: FloatArray, policy: RowNumbers, work: RowWorkspace
) -> None:
    """Compute the current policy of a player; made: see `read_policy`.

    The numbers of the policy may overwrite those of the regrets.
    """
    if len(policy.scale):
        policy.packed[0], policy.scale[0] = 1, 1.0
    else:
        policy.number[0] = 1.0
    for part in range(len(parts.above)):
        own = parts.position[part] - parts.above[part]
        for run in range(parts.first_run[part], parts.first_run[part + 1]):
            read_policy(parts, part, run, state, made, work)
            store_policy(parts, run, own, work, state.player, made[ITERATION], policy)


@nested_kernel
def average_part(
    parts: Parts,
    part: int,
    state: DividedState,
    averaged: FloatArray,
    plan: FloatArray,
    work: RowWorkspace,
) -> None:
    """Add the plan of a part to the average; averaged: see `enter_part`."""
    for run in range(parts.first_run[part], parts.first_run[part + 1]):
        for action in range(parts.actions[run]):
            average_row(parts, part, run, action, state, averaged, plan, work)


@inner_kernel
def average_row(
    parts: Parts,
    part: int,
    run: int,
    action: int,
    state: DividedState,
    averaged: FloatArray,
    plan: FloatArray,
    work: RowWorkspace,
) -> None:
    """Set A ← retention · A + weight · x for the hands of an action, as `realize_below` does."""
    retention, added = averaged[AVERAGE_RETENTION], averaged[AVERAGE_WEIGHT]
    is_packed = len(state.average.scale) > 0
    if is_packed and retention == 1.0 and added == 0.0:
        return  # An unchanged average is not rounded again.
    count, at = parts.size[run], parts.place[run] + action * parts.stride[run]
    own, row = parts.position[part] - parts.above[part] + at, row_of(parts, run, action)
    found = plan[at : at + count]
    average = read_row(
        state.average, row, own, state.average.number[own : own + count], work.row[:count]
    )
    for hand in range(count):
        average[hand] = retention * average[hand] + added * found[hand]
    if is_packed:
        shift = random_shift(state.player, AVERAGE, averaged[ITERATION], row)
        packed = state.average.packed[own : own + count]
        state.average.scale[row] = pack_row(average, packed, MAX_WEIGHT, shift, work)


@nested_kernel
def enter_part(
    parts: Parts,
    part: int,
    state: DividedState,
    made: FloatArray,
    averaged: FloatArray,
    plan: FloatArray,
    work: RowWorkspace,
) -> None:
    """Compute and average the current plan of a player in a part whose copies are filled.

    made: see `read_policy`. averaged: the row with the retention and the weight of the average.
    """
    for run in range(parts.first_run[part], parts.first_run[part + 1]):
        read_policy(parts, part, run, state, made, work)
        count, width = parts.size[run], len(work.total)
        reach = work.reach[:count]
        read_reach_of_run(parts, run, plan, reach)
        for action in range(parts.actions[run]):
            at = parts.place[run] + action * parts.stride[run]
            policy = work.weights[action * width : action * width + count]
            found = plan[at : at + count]
            for hand in range(count):
                found[hand] = policy[hand] * reach[hand]
            average_row(parts, part, run, action, state, averaged, plan, work)


@nested_kernel
def update_part(
    parts: Parts,
    part: int,
    state: DividedState,
    row: FloatArray,
    before: FloatArray,
    limit: float,
    gradient: FloatArray,
    work: RowWorkspace,
) -> None:
    """Update the regrets of a player in a part bottom up, given the gradient; see `update_regrets`.

    row, before: those of this iteration and of the one before, in the precision of the state.
    """
    # Read once, because the compiler must assume that the stores below may change the row.
    weight, floor = row[REGRET_WEIGHT], row[REGRET_FLOOR]
    positive, negative = row[POSITIVE_DISCOUNT], row[NEGATIVE_DISCOUNT]
    own = parts.position[part] - parts.above[part]
    for run in range(parts.first_run[part + 1] - 1, parts.first_run[part] - 1, -1):
        count, actions, width = parts.size[run], parts.actions[run], len(work.total)
        value = work.value[:count]
        read_policy(parts, part, run, state, before, work)
        value[:] = 0.0
        for action in range(actions):
            at = parts.place[run] + action * parts.stride[run]
            policy = work.weights[action * width : action * width + count]
            earned = gradient[at : at + count]
            for hand in range(count):
                value[hand] += policy[hand] * earned[hand]
        add_to_parents(parts, run, value, gradient)
        if actions == 1:
            continue  # Forced moves have no regret.
        if has_numbers(state.policy):
            predict(parts, part, run, state, row, limit, gradient, work)
        for action in range(actions):
            at, line = parts.place[run] + action * parts.stride[run], row_of(parts, run, action)
            earned, begin = gradient[at : at + count], own + at
            regret = read_row(
                state.regret,
                line,
                begin,
                state.regret.number[begin : begin + count],
                work.row[:count],
            )
            for hand in range(count):
                instant = weight * (earned[hand] - value[hand])
                regret[hand] = next_regret(regret[hand], instant, positive, negative, floor)
            if len(state.regret.scale):
                shift = random_shift(state.player, REGRET, row[ITERATION], line)
                packed = state.regret.packed[begin : begin + count]
                state.regret.scale[line] = pack_row(regret, packed, MAX_REGRET, shift, work)


@nested_kernel
def predict(
    parts: Parts,
    part: int,
    run: int,
    state: DividedState,
    row: FloatArray,
    limit: float,
    gradient: FloatArray,
    work: RowWorkspace,
) -> None:
    """Store the next policy at a public decision, before its regrets are updated.

    The values of the current policy are in the workspace. limit: limit of the adaptive prediction;
    negative means that the prediction is not adaptive. See `adapt_prediction`.
    """
    weight, floor = row[REGRET_WEIGHT], row[REGRET_FLOOR]
    positive, negative = row[POSITIVE_DISCOUNT], row[NEGATIVE_DISCOUNT]
    discount = row[PREDICTION_DISCOUNT]
    tolerance = row[TOLERANCE_WEIGHT] * state.tolerance[run]
    count, actions, width = parts.size[run], parts.actions[run], len(work.total)
    at = parts.infostate[part] + parts.first_infostate[run]
    own = parts.position[part] - parts.above[part]
    value, total, share = work.value[:count], work.total[:count], work.reach[:count]
    share[:] = row[PREDICTION_WEIGHT]
    if limit >= 0.0:
        instant_changes = state.changes[0, at : at + count]
        regret_changes = state.changes[1, at : at + count]
        for action in range(actions):
            place = parts.place[run] + action * parts.stride[run]
            earned = gradient[place : place + count]
            line, begin = row_of(parts, run, action), own + place
            regret = read_row(
                state.regret,
                line,
                begin,
                state.regret.number[begin : begin + count],
                work.row[:count],
            )
            previous = state.previous[begin : begin + count]
            for hand in range(count):
                instant = weight * (earned[hand] - value[hand])
                after = next_regret(regret[hand], instant, positive, negative, floor)
                moved = after - regret[hand]
                instant_changes[hand] += (instant - previous[hand]) ** 2
                regret_changes[hand] += moved * moved
                previous[hand] = instant
        for hand in range(count):
            ratio = limit
            if regret_changes[hand] > 0.0:
                ratio = min(np.sqrt(instant_changes[hand] / regret_changes[hand]), limit)
            share[hand] = 1.0 / (1.0 + ratio)
    total[:] = 0.0
    for action in range(actions):
        place = parts.place[run] + action * parts.stride[run]
        earned = gradient[place : place + count]
        line, begin = row_of(parts, run, action), own + place
        regret = read_row(
            state.regret, line, begin, state.regret.number[begin : begin + count], work.row[:count]
        )
        weights = work.weights[action * width : action * width + count]
        for hand in range(count):
            instant = weight * (earned[hand] - value[hand])
            after = next_regret(regret[hand], instant, positive, negative, floor)
            wanted = discount * after + share[hand] * instant
            kept = wanted - tolerance > 0.0
            weights[hand] = wanted if kept else 0.0
            total[hand] += weights[hand]
    divide_by_totals(parts, run, work)
    store_policy(parts, run, own, work, state.player, row[ITERATION], state.policy)


@bare_kernel
def update_parts(
    first: int,
    last: int,
    wave: int,
    players: tuple[int, int],
    entered: tuple[int, int],
    parts: tuple[Parts, Parts],
    states: tuple[DividedState, DividedState],
    payoffs: tuple[PublicPayoffs, PublicPayoffs],
    first_batch: tuple[LongArray, LongArray],
    row: FloatArray,
    before: FloatArray,
    limit: float,
    made: FloatArray,
    averaged: FloatArray,
    tops: tuple[FloatArray, FloatArray],
    copies: tuple[FloatArray, FloatArray],
    plans: tuple[FloatArray, FloatArray],
    gradients: tuple[FloatArray, FloatArray],
    work: RowWorkspace,
) -> None:
    """Update regrets in some parts, and compute and average plans there.

    players, entered: ranges of the players whose regrets are updated, and of those whose plans are
    computed, such as (0, 2) for both. row, before, limit: see `update_part`. made, averaged: see
    `enter_part`. tops: plans of the top. copies: gradients at the copies of the wave; see
    `keep_copies`. plans, gradients: workspaces.
    """
    for part in range(first, last):
        for player in range(entered[0], entered[1]):
            copy_rows(parts[player], part, tops[player], plans[player])
            enter_part(parts[player], part, states[player], made, averaged, plans[player], work)
        for player in range(players[0], players[1]):
            fill_part_gradient(
                parts[player],
                part,
                payoffs[player],
                first_batch[player],
                plans[1 - player],
                gradients[player],
            )
        for player in range(players[0], players[1]):
            own, gradient = parts[player], gradients[player]
            update_part(own, part, states[player], row, before, limit, gradient, work)
            keep_copies(own, part, wave, gradient, copies[player])
