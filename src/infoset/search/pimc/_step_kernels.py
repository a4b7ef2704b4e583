"""One step on from many positions at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoset.search.models._kernels import (
    Position,
    actor,
    choose,
    empty_position,
    follow,
    inlined,
    num_actions,
    num_outcomes,
    outcome_probability,
)
from infoset.search.pimc._walk_kernels import pass_single
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel


@inlined
def await_turn(model: Any, position: Position, player: int) -> tuple[int, bool]:
    """Let those choose who do before a player, in place; the first action will do.

    Returns how many actions the player has, 0 where it does not act, and whether none of those
    had a choice.
    """
    who, is_alone = actor(model, position), True
    while who >= 0 and who != player:
        is_alone = is_alone and num_actions(model, position) == 1
        choose(model, position, 0)
        who = actor(model, position)
    return num_actions(model, position) if who == player else 0, is_alone


@kernel
def after_actions(
    model: Any, states: LongArray, rewards_so_far: FloatArray, player: int
) -> tuple[LongArray, LongArray, LongArray]:
    """Return the states after each action of a player at K positions.

    Returns states [M, L], and the position [M] and action [M] that each comes from; an action is
    -1 where others choose at once. Positions where the player does not act have none.
    """
    here = empty_position(states.shape[1], rewards_so_far.shape[1])
    counts = np.zeros(len(states), np.int64)
    for row in range(len(states)):
        here.state[:] = states[row]
        counts[row], _ = await_turn(model, here, player)
    total = counts.sum()
    after = np.empty((total, states.shape[1]), np.int64)
    origin, action = np.empty(total, np.int64), np.empty(total, np.int64)
    filled = 0
    for row in range(len(states)):
        for branch in range(counts[row]):
            here.state[:] = states[row]
            _, is_alone = await_turn(model, here, player)
            choose(model, here, branch)
            is_alone = is_alone and pass_single(model, here) < 0
            after[filled] = here.state
            origin[filled], action[filled] = row, branch if is_alone else -1
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
    model: Any, states: LongArray, rewards_so_far: FloatArray, player: int
) -> tuple[LongArray, FloatArray, LongArray, LongArray, FloatArray]:
    """Return the positions after each transition from K positions where nobody is to decide.

    Returns states [M, L], rewards_so_far [M, N], what the player sees [M], and of each the position
    [M] that it comes from and its probability [M].
    """
    here = empty_position(states.shape[1], rewards_so_far.shape[1])
    counts = np.empty(len(states), np.int64)
    for row in range(len(states)):
        here.state[:] = states[row]
        counts[row] = num_outcomes(model, here)
    total = counts.sum()
    after = np.empty((total, states.shape[1]), np.int64)
    rewarded = np.empty((total, rewards_so_far.shape[1]))
    seen, origin, probability = (
        np.empty(total, np.int64),
        np.empty(total, np.int64),
        np.empty(total),
    )
    filled = 0
    for row in range(len(states)):
        for outcome in range(counts[row]):
            here.state[:] = states[row]
            here.rewards_so_far[:] = rewards_so_far[row]
            probability[filled] = outcome_probability(model, here, outcome)
            follow(model, here, outcome)
            after[filled], rewarded[filled] = here.state, here.rewards_so_far
            seen[filled], origin[filled] = here.observations[player], row
            filled += 1
    return after, rewarded, seen, origin, probability
