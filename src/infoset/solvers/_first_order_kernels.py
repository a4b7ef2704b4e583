"""The kernel of first-order methods on two-player games: gradients, prox steps, averages.

Each player has a base h and plays x. Let g be the gradient of the player's utility, and ĝ a
prediction of the next gradient. An iteration is

    h ← prox(center, g),    x ← prox(center, ĝ)

where `prox_sweep` computes prox(c, g) = argmax <g, x> − α D(x, magnet) − D(x, c) / η in one sweep.
The center is the base itself. For lazy methods (FTRL) it is the initial base, and the sum of all
gradients takes the place of g.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.forms import TwoPlayerPayoffs, pair_gradient, realize_policy
from infoset.regret import ProxProblem, prox_sweep
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.array_kernels import copy
from infoset.utils.compilation import bare_kernel, nested_kernel

NO_PREDICTION = 0
LAST_GRADIENT = 1
EXTRA_GRADIENT = 2


class PlayerState(NamedTuple):
    """One player's arrays in order of position; iterations change all but the first four."""

    groups: IndexArray
    parent: IndexArray
    weight: FloatArray
    """As in `prox_sweep`."""
    pair: TwoPlayerPayoffs
    """As in `pair_gradient`."""
    gradient: FloatArray
    sums: FloatArray
    """[Q] the last gradient, and the sum of all gradients; zeros if the method is not lazy."""
    magnet: FloatArray
    base: FloatArray
    """[Q] magnet and base, as coordinates of the distance."""
    base_plan: FloatArray
    """[Q] the plan of the base; the same array as `plan` if the method does not predict."""
    policy: FloatArray
    plan: FloatArray
    average: FloatArray
    """[Q] the behavior that is played, its plan, and the weighted sum of these plans."""


class Workspace(NamedTuple):
    """Temporary arrays, shared by the players."""

    push: FloatArray
    coordinate: FloatArray
    """[Q] the gradient of a prox step, and the coordinates of a predicted step, of which only the
    plan is used. Q is that of the player with more sequences."""
    value: FloatArray
    total: FloatArray
    """[I] buffers of `prox_sweep`. I is the number of infostates of the largest group."""


@nested_kernel
def observe(state: PlayerState, opponent_plan: FloatArray) -> None:
    """Compute a player's gradient at a plan of the opponent."""
    # g = A y for the player's payoffs A, in order of position.
    pair_gradient(state.pair, opponent_plan, state.gradient)


@nested_kernel
def prox_step(
    state: PlayerState,
    is_euclidean: bool,
    inverse_step: float,
    temperature: float,
    center: FloatArray,
    coordinate: FloatArray,
    plan: FloatArray,
    workspace: Workspace,
) -> None:
    """Solve one prox problem: fill `coordinate` and `plan` [Q], given center and gradients."""
    # The sweep overwrites its gradient with values, so it receives a copy. The sums are zero if
    # the method is not lazy.
    for i in range(len(state.gradient)):
        workspace.push[i] = state.sums[i] + state.gradient[i]
    prox_sweep(
        is_euclidean,
        state.groups,
        state.parent,
        state.weight,
        ProxProblem(
            inverse_step,
            temperature,
            workspace.push,
            center,
            state.magnet,
            coordinate,
            state.policy,
        ),
        workspace.value,
        workspace.total,
    )
    # The sweep writes behavior; the opponent's gradient needs the plan.
    realize_policy(state.groups, state.parent, state.policy, plan)


@nested_kernel
def step(
    state: PlayerState,
    is_euclidean: bool,
    is_lazy: bool,
    is_prediction: bool,
    row: FloatArray,
    workspace: Workspace,
) -> None:
    """Move the base along the gradient, or play a prediction from it; one stage for both.

    row : inverse step size, temperature, and retention of the average.
    """
    inverse_step, temperature, retention = row
    # The magnet of lazy methods is the initial base and never moves.
    center = state.magnet if is_lazy else state.base
    if is_prediction:
        # x ← prox(center, ĝ), where ĝ is the current gradient. The coordinates go to the workspace:
        # only the plan of this step is used, because the next step starts at the base again.
        coordinate, plan = workspace.coordinate, state.plan
    else:
        # h ← prox(center, g) works in place: the sweep reads the center of a group before it
        # writes.
        coordinate, plan = state.base, state.base_plan
        # The plan that was played joins the average first, because without a prediction the step
        # overwrites it. Retention (1 − 1/t)^k in iteration t makes the weight of plan t
        # proportional to t^k.
        for i in range(len(state.plan)):
            state.average[i] = retention * state.average[i] + state.plan[i]
    prox_step(state, is_euclidean, inverse_step, temperature, center, coordinate, plan, workspace)
    # The sum changes only after the step, because `prox_step` adds the current gradient to it.
    # FTRL: the next step starts from the initial base again, with the sum of all gradients.
    if is_lazy and not is_prediction:
        for i in range(len(state.sums)):
            state.sums[i] += state.gradient[i]


@bare_kernel
def iterate_first_order(
    schedule: FloatArray,
    done: LongArray,
    is_euclidean: bool,
    is_lazy: bool,
    prediction: int,
    magnet_period: int,
    alternating: bool,
    states: tuple[PlayerState, ...],
    workspace: Workspace,
) -> None:
    """Run the iterations of `schedule`, updating all arrays in place; count them in done[0].

    The average includes the plan from which each iteration starts.

    schedule : [T, 3] inverse step size, temperature, and retention of the average.
    is_lazy : whether steps start at the magnet and use the sum of all gradients.
    prediction : NO_PREDICTION plays the base; LAST_GRADIENT (optimistic methods) and EXTRA_GRADIENT
        (mirror prox) take one more step from it.
    magnet_period : number of iterations after which the magnets move to the bases; 0 for never.
    alternating : whether player 1 responds to the plan that player 0 has just computed; False with
        EXTRA_GRADIENT.
    """
    # A pass updates both players, or one player if updates alternate.
    # Alternating: player 1's pass comes second, and its gradient uses the new plan of player 0.
    together = 1 if alternating else 2
    for row in schedule:
        for first in range(0, 2, together):
            # All gradients of a pass are computed before any plan changes.
            for player in range(first, first + together):
                observe(states[player], states[1 - player].plan)
            # First h ← prox(center, g); without a prediction this is also the plan that is played.
            # Then x ← prox(center, ĝ). For optimistic methods ĝ is the gradient of this iteration.
            for stage in range(1 if prediction == NO_PREDICTION else 2):
                if stage == 1 and prediction == EXTRA_GRADIENT:
                    # Mirror prox: one gradient at the plans played, and one at the new bases.
                    for player in range(2):
                        observe(states[player], states[1 - player].base_plan)
                for player in range(first, first + together):
                    step(states[player], is_euclidean, is_lazy, stage == 1, row, workspace)
        done[0] += 1
        # Moving magnet: from here on, D is the distance from the current base.
        if magnet_period > 0 and done[0] % magnet_period == 0:
            for state in states:
                copy(state.base, state.magnet)
