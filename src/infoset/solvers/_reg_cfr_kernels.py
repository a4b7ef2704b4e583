"""Kernels of regularized CFR, over the action-major layout of `infoset.regret`."""

from __future__ import annotations

import math
from typing import NamedTuple

from infoset.regret import BlockPayoffs, block_gradient, project_on_simplex, realize_policy
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.compilation import kernel


class PlayerState(NamedTuple):
    """What the kernel knows of one player, in order of position; state but for the first three.

    Attributes
    ----------
    groups, parent
        See `infoset.regret.Layout`.
    pair : BlockPayoffs
        See `block_gradient`.
    gradient : FloatArray
        [Q] scratch.
    last : FloatArray
        [Q] what each action earned last, its regularizer considered.
    change : FloatArray
        [I] sum over iterations of the squared changes of that.
    base, policy : FloatArray
        [Q] behavior before the guess, and with it: what is played.
    plan : FloatArray
        [Q] the plan of what is played.
    """

    groups: IndexArray
    parent: IndexArray
    pair: BlockPayoffs
    gradient: FloatArray
    last: FloatArray
    change: FloatArray
    base: FloatArray
    policy: FloatArray
    plan: FloatArray


@kernel
def observe_infostate(
    side: PlayerState, infostate: int, first: int, step: int, num: int, temperature: float
) -> float:
    """Take in what the actions of one infostate have earned; return what its policy did.

    Both with the regularizer: the policy pays half the temperature times its squared norm.
    """
    value = 0.0
    for i in range(first, first + num * step, step):
        probability, earned = side.policy[i], side.gradient[i]
        value += probability * (earned - 0.5 * temperature * probability)
        slope = earned - temperature * probability
        change = slope - side.last[i]
        side.change[infostate] += change * change
        side.last[i] = slope
    return value


@kernel
def project_above(point: FloatArray, first: int, step: int, num: int, least: float) -> None:
    """Replace numbers by the nearest probabilities ≥ `least`; see `project_on_simplex`."""
    share = 1.0 - num * least
    if share > 0.0:
        for i in range(first, first + num * step, step):
            point[i] = (point[i] - least) / share
        project_on_simplex(point, first, step, num)
    for i in range(first, first + num * step, step):
        point[i] = least + share * point[i]


@kernel
def update_policy(
    side: PlayerState, step_size_offset: float, temperature: float, least: float
) -> None:
    """Update base and policy at all infostates, from the last, by the gradient at the plans.

    The gradient becomes the value of each sequence, regularizers considered.
    """
    for group in range(len(side.groups) - 1, -1, -1):
        base, count, actions, infostate, _ = side.groups[group]
        for i in range(count):
            own, first = infostate + i, base + i
            # the value, with the regularizer, passes up; then base ← base + η m, projected
            value = observe_infostate(side, own, first, count, actions, temperature)
            side.gradient[side.parent[own]] += value
            step_size = 1.0 / math.sqrt(step_size_offset + 2.0 * side.change[own])
            for k in range(first, first + actions * count, count):
                side.base[k] += step_size * side.last[k]
            project_above(side.base, first, count, actions, least)
            # optimism: the same step again from the base, with the last slope as prediction
            for k in range(first, first + actions * count, count):
                side.policy[k] = side.base[k] + step_size * side.last[k]
            project_above(side.policy, first, count, actions, least)


@kernel
def iterate_regularized(
    schedule: FloatArray, done: LongArray, step_size_offset: float, sides: tuple[PlayerState, ...]
) -> None:
    """Run the iterations of `schedule` [T, 2], all state in place; count them in done[0].

    Columns: temperature and minimum probability. The second player responds to the new plan of
    the first.
    """
    for temperature, least in schedule:
        for player in range(2):
            side = sides[player]
            block_gradient(side.pair, sides[1 - player].plan, side.gradient)
            update_policy(side, step_size_offset, temperature, least)
            realize_policy(side.groups, side.parent, side.policy, side.plan)
        done[0] += 1
