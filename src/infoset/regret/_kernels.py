"""Kernels of regret minimisation on treeplexes, over the action-major layout of `layout.py`.

In a layout the sequences of a group of infostates (equal depth, equal number n of actions) stand
action by action: action a of the group's i-th infostate is at `base + a * count + i`. The inner
loops run over i, which the compiler turns into vector instructions. Indices are unsigned: signed
ones cost a test for negative values at each access.
"""

from __future__ import annotations

from infoset.kernels import kernel
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray

REGRET_WEIGHT = 0
POSITIVE_DISCOUNT = 1
NEGATIVE_DISCOUNT = 2
REGRET_FLOOR = 3
PREDICTION_DISCOUNT = 4
PREDICTION_WEIGHT = 5
AVERAGE_WEIGHT = 6


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
def update_regrets(
    groups: IndexArray,
    parent: IndexArray,
    row: FloatArray,
    gradient: FloatArray,
    regret: FloatArray,
    policy: FloatArray,
    value: FloatArray,
    total: FloatArray,
) -> None:
    """Sweep one player's treeplex bottom up: values, regrets, and the next policy, in place.

    groups [G, 4] (base, count, number of actions, first infostate), deeper groups last; parent
    [I] position of the parent sequence; row: one row of the schedule; gradient [Q] becomes the
    counterfactual value of each sequence; regret, policy [Q]; value, total: scratch of the
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
def add_weighted(total: FloatArray, plan: FloatArray, weight: float) -> None:
    """Add `weight * plan` to `total` [Q] in place."""
    if weight != 0.0:
        for i in range(len(plan)):
            total[i] += weight * plan[i]


@kernel
def iterate(
    schedule: FloatArray,
    done: LongArray,
    alternating: bool,
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
    value: FloatArray,
    total: FloatArray,
) -> None:
    """Run the iterations of `schedule` [T, 7], all state in place; count them in done[0].

    Per player: groups, parents (see `update_regrets`), gradients, regrets, policies, plans and
    averages [Q]. Two players read pair_* (see `pair_gradient`), more read sequence and payoff
    (see `terminal_gradient`). Alternating: each player answers the plans that earlier players
    have just made; otherwise all answer the plans of the iteration before. The average takes the
    plan that an iteration begins with.
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
                    add_weighted(averages[player], plans[player], row[AVERAGE_WEIGHT])
                    update_regrets(
                        groups[player],
                        parents[player],
                        row,
                        gradients[player],
                        regrets[player],
                        policies[player],
                        value,
                        total,
                    )
                    realize_policy(groups[player], parents[player], policies[player], plans[player])
            if alternating:
                break
        done[0] += 1
