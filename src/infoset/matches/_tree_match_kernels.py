"""Kernels that play deals of a match on a compiled tree."""

from __future__ import annotations

import numpy as np

from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import kernel, linear_kernel


@linear_kernel
def drawn_index(probabilities: FloatArray, number: float) -> int:
    """Return the first index at which the cumulative probability exceeds `number`.

    probabilities [n] sum to 1 up to rounding; number is in [0, 1). An index of probability 0 is
    never returned.
    """
    # By rounding, the sum can be just below `number`. Then the last index of positive probability
    # is returned.
    chosen = 0
    for index in range(len(probabilities)):
        if probabilities[index] > 0.0:
            chosen = index
            number -= probabilities[index]
            if number < 0.0:
                break
    return chosen


@kernel
def edges_of_joint_action(
    joint_action: IntArray, chosen: IntArray, start: int, stop: int
) -> tuple[int, int]:
    """Return the range of the edges within `start:stop` that have a given joint action.

    joint_action [E, N]; chosen [N] index of each player's action, -1 for players who do not act.
    """
    # The edges of a world state are sorted by joint action, and every legal joint action has at
    # least one edge. Match one player after another: the edges that agree for the earlier players
    # are adjacent, and the search for the next player starts at the first of them.
    num_players = len(chosen)
    low = start
    for player in range(num_players):
        while joint_action[low, player] != chosen[player]:
            low += 1
    # Further edges with the same joint action differ in the outcome of chance.
    high = low + 1
    while high < stop:
        for player in range(num_players):
            if joint_action[high, player] != chosen[player]:
                return low, high
        high += 1
    return low, high


@kernel
def choose_actions(
    seat: int,
    seat_of_player: IntArray,
    infostate: IntArray,
    first_sequence: tuple[IntArray, ...],
    num_actions: tuple[IntArray, ...],
    first: tuple[FloatArray, ...],
    second: tuple[FloatArray, ...],
    choices: FloatArray,
    num_made: IntArray,
    chosen: IntArray,
) -> bool:
    """Fill `chosen` [N] with the action of each player at a history; return whether anyone acts.

    The entry of a player who does not act is -1. infostate : [N] infostate of each player at the
    history. first_sequence, num_actions : per player [S]. first, second : the two policies, per
    player [Q]; the first plays at `position`, the second at all other positions. choices : [N, D]
    random numbers of the players, one per decision. num_made : [N] number of decisions so far,
    updated in place.
    """
    anyone_acts = False
    for player in range(len(chosen)):
        here = infostate[player]
        count = num_actions[player][here]
        if count == 0:
            # The edges of the world graph use the same -1 for players who do not act.
            chosen[player] = -1
            continue
        start = first_sequence[player][here]
        probabilities = first[player] if seat_of_player[player] == seat else second[player]
        chosen[player] = drawn_index(
            probabilities[start : start + count], choices[player, num_made[player]]
        )
        num_made[player] += 1
        anyone_acts = True
    return anyone_acts


@kernel
def play_deals(
    first_child: IntArray,
    world: IntArray,
    infostate: IntArray,
    first_edge: IntArray,
    joint_action: IntArray,
    probability: FloatArray,
    first_sequence: tuple[IntArray, ...],
    num_actions: tuple[IntArray, ...],
    first: tuple[FloatArray, ...],
    second: tuple[FloatArray, ...],
    seat_of_player: IntArray,
    chance: FloatArray,
    choices: FloatArray,
    ends: IntArray,
) -> None:
    """Play every deal once with the first policy at each seat; fill `ends` [D, T] in place.

    `ends` are the terminal histories reached. first_child [H + 1], world [H], and infostate [H, N]
    are arrays of the game tree; first_edge [W + 1], joint_action [E, N], and probability [E] are
    arrays of its world graph. Policies are as in `choose_actions`. Random numbers are in [0, 1) and
    the same for all seats: chance [D, L] has one for each transition with several possible next
    worlds, and choices [D, N, L] one for each decision.
    """
    num_deals, num_seats = ends.shape
    num_players = len(seat_of_player)
    num_made = np.zeros(num_players, np.int32)
    chosen = np.zeros(num_players, np.int32)
    for deal in range(num_deals):
        for seat in range(num_seats):
            # Restart the counters: all plays of a deal use the same random numbers.
            num_made[:] = 0
            num_drawn = 0
            history = 0
            # A history without children is terminal.
            while first_child[history] < first_child[history + 1]:
                start = first_edge[world[history]]
                # If nobody acts, all edges are outcomes of chance.
                low, high = start, first_edge[world[history] + 1]
                if choose_actions(
                    seat,
                    seat_of_player,
                    infostate[history],
                    first_sequence,
                    num_actions,
                    first,
                    second,
                    choices[deal],
                    num_made,
                    chosen,
                ):
                    low, high = edges_of_joint_action(joint_action, chosen, low, high)
                # The edges `low:high` are the outcomes of chance after the joint action.
                edge = low
                # A single outcome uses no random number.
                if high - low > 1:
                    edge += drawn_index(probability[low:high], chance[deal, num_drawn])
                    num_drawn += 1
                # The children of a history are in the order of the edges of its world state.
                history = first_child[history] + edge - start
            ends[deal, seat] = history
