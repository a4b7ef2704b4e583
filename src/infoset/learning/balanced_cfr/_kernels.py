"""Balanced CFR: an episode for every layer of every player, and then all policies move at once."""

from __future__ import annotations

from typing import NamedTuple

from infoset.learning._kernels import count_for_all, count_infostate, follow_baseline
from infoset.learning.simulation import Infostates, Paths, PlayState, play
from infoset.regret import hedge, match_regrets
from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import bare_kernel, inner_kernel

RATE = 0
LEAST_REGRET = 1
BASELINE_WINDOW = 2
DECAY_EXPONENT = 3


class Schedule(NamedTuple):
    """The E episodes of an iteration, in order.

    Attributes
    ----------
    player, layer : IntArray
        [E] who explores, and which of its layers, from 0, the episode is for.
    exploration : FloatArray
        [H, S] the balanced policies μ*ʰ, layer by layer.
    """

    player: IntArray
    layer: IntArray
    exploration: FloatArray


class LayerState(NamedTuple):
    """The arrays that Balanced CFR moves.

    Attributes
    ----------
    policy : FloatArray
        [S] the current policy, which moves when an iteration ends.
    regret : FloatArray
        [S] cumulative regrets; those of the iteration under way are in it already.
    touched : IntArray
        [E] infostate whose regrets each episode of the iteration moved, or -1.
    baseline, visits : FloatArray
        [I] b(x), what is taken off losses, and how many losses it has followed.
    mass, counted : FloatArray
        [S] and [I] the average over iterations; see `infoset.learning._kernels`.
    """

    policy: FloatArray
    regret: FloatArray
    touched: IntArray
    baseline: FloatArray
    visits: FloatArray
    mass: FloatArray
    counted: FloatArray


@inner_kernel
def add_regret(
    first_slot: int,
    end: int,
    taken: int,
    loss: float,
    least: float,
    policy: FloatArray,
    regret: FloatArray,
) -> None:
    """Add the regret of one estimated loss, of the action of slot `taken`, in place.

    regret(b) += <policy, estimate> - estimate(b), the estimate being `loss` for the action taken
    and 0 for the others; the importance weight 1 / μ*ʰ₁:ₕ is the same for all of them and cancels
    against that of the step, or is a scale that regret matching does not see.
    """
    expected = policy[taken] * loss
    regret[taken] -= loss
    for slot in range(first_slot, end):
        regret[slot] = max(regret[slot] + expected, least)


@inner_kernel
def learn_layer(
    numbers: FloatArray,
    infostates: Infostates,
    player: int,
    layer: int,
    paths: Paths,
    loss: float,
    state: LayerState,
) -> int:
    """Learn from an episode for one layer of a player, `state` in place but not the policy.

    Only the infostate of that layer learns, from the loss of all that followed. Returns it, or -1
    where the episode has ended before.
    """
    if paths.length[player] <= layer:
        return -1
    for step in range(layer + 1):
        here = paths.infostate[player, step]
        count_infostate(infostates, here, state.policy, state.mass, state.counted)
    here, taken = paths.infostate[player, layer], paths.slot[player, layer]
    first_slot = infostates.first_slot[here]
    end = first_slot + infostates.num_actions[here]
    centered = loss - state.baseline[here]
    add_regret(first_slot, end, taken, centered, numbers[LEAST_REGRET], state.policy, state.regret)
    follow_baseline(here, loss, numbers[BASELINE_WINDOW], state.baseline, state.visits)
    return int(here)


@inner_kernel
def move_policies(
    numbers: FloatArray, infostates: Infostates, iteration: float, state: LayerState
) -> None:
    """Set the policies of an iteration's infostates from their regrets, in place.

    Regrets are sums, so that Hedge at a rate of the day follows the regularised leader.
    """
    for here in state.touched:
        if here >= 0:
            first_slot = infostates.first_slot[here]
            end = first_slot + infostates.num_actions[here]
            rate = numbers[infostates.player[here], RATE]
            if numbers[infostates.player[here], DECAY_EXPONENT] != 0.0:
                rate *= iteration ** numbers[infostates.player[here], DECAY_EXPONENT]
            if rate > 0.0:
                hedge(first_slot, end, rate, state.regret, state.policy)
            else:
                match_regrets(first_slot, end, state.regret, state.policy)


@bare_kernel
def learn_layer_alone(
    numbers: FloatArray,
    infostates: Infostates,
    layer: int,
    paths: Paths,
    loss: float,
    iteration: float,
    state: LayerState,
) -> None:
    """Learn from an episode for one layer, played elsewhere, of the only player.

    An iteration counts in the average at its first layer, and moves the policy at its last.
    numbers : [1, 4] see `learn_by_layers`.
    """
    if layer == 0:
        state.mass[0] += 1.0
    state.touched[layer] = learn_layer(numbers[0], infostates, 0, layer, paths, loss, state)
    if layer == len(state.touched) - 1:
        move_policies(numbers, infostates, iteration, state)


@bare_kernel
def learn_by_layers(
    numbers: FloatArray, schedule: Schedule, arena: PlayState, episodes: int, state: LayerState
) -> None:
    """Play episodes of iterations in an arena, the first where those done have come to.

    In an episode for layer h of a player, it follows μ*ʰ in its first h decisions and its policy
    after them, while the others follow theirs. All policies stay as they are for an iteration,
    which counts in the average from its first episode on.

    numbers : [N, 4] of each player, the rate of Hedge or 0 for regret matching, the least regret,
    over how many losses baselines run, 0 for constant ones, and the power of the iteration by
    which the rate is multiplied, or 0. What players are told is losses.
    Source: Bai, Jin, Mei and Yu (2022), Algorithm 2.
    """
    nodes, infostates, losses, done, stream, paths = arena
    num_parts = len(schedule.player)
    for _ in range(episodes):
        part = done[0] % num_parts
        if part == 0:
            count_for_all(infostates, state.mass)
        player, layer = schedule.player[part], schedule.layer[part]
        exploration = schedule.exploration[layer]
        end = play(
            nodes,
            infostates,
            state.policy,
            player,
            exploration,
            1.0,
            layer + 1,
            stream,
            paths,
        )
        done[0] += 1
        loss = losses[end, player]
        state.touched[part] = learn_layer(
            numbers[player], infostates, player, layer, paths, loss, state
        )
        if part == num_parts - 1:
            move_policies(numbers, infostates, float(done[0] // num_parts), state)
