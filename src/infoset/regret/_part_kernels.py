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
    RowWorkspace,
    add_to_parents,
    copy_rows,
    fill_part_gradient,
    keep_copies,
    read_reach_of_run,
)
from infoset.regret._cfr_kernels import (
    AVERAGE_RETENTION,
    AVERAGE_WEIGHT,
    NEGATIVE_DISCOUNT,
    POSITIVE_DISCOUNT,
    PREDICTION_DISCOUNT,
    PREDICTION_WEIGHT,
    REGRET_FLOOR,
    REGRET_WEIGHT,
    TOLERANCE_WEIGHT,
)
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import bare_kernel, inner_kernel, nested_kernel


class DividedState(NamedTuple):
    """The arrays of one player that iterations update; see `update_regrets`."""

    regret: FloatArray
    average: FloatArray
    policy: FloatArray
    """Empty if the policy follows from the regrets."""
    tolerance: FloatArray
    previous: FloatArray
    changes: FloatArray
    """Both are empty without an adaptive prediction."""


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
    at = parts.infostate[part] + parts.first_infostate[run]
    tolerance, total = state.tolerance[at : at + count], work.total[:count]
    discount, weight = made[PREDICTION_DISCOUNT], made[TOLERANCE_WEIGHT]
    own = parts.position[part] - parts.above[part] + parts.place[run]
    total[:] = 0.0
    for action in range(parts.actions[run]):
        at = own + action * parts.stride[run]
        policy = work.weights[action * width : action * width + count]
        if len(state.policy):
            stored = state.policy[at : at + count]
            for hand in range(count):
                policy[hand] = stored[hand]
            continue
        regret = state.regret[at : at + count]
        for hand in range(count):
            wanted = discount * regret[hand]
            # A regret within the tolerance may be the rounding error of a tie.
            policy[hand] = wanted if wanted - weight * tolerance[hand] > 0.0 else 0.0
            total[hand] += policy[hand]
    if len(state.policy) == 0:
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
def store_policy(parts: Parts, run: int, own: int, work: RowWorkspace, policy: FloatArray) -> None:
    """Copy the weights at a public decision to a policy [Q].

    own: position of place 0 of the part.
    """
    count, width = parts.size[run], len(work.total)
    for action in range(parts.actions[run]):
        at = own + parts.place[run] + action * parts.stride[run]
        weights = work.weights[action * width : action * width + count]
        found = policy[at : at + count]
        for hand in range(count):
            found[hand] = weights[hand]


@bare_kernel
def fill_policy(
    parts: Parts, state: DividedState, made: FloatArray, policy: FloatArray, work: RowWorkspace
) -> None:
    """Compute the current policy [Q] of a player; made: see `read_policy`."""
    policy[0] = 1.0
    for part in range(len(parts.above)):
        own = parts.position[part] - parts.above[part]
        for run in range(parts.first_run[part], parts.first_run[part + 1]):
            read_policy(parts, part, run, state, made, work)
            store_policy(parts, run, own, work, policy)


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
    retention, added = averaged[AVERAGE_RETENTION], averaged[AVERAGE_WEIGHT]
    own = parts.position[part] - parts.above[part]
    for run in range(parts.first_run[part], parts.first_run[part + 1]):
        read_policy(parts, part, run, state, made, work)
        count, width = parts.size[run], len(work.total)
        reach = work.reach[:count]
        read_reach_of_run(parts, run, plan, reach)
        for action in range(parts.actions[run]):
            at = parts.place[run] + action * parts.stride[run]
            policy = work.weights[action * width : action * width + count]
            found, average = plan[at : at + count], state.average[own + at : own + at + count]
            for hand in range(count):
                found[hand] = policy[hand] * reach[hand]
                # A ← retention · A + weight · x, as in `realize_below`
                average[hand] = retention * average[hand] + added * found[hand]


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
        if len(state.policy):
            predict(parts, part, run, state, row, limit, gradient, work)
        for action in range(actions):
            at = parts.place[run] + action * parts.stride[run]
            earned, regret = gradient[at : at + count], state.regret[own + at : own + at + count]
            for hand in range(count):
                instant = weight * (earned[hand] - value[hand])
                regret[hand] = next_regret(regret[hand], instant, positive, negative, floor)


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
    discount, tolerance_weight = row[PREDICTION_DISCOUNT], row[TOLERANCE_WEIGHT]
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
            regret = state.regret[own + place : own + place + count]
            previous = state.previous[own + place : own + place + count]
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
    tolerance = state.tolerance[at : at + count]
    total[:] = 0.0
    for action in range(actions):
        place = parts.place[run] + action * parts.stride[run]
        earned = gradient[place : place + count]
        regret = state.regret[own + place : own + place + count]
        weights = work.weights[action * width : action * width + count]
        for hand in range(count):
            instant = weight * (earned[hand] - value[hand])
            after = next_regret(regret[hand], instant, positive, negative, floor)
            wanted = discount * after + share[hand] * instant
            kept = wanted - tolerance_weight * tolerance[hand] > 0.0
            weights[hand] = wanted if kept else 0.0
            total[hand] += weights[hand]
    divide_by_totals(parts, run, work)
    store_policy(parts, run, own, work, state.policy)


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
