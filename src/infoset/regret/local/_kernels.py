"""Kernels of self-play by a local rule, over the action-major layout of `infoset.regret`.

`play_and_learn` has two lives: compiled for rules that are, and interpreted for the others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoset.regret._plan_kernels import realize_and_average
from infoset.regret.payoffs import BlockPayoffs, fill_gradient
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.simd import LANES, filled, load, maximum, store


@kernel
def match_regrets(
    row: FloatArray, values: FloatArray, policy: FloatArray, state: FloatArray
) -> None:
    """Do what a member of the CFR family does at each infostate: its local rule.

    row [9]: of the schedule, then the limit of the adaptive prediction, below zero for none.
    state [S, A, I]: regrets; with an adaptive prediction, which is in `adapt_prediction`, also
    the last instantaneous ones, and in the first row of two more arrays the sums.
    """
    weight, keep_positive, keep_negative, floor, keep_predicted, prediction = row[:6]
    limit = row[8]
    num_actions, count = values.shape
    regret = state[0]
    for i in range(count):
        value = 0.0
        for action in range(num_actions):
            value += policy[action, i] * values[action, i]
        changed, moved = 0.0, 0.0
        for action in range(num_actions):
            instant = weight * (values[action, i] - value)
            before = regret[action, i]
            kept = before * (keep_positive if before > 0.0 else keep_negative)
            regret[action, i] = max(kept + instant, floor)
            values[action, i] = instant
            if limit >= 0.0:
                changed += (instant - state[1, action, i]) ** 2
                moved += (regret[action, i] - before) ** 2
                state[1, action, i] = instant
        if limit >= 0.0:
            state[2, 0, i] += changed
            state[3, 0, i] += moved
            moved = state[3, 0, i]
            ratio = np.sqrt(state[2, 0, i] / moved) if moved > 0.0 else limit
            prediction = 1.0 / (1.0 + min(ratio, limit))
        total = 0.0
        for action in range(num_actions):
            wanted = keep_predicted * regret[action, i] + prediction * values[action, i]
            policy[action, i] = max(wanted, 0.0)
            total += policy[action, i]
        for action in range(num_actions):
            policy[action, i] = policy[action, i] / total if total > 0.0 else 1.0 / num_actions


@kernel
def pass_up(up: IndexArray, values: FloatArray, played: FloatArray, gradient: FloatArray) -> None:
    """Add to `gradient` [Q] at the parents `up` [I] the values [A, I] of what is played [A, I]."""
    num_actions, count = values.shape
    for action in range(num_actions):
        for i in range(count):
            gradient[up[i]] += played[action, i] * values[action, i]


@kernel
def apply_min_probabilities(
    groups: IndexArray, policy: FloatArray, least: FloatArray, played: FloatArray
) -> None:
    """Fill `played` [Q] with the policy [Q], mixed so that each action has its least probability.

    groups: see `Layout`; least [Q].
    """
    for group in range(len(groups)):
        base, stride, actions, _, _ = groups[group]
        for begin in range(0, stride, LANES):
            count = min(LANES, stride - begin)
            first = base + begin
            total = filled(least, 0.0)
            for action in range(actions):
                total += load(least, first + action * stride, count)
            share = maximum(1.0 - total, 0.0)  # where these are all there is, rounded
            for action in range(actions):
                at = first + action * stride
                store(played, at, count, load(policy, at, count) * share + load(least, at, count))


@kernel
def play_and_learn(
    rule: Callable[[FloatArray, FloatArray, FloatArray, FloatArray], None],
    rows: FloatArray,
    averaging: FloatArray,
    alternating: bool,
    averages_next: bool,
    trembles: bool,
    num_arrays: int,
    done: LongArray,
    groups: tuple[IndexArray, ...],
    parents: tuple[IndexArray, ...],
    pairs: tuple[BlockPayoffs, ...],
    sequence: IndexArray,
    payoff: FloatArray,
    least: tuple[FloatArray, ...],
    gradients: tuple[FloatArray, ...],
    policies: tuple[FloatArray, ...],
    played: tuple[FloatArray, ...],
    plans: tuple[FloatArray, ...],
    averages: tuple[FloatArray, ...],
    states: tuple[FloatArray, ...],
) -> None:
    """Run an iteration for each of the rule's `rows` [T, K], all state in place; count in done[0].

    averaging [T, 8]: rows of a schedule, for the average; played: the policies, or where there
    are `trembles` what `tremble` makes of them with `least`; states [S * Q], each group with its
    arrays one after the other. The others are as in `iterate`.

    Compiled, it takes rules that are; interpreted, it takes any.
    """
    num_players = len(groups)
    for step in range(len(rows)):
        if not alternating:
            for player in range(num_players):
                fill_gradient(player, pairs, sequence, payoff, plans, gradients[player])
        for player in range(num_players):
            gradient, policy, mixed = gradients[player], policies[player], played[player]
            if alternating:
                fill_gradient(player, pairs, sequence, payoff, plans, gradient)
            for group in range(len(groups[player]) - 1, -1, -1):
                base, count, actions, infostate, _ = groups[player][group].astype(np.int64)
                end, shape = base + actions * count, (actions, count)
                values = gradient[base:end].reshape(shape)
                up = parents[player][infostate : infostate + count]
                pass_up(up, values, mixed[base:end].reshape(shape), gradient)
                state = states[player][num_arrays * base : num_arrays * end]
                state = state.reshape((num_arrays, actions, count))
                rule(rows[step], values, policy[base:end].reshape(shape), state)
            if trembles:
                apply_min_probabilities(groups[player], policy, least[player], mixed)
            realize_and_average(
                averaging[step],
                averages_next,
                groups[player],
                parents[player],
                mixed,
                plans[player],
                averages[player],
            )
        done[0] += 1
