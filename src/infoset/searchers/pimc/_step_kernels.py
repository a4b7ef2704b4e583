"""One step on from many positions at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoset.kernels import kernel
from infoset.searchers.models._kernels import (
    actor,
    choose,
    empty_position,
    follow,
    num_actions,
    num_outcomes,
    outcome_probability,
    put,
)
from infoset.searchers.pimc._walk_kernels import pass_single
from infoset.typing import FloatArray, LongArray


@kernel
def after_actions(
    model: Any, states: LongArray, gains: FloatArray, player: int
) -> tuple[LongArray, LongArray, LongArray]:
    """Return the states after each action of a player at K positions.

    Returns states [M, L], and the position [M] and action [M] that each comes from; an action is
    -1 where others choose at once. Positions where the player does not act have none.
    """
    size = states.shape[1]
    here = empty_position(size, gains.shape[1])
    there = empty_position(size, gains.shape[1])
    counts = np.zeros(len(states), np.int64)
    for row in range(len(states)):
        here.state[:] = states[row]
        who = actor(model, here)
        while who >= 0 and who != player and num_actions(model, here) == 1:
            choose(model, here, 0)
            who = actor(model, here)
        counts[row] = num_actions(model, here) if who == player else 0
    total = counts.sum()
    after = np.empty((total, size), np.int64)
    origin, action = np.empty(total, np.int64), np.empty(total, np.int64)
    filled = 0
    for row in range(len(states)):
        for branch in range(counts[row]):
            here.state[:] = states[row]
            while actor(model, here) != player:
                choose(model, here, 0)
            put(there, here)
            choose(model, there, branch)
            alone = pass_single(model, there) < 0
            after[filled] = there.state
            origin[filled] = row
            action[filled] = branch if alone else -1
            filled += 1
    return after, origin, action


@kernel
def who_decides(model: Any, states: LongArray, num_players: int) -> LongArray:
    """Return [K] the player to decide at each position, `CHANCE_MOVE` or `END`.

    Who has a single action takes it, in place, but no transition is made. states [K, L].
    """
    here = empty_position(states.shape[1], num_players)
    who = np.empty(len(states), np.int64)
    for row in range(len(states)):
        here.state[:] = states[row]
        who[row] = pass_single(model, here)
        states[row] = here.state
    return who


@kernel
def after_transitions(
    model: Any, states: LongArray, gains: FloatArray, player: int
) -> tuple[LongArray, FloatArray, LongArray, LongArray, FloatArray]:
    """Return the positions after each transition from K positions where nobody is to decide.

    Returns states [M, L], gains [M, N], what the player sees [M], and of each the position
    [M] that it comes from and its probability [M].
    """
    here = empty_position(states.shape[1], gains.shape[1])
    counts = np.empty(len(states), np.int64)
    for row in range(len(states)):
        here.state[:] = states[row]
        counts[row] = num_outcomes(model, here)
    total = counts.sum()
    after = np.empty((total, states.shape[1]), np.int64)
    rewarded = np.empty((total, gains.shape[1]))
    seen, origin, probability = (
        np.empty(total, np.int64),
        np.empty(total, np.int64),
        np.empty(total),
    )
    filled = 0
    for row in range(len(states)):
        for outcome in range(counts[row]):
            here.state[:] = states[row]
            here.gains[:] = gains[row]
            probability[filled] = outcome_probability(model, here, outcome)
            follow(model, here, outcome)
            after[filled], rewarded[filled] = here.state, here.gains
            seen[filled], origin[filled] = here.seen[player], row
            filled += 1
    return after, rewarded, seen, origin, probability
