"""Learning against trigger deviations: episodes played at a fixed point, and what they teach."""

from __future__ import annotations

import numpy as np

from infoset.evaluation.trigger_pairs import TriggerPairs
from infoset.learning._kernels import count_for_all, count_rest
from infoset.learning.efce.deviation import (
    EXPLORATION,
    RATE,
    SEQUENCES,
    TriggerState,
    refresh,
    tilt,
)
from infoset.learning.efce.fixed_point import solve_all, solve_infostate
from infoset.learning.simulation import (
    TERMINAL_NODE,
    Infostates,
    Nodes,
    Paths,
    PlayState,
    add_step,
    draw_action,
    draw_outcome,
)
from infoset.typing import FloatArray
from infoset.utils.compilation import bare_kernel, inner_kernel
from infoset.utils.splitmix import Stream


@inner_kernel
def play_fixed_point(
    nodes: Nodes,
    infostates: Infostates,
    pairs: TriggerPairs,
    state: TriggerState,
    stream: Stream,
    paths: Paths,
) -> int:
    """Play an episode as `play` does, by policies that are solved where it comes to."""
    paths.length[:] = 0
    node = 0
    while True:
        here = nodes.kind[node]
        if here < 0:
            if here == TERMINAL_NODE:
                return int(nodes.first[node])
            node = draw_outcome(nodes, node, stream)
            continue
        solve_infostate(infostates, pairs, here, state)
        first_slot, num_actions = infostates.first_slot[here], infostates.num_actions[here]
        action = draw_action(state.policy, first_slot, num_actions, stream)
        add_step(infostates, here, first_slot + action, paths)
        node = nodes.first[node] + action


@inner_kernel
def learn_trigger(
    rate: float,
    infostates: Infostates,
    pairs: TriggerPairs,
    player: int,
    paths: Paths,
    step: int,
    trigger: int,
    estimate: float,
    state: TriggerState,
) -> float:
    """Add an estimated loss to the last pair of a trigger, in place; return the change of F*(x_g).

    step : of the path, where the trigger is.
    """
    change = -rate * estimate
    for later in range(paths.length[player] - 1, step - 1, -1):
        here = paths.infostate[player, later]
        first = pairs.start[trigger] + pairs.rank[infostates.first_slot[here]]
        taken = pairs.start[trigger] + pairs.rank[paths.slot[player, later]]
        change = tilt(first, infostates.num_actions[here], taken, change, state)
    return change


@inner_kernel
def learn_path(
    numbers: FloatArray,
    factor: float,
    infostates: Infostates,
    pairs: TriggerPairs,
    player: int,
    paths: Paths,
    loss: float,
    state: TriggerState,
) -> None:
    """Learn from a player's path what each trigger on it would have lost, `state` in place.

    For a trigger g at an infostate of the path, recommended or not, and the last decision s of
    the path, M(s; g) grows by

        μ(g) · loss / (μ(s) + γ (μ*(s) + μ(g) m_g(s))).

    numbers : [3] η, γ and XA; factor : of η and γ.
    Source: Bai et al. (2022b).
    """
    length = paths.length[player]
    if length == 0:
        return
    rate, exploration = numbers[RATE] * factor, numbers[EXPLORATION] * factor
    last = paths.slot[player, length - 1]
    own_reach = 1.0
    for step in range(length):
        own_reach *= state.policy[paths.slot[player, step]]
    covered = own_reach + exploration * state.weight[paths.infostate[player, length - 1]]
    reach, followed = 1.0, 0.0
    for step in range(length):
        first = infostates.first_slot[paths.infostate[player, step]]
        count = infostates.num_actions[paths.infostate[player, step]]
        for trigger in range(first, first + count):
            told = reach * state.policy[trigger]
            instead = told
            for later in range(step, length):
                taken = paths.slot[player, later]
                instead *= state.behavior[pairs.start[trigger] + pairs.rank[taken]]
            estimate = told * loss / (covered + exploration * instead)
            state.estimates[pairs.start[trigger] + pairs.rank[last]] += estimate
            change = learn_trigger(
                rate, infostates, pairs, player, paths, step, trigger, estimate, state
            )
            state.exponent[trigger] += change / numbers[SEQUENCES]
            if trigger == last:
                followed = estimate
        reach *= state.policy[paths.slot[player, step]]
    for step in range(length):
        state.exponent[paths.slot[player, step]] += rate * followed / numbers[SEQUENCES]


@inner_kernel
def count_all(infostates: Infostates, state: TriggerState) -> None:
    """Count the policy of an episode in the average, at all infostates, `state` in place."""
    count_for_all(infostates, state.mass)
    count_rest(infostates, state.policy, state.mass, state.counted)


@inner_kernel
def falling(done: int) -> float:
    """Return 1 / √(episodes filled up to a power of two), `done` and the one that comes."""
    factor, limit = 1.0, 1
    while limit <= done:
        limit *= 2
        factor *= np.sqrt(0.5)
    return factor


@inner_kernel
def renew(
    numbers: FloatArray, done: int, infostates: Infostates, pairs: TriggerPairs, state: TriggerState
) -> None:
    """Set all to what follows from a rate that falls with the next episode, if it does."""
    if done & (done - 1) == 0:
        refresh(numbers, falling(done), infostates, pairs, state)


@bare_kernel
def learn_alone(
    numbers: FloatArray,
    anytime: bool,
    infostates: Infostates,
    pairs: TriggerPairs,
    done: int,
    paths: Paths,
    loss: float,
    state: TriggerState,
) -> None:
    """Count and learn one episode, played elsewhere, of the only player; see `learn_triggers`.

    done : how many episodes were learnt before. `policy` must be solved, and is solved again.
    """
    count_all(infostates, state)
    factor = falling(done) if anytime else 1.0
    learn_path(numbers[0], factor, infostates, pairs, 0, paths, loss, state)
    if anytime:
        renew(numbers, done + 1, infostates, pairs, state)
    solve_all(infostates, pairs, state)


@bare_kernel
def learn_triggers(
    numbers: FloatArray,
    anytime: bool,
    every: int,
    pairs: TriggerPairs,
    arena: PlayState,
    episodes: int,
    state: TriggerState,
) -> None:
    """Play episodes in an arena, in which all play fixed points of their deviations, and learn.

    In the end, `policy` is that of the next episode. What players are told is losses.

    numbers : [N, 3] of each player, see `learn_path`. losses : [Z, N] at terminal nodes.
    every : of how many episodes one is counted in the average.
    anytime : whether η and γ are those of one episode, divided by the root of the episodes, filled
    up to a power of two: at each such power, all is set to what follows from the new η.
    """
    nodes, infostates, losses, done, stream, paths = arena
    for _ in range(episodes):
        if done[0] % every == 0:
            solve_all(infostates, pairs, state)
            count_all(infostates, state)
        factor = falling(done[0]) if anytime else 1.0
        end = play_fixed_point(nodes, infostates, pairs, state, stream, paths)
        done[0] += 1
        for player in range(len(numbers)):
            loss = losses[end, player]
            learn_path(numbers[player], factor, infostates, pairs, player, paths, loss, state)
        if anytime:
            renew(numbers, done[0], infostates, pairs, state)
    solve_all(infostates, pairs, state)
