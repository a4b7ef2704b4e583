"""Kernels of self-play by a local rule, over the action-major layout of `layout.py`.

`play_and_learn` runs compiled if the rule is compiled, and interpreted if it is plain Python.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoset.forms import PlayerPayoffs, fill_gradient
from infoset.regret._cfr_kernels import realize_and_average
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel, linear_kernel, passed_kernel
from infoset.utils.simd import LANES, filled, load, maximum, store


@passed_kernel
def apply_scheme(
    row: FloatArray, values: FloatArray, policy: FloatArray, state: FloatArray
) -> None:
    """Update regrets and policies as a member of the CFR family does; this is its local rule.

    row [10]: one row of the schedule, followed by the limit of the adaptive prediction, negative if
    there is none. state [S, A, I]: the regrets; with an adaptive prediction also the last
    instantaneous regrets and, in the first rows of two more arrays, the two sums of
    `adapt_prediction`; in the first row of the last array, the tolerances of `update_regrets`.
    """
    weight, keep_positive, keep_negative, floor, keep_predicted, prediction = row[:6]
    limit = row[9]
    num_actions, count = values.shape
    regret = state[0]
    for i in range(count):
        # v = Σ_a σ(a) q(a)
        value = 0.0
        for action in range(num_actions):
            value += policy[action, i] * values[action, i]
        changed, moved = 0.0, 0.0
        for action in range(num_actions):
            # r ← weight · (q − v), R ← max(discount · R + r, floor): see `RegretScheme`
            instant = weight * (values[action, i] - value)
            before = regret[action, i]
            kept = before * (keep_positive if before > 0.0 else keep_negative)
            regret[action, i] = max(kept + instant, floor)
            values[action, i] = instant  # q is no longer needed: its place stores r
            # Squared changes of r and R, for the adaptive prediction below.
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
        # z ← max(next discount · R + prediction · r, 0), and regret matching on z
        tolerance = row[8] * state[-1, 0, i]
        total = 0.0
        for action in range(num_actions):
            wanted = keep_predicted * regret[action, i] + prediction * values[action, i]
            policy[action, i] = wanted if wanted > tolerance else 0.0
            total += policy[action, i]
        # Uniform if no action has positive regret.
        for action in range(num_actions):
            policy[action, i] = policy[action, i] / total if total > 0.0 else 1.0 / num_actions


@kernel
def pass_up(up: IndexArray, values: FloatArray, played: FloatArray, gradient: FloatArray) -> None:
    """Add the values of infostates, Σ_a played [A, I] · values [A, I], to `gradient` [Q] at `up`.

    up [I]: positions of the parent sequences.
    """
    num_actions, count = values.shape
    # action by action, in the order in which the arrays are stored
    for action in range(num_actions):
        for i in range(count):
            gradient[up[i]] += played[action, i] * values[action, i]


@linear_kernel
def apply_min_probabilities(
    groups: IndexArray, policy: FloatArray, minimum: FloatArray, played: FloatArray
) -> None:
    """Fill `played` [Q]: the policy [Q], mixed such that each action has its minimum probability.

    With σ the policy and ε [Q] the minimum: σ̂(I, a) = (1 − Σ_b ε(I, b)) σ(I, a) + ε(I, a).
    groups: see `Layout`.
    """
    # A group is action-major: the same action of adjacent infostates fills a SIMD vector.
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
    payoffs: tuple[PlayerPayoffs, ...],
    minimums: tuple[FloatArray, ...],
    gradients: tuple[FloatArray, ...],
    policies: tuple[FloatArray, ...],
    played: tuple[FloatArray, ...],
    plans: tuple[FloatArray, ...],
    averages: tuple[FloatArray, ...],
    states: tuple[FloatArray, ...],
) -> None:
    """Run one iteration per row of the rule, updating all state in place; count them in done[0].

    rows [T, K]: arguments of the rule. averaging [T, 9]: rows of a schedule, for the average plan.
    played: the policies, or if `is_perturbed` their mixtures with the minimum probabilities
    `minimums` [Q]. states [S * Q]: each group stores its S arrays one after the other. The other
    arguments are as in `iterate`.

    If compiled, this function requires a compiled rule; if interpreted, it accepts any rule.
    """
    num_players = len(groups)
    for step in range(len(rows)):
        if not alternating:
            # all gradients before any plan changes
            for player in range(num_players):
                fill_gradient(player, payoffs, plans, gradients[player])
        for player in range(num_players):
            gradient, policy, mixed = gradients[player], policies[player], played[player]
            if alternating:
                fill_gradient(player, payoffs, plans, gradient)
            # deepest groups first, so that values are complete before they are passed up
            for group in range(len(groups[player]) - 1, -1, -1):
                # signed: with Python rules, differences of unsigned numbers would wrap around
                base, count, actions, infostate, _ = groups[player][group].astype(np.int64)
                end, shape = base + actions * count, (actions, count)
                # a group is stored action by action, so its slice reshapes to [A, I]
                values = gradient[base:end].reshape(shape)
                # before the rule is called, which may overwrite the values
                up = parents[player][infostate : infostate + count]
                pass_up(up, values, mixed[base:end].reshape(shape), gradient)
                # the S arrays of the group, as [S, A, I]
                state = states[player][num_arrays * base : num_arrays * end]
                state = state.reshape((num_arrays, actions, count))
                rule(rows[step], values, policy[base:end].reshape(shape), state)
            # σ̂ = (1 − Σ ε) σ + ε; otherwise `mixed` and `policy` are the same array
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
