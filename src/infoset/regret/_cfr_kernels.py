"""Kernels of the CFR family: each player's treeplex is swept bottom up, then top down.

They run over the action-major layout of `layout.py`, where the sequences of a group of infostates
(same depth, same number of actions) are stored action by action: action a of the group's i-th
infostate is at `base + a * stride + i`. Neighboring infostates are therefore contiguous for each
action, and eight of them at a time are the lanes of one vector (see `infoset.utils.simd`).

An iteration has three stages per player. `fill_gradient` computes the gradient of utility with
respect to the player's plan. `update_regrets` computes counterfactual values, regrets and the next
policy, bottom up. `realize_and_average` computes the plan and the average plan, top down.
"""

from __future__ import annotations

from typing import TypeAlias

from infoset.forms import PlayerPayoffs, fill_gradient
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import bare_kernel, inner_kernel, nested_kernel
from infoset.utils.simd import (
    LANES,
    Lanes,
    add_at,
    filled,
    load,
    maximum,
    square_root,
    store,
    take,
    where_positive,
)

# Columns of a row of the schedule, as `RegretScheme.schedule` fills them.
REGRET_WEIGHT = 0
POSITIVE_DISCOUNT = 1
NEGATIVE_DISCOUNT = 2
REGRET_FLOOR = 3
PREDICTION_DISCOUNT = 4
PREDICTION_WEIGHT = 5
AVERAGE_RETENTION = 6
AVERAGE_WEIGHT = 7
TOLERANCE_WEIGHT = 8
NUM_COLUMNS = 9

TINY_SUM = 2.0**-126
"""Sums up to this, the smallest normal float32, are scaled before they are inverted."""
SCALE_OF_TINY_SUMS = 2.0**64
"""It makes every subnormal float32 or float64 a normal number, of which the inverse is finite."""

Step: TypeAlias = tuple[float, float, float, float, float, float]
"""The first six numbers of a row of the schedule."""


@inner_kernel
def value_of_policy(
    first: int, stride: int, actions: int, count: int, policy: FloatArray, gradient: FloatArray
) -> Lanes:
    """Return the counterfactual values of `count` infostates, whose first action is at `first`."""
    # v(I) = Σ_a σ(I, a) q(I, a), for all lanes at the same time
    value = filled(gradient, 0.0)
    for action in range(actions):
        at = first + action * stride
        value += load(policy, at, count) * load(gradient, at, count)
    return value


@inner_kernel
def regrets_to_match(regret: Lanes, discount: float, tolerance: Lanes) -> Lanes:
    """Return the positive parts of discounted cumulative regrets; 0 up to the tolerance."""
    wanted = discount * regret
    return where_positive(wanted - tolerance, wanted, 0.0)


@inner_kernel
def scaled_inverse(total: Lanes) -> tuple[Lanes, Lanes]:
    """Return a scale for the entries of sums, and the inverses of the scaled sums.

    The inverse of a subnormal sum would overflow, and its product with a zero entry would be NaN.
    Tiny sums and their entries are therefore scaled first, by a power of two, which leaves the
    quotient unchanged bit for bit. If a sum is 0, the inverse is infinite, and callers choose the
    uniform policy.
    """
    scale = where_positive(total - TINY_SUM, 1.0, SCALE_OF_TINY_SUMS)
    return scale, 1.0 / (total * scale)


@inner_kernel
def value_of_matched_regrets(
    first: int,
    stride: int,
    actions: int,
    count: int,
    discount: float,
    tolerance: Lanes,
    regret: FloatArray,
    gradient: FloatArray,
) -> Lanes:
    """Return `value_of_policy` for the policy that matches the regrets without a prediction.

    discount, tolerance: the values with which the policy was computed. The result equals that of
    the policy stored by `match_regrets_in_lanes` bit for bit.
    """
    if actions == 2:
        # Half of all decisions. Reading their regrets only once makes iterations 10% faster.
        one = regrets_to_match(load(regret, first, count), discount, tolerance)
        two = regrets_to_match(load(regret, first + stride, count), discount, tolerance)
        both = one + two
        factor, whole = scaled_inverse(both)
        zero = filled(gradient, 0.0)
        sigma_one = where_positive(both, one * factor * whole, 0.5)
        sigma_two = where_positive(both, two * factor * whole, 0.5)
        value_one = zero + sigma_one * load(gradient, first, count)
        return value_one + sigma_two * load(gradient, first + stride, count)
    total = filled(regret, 0.0)
    for action in range(actions):
        before = load(regret, first + action * stride, count)
        total += regrets_to_match(before, discount, tolerance)
    scale, inverse = scaled_inverse(total)
    value = filled(gradient, 0.0)
    for action in range(actions):
        at = first + action * stride
        entry = regrets_to_match(load(regret, at, count), discount, tolerance) * scale
        sigma = where_positive(total, entry * inverse, 1.0 / actions)
        value += sigma * load(gradient, at, count)
    return value


@inner_kernel
def adapt_prediction(
    step: Step,
    limit: float,
    first: int,
    stride: int,
    actions: int,
    infostate: int,
    count: int,
    value: Lanes,
    gradient: FloatArray,
    regret: FloatArray,
    previous: FloatArray,
    changes: FloatArray,
) -> Lanes:
    """Return the weight of the prediction at `count` infostates, and update its two sums.

    The weight is 1 / (1 + α), where α is the square root of a ratio of two sums over the iterations
    so far. The numerator sums squared changes of the instantaneous regret, the denominator squared
    changes of the cumulative regret. α is at most `limit`, which also replaces 0/0 (Meng et al.
    2026, eq. 3). previous [Q]: the last instantaneous regrets; changes [2, I]: the two sums; both
    are modified in place. The other arguments are as in `value_of_policy` and `update_regrets`.
    """
    instant_changes = load(changes[0], infostate, count)
    regret_changes = load(changes[1], infostate, count)
    for action in range(actions):
        at = first + action * stride
        instant = step[REGRET_WEIGHT] * (load(gradient, at, count) - value)
        before = load(regret, at, count)
        # The next cumulative regret is only computed here; `match_regrets_in_lanes` stores it.
        keep = where_positive(before, step[POSITIVE_DISCOUNT], step[NEGATIVE_DISCOUNT])
        moved = maximum(before * keep + instant, step[REGRET_FLOOR]) - before
        # numerator: ‖r_t − r_{t−1}‖²; denominator: ‖R_t − R_{t−1}‖²
        change = instant - load(previous, at, count)
        instant_changes += change * change
        regret_changes += moved * moved
        store(previous, at, count, instant)
    store(changes[0], infostate, count, instant_changes)
    store(changes[1], infostate, count, regret_changes)
    # `limit` squared where no regret has changed yet: the root below makes it `limit`.
    ratio = where_positive(regret_changes, instant_changes / regret_changes, limit * limit)
    # unused lanes contain 0/0, which is a NaN
    root = square_root(ratio)
    # min(root, limit), written so that a NaN of an unused lane cannot be chosen
    return 1.0 / (1.0 + where_positive(limit - root, root, limit))


@inner_kernel
def divide_by_sums(
    first: int, stride: int, actions: int, count: int, total: Lanes, policy: FloatArray
) -> None:
    """Divide the entries of `count` infostates by their sums, in place; uniform if a sum is 0.

    total: the sum at each infostate. The other arguments are as in `value_of_policy`.
    """
    # One division for all actions.
    scale, inverse = scaled_inverse(total)
    for action in range(actions):
        at = first + action * stride
        entry = load(policy, at, count) * scale
        store(policy, at, count, where_positive(total, entry * inverse, 1.0 / actions))


@nested_kernel
def match_regrets(
    groups: IndexArray,
    row: FloatArray,
    regret: FloatArray,
    tolerance: FloatArray,
    policy: FloatArray,
) -> None:
    """Fill the policy [Q] that matches regrets [Q] without a prediction; they may be one array.

    row: the row of the iteration that updated the regrets. The result equals the policy stored by
    `update_regrets` bit for bit.
    """
    discount, weight = row[PREDICTION_DISCOUNT], row[TOLERANCE_WEIGHT]
    policy[0] = 1.0
    for group in range(len(groups)):
        base, stride, actions, infostate, size = groups[group]
        for begin in range(0, size, LANES):
            first, count = base + begin, min(LANES, size - begin)
            limit = weight * load(tolerance, infostate + begin, count)
            total = filled(policy, 0.0)
            for action in range(actions):
                at = first + action * stride
                wanted = regrets_to_match(load(regret, at, count), discount, limit)
                store(policy, at, count, wanted)
                total += wanted
            divide_by_sums(first, stride, actions, count, total, policy)


@inner_kernel
def match_regrets_in_lanes(
    step: Step,
    first: int,
    stride: int,
    actions: int,
    count: int,
    value: Lanes,
    prediction: Lanes,
    tolerance: Lanes,
    gradient: FloatArray,
    regret: FloatArray,
    policy: FloatArray,
) -> None:
    """Update the regrets of `count` infostates, and set their policy by regret matching.

    value, prediction, tolerance: per infostate. The other arguments are as in `value_of_policy` and
    `update_regrets`.
    """
    # `gradient` only determines the type of the lanes: float32 or float64.
    total = filled(gradient, 0.0)
    for action in range(actions):
        at = first + action * stride
        # r ← t ** regret_exponent · (q − v)
        instant = step[REGRET_WEIGHT] * (load(gradient, at, count) - value)
        before = load(regret, at, count)
        # R ← max(discount · R + r, floor): one expression for CFR, CFR+, linear and discounted CFR
        keep = where_positive(before, step[POSITIVE_DISCOUNT], step[NEGATIVE_DISCOUNT])
        after = maximum(before * keep + instant, step[REGRET_FLOOR])
        # z ← max(next discount · R + prediction · r, 0): the predicted next regret. Up to the
        # tolerance it counts as 0, because it may be the rounding error of a tie.
        wanted = step[PREDICTION_DISCOUNT] * after + prediction * instant
        predicted = where_positive(wanted - tolerance, wanted, 0.0)
        # The policy's place holds z until the sum of all actions is known. z itself is not needed
        # later: the next iteration computes it from R and its own r.
        store(regret, at, count, after)
        store(policy, at, count, predicted)
        total += predicted
    # regret matching (Zinkevich et al. 2007, eq. 8)
    divide_by_sums(first, stride, actions, count, total, policy)


@nested_kernel
def update_regrets(
    groups: IndexArray,
    parent: IndexArray,
    row: FloatArray,
    limit: float,
    gradient: FloatArray,
    regret: FloatArray,
    policy: FloatArray,
    tolerance: FloatArray,
    previous: FloatArray,
    changes: FloatArray,
    before: FloatArray | None = None,
) -> None:
    """Sweep one player's treeplex bottom up: values, regrets, and the next policy, in place.

    groups [G, 5]: groups of a layout or parts of groups (see `Layout`), parents first; parent [I]:
    position of the parent sequence; row: one row of the schedule; limit: limit of the adaptive
    prediction, negative if there is none; gradient [Q]: becomes the counterfactual value of each
    sequence; regret, policy [Q]; tolerance [I]: regrets up to it, times its weight in the row,
    count as 0, see `regret_tolerances`; previous, changes: see `adapt_prediction`, empty without
    adaptive prediction. Infostates with one action only pass their value up. before: None if
    `policy` is the current policy; otherwise the row of the previous iteration, which determines
    the current policy from the regrets. Then `policy` is only written to, and may be the gradient.
    """
    # Read once, because the compiler must assume that the stores below may change the row.
    step = (row[0], row[1], row[2], row[3], row[4], row[5])
    tolerance_weight = row[TOLERANCE_WEIGHT]
    # The compiler removes the branches that do not apply.
    last_discount, last_weight = 0.0, 0.0
    if before is not None:
        last_discount, last_weight = before[PREDICTION_DISCOUNT], before[TOLERANCE_WEIGHT]
    # Deepest groups first: the values below a sequence are complete before they are used.
    for group in range(len(groups) - 1, -1, -1):
        base, stride, actions, infostate, size = groups[group]
        # The last step of a group may fill fewer than LANES lanes: `count` masks the others.
        for begin in range(0, size, LANES):
            first, place, count = base + begin, infostate + begin, min(LANES, size - begin)
            # `gradient` is q here: the deeper groups have added v(J) at the parent sequences of J.
            if before is None:
                value = value_of_policy(first, stride, actions, count, policy, gradient)
            else:
                limits = last_weight * load(tolerance, place, count)
                value = value_of_matched_regrets(
                    first, stride, actions, count, last_discount, limits, regret, gradient
                )
            # Several infostates may share a parent sequence: their values are added in order.
            add_at(gradient, parent, place, count, value)
            # Forced moves have no regret.
            if actions == 1:
                if before is not None:
                    store(policy, first, count, filled(policy, 1.0))
                continue
            # Without α, the weight is the same at all infostates: 0 in CFR+, 1 in PCFR+, 1/3 in
            # SAPCFR+.
            prediction = filled(gradient, step[PREDICTION_WEIGHT])
            if limit >= 0.0:
                prediction = adapt_prediction(
                    step,
                    limit,
                    first,
                    stride,
                    actions,
                    place,
                    count,
                    value,
                    gradient,
                    regret,
                    previous,
                    changes,
                )
            match_regrets_in_lanes(
                step,
                first,
                stride,
                actions,
                count,
                value,
                prediction,
                tolerance_weight * load(tolerance, place, count),
                gradient,
                regret,
                policy,
            )


@nested_kernel
def respond(
    decisions: IndexArray, gradient: FloatArray, tolerance: FloatArray, policy: FloatArray
) -> None:
    """Set the policy at some infostates to a best response, in place: the first best action.

    decisions [K, 4]: position of the first action, stride from one action to the next, number of
    actions, and infostate; they are the player's last ones, so that the gradient [Q] at them is
    their counterfactual values. Values within the tolerance [I] of the best one are equal to it,
    because they may differ by rounding.
    """
    for number in range(len(decisions)):
        first, stride, actions, infostate = decisions[number]
        best = gradient[first]
        for action in range(1, actions):
            best = max(best, gradient[first + action * stride])
        limit = best - tolerance[infostate]
        is_chosen = False
        for action in range(actions):
            at = first + action * stride
            is_first = not is_chosen and gradient[at] >= limit
            policy[at] = 1.0 if is_first else 0.0
            is_chosen = is_chosen or is_first


@nested_kernel
def realize_below(
    row: FloatArray,
    averages_next: bool,
    groups: IndexArray,
    parent: IndexArray,
    policy: FloatArray,
    plan: FloatArray,
    average: FloatArray,
) -> None:
    """Update plan and average as `realize_and_average` does, except for the empty sequence.

    The groups may be parts of groups (see `Layout`) whose parents have been updated.
    """
    # As in `update_regrets`, the row is read once, before the stores.
    retention = row[AVERAGE_RETENTION]
    weight = row[AVERAGE_WEIGHT]
    for group in range(len(groups)):
        base, stride, actions, infostate, size = groups[group]
        for begin in range(0, size, LANES):
            count = min(LANES, size - begin)
            reach = take(plan, parent, infostate + begin, count)
            for action in range(actions):
                at = base + begin + action * stride
                # the old plan is averaged just before it is overwritten
                averaged = load(plan, at, count)
                made = load(policy, at, count) * reach
                # Either plan may be averaged; the choice matters only for uniform averages.
                if averages_next:
                    averaged = made
                # A ← retention · A + weight · x; normalization is left to `Layout.average_plan`
                store(plan, at, count, made)
                store(average, at, count, retention * load(average, at, count) + weight * averaged)


@nested_kernel
def realize_and_average(
    row: FloatArray,
    averages_next: bool,
    groups: IndexArray,
    parent: IndexArray,
    policy: FloatArray,
    plan: FloatArray,
    average: FloatArray,
) -> None:
    """Fill the plan as `realize_policy` does, and add a plan to the average [Q] in the same sweep.

    The average is multiplied by the row's retention, and the plan by the row's weight. The added
    plan is the new one if `averages_next`, otherwise the one before the sweep. The average is not
    normalized: the entry of the empty sequence is the sum of weights.
    """
    plan[0] = 1.0
    average[0] = row[AVERAGE_RETENTION] * average[0] + row[AVERAGE_WEIGHT]
    realize_below(row, averages_next, groups, parent, policy, plan, average)


@bare_kernel
def iterate(
    schedule: FloatArray,
    done: LongArray,
    alternating: bool,
    averages_next: bool,
    limit: float,
    groups: tuple[IndexArray, ...],
    parents: tuple[IndexArray, ...],
    payoffs: tuple[PlayerPayoffs, ...],
    gradients: tuple[FloatArray, ...],
    regrets: tuple[FloatArray, ...],
    policies: tuple[FloatArray, ...],
    plans: tuple[FloatArray, ...],
    averages: tuple[FloatArray, ...],
    tolerances: tuple[FloatArray, ...],
    previous: tuple[FloatArray, ...],
    changes: tuple[FloatArray, ...],
    responding: tuple[IndexArray, ...],
    before: FloatArray | None,
) -> None:
    """Run the iterations of `schedule` [T, 9], updating all state in place; count them in done[0].

    Per player: groups, parents, payoffs (see `fill_gradient`), tolerances, previous, changes (see
    `update_regrets`, also for limit), gradients, regrets, policies, plans and averages [Q]. If
    `alternating`, each player responds to the plans that earlier players have just computed;
    otherwise all respond to the plans of the previous iteration. For averages_next see
    `realize_and_average`. responding: per player, the decisions of `respond`, at which the policy
    is a best response to the plans of the others in the gradient. before: the row before the first
    one, or None if policies are stored; see `update_regrets`.
    """
    num_players = len(groups)
    # Row t: gradients at the plans x^t, then regrets R_t, from which σ^(t+1) and x^(t+1) follow.
    for step in range(len(schedule)):
        row = schedule[step]
        if not alternating:
            # all gradients before any plan changes
            for player in range(num_players):
                fill_gradient(player, payoffs, plans, gradients[player])
        for player in range(num_players):
            if alternating:
                fill_gradient(player, payoffs, plans, gradients[player])
            # First, because the value of a best response is what counts above it.
            respond(responding[player], gradients[player], tolerances[player], policies[player])
            last = before
            if before is not None and step > 0:
                last = schedule[step - 1]
            update_regrets(
                groups[player],
                parents[player],
                row,
                limit,
                gradients[player],
                regrets[player],
                policies[player],
                tolerances[player],
                previous[player],
                changes[player],
                last,
            )
            # Again, because regret matching has replaced it.
            respond(responding[player], gradients[player], tolerances[player], policies[player])
            realize_and_average(
                row,
                averages_next,
                groups[player],
                parents[player],
                policies[player],
                plans[player],
                averages[player],
            )
        done[0] += 1  # here and not by the caller: an interrupted call leaves a consistent count
