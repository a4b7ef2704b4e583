"""Kernels of LocalOMD: one player samples with a fixed policy and updates along its path.

Source: Fiegel et al. (2024). Running baselines and partly on-policy sampling are not in the paper.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.learning._simulator_kernels import Paths, PlayState, play
from infoset.learning._update_kernels import count_path, update_baseline
from infoset.tree.decision_nodes import Infostates
from infoset.typing import FloatArray
from infoset.utils.compilation import bare_kernel, inner_kernel

# The columns of `parameters`.
LEARNING_RATE = 0
ADAPTIVE = 1
BASELINE_WINDOW = 2
BASELINE_PER_ACTION = 3
EXPLORATION = 4
DECAY_EXPONENT = 5

SMALLEST_PROBABILITY = 1e-300


class LocalOMDState(NamedTuple):
    """The arrays of LocalOMD."""

    policy: FloatArray
    """[S] the current policy."""
    sampling: FloatArray
    """[S] b(a|x), the fixed sampling policy, which is also the initial policy; constant."""
    weight: FloatArray
    """[I] factor w(x) of fixed learning rates; constant."""
    rate: FloatArray
    """[I] learning rate at the last visit."""
    squares: FloatArray
    """[I] sum over visits of the squared largest estimate, for adaptive rates."""
    estimate: FloatArray
    """[S] workspace for estimated losses."""
    baseline: FloatArray
    visits: FloatArray
    """[S] the baselines b₀(x, a), and the number of losses that each averages."""
    cumulative_plan: FloatArray
    parent_counted: FloatArray
    """[S] and [I] the average; see `infoset.learning._update_kernels`."""


@inner_kernel
def mean_baseline(first_sequence: int, end: int, policy: FloatArray, baseline: FloatArray) -> float:
    """Return <policy, b₀> at an infostate."""
    mean = 0.0
    for sequence in range(first_sequence, end):
        mean += policy[sequence] * baseline[sequence]
    return mean


@inner_kernel
def estimate_losses(
    first_sequence: int,
    end: int,
    taken: int,
    cost: float,
    mean: float,
    probability: float,
    baseline: FloatArray,
    estimate: FloatArray,
) -> float:
    """Fill in the estimated losses of all actions minus `mean`; return the largest magnitude.

    The estimate of an action is its baseline, plus (cost - b₀) / `probability` for the action
    taken, where `probability` is that of taking it. The estimates are unbiased; good baselines
    reduce their variance.
    """
    largest = 0.0
    for sequence in range(first_sequence, end):
        # A constant subtracted from all actions changes log Z, but not the policy. `mean` is added
        # back to the cost that is passed up.
        estimate[sequence] = baseline[sequence] - mean
        # Divided by the probability of this action only, not of the whole path: less variance.
        if sequence == taken:
            estimate[sequence] += (cost - baseline[sequence]) / probability
        # Adaptive rates use the largest magnitude (see `squares`).
        largest = max(largest, abs(estimate[sequence]))
    return largest


@inner_kernel
def descend(
    first_sequence: int,
    end: int,
    rate: float,
    alpha: float,
    sampling: FloatArray,
    estimate: FloatArray,
    policy: FloatArray,
) -> float:
    """Do a step of mirror descent at an infostate, updating `policy`; return log Z.

    policy(a) ∝ policy(a)^α · b(a)^(1 - α) · exp(-rate · estimate(a)), and Z is the sum of the
    right-hand sides. α re-centers the policy toward the initial one when the rate decreases.
    """
    # `policy` holds the logits until they are exponentiated; the largest keeps that finite.
    largest = -np.inf
    for sequence in range(first_sequence, end):
        logit = alpha * np.log(policy[sequence]) + (1.0 - alpha) * np.log(sampling[sequence])
        policy[sequence] = logit - rate * estimate[sequence]
        largest = max(largest, policy[sequence])
    total = 0.0
    for sequence in range(first_sequence, end):
        # Never 0, because the next visit takes the logarithm.
        policy[sequence] = max(np.exp(policy[sequence] - largest), SMALLEST_PROBABILITY)
        total += policy[sequence]
    for sequence in range(first_sequence, end):
        policy[sequence] /= total
    return float(largest + np.log(total))


@inner_kernel
def update_infostate(
    parameters: FloatArray,
    infostates: Infostates,
    here: int,
    taken: int,
    cost: float,
    probability: float,
    weight: float,
    decayed: float,
    state: LocalOMDState,
) -> float:
    """Update an infostate from the cost of an action, in place; return the infostate's cost.

    The returned cost is the regularized value <policy, b₀> - log Z / η.

    probability : that of taking the action. weight : importance weight of the visit. decayed :
    factor of the learning rate in this episode. parameters : see `update_path`.
    """
    first_sequence = infostates.first_sequence[here]
    end = first_sequence + infostates.num_actions[here]
    # Stage 1: estimates of all actions from the cost of the one taken.
    mean = mean_baseline(first_sequence, end, state.policy, state.baseline)
    largest = estimate_losses(
        first_sequence, end, taken, cost, mean, probability, state.baseline, state.estimate
    )
    # Fixed rates: η_x = η w(x), for example 1 / n(x), the inverse size of the subtree.
    rate = parameters[LEARNING_RATE] * decayed * state.weight[here]
    if parameters[ADAPTIVE] > 0.0:
        # η_x = η / √(1 + Σ estimates²)
        weighted = weight * largest
        state.squares[here] += weighted * weighted  # a power would be a slow call in this loop
        rate = parameters[LEARNING_RATE] / np.sqrt(1.0 + state.squares[here])
    # As in FTRL: when the rate decreases, logits shrink toward the initial policy b by α.
    alpha = rate / state.rate[here]
    state.rate[here] = rate
    # The weight of the visit scales the step, but not the cost passed up: log Z is divided by it.
    step = weight * rate
    log_total = descend(
        first_sequence, end, step, alpha, state.sampling, state.estimate, state.policy
    )
    # Baselines change last: they must not depend on the cost that they are subtracted from.
    window = parameters[BASELINE_WINDOW]
    for sequence in range(first_sequence, end):
        # With one baseline per infostate, all entries move together.
        if sequence == taken or parameters[BASELINE_PER_ACTION] == 0.0:
            update_baseline(sequence, cost, window, state.baseline, state.visits)
    return float(mean - log_total / step)


@inner_kernel
def sampled(parameters: FloatArray, sequence: int, state: LocalOMDState) -> float:
    """Return the probability with which the learning player takes an action."""
    # With exploration 1 the sampler is b; below 1 it is a mixture of b and the current policy.
    exploration = parameters[EXPLORATION]
    return float(
        exploration * state.sampling[sequence] + (1.0 - exploration) * state.policy[sequence]
    )


@inner_kernel
def update_path(
    parameters: FloatArray,
    infostates: Infostates,
    player: int,
    paths: Paths,
    loss: float,
    episode: float,
    state: LocalOMDState,
) -> None:
    """Add an episode to the average and update the sampling player along its path, in place.

    The decisions are updated from the last to the first. At the last one, the cost of the action is
    the loss; at the others, it is the cost of the next own infostate. If the sampler is not b, a
    visit is weighted by the reach under b divided by the reach under the sampler. So each infostate
    has the same weight on average as with b.

    parameters : [6] of the player: η; whether rates adapt; the window of baselines, or 0 for
    constant ones; whether each action has its own baseline; the exploration; and the exponent of
    the own episode number in the rate, or 0. episode : number of the player's own episode, from 1.
    """
    # Before the update, since the episode was played with the current policies.
    count_path(infostates, player, paths, state.policy, state.cumulative_plan, state.parent_counted)
    # The weight remains 1 if the sampler is b (exploration 1), as in the paper.
    cost, weight = loss, 1.0
    decayed = 1.0 if parameters[DECAY_EXPONENT] == 0.0 else episode ** parameters[DECAY_EXPONENT]
    # The importance weight of the last decision: product of b / q over the decisions above it.
    last = paths.length[player] - 1
    for step in range(last):
        taken = paths.sequence[player, step]
        weight *= state.sampling[taken] / sampled(parameters, taken, state)
    # Backward: an infostate's cost is known once the one below it is updated.
    for step in range(last, -1, -1):
        here, taken = paths.infostate[player, step], paths.sequence[player, step]
        probability = sampled(parameters, taken, state)
        cost = update_infostate(
            parameters, infostates, here, taken, cost, probability, weight, decayed, state
        )
        if step > 0:
            # Remove the factor of the action above, whose infostate has not been updated yet.
            above = paths.sequence[player, step - 1]
            weight *= sampled(parameters, above, state) / state.sampling[above]


@bare_kernel
def run_self_play(
    parameters: FloatArray, play_state: PlayState, episodes: int, state: LocalOMDState
) -> None:
    """Play episodes in which the players alternate in sampling and learning; update `state`.

    parameters : [N, 6] of each player, see `update_path`. The feedback consists of losses.
    """
    nodes, infostates, losses, done, stream, paths = play_state
    num_players, max_steps = paths.sequence.shape
    for _ in range(episodes):
        # The players alternate in sampling; the others follow their policies and do not learn.
        player = done[0] % num_players
        # Counted from 1 and per player, for rates that decrease with it.
        own_episode = float(done[0] // num_players + 1)
        end = play(
            nodes,
            infostates,
            state.policy,
            player,
            state.sampling,
            parameters[player, EXPLORATION],
            max_steps,
            stream,
            paths,
        )
        done[0] += 1
        loss = losses[end, player]
        update_path(parameters[player], infostates, player, paths, loss, own_episode, state)
