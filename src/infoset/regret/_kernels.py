"""Kernels of regret minimisation on treeplexes, over the action-major layout of `layout.py`.

In a layout the sequences of a group of infostates (same depth, same number of actions) stand
action by action: action a of the group's i-th infostate is at `base + a * count + i`. So eight
infostates at a time are the lanes of vectors (see `infoset.lanes`), in every kernel here.
"""

from __future__ import annotations

from infoset.kernels import inner_kernel, kernel
from infoset.lanes import (
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
from infoset.regret.payoffs import PairPayoffs, fill_gradient
from infoset.typing import FloatArray, IndexArray, LongArray

REGRET_WEIGHT = 0
POSITIVE_DISCOUNT = 1
NEGATIVE_DISCOUNT = 2
REGRET_FLOOR = 3
PREDICTION_DISCOUNT = 4
PREDICTION_WEIGHT = 5
AVERAGE_KEPT = 6
AVERAGE_WEIGHT = 7


@inner_kernel
def adapt_prediction(
    row: FloatArray,
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
    """Return the weight of the prediction at `count` infostates, and keep what it is made of.

    The weight is 1 / (1 + α), α the root of the ratio of two sums over the iterations so far, of
    squared changes of the instantaneous regret and of the cumulative one, at most `limit`, which
    also stands for 0/0 (Meng et al. 2026, eq. 3). previous [Q] has the last instantaneous
    regrets, changes [2, I] the sums. The others are as in `update_group`.
    """
    of_instant = load(changes[0], infostate, count)
    of_regret = load(changes[1], infostate, count)
    for action in range(actions):
        at = first + action * stride
        instant = row[REGRET_WEIGHT] * (load(gradient, at, count) - value)
        before = load(regret, at, count)
        keep = where_positive(before, row[POSITIVE_DISCOUNT], row[NEGATIVE_DISCOUNT])
        moved = maximum(before * keep + instant, row[REGRET_FLOOR]) - before
        change = instant - load(previous, at, count)
        of_instant += change * change
        of_regret += moved * moved
        store(previous, at, count, instant)
    store(changes[0], infostate, count, of_instant)
    store(changes[1], infostate, count, of_regret)
    ratio = where_positive(of_regret, of_instant / of_regret, limit * limit)
    root = square_root(ratio)
    return 1.0 / (1.0 + where_positive(limit - root, root, limit))


@kernel
def update_group(
    base: int,
    stride: int,
    actions: int,
    infostate: int,
    size: int,
    parent: IndexArray,
    row: FloatArray,
    limit: float,
    gradient: FloatArray,
    regret: FloatArray,
    policy: FloatArray,
    previous: FloatArray,
    changes: FloatArray,
) -> None:
    """Do what `update_regrets` does for `size` infostates of a group, this one and those after it.

    base is the position of its first action. Of forced moves the value is passed up, no more.
    """
    weight = row[REGRET_WEIGHT]
    keep_positive = row[POSITIVE_DISCOUNT]
    keep_negative = row[NEGATIVE_DISCOUNT]
    floor = row[REGRET_FLOOR]
    keep_predicted = row[PREDICTION_DISCOUNT]
    for begin in range(0, size, LANES):
        count = min(LANES, size - begin)
        first = base + begin
        value = filled(gradient, 0.0)
        for action in range(actions):
            at = first + action * stride
            value += load(policy, at, count) * load(gradient, at, count)
        add_at(gradient, parent, infostate + begin, count, value)
        if actions == 1:
            continue
        prediction = filled(gradient, row[PREDICTION_WEIGHT])
        if limit >= 0.0:
            prediction = adapt_prediction(
                row,
                limit,
                first,
                stride,
                actions,
                infostate + begin,
                count,
                value,
                gradient,
                regret,
                previous,
                changes,
            )
        total = filled(gradient, 0.0)
        for action in range(actions):
            at = first + action * stride
            instant = weight * (load(gradient, at, count) - value)
            before = load(regret, at, count)
            kept = before * where_positive(before, keep_positive, keep_negative)
            after = maximum(kept + instant, floor)
            guess = maximum(keep_predicted * after + prediction * instant, 0.0)
            store(regret, at, count, after)
            store(policy, at, count, guess)
            total += guess
        share = 1.0 / total
        for action in range(actions):
            at = first + action * stride
            sigma = where_positive(total, load(policy, at, count) * share, 1.0 / actions)
            store(policy, at, count, sigma)


@kernel
def update_regrets(
    groups: IndexArray,
    parent: IndexArray,
    row: FloatArray,
    limit: float,
    gradient: FloatArray,
    regret: FloatArray,
    policy: FloatArray,
    previous: FloatArray,
    changes: FloatArray,
) -> None:
    """Sweep one player's treeplex bottom up: values, regrets, and the next policy, in place.

    groups [G, 4] (base, count, number of actions, first infostate), deeper groups last; parent
    [I] position of the parent sequence; row: one row of the schedule; limit: of the adaptive
    prediction, below zero for none; gradient [Q] becomes the counterfactual value of each
    sequence; regret, policy [Q]; previous, changes: see `adapt_prediction`, empty where there is
    none.
    """
    for group in range(len(groups) - 1, -1, -1):
        base, stride, actions, infostate = groups[group]
        update_group(
            base,
            stride,
            actions,
            infostate,
            stride,
            parent,
            row,
            limit,
            gradient,
            regret,
            policy,
            previous,
            changes,
        )


@kernel
def realize_policy(
    groups: IndexArray, parent: IndexArray, policy: FloatArray, plan: FloatArray
) -> None:
    """Sweep one player's treeplex top down: fill its realization plan [Q] in place."""
    plan[0] = 1.0
    for group in range(len(groups)):
        base, stride, actions, infostate = groups[group]
        for begin in range(0, stride, LANES):
            count = min(LANES, stride - begin)
            reach = take(plan, parent, infostate + begin, count)
            for action in range(actions):
                at = base + begin + action * stride
                store(plan, at, count, load(policy, at, count) * reach)


@inner_kernel
def realize_group(
    row: FloatArray,
    averages_next: bool,
    base: int,
    stride: int,
    actions: int,
    infostate: int,
    size: int,
    parent: IndexArray,
    policy: FloatArray,
    plan: FloatArray,
    average: FloatArray,
) -> None:
    """Do what `realize_and_average` does for infostates of a group: see `update_group`."""
    kept = row[AVERAGE_KEPT]
    weight = row[AVERAGE_WEIGHT]
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
    for group in range(len(groups)):
        base, stride, actions, infostate = groups[group]
        realize_group(
            row,
            averages_next,
            base,
            stride,
            actions,
            infostate,
            stride,
            parent,
            policy,
            plan,
            average,
        )


@kernel
def iterate(
    schedule: FloatArray,
    done: LongArray,
    alternating: bool,
    averages_next: bool,
    limit: float,
    groups: tuple[IndexArray, ...],
    parents: tuple[IndexArray, ...],
    pairs: tuple[PairPayoffs, ...],
    sequence: IndexArray,
    payoff: FloatArray,
    gradients: tuple[FloatArray, ...],
    regrets: tuple[FloatArray, ...],
    policies: tuple[FloatArray, ...],
    plans: tuple[FloatArray, ...],
    averages: tuple[FloatArray, ...],
    previous: tuple[FloatArray, ...],
    changes: tuple[FloatArray, ...],
) -> None:
    """Run the iterations of `schedule` [T, 8], all state in place; count them in done[0].

    Per player: groups, parents, previous, changes (see `update_regrets`, also for limit),
    gradients, regrets, policies, plans and averages [Q]. pairs, sequence and payoff: see
    `fill_gradient`. Alternating: each player answers the plans that earlier players have just
    made; otherwise all answer the plans of the iteration before. The average takes the plan that
    an iteration begins with or, where averages_next, the one it makes.
    """
    num_players = len(groups)
    for step in range(len(schedule)):
        row = schedule[step]
        if not alternating:
            for player in range(num_players):
                fill_gradient(player, pairs, sequence, payoff, plans, gradients[player])
        for player in range(num_players):
            if alternating:
                fill_gradient(player, pairs, sequence, payoff, plans, gradients[player])
            update_regrets(
                groups[player],
                parents[player],
                row,
                limit,
                gradients[player],
                regrets[player],
                policies[player],
                previous[player],
                changes[player],
            )
            realize_and_average(
                row,
                averages_next,
                groups[player],
                parents[player],
                policies[player],
                plans[player],
                averages[player],
            )
        done[0] += 1
