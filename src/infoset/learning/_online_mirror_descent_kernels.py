"""Kernels of online mirror descent and follow the regularized leader with implicit exploration.

Notation: x is an infostate, a an action, R the own reach μ(x, a) of the action taken, and w(x) the
weight of an infostate. η_x = η w(x) and γ_x = γ w(x) are learning rate and implicit exploration.
Sources: Kozuno et al. (2021), IXOMD (w = 1); Bai et al. (2022), Algorithm 1, Balanced OMD
(w = μ*ʰ₁:ₕ); Fiegel et al. (2023), Balanced FTRL (w = 1 / p*) and Adaptive FTRL.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.learning._simulator_kernels import Paths, PlayState, play
from infoset.learning._update_kernels import count_infostate, update_baseline
from infoset.tree.decision_nodes import Infostates
from infoset.typing import FloatArray
from infoset.utils.compilation import bare_kernel, inner_kernel

# The columns of `parameters`.
LEARNING_RATE = 0
IMPLICIT_EXPLORATION = 1
ADAPTIVITY_EXPONENT = 2
DECAY_EXPONENT = 3
BASELINE_WINDOW = 4
MIN_PROBABILITY = 5

SMALLEST_PROBABILITY = 1e-300
LARGEST_LOGIT = 690.0
"""Exponents are clipped to ± this, so that sums of exponentials are neither infinite nor 0."""


class MirrorDescentState(NamedTuple):
    """The arrays of online mirror descent."""

    policy: FloatArray
    """[S] the current policy μ."""
    initial: FloatArray
    """[S] the initial policy μ¹, toward which the policy is re-centered as rates decrease;
    constant."""
    weight: FloatArray
    """[I] w(x); constant."""
    rate: FloatArray
    """[I] η_x at the last visit."""
    infostate_visits: FloatArray
    action_visits: FloatArray
    """[I] P(x) and [S] P(x, a): sums over visits of the inverse estimated reach, starting at 1;
    empty if rates do not adapt."""
    baseline: FloatArray
    visits: FloatArray
    """[S] running mean of the losses that followed each action, and their number; empty without
    baselines."""
    cumulative_plan: FloatArray
    parent_counted: FloatArray
    """[S] and [I] the average; see `infoset.learning._update_kernels`."""


@inner_kernel
def raise_to(base: float, exponent: float) -> float:
    """Return a power, fast for the exponents 1 and 1/2."""
    if exponent == 1.0:
        return base
    # A general power is several times slower than a square root.
    if exponent == 0.5:
        return float(np.sqrt(base))
    return float(base**exponent)


@inner_kernel
def recenter(
    initial: FloatArray, alpha: float, first_sequence: int, end: int, policy: FloatArray
) -> None:
    """Replace a policy with policy^α · initial^(1 - α), not normalized, in place."""
    for sequence in range(first_sequence, end):
        # In logarithms: logits keep a fraction α of their distance from the initial ones.
        policy[sequence] = np.exp(
            alpha * np.log(policy[sequence]) + (1.0 - alpha) * np.log(initial[sequence])
        )


@inner_kernel
def clipped_exp(logit: float) -> float:
    """Return exp(logit), with the logit clipped to ±`LARGEST_LOGIT`."""
    return float(np.exp(min(max(logit, -LARGEST_LOGIT), LARGEST_LOGIT)))


@inner_kernel
def normalize(first_sequence: int, end: int, policy: FloatArray) -> None:
    """Divide the probabilities of an infostate by their sum, in place."""
    total = 0.0
    for sequence in range(first_sequence, end):
        total += policy[sequence]
    for sequence in range(first_sequence, end):
        policy[sequence] /= total


@inner_kernel
def descend(
    first_sequence: int,
    end: int,
    taken: int,
    rate: float,
    loss: float,
    min_probability: float,
    policy: FloatArray,
) -> float:
    """Multiply the probability of an action by exp(-rate · loss) and normalize; return log Z.

    Z is the sum before normalization; `policy` [S] changes in place and need not be normalized
    before. Probabilities below `min_probability`, at most 1 / (2 A), are raised to it.
    """
    others = 0.0  # summed anew: in 1 - policy[taken], rounding errors would accumulate
    for sequence in range(first_sequence, end):
        if sequence != taken:
            others += policy[sequence]
    # exp(-η_x l̃) for the action taken; estimates of the others are 0, so their factors are 1.
    moved = policy[taken] * clipped_exp(-rate * loss)
    total = others + moved
    # The inverse is finite: the largest probability is at least 1 / A times that of `initial`, and
    # its factor at least exp(-LARGEST_LOGIT).
    scale = 1.0 / total
    # At most 1 / (2 A), so that the minimums never add up to more than one half.
    floor = max(min(min_probability, 0.5 / (end - first_sequence)), SMALLEST_PROBABILITY)
    for sequence in range(first_sequence, end):
        policy[sequence] = max(policy[sequence] * scale, floor)
    policy[taken] = max(moved * scale, floor)
    # Raising probabilities makes their sum exceed 1; without a minimum the sum is 1 already.
    if min_probability > 0.0:
        normalize(first_sequence, end, policy)
    return float(np.log(total))


@inner_kernel
def apply_baselines(
    first_sequence: int,
    end: int,
    taken: int,
    scale: float,
    baseline: FloatArray,
    policy: FloatArray,
) -> None:
    """Multiply the probabilities of all other actions by exp(-scale · baseline), in place."""
    # `update_path` includes the baseline of the action taken in its estimate.
    for sequence in range(first_sequence, end):
        if sequence != taken:
            policy[sequence] *= clipped_exp(-scale * baseline[sequence])


@inner_kernel
def follow_path(
    infostates: Infostates, player: int, paths: Paths, state: MirrorDescentState
) -> None:
    """Add an episode of a player to the average and write its own reach along the path, in place.

    Call it before the policy changes.
    """
    # `count_path` and the reach in one loop: both use the policies that played the episode.
    state.cumulative_plan[infostates.root_sequence[player]] += 1.0
    paths.reach[player, 0] = 1.0
    for step in range(paths.length[player]):
        here, sequence = paths.infostate[player, step], paths.sequence[player, step]
        count_infostate(infostates, here, state.policy, state.cumulative_plan, state.parent_counted)
        # R_h = μ_{1:h}(x_h, a_h), with the policy before the update.
        paths.reach[player, step + 1] = paths.reach[player, step] * state.policy[sequence]


@inner_kernel
def update_path(
    parameters: FloatArray,
    infostates: Infostates,
    player: int,
    paths: Paths,
    loss: float,
    episode: float,
    state: MirrorDescentState,
) -> None:
    """Add an episode of a player to the average and update its policy along the path, in place.

    The decisions are updated from the last to the first, with v = 0 after the last:

        l̃ = loss / (R + γ_x) at the last decision, 0 at the others
        Z = Σ_a μ(a|x) exp(-η_x (l̃ - v) [a taken])
        μ(a|x) ← μ(a|x) exp(-η_x (l̃ - v) [a taken]) / Z,    v ← log Z / η_x

    This is the exact minimizer of η <l̃, μ> + D(μ || μᵗ) over all policies.

    parameters : [6] of the player: η; γ; the exponent p of adaptive rates; the exponent of the
    episode number in both step sizes; the window of baselines; and the minimum probability in
    multiples of η_x. Each of the last four is turned off by 0.
    """
    follow_path(infostates, player, paths, state)
    adaptivity, decay = parameters[ADAPTIVITY_EXPONENT], parameters[DECAY_EXPONENT]
    window, min_probability = parameters[BASELINE_WINDOW], parameters[MIN_PROBABILITY]
    rates_change = adaptivity > 0.0 or decay != 0.0
    decayed = 1.0 if decay == 0.0 else episode**decay
    last = paths.length[player] - 1
    # Backward over the path. Off the path l̃ = 0, so nothing changes there.
    value = 0.0
    for step in range(last, -1, -1):
        here, sequence = paths.infostate[player, step], paths.sequence[player, step]
        # R includes the action taken; the reach of the infostate is one entry before.
        reach = paths.reach[player, step + 1]
        # η_x = η w(x) and γ_x = γ w(x): w = 1 is IXOMD, w = μ*ʰ₁:ₕ(x) Balanced OMD.
        rate = parameters[LEARNING_RATE] * decayed * state.weight[here]
        exploration = parameters[IMPLICIT_EXPLORATION] * decayed * state.weight[here]
        if adaptivity > 0.0:
            # Adaptive FTRL: γ_{x,a} = γ / P(x, a)^p and η_x = η / P(x)^p. P(x, a) grows by the
            # inverse of the estimated reach, and P(x) by that divided by the number of actions.
            exploration /= raise_to(state.action_visits[sequence], adaptivity)
            inverse = 1.0 / (reach + exploration)
            state.action_visits[sequence] += inverse
            state.infostate_visits[here] += inverse / infostates.num_actions[here]
            rate /= raise_to(state.infostate_visits[here], adaptivity)
        first_sequence = infostates.first_sequence[here]
        end = first_sequence + infostates.num_actions[here]
        if rates_change:
            # As in FTRL: when η_x decreases to α η_x, logits shrink toward the initial policy by
            # α. Plain mirror descent with decreasing rates would lose the regret bound.
            alpha = rate / state.rate[here]
            state.rate[here] = rate
            recenter(state.initial, alpha, first_sequence, end, state.policy)
        # Implicit exploration divides by R + γ_x: estimates are too small, but bounded.
        visible = reach + exploration
        estimate = loss / visible if step == last else 0.0
        if window > 0.0:
            # The estimated loss of every action is its baseline b times `led` = 1 / (R(x) + γ_x),
            # with R(x) the reach of the infostate. The action taken has (loss - b) / visible more.
            led = 1.0 / (paths.reach[player, step] + exploration)
            estimate += state.baseline[sequence] * (led - 1.0 / visible)
            apply_baselines(first_sequence, end, sequence, rate * led, state.baseline, state.policy)
            update_baseline(sequence, loss, window, state.baseline, state.visits)
        # v is minus the regularized cost of the next own decision, so it is subtracted.
        log_total = descend(
            first_sequence,
            end,
            sequence,
            rate,
            estimate - value,
            min_probability * rate,
            state.policy,
        )
        # v = log Z / η_x; times η_x of the decision above, this is (w_h / w_{h+1}) log Z_{h+1}.
        value = log_total / rate


@bare_kernel
def run_self_play(
    parameters: FloatArray, play_state: PlayState, episodes: int, state: MirrorDescentState
) -> None:
    """Play episodes in which all players follow their policies and learn, updating `state`.

    parameters : [N, 6] of each player, see `update_path`. The feedback consists of losses.
    """
    nodes, infostates, losses, done, stream, paths = play_state
    for _ in range(episodes):
        end = play(nodes, infostates, state.policy, -1, state.policy, 0.0, 0, stream, paths)
        done[0] += 1
        episode = float(done[0])
        # Every player learns from the episode, but only from its own path and loss.
        for player in range(len(parameters)):
            loss = losses[end, player]
            update_path(parameters[player], infostates, player, paths, loss, episode, state)
