"""LocalOMD: one player samples with a fixed policy, and learns along its path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.learning._kernels import count_path, follow_baseline
from infoset.learning.simulation import Infostates, Paths, PlayState, play
from infoset.typing import FloatArray
from infoset.utils.compilation import bare_kernel, inner_kernel

RATE = 0
ADAPTIVE = 1
BASELINE_WINDOW = 2
BASELINE_PER_ACTION = 3
EXPLORATION = 4
DECAY_EXPONENT = 5

LEAST_PROBABILITY = 1e-300


class LocalState(NamedTuple):
    """The arrays that LocalOMD reads and moves.

    Attributes
    ----------
    policy : FloatArray
        [S] the current policy.
    sampling : FloatArray
        [S] b(a|x), by which the learner of an episode acts, all the time or mostly, and with which
        policies begin; not moved.
    weight : FloatArray
        [I] by which fixed rates are multiplied; not moved.
    rate : FloatArray
        [I] the learning rate of the last visit.
    squares : FloatArray
        [I] sum of the squares of the largest estimate of each visit, where rates adapt.
    estimate : FloatArray
        [S] room for estimated losses.
    baseline, visits : FloatArray
        [S] b₀(x, a), what losses of actions are guessed to be, and how many each has followed.
    mass, counted : FloatArray
        [S] and [I] the average; see `infoset.learning._kernels`.
    """

    policy: FloatArray
    sampling: FloatArray
    weight: FloatArray
    rate: FloatArray
    squares: FloatArray
    estimate: FloatArray
    baseline: FloatArray
    visits: FloatArray
    mass: FloatArray
    counted: FloatArray


@inner_kernel
def mean_baseline(first_slot: int, end: int, policy: FloatArray, baseline: FloatArray) -> float:
    """Return <policy, b₀> at an infostate."""
    mean = 0.0
    for slot in range(first_slot, end):
        mean += policy[slot] * baseline[slot]
    return mean


@inner_kernel
def estimate_losses(
    first_slot: int,
    end: int,
    taken: int,
    cost: float,
    mean: float,
    probability: float,
    baseline: FloatArray,
    estimate: FloatArray,
) -> float:
    """Fill in the estimated losses of all actions, less `mean`; return the largest in size.

    They are the baselines, corrected for the action taken by (cost - b₀) / `probability`, that of
    taking it: right on average, and the less noisy the better the baselines.
    """
    largest = 0.0
    for slot in range(first_slot, end):
        estimate[slot] = baseline[slot] - mean
        if slot == taken:
            estimate[slot] += (cost - baseline[slot]) / probability
        largest = max(largest, abs(estimate[slot]))
    return largest


@inner_kernel
def descend(
    first_slot: int,
    end: int,
    rate: float,
    kept: float,
    sampling: FloatArray,
    estimate: FloatArray,
    policy: FloatArray,
) -> float:
    """Do a step of mirror descent at an infostate, `policy` in place; return log Z.

    policy(a) ∝ policy(a)^kept · b(a)^(1 - kept) · exp(-rate · estimate(a)), and Z is the sum of
    the right-hand sides.
    """
    most = -np.inf
    for slot in range(first_slot, end):
        logit = kept * np.log(policy[slot]) + (1.0 - kept) * np.log(sampling[slot])
        policy[slot] = logit - rate * estimate[slot]
        most = max(most, policy[slot])
    total = 0.0
    for slot in range(first_slot, end):
        policy[slot] = max(np.exp(policy[slot] - most), LEAST_PROBABILITY)
        total += policy[slot]
    for slot in range(first_slot, end):
        policy[slot] /= total
    return float(most + np.log(total))


@inner_kernel
def learn_infostate(
    numbers: FloatArray,
    infostates: Infostates,
    here: int,
    taken: int,
    cost: float,
    probability: float,
    weight: float,
    drifted: float,
    state: LocalState,
) -> float:
    """Learn what an action has cost, `state` in place; return what the infostate then costs.

    That is <policy, b₀> - log Z / η, a regularised value.

    numbers : [6] η, whether rates adapt, over how many costs baselines run or 0 for constant,
    whether each action has its own, how much of what is sampled is b, and the power of the own
    episode by which rates are multiplied, or 0; `drifted` is the episode to that power.
    probability : of taking the action. weight : of the visit, by which the estimates count.
    """
    first_slot = infostates.first_slot[here]
    end = first_slot + infostates.num_actions[here]
    mean = mean_baseline(first_slot, end, state.policy, state.baseline)
    largest = estimate_losses(
        first_slot, end, taken, cost, mean, probability, state.baseline, state.estimate
    )
    rate = numbers[RATE] * drifted * state.weight[here]
    if numbers[ADAPTIVE] > 0.0:
        counted = weight * largest
        state.squares[here] += counted * counted  # a power would be a call, in the innermost loop
        rate = numbers[RATE] / np.sqrt(1.0 + state.squares[here])
    kept = rate / state.rate[here]
    state.rate[here] = rate
    step = weight * rate
    log_total = descend(first_slot, end, step, kept, state.sampling, state.estimate, state.policy)
    for slot in range(first_slot, end):
        if slot == taken or numbers[BASELINE_PER_ACTION] == 0.0:
            follow_baseline(slot, cost, numbers[BASELINE_WINDOW], state.baseline, state.visits)
    return float(mean - log_total / step)


@inner_kernel
def sampled(numbers: FloatArray, slot: int, state: LocalState) -> float:
    """Return the probability with which the learner of an episode takes an action."""
    exploration = numbers[EXPLORATION]
    return float(exploration * state.sampling[slot] + (1.0 - exploration) * state.policy[slot])


@inner_kernel
def learn_locally(
    numbers: FloatArray,
    infostates: Infostates,
    player: int,
    paths: Paths,
    loss: float,
    episode: float,
    state: LocalState,
) -> None:
    """Update the player that sampled an episode along its path, `state` in place.

    It is the `episode`-th of its own. From the last own decision to the first; the cost of an
    action is the loss at the last one, and what the infostate after it costs at the others. A visit
    weighs as often as b would have come there for once that what is sampled does, so that the
    weights of infostates stay b's.

    Source: Fiegel et al. (2024); baselines that run, and samplers other than b, are ours.
    """
    cost, weight = loss, 1.0
    drifted = 1.0 if numbers[DECAY_EXPONENT] == 0.0 else episode ** numbers[DECAY_EXPONENT]
    last = paths.length[player] - 1
    for step in range(last):
        taken = paths.slot[player, step]
        weight *= state.sampling[taken] / sampled(numbers, taken, state)
    for step in range(last, -1, -1):
        here, taken = paths.infostate[player, step], paths.slot[player, step]
        probability = sampled(numbers, taken, state)
        cost = learn_infostate(
            numbers, infostates, here, taken, cost, probability, weight, drifted, state
        )
        if step > 0:
            above = paths.slot[player, step - 1]
            weight *= sampled(numbers, above, state) / state.sampling[above]


@bare_kernel
def learn_locally_alone(
    numbers: FloatArray,
    infostates: Infostates,
    paths: Paths,
    loss: float,
    episode: float,
    state: LocalState,
) -> None:
    """Count and learn one episode, sampled elsewhere, of the only player; see `learn_locally`."""
    count_path(infostates, 0, paths, state.policy, state.mass, state.counted)
    learn_locally(numbers, infostates, 0, paths, loss, episode, state)


@bare_kernel
def learn_in_turn(numbers: FloatArray, arena: PlayState, episodes: int, state: LocalState) -> None:
    """Play episodes in an arena, in which one player after another samples and learns.

    numbers : [N, 6] of each player, see `learn_infostate`. What players are told is losses.
    """
    nodes, infostates, losses, done, stream, paths = arena
    num_players, most_steps = paths.slot.shape
    for _ in range(episodes):
        player = done[0] % num_players
        turn = float(done[0] // num_players + 1)
        end = play(
            nodes,
            infostates,
            state.policy,
            player,
            state.sampling,
            numbers[player, EXPLORATION],
            most_steps,
            stream,
            paths,
        )
        done[0] += 1
        count_path(infostates, player, paths, state.policy, state.mass, state.counted)
        learn_locally(numbers[player], infostates, player, paths, losses[end, player], turn, state)
