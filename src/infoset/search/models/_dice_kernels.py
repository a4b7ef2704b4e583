"""Kernels that play liar's dice, and its perfect-information values in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.search.models._model_kernels import CHANCE_MOVE, END, Position, implement
from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import kernel

FIRST_HAND, SECOND_HAND, CALL, PLAYER, CHOSEN = range(5)
"""Entries of the state: the number of each hand, the last call, the player to move (at the end,
the winner), and the call chosen but not yet made."""

STATE_SIZE = 5
NO_CALL = -1


class Dice(NamedTuple):
    """Number of dice in each hand that match each bid; `liar` is the last call, B.

    Attributes
    ----------
    matches : LongArray
        [H, B] number of dice of each hand that match each bid.
    quantity : LongArray
        [B] number of matching dice that each bid claims.
    """

    matches: LongArray
    quantity: LongArray


def actor(model: Dice, position: Position) -> int:
    """Return the player to act, `CHANCE_MOVE` or `END`."""
    state = position.state
    # A chosen call waits for its transition, as simultaneous choices would.
    if state[CHOSEN] != NO_CALL:
        return CHANCE_MOVE
    return END if state[CALL] == len(model.quantity) else int(state[PLAYER])


def num_actions(model: Dice, position: Position) -> int:
    """Return the number of higher calls; `liar` is legal only once there is a bid."""
    # `NO_CALL` is -1, so that B - last counts all B + 1 calls before the first bid, minus `liar`.
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
        # Wild faces are part of `matches`; the bid is true if it is met by both hands together.
        matches = model.matches[state[FIRST_HAND], last] + model.matches[state[SECOND_HAND], last]
        winner = 1 - player if matches >= model.quantity[last] else player
        state[PLAYER] = winner
        position.rewards_so_far[winner] += 1.0
        position.rewards_so_far[1 - winner] -= 1.0
        call += winner  # the winner is public: two different observations of `liar`
    for viewer in range(2):
        position.observations[viewer] = call


implement(Dice, actor, num_actions, choose_action, num_outcomes, outcome_probability, apply_outcome)


@kernel
def call_values(model: Dice, states: LongArray, player: int, values: FloatArray) -> None:
    """Write the values [K, A] to a player of each call when all dice are seen; NaN beyond them.

    With M the highest true bid, a bid wins if and only if it is M: the answer to a lower bid is M,
    to a higher one `liar`. `liar` wins if and only if the last bid is false.
    """
    num_bids = len(model.quantity)
    values[:] = np.nan
    for k in range(len(states)):
        first, second, last, mover, _ = states[k]
        # M exists: one die of any face shown is a true bid
        highest = num_bids - 1
        # Bids are tried from the highest down.
        while (
            model.matches[first, highest] + model.matches[second, highest] < model.quantity[highest]
        ):
            highest -= 1
        own = 1.0 if mover == player else -1.0
        # bids other than M lose; actions count from the bid after the last
        values[k, : num_bids - 1 - last] = -own
        if highest > last:
            values[k, highest - last - 1] = own
        if last != NO_CALL:
            # `liar` is the last action
            met = model.matches[first, last] + model.matches[second, last] >= model.quantity[last]
            values[k, num_bids - 1 - last] = -own if met else own
