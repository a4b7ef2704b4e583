"""Learning along the path of an episode: mirror descent and its kin with implicit exploration."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.learning._kernels import count_infostate, follow_baseline
from infoset.learning.simulation import Infostates, Paths, PlayState, play
from infoset.typing import FloatArray
from infoset.utils.compilation import bare_kernel, inner_kernel

RATE = 0
EXPLORATION = 1
ADAPTIVITY_EXPONENT = 2
DECAY_EXPONENT = 3
BASELINE_WINDOW = 4
MIN_PROBABILITY = 5

LEAST_PROBABILITY = 1e-300
LARGEST_LOGIT = 690.0
"""The exponential of no more than this is added, so that sums are never infinite, and never 0."""


class MirrorDescentState(NamedTuple):
    """The arrays that path learners read and move.

    Attributes
    ----------
    policy : FloatArray
        [S] the current policy.
    initial : FloatArray
        [S] the policy that it began with, and is drawn back to as rates fall; not moved.
    weight : FloatArray
        [I] w(x), by which rate and implicit exploration are multiplied; not moved.
    rate : FloatArray
        [I] the learning rate of the last visit.
    seen, taken : FloatArray
        [I] and [S] sums over visits of the inverse of the estimated reach, where rates adapt.
    baseline, visits : FloatArray
        [S] running means of the losses that followed, where they are kept, and how many there were.
    mass, counted : FloatArray
        [S] and [I] the average; see `infoset.learning._kernels`.
    """

    policy: FloatArray
    initial: FloatArray
    weight: FloatArray
    rate: FloatArray
    seen: FloatArray
    taken: FloatArray
    baseline: FloatArray
    visits: FloatArray
    mass: FloatArray
    counted: FloatArray


@inner_kernel
def raise_to(base: float, exponent: float) -> float:
    """Return a power, of which 1 and 1/2 are the usual ones."""
    if exponent == 1.0:
        return base
    if exponent == 0.5:
        return float(np.sqrt(base))
    return float(base**exponent)


@inner_kernel
def draw_to(other: FloatArray, kept: float, first_slot: int, end: int, policy: FloatArray) -> None:
    """Make of a policy policy^kept · other^(1 - kept), in place; the sum is not brought to 1."""
    for slot in range(first_slot, end):
        policy[slot] = np.exp(kept * np.log(policy[slot]) + (1.0 - kept) * np.log(other[slot]))


@inner_kernel
def weigh(logit: float) -> float:
    """Return the exponential of a number, which counts as no more than `LARGEST_LOGIT`."""
    return float(np.exp(min(max(logit, -LARGEST_LOGIT), LARGEST_LOGIT)))


@inner_kernel
def normalize(first_slot: int, end: int, policy: FloatArray) -> None:
    """Divide the probabilities of an infostate by their sum, in place."""
    total = 0.0
    for slot in range(first_slot, end):
        total += policy[slot]
    for slot in range(first_slot, end):
        policy[slot] /= total


@inner_kernel
def descend(
    first_slot: int,
    end: int,
    taken: int,
    rate: float,
    loss: float,
    least: float,
    policy: FloatArray,
) -> float:
    """Multiply the probability of an action by exp(-rate · loss), and normalise; return log Z.

    Z is the sum before, 1 or not. policy [S] is moved in place. A probability below `least`, or
    1 / (2 A) where that is less, becomes that, and all are divided by their sum again.
    """
    others = 0.0  # summed anew each time: 1 - policy[taken] would drift off, faster and faster
    for slot in range(first_slot, end):
        if slot != taken:
            others += policy[slot]
    moved = policy[taken] * weigh(-rate * loss)
    total = others + moved
    share = 1.0 / total
    bottom = max(min(least, 0.5 / (end - first_slot)), LEAST_PROBABILITY)
    for slot in range(first_slot, end):
        policy[slot] = max(policy[slot] * share, bottom)
    policy[taken] = max(moved * share, bottom)
    if least > 0.0:
        normalize(first_slot, end, policy)
    return float(np.log(total))


@inner_kernel
def lay_baseline(
    first_slot: int,
    end: int,
    taken: int,
    scale: float,
    baseline: FloatArray,
    policy: FloatArray,
) -> None:
    """Multiply all probabilities but that taken by exp(-scale · baseline), in place."""
    for slot in range(first_slot, end):
        if slot != taken:
            policy[slot] *= weigh(-scale * baseline[slot])


@inner_kernel
def follow_path(
    infostates: Infostates, player: int, paths: Paths, state: MirrorDescentState
) -> None:
    """Count one more episode of a player in the average, and write the own reach along its path.

    To be done before the policy changes.
    """
    state.mass[infostates.root_slot[player]] += 1.0
    paths.reach[player, 0] = 1.0
    for step in range(paths.length[player]):
        here, slot = paths.infostate[player, step], paths.slot[player, step]
        count_infostate(infostates, here, state.policy, state.mass, state.counted)
        paths.reach[player, step + 1] = paths.reach[player, step] * state.policy[slot]


@inner_kernel
def learn_path(
    numbers: FloatArray,
    infostates: Infostates,
    player: int,
    paths: Paths,
    loss: float,
    episode: float,
    state: MirrorDescentState,
) -> None:
    """Count an episode of a player in the average, and update it along its path, in place.

    From the last own decision to the first, the estimated loss of the action taken is
    `loss / (reach + γ_x)` at the last decision and 0 before it, less log Z / η_x of the decision
    after it; η_x and γ_x are `rate` and `exploration` times w(x), or adapted to the visits. Where
    baselines are kept, the estimated loss of every action is its baseline, over the own reach of
    the infostate and γ_x, and that of the action taken is corrected by what happened.

    numbers : [6] η, γ, the exponent p of adaptive rates or 0, the exponent of the episode in the
    decay of both or 0, the window of baselines or 0, and the floor of probabilities in multiples of
    η_x or 0.
    Source: Kozuno et al. (2021); Bai et al. (2022), Algorithm 1; Fiegel et al. (2023).
    """
    follow_path(infostates, player, paths, state)
    adaptivity_exponent, decay_exponent = numbers[ADAPTIVITY_EXPONENT], numbers[DECAY_EXPONENT]
    baseline_window, min_probability = numbers[BASELINE_WINDOW], numbers[MIN_PROBABILITY]
    moving = adaptivity_exponent > 0.0 or decay_exponent != 0.0
    drifted = 1.0 if decay_exponent == 0.0 else episode**decay_exponent
    last = paths.length[player] - 1
    passed = 0.0
    for step in range(last, -1, -1):
        here, slot = paths.infostate[player, step], paths.slot[player, step]
        reach = paths.reach[player, step + 1]
        rate = numbers[RATE] * drifted * state.weight[here]
        exploration = numbers[EXPLORATION] * drifted * state.weight[here]
        if adaptivity_exponent > 0.0:
            exploration /= raise_to(state.taken[slot], adaptivity_exponent)
            inverse = 1.0 / (reach + exploration)
            state.taken[slot] += inverse
            state.seen[here] += inverse / infostates.num_actions[here]
            rate /= raise_to(state.seen[here], adaptivity_exponent)
        first_slot = infostates.first_slot[here]
        end = first_slot + infostates.num_actions[here]
        if moving:
            kept = rate / state.rate[here]
            state.rate[here] = rate
            draw_to(state.initial, kept, first_slot, end, state.policy)
        visible = reach + exploration
        estimate = loss / visible if step == last else 0.0
        if baseline_window > 0.0:
            led = 1.0 / (paths.reach[player, step] + exploration)
            estimate += state.baseline[slot] * (led - 1.0 / visible)
            lay_baseline(first_slot, end, slot, rate * led, state.baseline, state.policy)
            follow_baseline(slot, loss, baseline_window, state.baseline, state.visits)
        lost, least = estimate - passed, min_probability * rate
        log_total = descend(first_slot, end, slot, rate, lost, least, state.policy)
        passed = log_total / rate


@bare_kernel
def learn_alone(
    numbers: FloatArray,
    infostates: Infostates,
    paths: Paths,
    loss: float,
    episode: float,
    state: MirrorDescentState,
) -> None:
    """Count and learn one episode, played elsewhere, of the only player; see `learn_path`."""
    learn_path(numbers, infostates, 0, paths, loss, episode, state)


@bare_kernel
def learn_together(
    numbers: FloatArray, arena: PlayState, episodes: int, state: MirrorDescentState
) -> None:
    """Play episodes in an arena, in which all follow their policies and learn.

    numbers : [N, 6] of each player, see `learn_path`. What players are told is losses.
    """
    nodes, infostates, losses, done, stream, paths = arena
    for _ in range(episodes):
        end = play(nodes, infostates, state.policy, -1, state.policy, 0.0, 0, stream, paths)
        done[0] += 1
        episode = float(done[0])
        for player in range(len(numbers)):
            loss = losses[end, player]
            learn_path(numbers[player], infostates, player, paths, loss, episode, state)
