"""Kernels of R-NaD (Perolat et al. 2022) with exact expectations, over `infoset.regret` layouts.

Every infostate follows NeuRD: the logarithms of its probabilities move by the advantages of its
actions in the regularized game. There, a player pays η log(π / π_reg) for each of its actions, and
receives what the opponent pays.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from infoset.forms import TwoPlayerPayoffs, pair_gradient, realize_policy
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel

TINY = 1e-290
"""Smallest counterfactual reach by which values are divided; smaller products lose their digits."""


class PlayerState(NamedTuple):
    """One player's arrays in order of position; iterations change all but the first four."""

    groups: IndexArray
    parent: IndexArray
    """As in `infoset.forms.Layout`."""
    payoffs: TwoPlayerPayoffs
    chance: TwoPlayerPayoffs
    """As in `pair_gradient`: utilities times chance reach, and chance reach alone."""
    gradient: FloatArray
    reach: FloatArray
    ratio: FloatArray
    path_ratio: FloatArray
    """[Q] temporary."""
    log_policy: FloatArray
    policy: FloatArray
    plan: FloatArray
    """[Q] the behavior that is played, its logarithm, and its plan."""
    regularizer: FloatArray
    previous: FloatArray
    """[Q] log π_reg of the current regularizer and of the one before."""


@kernel
def compare_with_regularizer(state: PlayerState, handover: float) -> None:
    """Fill `ratio` [Q] with log(π / π_reg), and `path_ratio` with its sums on paths times the plan.

    handover : α, the weight of the current regularizer; the previous one has the rest.
    """
    groups, parent, ratio, path_ratio = state.groups, state.parent, state.ratio, state.path_ratio
    log_policy, current, previous = state.log_policy, state.regularizer, state.previous
    for i in range(len(ratio)):
        # The logarithms are mixed, so π_reg need not sum to 1. A factor that is common to all
        # actions of an infostate changes no advantage there.
        ratio[i] = log_policy[i] - (handover * current[i] + (1.0 - handover) * previous[i])
    path_ratio[0] = 0.0
    # Groups are in order of depth, so the sum at the parent is complete.
    for base, count, actions, infostate, _ in groups:
        for k in range(actions):
            first = base + k * count
            for i in range(count):
                path_ratio[first + i] = path_ratio[parent[infostate + i]] + ratio[first + i]
    for i in range(len(ratio)):
        path_ratio[i] *= state.plan[i]


@kernel
def regularized_gradient(state: PlayerState, opponent: PlayerState, eta: float) -> None:
    """Fill `gradient` and `reach` [Q] of a player against the opponent's plan."""
    gradient, reach = state.gradient, state.reach
    pair_gradient(state.payoffs, opponent.plan, gradient)
    # The opponent's payments: η Σ_z chance(z) x_opp(z) L_opp(z), over the terminals z of a
    # sequence, where L_opp is the sum of the log ratios of all of the opponent's actions.
    pair_gradient(state.chance, opponent.path_ratio, reach)
    for i in range(len(gradient)):
        gradient[i] += eta * reach[i]
    # Σ_z chance(z) x_opp(z): the part of the counterfactual reach that ends at each sequence
    pair_gradient(state.chance, opponent.plan, reach)


@kernel
def subtract_value(
    values: FloatArray, policy: FloatArray, first: int, end: int, step: int
) -> float:
    """Turn the values Q of the actions at one infostate into advantages; return their mean."""
    mean = 0.0
    for k in range(first, end, step):
        mean += policy[k] * values[k]
    for k in range(first, end, step):
        values[k] -= mean
    return mean


@kernel
def gate_forces(
    forces: FloatArray, log_policy: FloatArray, first: int, end: int, step: int, gate: float
) -> None:
    """Set forces to zero that would move a centered logit of one infostate beyond ±`gate`."""
    center, num = 0.0, 0
    for k in range(first, end, step):
        center += log_policy[k]
        num += 1
    center /= num
    for k in range(first, end, step):
        logit = log_policy[k] - center
        if (logit >= gate and forces[k] > 0.0) or (logit <= -gate and forces[k] < 0.0):
            forces[k] = 0.0


@kernel
def normalize(log_policy: FloatArray, policy: FloatArray, first: int, end: int, step: int) -> None:
    """Turn the logits of one infostate in `log_policy` into the softmax and its logarithm."""
    largest = log_policy[first]
    for k in range(first, end, step):
        largest = max(largest, log_policy[k])
    total = 0.0
    for k in range(first, end, step):
        # Subtracting the maximum keeps the exponentials from overflowing.
        log_policy[k] -= largest
        policy[k] = math.exp(log_policy[k])
        total += policy[k]
    shift = math.log(total)
    for k in range(first, end, step):
        policy[k] /= total
        log_policy[k] -= shift


@kernel
def update_policy(state: PlayerState, eta: float, step_size: float, gate: float) -> None:
    """Sweep one player's treeplex bottom up, and move the policy by NeuRD at every infostate."""
    groups, parent, gradient, all_reach = state.groups, state.parent, state.gradient, state.reach
    log_policy, policy, ratio = state.log_policy, state.policy, state.ratio
    # Groups are in order of depth, so in reverse order all values below a group are complete.
    for group in range(len(groups) - 1, -1, -1):
        # Action a of the i-th infostate of the group is at position base + i + a * count.
        base, count, actions, infostate, _ = groups[group]
        for i in range(count):
            first, end = base + i, base + i + actions * count
            # After any action the game ends or continues, so the reach below each action sums to
            # that of the infostate; the first action is as good as any.
            reach = all_reach[first]
            for k in range(first, end, count):
                # Q(a) = q(a) / reach − η log(π(a) / π_reg(a)). The first part is 0 where neither
                # chance nor the opponent plays to the infostate; the regularizer decides alone.
                earned = gradient[k] / reach if reach > TINY else 0.0
                gradient[k] = earned - eta * ratio[k]
            value = subtract_value(gradient, policy, first, end, count)
            # The counterfactual value and the reach pass to the parent's sequence.
            gradient[parent[infostate + i]] += reach * value
            all_reach[parent[infostate + i]] += reach
            if gate < math.inf:
                gate_forces(gradient, log_policy, first, end, count, gate)
            for k in range(first, end, count):
                log_policy[k] += step_size * gradient[k]
            normalize(log_policy, policy, first, end, count)
    realize_policy(groups, parent, policy, state.plan)


@kernel
def move_regularizer(state: PlayerState, uniform_weight: float) -> None:
    """Set the regularizer to the policy mixed with the uniform policy; store the one before."""
    for base, count, actions, _, _ in state.groups:
        for k in range(base, base + count * actions):
            state.previous[k] = state.regularizer[k]
            mixed = (1.0 - uniform_weight) * state.policy[k] + uniform_weight / actions
            # Without the uniform part the exact logarithm remains, also where π underflows.
            state.regularizer[k] = math.log(mixed) if uniform_weight > 0 else state.log_policy[k]


@kernel
def iterate_rnad(
    iterations: int,
    done: LongArray,
    eta: float,
    step_size: float,
    gate: float,
    period: int,
    uniform_weight: float,
    alternating: bool,
    states: tuple[PlayerState, ...],
) -> None:
    """Run iterations, with all state updated in place; count them in done[0].

    eta, step_size : in the unit of `payoffs`, and in its inverse.
    gate : largest centered logit that advantages may increase; infinite for no limit.
    period : number of iterations for each regularizer.
    uniform_weight : weight of the uniform policy in regularizer 1; regularizer k has 1/k of it.
    alternating : whether player 1 responds to the plan that player 0 has just computed.
    """
    # A pass updates both players, or one player if updates alternate.
    together = 1 if alternating else 2
    for _ in range(iterations):
        # α: the new regularizer replaces the previous one during the first half of a period.
        handover = min(1.0, 2.0 * (done[0] % period) / period)
        for first in range(0, 2, together):
            for state in states:
                compare_with_regularizer(state, handover)
            # All gradients of a pass are computed before any policy changes.
            for player in range(first, first + together):
                regularized_gradient(states[player], states[1 - player], eta)
            for player in range(first, first + together):
                update_policy(states[player], eta, step_size, gate)
        done[0] += 1
        if done[0] % period == 0:
            for state in states:
                move_regularizer(state, uniform_weight / (done[0] // period))
