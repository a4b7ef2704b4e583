"""Kernels of self-play by a local rule, over the action-major layout of `layout.py`.

`play_and_learn` runs compiled with compiled rules, and interpreted with plain Python rules.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoset.regret._cfr_kernels import realize_and_average
from infoset.regret._payoff_kernels import BlockPayoffs, fill_gradient
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel
from infoset.utils.simd import LANES, filled, load, maximum, store


@kernel
def apply_scheme(
    row: FloatArray, values: FloatArray, policy: FloatArray, state: FloatArray
) -> None:
    """Update regrets and policy as a member of the CFR family does: its local rule.

    row [9]: of the schedule, followed by the limit of the adaptive prediction, negative
    without one. state [S, A, I]: the regrets; with an adaptive prediction also the last
    instantaneous regrets and, in the first rows of two more arrays, the two sums of
    `adapt_prediction`.
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
            # α of Meng et al. (2026), eq. 3: see `adapt_prediction`
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
    """Add the values of infostates, Σ_a played [A, I] · values [A, I], to `gradient` [Q] at `up`.

    up [I]: positions of the parent sequences.
    """
    num_actions, count = values.shape
    for action in range(num_actions):
        for i in range(count):
            gradient[up[i]] += played[action, i] * values[action, i]


@kernel
def apply_min_probabilities(
    groups: IndexArray, policy: FloatArray, minimum: FloatArray, played: FloatArray
) -> None:
    """Fill `played` [Q]: the policy [Q], mixed so that each action has its minimum probability.

    With σ the policy and ε [Q] the minimum: σ̂(I, a) = (1 − Σ_b ε(I, b)) σ(I, a) + ε(I, a).
    groups: see `Layout`.
    """
    for group in range(len(groups)):
        base, stride, actions, _, _ = groups[group]
        for begin in range(0, stride, LANES):
            count = min(LANES, stride - begin)
            first = base + begin
            total = filled(minimum, 0.0)
            for action in range(actions):
                total += load(minimum, first + action * stride, count)
            rest = maximum(1.0 - total, 0.0)  # a sum of minimums may round to more than 1
            for action in range(actions):
                at = first + action * stride
                mixed = load(policy, at, count) * rest + load(minimum, at, count)
                store(played, at, count, mixed)


@kernel
def play_and_learn(
    rule: Callable[[FloatArray, FloatArray, FloatArray, FloatArray], None],
    rows: FloatArray,
    averaging: FloatArray,
    alternating: bool,
    averages_next: bool,
    is_perturbed: bool,
    num_arrays: int,
    done: LongArray,
    groups: tuple[IndexArray, ...],
    parents: tuple[IndexArray, ...],
    pairs: tuple[BlockPayoffs, ...],
    sequence: IndexArray,
    payoff: FloatArray,
    minimums: tuple[FloatArray, ...],
    gradients: tuple[FloatArray, ...],
    policies: tuple[FloatArray, ...],
    played: tuple[FloatArray, ...],
    plans: tuple[FloatArray, ...],
    averages: tuple[FloatArray, ...],
    states: tuple[FloatArray, ...],
) -> None:
    """Run an iteration for each of the rule's `rows` [T, K], all state in place; count in done[0].

    averaging [T, 8]: rows of a schedule, for the average plan. played: the policies, or if
    `is_perturbed` their mixtures with the minimum probabilities `minimums` [Q]. states [S * Q]:
    each group stores its S arrays one after the other. The other arguments are as in `iterate`.

    Compiled, it takes compiled rules; interpreted, it takes any.
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
                # signed: with Python rules, differences of unsigned numbers would wrap around
                base, count, actions, infostate, _ = groups[player][group].astype(np.int64)
                end, shape = base + actions * count, (actions, count)
                # a group is contiguous action by action: its slices are [A, I] arrays
                values = gradient[base:end].reshape(shape)
                up = parents[player][infostate : infostate + count]
                pass_up(up, values, mixed[base:end].reshape(shape), gradient)
                state = states[player][num_arrays * base : num_arrays * end]
                state = state.reshape((num_arrays, actions, count))
                rule(rows[step], values, policy[base:end].reshape(shape), state)
            if is_perturbed:
                apply_min_probabilities(groups[player], policy, minimums[player], mixed)
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
