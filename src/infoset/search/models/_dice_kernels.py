"""Kernels that play liar's dice, and compute its perfect-information values in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._model_kernels import CHANCE_MOVE, END, Position, implement
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel

FIRST_HAND, SECOND_HAND, CALL, PLAYER, CHOSEN = range(5)
"""Indices of the state: the number of each hand, the last call, the player to move (at the end, the
winner), and the call that is chosen but not yet made."""

STATE_SIZE = 5
NO_CALL = -1


class Dice(NamedTuple):
    """The rules of liar's dice as arrays. Calls 0 to B - 1 are bids; call B is `liar`."""

    matches: LongArray
    """[H, B] number of dice of each hand that match each bid."""
    quantity: LongArray
    """[B] number of matching dice that each bid claims."""


def actor(model: Dice, position: Position) -> int:
    """Return the player to act, `CHANCE_MOVE` or `END`."""
    state = position.state
    # A chosen call takes effect at the next transition, which is deterministic.
    if state[CHOSEN] != NO_CALL:
        return CHANCE_MOVE
    return END if state[CALL] == len(model.quantity) else int(state[PLAYER])


def num_actions(model: Dice, position: Position) -> int:
    """Return the number of higher calls; `liar` is legal only once there is a bid."""
    # `NO_CALL` is -1, so that B - last would be B + 1 before the first bid; `liar` is not legal
    # then.
    last = position.state[CALL]
    return int(len(model.quantity) - last - (last == NO_CALL))


def choose_action(model: Dice, position: Position, action: int) -> None:
    """Choose one of the higher calls."""
    position.state[CHOSEN] = position.state[CALL] + 1 + action


def num_outcomes(model: Dice, position: Position) -> int:
    """Return 1: transitions are deterministic."""
    return 1


def outcome_probability(model: Dice, position: Position, outcome: int) -> float:
    """Return 1: transitions are deterministic."""
    return 1.0


def apply_outcome(model: Dice, position: Position, outcome: int) -> None:
    """Make the chosen call; after `liar`, count the dice and pay."""
    state = position.state
    call, player = state[CHOSEN], state[PLAYER]
    last = state[CALL]
    state[CALL], state[PLAYER], state[CHOSEN] = call, 1 - player, NO_CALL
    if call == len(model.quantity):
        # `matches` includes wild faces. The bid is true if both hands together have enough matches.
        matches = model.matches[state[FIRST_HAND], last] + model.matches[state[SECOND_HAND], last]
        winner = 1 - player if matches >= model.quantity[last] else player
        state[PLAYER] = winner
        position.rewards_so_far[winner] += 1.0
        position.rewards_so_far[1 - winner] -= 1.0
        call += winner  # the observation of `liar` includes the winner
    for viewer in range(2):
        position.observations[viewer] = call


implement(Dice, actor, num_actions, choose_action, num_outcomes, outcome_probability, apply_outcome)


@kernel
def call_values(model: Dice, states: LongArray, player: int, values: FloatArray) -> None:
    """Write the values [K, A] to a player of each call when all dice are seen, padded with NaN.

    Let M be the highest true bid. A bid wins if and only if it is M: the opponent answers a lower
    bid with M and a higher bid with `liar`. `liar` wins if and only if the last bid is false.
    """
    num_bids = len(model.quantity)
    values[:] = np.nan
    for k in range(len(states)):
        first, second, last, mover, _ = states[k]
        # M exists: the bid of one die of any face in a hand is true.
        highest = num_bids - 1
        # Find M: try bids from the highest down.
        while (
            model.matches[first, highest] + model.matches[second, highest] < model.quantity[highest]
        ):
            highest -= 1
        # The sign that turns the value to the mover into that to the player: the game is zero-sum.
        own = 1.0 if mover == player else -1.0
        # All bids but M lose. Action 0 is the bid after the last call.
        values[k, : num_bids - 1 - last] = -own
        # Bid b is action b − last − 1. If M is not above the last bid, no higher bid is true.
        if highest > last:
            values[k, highest - last - 1] = own
        if last != NO_CALL:
            # `liar` is the last legal action.
            met = model.matches[first, last] + model.matches[second, last] >= model.quantity[last]
            values[k, num_bids - 1 - last] = -own if met else own
