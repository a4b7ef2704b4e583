"""Liar's dice as searches in kernels read it, and its values for who sees all dice."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._kernels import CHANCE_MOVE, END, Position, implement
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel

FIRST_HAND, SECOND_HAND, CALL, PLAYER, CHOSEN = range(5)
"""The state: the number of each hand, the last call, who is to move (in the end, who wins), and
the call that was chosen and not made yet."""

STATE_SIZE = 5
NONE = -1


class Dice(NamedTuple):
    """What the hands count for.

    Attributes
    ----------
    matches : LongArray
        [H, B] how many dice of each hand count for each bid.
    quantity : LongArray
        [B] how many each bid says there are.
    """

    matches: LongArray
    quantity: LongArray


def actor(model: Dice, position: Position) -> int:
    """Return the player to decide, `CHANCE_MOVE` or `END`."""
    state = position.state
    if state[CHOSEN] != NONE:
        return CHANCE_MOVE
    return END if state[CALL] == len(model.quantity) else int(state[PLAYER])


def num_actions(model: Dice, position: Position) -> int:
    """Return how many higher calls there are; `liar` is the highest, and answers a bid."""
    last = position.state[CALL]
    return int(len(model.quantity) - last - (last == NONE))


def choose(model: Dice, position: Position, action: int) -> None:
    """Choose one of the higher calls."""
    position.state[CHOSEN] = position.state[CALL] + 1 + action


def num_outcomes(model: Dice, position: Position) -> int:
    """Return that one thing can happen."""
    return 1


def outcome_probability(model: Dice, position: Position, outcome: int) -> float:
    """Return that it does."""
    return 1.0


def follow(model: Dice, position: Position, outcome: int) -> None:
    """Make the call; after `liar`, count the dice."""
    state = position.state
    call, player = state[CHOSEN], state[PLAYER]
    last = state[CALL]
    state[CALL], state[PLAYER], state[CHOSEN] = call, 1 - player, NONE
    if call == len(model.quantity):
        matches = model.matches[state[FIRST_HAND], last] + model.matches[state[SECOND_HAND], last]
        winner = 1 - player if matches >= model.quantity[last] else player
        state[PLAYER] = winner
        position.rewards_so_far[winner] += 1.0
        position.rewards_so_far[1 - winner] -= 1.0
        call += winner
    for viewer in range(2):
        position.observations[viewer] = call


implement(Dice, actor, num_actions, choose, num_outcomes, outcome_probability, follow)


@kernel
def perfect_information_values(
    model: Dice, states: LongArray, player: int, values: FloatArray
) -> None:
    """Fill values [K, A] of each call to a player where all dice are seen; nan for no call.

    A bid wins if it is the highest that is true: a lower one is answered by that, a higher one by
    `liar`. `liar` wins if the last bid is false.
    """
    num_bids = len(model.quantity)
    values[:] = np.nan
    for k in range(len(states)):
        first, second, last, mover, _ = states[k]
        highest = num_bids - 1
        while (
            model.matches[first, highest] + model.matches[second, highest] < model.quantity[highest]
        ):
            highest -= 1
        own = 1.0 if mover == player else -1.0
        values[k, : num_bids - 1 - last] = -own
        if highest > last:
            values[k, highest - last - 1] = own
        if last != NONE:
            met = model.matches[first, last] + model.matches[second, last] >= model.quantity[last]
            values[k, num_bids - 1 - last] = -own if met else own
