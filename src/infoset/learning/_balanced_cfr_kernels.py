"""Kernels of Balanced CFR: one episode per layer and player, then all policies change.

Source: Bai, Jin, Mei and Yu (2022), Algorithm 2. μ*ʰ is the balanced exploration policy of layer h.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.learning._simulator_kernels import Paths, PlayState, play
from infoset.learning._update_kernels import count_episode, count_infostate, update_baseline
from infoset.regret import hedge, match_regrets
from infoset.tree.decision_nodes import Infostates
from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import bare_kernel, inner_kernel

# The columns of `parameters`.
LEARNING_RATE = 0
MIN_REGRET = 1
BASELINE_WINDOW = 2
DECAY_EXPONENT = 3


class Schedule(NamedTuple):
    """The E episodes of an iteration, in order."""

    player: IntArray
    layer: IntArray
    """[E] the player who explores in each episode, and the layer that it explores, from 0."""
    layer_policies: FloatArray
    """[H, S] the balanced exploration policies μ*ʰ, by layer."""


class BalancedCFRState(NamedTuple):
    """The arrays of Balanced CFR."""

    policy: FloatArray
    """[S] the current policy, which changes at the end of an iteration."""
    regret: FloatArray
    """[S] cumulative regrets, including those of the current iteration."""
    touched: IntArray
    """[E] the infostate whose regrets each episode of the iteration changed, or -1."""
    baseline: FloatArray
    visits: FloatArray
    """[I] the baseline b(x), subtracted from losses, and the number of losses it averages."""
    cumulative_plan: FloatArray
    parent_counted: FloatArray
    """[S] and [I] the average over iterations; see `infoset.learning._update_kernels`."""


@inner_kernel
def add_regret(
    first_sequence: int,
    end: int,
    taken: int,
    loss: float,
    min_regret: float,
    policy: FloatArray,
    regret: FloatArray,
) -> None:
    """Add the regret of an estimated loss of the action taken, in place.

    For every action b, regret(b) += <policy, estimate> - estimate(b). The estimate is `loss` for
    the action taken and 0 for the others. The importance weight 1 / μ*ʰ₁:ₕ is left out: it is the
    same for all actions. Hedge multiplies its rate by μ*ʰ₁:ₕ, so both cancel, and regret matching
    ignores the scale.
    """
    expected = policy[taken] * loss  # <policy, estimate>: all other estimates are 0
    # R(x, ·) += <μ, L̃> − L̃(x, ·), with L̃ = 0 for all actions but the one taken.
    regret[taken] -= loss
    # Clipped after the sum: `min_regret` is 0 for regret matching+, -∞ otherwise.
    for sequence in range(first_sequence, end):
        regret[sequence] = max(regret[sequence] + expected, min_regret)


@inner_kernel
def learn_layer(
    parameters: FloatArray,
    infostates: Infostates,
    player: int,
    layer: int,
    paths: Paths,
    loss: float,
    state: BalancedCFRState,
) -> int:
    """Learn from an episode for one layer of a player, updating `state` except its policy.

    Only the infostate of that layer learns. Return it, or -1 if the episode ended above the layer.
    """
    # The estimate of a layer that the episode did not reach is 0 everywhere: no change.
    if paths.length[player] <= layer:
        return -1
    # The average is brought up to date from the root down to the layer, because an infostate needs
    # the updated plan of its parent sequence. Below the layer, policies do not change.
    for step in range(layer + 1):
        here = paths.infostate[player, step]
        count_infostate(infostates, here, state.policy, state.cumulative_plan, state.parent_counted)
    here, taken = paths.infostate[player, layer], paths.sequence[player, layer]
    first_sequence = infostates.first_sequence[here]
    end = first_sequence + infostates.num_actions[here]
    # The estimate is G - b(x) for the action taken and 0 for the others. On average, b shifts the
    # estimates of all actions equally: the regrets are the same, with less variance.
    centered = loss - state.baseline[here]
    min_regret = parameters[MIN_REGRET]
    add_regret(first_sequence, end, taken, centered, min_regret, state.policy, state.regret)
    update_baseline(here, loss, parameters[BASELINE_WINDOW], state.baseline, state.visits)
    return int(here)


@inner_kernel
def update_policies(
    parameters: FloatArray, infostates: Infostates, iteration: float, state: BalancedCFRState
) -> None:
    """Set the policies at the infostates of an iteration from their regrets, in place.

    Regrets are sums over iterations, so Hedge with a decreasing rate is follow the regularized
    leader.
    """
    for here in state.touched:
        if here >= 0:  # -1 marks an episode that ended above its layer
            first_sequence = infostates.first_sequence[here]
            end = first_sequence + infostates.num_actions[here]
            rate = parameters[infostates.player[here], LEARNING_RATE]
            # A decreasing rate, such as η / √t, needs no horizon.
            if parameters[infostates.player[here], DECAY_EXPONENT] != 0.0:
                rate *= iteration ** parameters[infostates.player[here], DECAY_EXPONENT]
            # Algorithm 2 with Hedge if the rate is positive, otherwise with regret matching.
            if rate > 0.0:
                # μ(a|x) ∝ exp(−η μ*ʰ₁:ₕ Σ L̃(x, a)), where μ*ʰ₁:ₕ cancels the importance weight.
                # Regrets are minus the losses plus a number that all actions share, which Hedge
                # ignores.
                hedge(first_sequence, end, rate, state.regret, state.policy)
            else:
                match_regrets(first_sequence, end, state.regret, state.policy)


@inner_kernel
def learn_episode(
    parameters: FloatArray,
    infostates: Infostates,
    schedule: Schedule,
    done: int,
    paths: Paths,
    loss: float,
    state: BalancedCFRState,
) -> None:
    """Learn from the episode that follows `done` others, updating `state`.

    The average counts an iteration at its first episode; the policies change after its last.

    parameters : [N, 4] of each player: the learning rate of Hedge, or 0 for regret matching; the
    minimum regret; the window of baselines, or 0 for constant ones; and the exponent of the
    iteration number in the learning rate, 0 for a constant rate.
    """
    num_episodes = len(schedule.player)
    # The position in the iteration: which player explores, and down to which layer.
    part = done % num_episodes
    player, layer = schedule.player[part], schedule.layer[part]
    # One plan per iteration: its episodes share the frozen policies.
    if part == 0:
        count_episode(infostates, state.cumulative_plan)
    state.touched[part] = learn_layer(
        parameters[player], infostates, player, layer, paths, loss, state
    )
    # The policies were fixed until here, so all episodes of an iteration sample the same losses.
    if part == num_episodes - 1:
        update_policies(parameters, infostates, float((done + 1) // num_episodes), state)


@bare_kernel
def run_self_play(
    parameters: FloatArray,
    schedule: Schedule,
    play_state: PlayState,
    episodes: int,
    state: BalancedCFRState,
) -> None:
    """Play episodes of iterations and learn from them, updating `state`.

    In an episode for layer h, the exploring player follows μ*ʰ in its first h decisions and its
    policy in the later ones. The other players follow their policies. All policies remain fixed
    during an iteration.

    parameters : [N, 4] see `learn_episode`. The feedback consists of losses.
    """
    nodes, infostates, losses, done, stream, paths = play_state
    num_episodes = len(schedule.player)
    for _ in range(episodes):
        part = done[0] % num_episodes
        player, layer = schedule.player[part], schedule.layer[part]
        # Exploration with probability 1 in the first layer + 1 decisions: layers count from 0.
        # One policy in two parts: μ*ʰ down to layer h, so that the layer is covered evenly, then μ,
        # so that the loss is a sample of the counterfactual loss under μ.
        end = play(
            nodes,
            infostates,
            state.policy,
            player,
            schedule.layer_policies[layer],
            1.0,
            layer + 1,
            stream,
            paths,
        )
        # G is the loss from layer h on. Losses are assigned to the end of play, so it is that of
        # the whole episode.
        loss = losses[end, player]
        done[0] += 1
        learn_episode(parameters, infostates, schedule, done[0] - 1, paths, loss, state)
