"""The kernel of first-order methods on two-player games: gradients, prox steps, averages."""

from __future__ import annotations

from typing import NamedTuple

from infoset.regret import BlockPayoffs, ProxProblem, block_gradient, prox_sweep, realize_policy
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel

NO_PREDICTION = 0
LAST_GRADIENT = 1
EXTRA_GRADIENT = 2


class PlayerState(NamedTuple):
    """What the kernel knows of one player, in order of position; state but for the first four.

    Attributes
    ----------
    groups, parent, weight
        See `prox_sweep`.
    pair : BlockPayoffs
        See `block_gradient`.
    gradient, sums : FloatArray
        [Q] the last gradient; where steps are lazy the sum of all, else zeros.
    magnet, base : FloatArray
        [Q] coordinates.
    base_plan : FloatArray
        [Q] the plan of the base; without a guess the array of what is played.
    policy, plan, average : FloatArray
        [Q] what is played, as behavior and as plan, and the weighted sum of these plans.
    """

    groups: IndexArray
    parent: IndexArray
    weight: FloatArray
    pair: BlockPayoffs
    gradient: FloatArray
    sums: FloatArray
    magnet: FloatArray
    base: FloatArray
    base_plan: FloatArray
    policy: FloatArray
    plan: FloatArray
    average: FloatArray


class Workspace(NamedTuple):
    """Arrays without memory: two [Q] of the larger player, two of the largest group's count."""

    push: FloatArray
    coordinate: FloatArray
    value: FloatArray
    total: FloatArray


@kernel
def observe(side: PlayerState, opponent_plan: FloatArray) -> None:
    """Take the gradient of a side at a plan of the opponent."""
    block_gradient(side.pair, opponent_plan, side.gradient)


@kernel
def prox_step(
    side: PlayerState,
    is_euclidean: bool,
    inverse_step: float,
    temperature: float,
    center: FloatArray,
    coordinate: FloatArray,
    plan: FloatArray,
    workspace: Workspace,
) -> None:
    """Fill coordinate and plan [Q] with the prox, from a center, of the sums and the gradient."""
    for i in range(len(side.gradient)):
        workspace.push[i] = side.sums[i] + side.gradient[i]
    prox_sweep(
        is_euclidean,
        side.groups,
        side.parent,
        side.weight,
        ProxProblem(
            inverse_step,
            temperature,
            workspace.push,
            center,
            side.magnet,
            coordinate,
            side.policy,
        ),
        workspace.value,
        workspace.total,
    )
    realize_policy(side.groups, side.parent, side.policy, plan)


@kernel
def move_base(
    side: PlayerState, is_euclidean: bool, is_lazy: bool, row: FloatArray, workspace: Workspace
) -> None:
    """Count what was played in the average, and move the base by the gradient.

    row: inverse step size, temperature, and retention of the average.
    """
    inverse_step, temperature, kept = row
    for i in range(len(side.plan)):
        side.average[i] = kept * side.average[i] + side.plan[i]
    center = side.magnet if is_lazy else side.base
    prox_step(
        side,
        is_euclidean,
        inverse_step,
        temperature,
        center,
        side.base,
        side.base_plan,
        workspace,
    )
    if is_lazy:
        for i in range(len(side.sums)):
            side.sums[i] += side.gradient[i]


@kernel
def play_prediction(
    side: PlayerState, is_euclidean: bool, is_lazy: bool, row: FloatArray, workspace: Workspace
) -> None:
    """Play the base moved once more, by the gradient as it stands."""
    inverse_step, temperature, _ = row
    center = side.magnet if is_lazy else side.base
    prox_step(
        side,
        is_euclidean,
        inverse_step,
        temperature,
        center,
        workspace.coordinate,
        side.plan,
        workspace,
    )


@kernel
def iterate_first_order(
    schedule: FloatArray,
    done: LongArray,
    is_euclidean: bool,
    is_lazy: bool,
    prediction: int,
    magnet_period: int,
    alternating: bool,
    sides: tuple[PlayerState, ...],
    workspace: Workspace,
) -> None:
    """Run the iterations of `schedule` [T, 3], all state in place; count them in done[0].

    In an iteration both players take the gradients at the plans played, move their bases by
    them, and play the bases moved once more by a guess of the next gradients: none, the last
    ones, or extra ones at the bases. Lazy: steps are made from the magnet by the sums of all
    gradients. The average takes the plans that an iteration begins with. After each
    `magnet_period` iterations, if not 0, the magnets move to the bases. Alternating, without
    extra gradients: the second player answers what the first has just come to play.
    """
    together = 1 if alternating else 2
    for row in schedule:
        for first in range(0, 2, together):
            for player in range(first, first + together):
                observe(sides[player], sides[1 - player].plan)
            for player in range(first, first + together):
                move_base(sides[player], is_euclidean, is_lazy, row, workspace)
            if prediction == EXTRA_GRADIENT:
                for player in range(2):
                    observe(sides[player], sides[1 - player].base_plan)
            if prediction != NO_PREDICTION:
                for player in range(first, first + together):
                    play_prediction(sides[player], is_euclidean, is_lazy, row, workspace)
        done[0] += 1
        if magnet_period > 0 and done[0] % magnet_period == 0:
            for side in sides:
                side.magnet[:] = side.base
