"""The kernel of the CFR family: iterations of all players, each a sweep up and one down."""

from __future__ import annotations

from infoset.regret._plan_kernels import realize_and_average
from infoset.regret._regret_kernels import update_regrets
from infoset.regret.payoffs import BlockPayoffs, fill_gradient
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel


@kernel
def iterate(
    schedule: FloatArray,
    done: LongArray,
    alternating: bool,
    averages_next: bool,
    limit: float,
    groups: tuple[IndexArray, ...],
    parents: tuple[IndexArray, ...],
    pairs: tuple[BlockPayoffs, ...],
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
