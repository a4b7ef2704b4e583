"""Kernels of regret minimisation on treeplexes, over the action-major layout of `layout.py`.

In a layout the sequences of a group of infostates (equal depth, equal number n of actions) stand
action by action: action a of the group's i-th infostate is at `base + a * count + i`. The inner
loops run over i, which the compiler turns into vector instructions. Indices are unsigned: signed
ones cost a test for negative values at each access.
"""

from __future__ import annotations

import math

from infoset.kernels import kernel
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray

REGRET_WEIGHT = 0
POSITIVE_DISCOUNT = 1
NEGATIVE_DISCOUNT = 2
REGRET_FLOOR = 3
PREDICTION_DISCOUNT = 4
PREDICTION_WEIGHT = 5
AVERAGE_KEPT = 6
AVERAGE_WEIGHT = 7


@kernel
def pair_gradient(
    first: IndexArray,
    column: IndexArray,
    payoff: FloatArray,
    plan: FloatArray,
    gradient: FloatArray,
) -> None:
    """Fill `gradient` [Q] of one of two players in place: payoff times the opponent's plan.

    Rows are the opponent's sequences: first [Q_opponent + 1], column [M] own sequences, payoff
    [M]. Rows of zero plan, which regret matching makes many, are skipped: nothing is lost.
    """
    gradient[:] = 0.0
    for row in range(len(plan)):
        weight = plan[row]
        if weight != 0.0:
            for entry in range(first[row], first[row + 1]):
                gradient[column[entry]] += weight * payoff[entry]


@kernel
def terminal_gradient(
    player: int,
    sequence: IntArray | IndexArray,
    payoff: FloatArray,
    plans: tuple[FloatArray, ...],
    gradient: FloatArray,
) -> None:
    """Fill `gradient` [Q] of one of several players in place, from the terminal list.

    sequence [M, N], payoff [M, N], plans: per player [Q].
    """
    gradient[:] = 0.0
    for entry in range(len(sequence)):
        weight = payoff[entry, player]
        for other in range(len(plans)):
            if other != player:
                weight *= plans[other][sequence[entry, other]]
        gradient[sequence[entry, player]] += weight


@kernel
def adapt_prediction(
    row: FloatArray,
    limit: float,
    base: int,
    count: int,
    actions: int,
    gradient: FloatArray,
    value: FloatArray,
    regret: FloatArray,
    policy: FloatArray,
    total: FloatArray,
    previous: FloatArray,
    changes: FloatArray,
) -> None:
    """Update the regrets of one group with a prediction weight of its own per infostate.

    The weight is 1 / (1 + α), α the root of the ratio of two sums over the iterations so far, of
    squared changes of the instantaneous regret and of the cumulative one, at most `limit`, which
    also stands for 0/0 (Meng et al. 2026, eq. 3). previous [Q], and in changes [3, count] the two
    sums, are kept between iterations; the third row has the weights. The others are as in
    `update_regrets`.
    """
    weight = row[REGRET_WEIGHT]
    keep_positive = row[POSITIVE_DISCOUNT]
    keep_negative = row[NEGATIVE_DISCOUNT]
    floor = row[REGRET_FLOOR]
    keep_predicted = row[PREDICTION_DISCOUNT]
    of_instant, of_regret, theta = changes
    for action in range(actions):
        q = gradient[base + action * count : base + (action + 1) * count]
        r = regret[base + action * count : base + (action + 1) * count]
        last = previous[base + action * count : base + (action + 1) * count]
        for i in range(count):
            instant = weight * (q[i] - value[i])
            before = r[i]
            kept = before * (keep_positive if before > 0.0 else keep_negative)
            r[i] = max(kept + instant, floor)
            of_instant[i] += (instant - last[i]) * (instant - last[i])
            of_regret[i] += (r[i] - before) * (r[i] - before)
            last[i] = instant
    for i in range(count):
        ratio = of_instant[i] / of_regret[i] if of_regret[i] > 0.0 else limit * limit
        theta[i] = 1.0 / (1.0 + min(math.sqrt(ratio), limit))
    for action in range(actions):
        r = regret[base + action * count : base + (action + 1) * count]
        last = previous[base + action * count : base + (action + 1) * count]
        sigma = policy[base + action * count : base + (action + 1) * count]
        for i in range(count):
            sigma[i] = max(keep_predicted * r[i] + theta[i] * last[i], 0.0)
            total[i] += sigma[i]


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
    value: FloatArray,
    total: FloatArray,
) -> None:
    """Sweep one player's treeplex bottom up: values, regrets, and the next policy, in place.

    groups [G, 4] (base, count, number of actions, first infostate), deeper groups last; parent
    [I] position of the parent sequence; row: one row of the schedule; limit: of the adaptive
    prediction, below zero for none; gradient [Q] becomes the counterfactual value of each
    sequence; regret, policy [Q]; previous [Q], changes [3, I]: the last instantaneous regrets and
    the sums of `adapt_prediction`, empty where there is none; value, total: scratch of the
    largest count.
    """
    weight = row[REGRET_WEIGHT]
    keep_positive = row[POSITIVE_DISCOUNT]
    keep_negative = row[NEGATIVE_DISCOUNT]
    floor = row[REGRET_FLOOR]
    keep_predicted = row[PREDICTION_DISCOUNT]
    prediction = row[PREDICTION_WEIGHT]
    for group in range(len(groups) - 1, -1, -1):
        base, count, actions, infostate = groups[group]
        for i in range(count):
            value[i] = 0.0
            total[i] = 0.0
        for action in range(actions):
            q = gradient[base + action * count : base + (action + 1) * count]
            sigma = policy[base + action * count : base + (action + 1) * count]
            for i in range(count):
                value[i] += sigma[i] * q[i]
        if limit >= 0.0:
            sums = changes[:, infostate : infostate + count]
            adapt_prediction(
                row,
                limit,
                base,
                count,
                actions,
                gradient,
                value,
                regret,
                policy,
                total,
                previous,
                sums,
            )
        else:
            for action in range(actions):
                q = gradient[base + action * count : base + (action + 1) * count]
                sigma = policy[base + action * count : base + (action + 1) * count]
                r = regret[base + action * count : base + (action + 1) * count]
                for i in range(count):
                    instant = weight * (q[i] - value[i])
                    kept = r[i] * (keep_positive if r[i] > 0.0 else keep_negative)
                    r[i] = max(kept + instant, floor)
                    sigma[i] = max(keep_predicted * r[i] + prediction * instant, 0.0)
                    total[i] += sigma[i]
        uniform = 1.0 / actions
        up = parent[infostate : infostate + count]
        for i in range(count):
            gradient[up[i]] += value[i]
        for i in range(count):
            value[i] = 0.0 if total[i] > 0.0 else uniform
            total[i] = 1.0 / total[i] if total[i] > 0.0 else 0.0
        for action in range(actions):
            sigma = policy[base + action * count : base + (action + 1) * count]
            for i in range(count):
                sigma[i] = sigma[i] * total[i] + value[i]


@kernel
def realize_policy(
    groups: IndexArray, parent: IndexArray, policy: FloatArray, plan: FloatArray
) -> None:
    """Sweep one player's treeplex top down: fill its realization plan [Q] in place."""
    plan[0] = 1.0
    for group in range(len(groups)):
        base, count, actions, infostate = groups[group]
        up = parent[infostate : infostate + count]
        for action in range(actions):
            sigma = policy[base + action * count : base + (action + 1) * count]
            x = plan[base + action * count : base + (action + 1) * count]
            for i in range(count):
                x[i] = sigma[i] * plan[up[i]]


@kernel
def add_to_average(row: FloatArray, plan: FloatArray, average: FloatArray) -> None:
    """Set `average` [Q] to the share kept of itself plus the weighted `plan` [Q], in place."""
    kept = row[AVERAGE_KEPT]
    weight = row[AVERAGE_WEIGHT]
    for i in range(len(plan)):
        average[i] = kept * average[i] + weight * plan[i]


@kernel
def iterate(
    schedule: FloatArray,
    done: LongArray,
    alternating: bool,
    averages_next: bool,
    limit: float,
    groups: tuple[IndexArray, ...],
    parents: tuple[IndexArray, ...],
    pair_first: tuple[IndexArray, ...],
    pair_column: tuple[IndexArray, ...],
    pair_payoff: tuple[FloatArray, ...],
    sequence: IndexArray,
    payoff: FloatArray,
    gradients: tuple[FloatArray, ...],
    regrets: tuple[FloatArray, ...],
    policies: tuple[FloatArray, ...],
    plans: tuple[FloatArray, ...],
    averages: tuple[FloatArray, ...],
    previous: tuple[FloatArray, ...],
    changes: tuple[FloatArray, ...],
    value: FloatArray,
    total: FloatArray,
) -> None:
    """Run the iterations of `schedule` [T, 8], all state in place; count them in done[0].

    Per player: groups, parents, previous, changes (see `update_regrets`, also for limit),
    gradients, regrets, policies, plans and averages [Q]. Two players read pair_* (see
    `pair_gradient`), more read sequence and payoff (see `terminal_gradient`). Alternating: each
    player answers the plans that earlier players have just made; otherwise all answer the plans
    of the iteration before. The average takes the plan that an iteration begins with or, where
    averages_next, the one it makes.
    """
    num_players = len(groups)
    for step in range(len(schedule)):
        row = schedule[step]
        for phase in range(2):
            for player in range(num_players):
                if phase == 0 or alternating:
                    if num_players == 2:
                        pair_gradient(
                            pair_first[player],
                            pair_column[player],
                            pair_payoff[player],
                            plans[1 - player],
                            gradients[player],
                        )
                    else:
                        terminal_gradient(player, sequence, payoff, plans, gradients[player])
                if phase == 1 or alternating:
                    if not averages_next:
                        add_to_average(row, plans[player], averages[player])
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
                        value,
                        total,
                    )
                    realize_policy(groups[player], parents[player], policies[player], plans[player])
                    if averages_next:
                        add_to_average(row, plans[player], averages[player])
            if alternating:
                break
        done[0] += 1
