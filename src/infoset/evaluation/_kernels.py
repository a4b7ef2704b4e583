"""Kernels that measure policies on the sequence form."""

from __future__ import annotations

import numpy as np

from infoset.typing import FloatArray, IntArray
from infoset.utils.compilation import kernel


@kernel
def best_response_sweep(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    gradient: FloatArray,
) -> IntArray:
    """Return [I] the best sequence at each infostate; the lowest action among equals.

    parent_sequence, first_sequence, num_actions [I]; gradient [Q] becomes, in place, the
    counterfactual value of each sequence under best play: gradient[0] is the value of the game.
    """
    best = np.empty(len(num_actions), np.int32)
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        chosen = first
        for sequence in range(first + 1, first + num_actions[infostate]):
            if gradient[sequence] > gradient[chosen]:
                chosen = sequence
        best[infostate] = chosen
        gradient[parent_sequence[infostate]] += gradient[chosen]
    return best


@kernel
def drawn_index(probabilities: FloatArray, number: float) -> int:
    """Return the index at which the running sum of probabilities exceeds `number`.

    probabilities [n] sum to 1 up to rounding, number in [0, 1). Never an index of probability 0.
    """
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
    """Return the bounds of the edges among `start:stop` that belong to a joint action.

    joint_action [E, N]; chosen [N] index of each player's action, -1 for those who do not act.
    The edges of a joint action stand together, and there is at least one.
    """
    num_players = len(chosen)
    low = start
    for player in range(num_players):
        while joint_action[low, player] != chosen[player]:
            low += 1
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
    infostate: IntArray,
    first_sequence: tuple[IntArray, ...],
    num_actions: tuple[IntArray, ...],
    first: tuple[FloatArray, ...],
    second: tuple[FloatArray, ...],
    choices: FloatArray,
    num_made: IntArray,
    chosen: IntArray,
) -> bool:
    """Fill `chosen` [N] with the action of each player at a history, -1 for none; tell if any acts.

    infostate [N] of the history. Per player: first_sequence, num_actions [S]; first, second [Q]
    the policies, the first one's in `seat`. Each choice takes the player's next number of
    choices [N, D]; num_made [N] counts them, in place.
    """
    somebody_acts = False
    for player in range(len(chosen)):
        here = infostate[player]
        count = num_actions[player][here]
        if count == 0:
            chosen[player] = -1
            continue
        start = first_sequence[player][here]
        probabilities = first[player] if player == seat else second[player]
        chosen[player] = drawn_index(
            probabilities[start : start + count], choices[player, num_made[player]]
        )
        num_made[player] += 1
        somebody_acts = True
    return somebody_acts


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
    nature: FloatArray,
    choices: FloatArray,
    ends: IntArray,
) -> None:
    """Play every deal once with the first policy in each seat; fill `ends` [D, N] in place.

    They are the terminal histories that plays come to. Of a game tree: first_child [H + 1],
    world [H], infostate [H, N]; of its graph: first_edge [W + 1], joint_action [E, N],
    probability [E]. Policies: see `choose_actions`. Random numbers in [0, 1), the same in all
    seats: nature [D, L], one for each transition with more than one next world; choices
    [D, N, L], one for each decision.
    """
    num_deals, num_players = ends.shape
    num_made = np.zeros(num_players, np.int32)
    chosen = np.zeros(num_players, np.int32)
    for deal in range(num_deals):
        for seat in range(num_players):
            num_made[:] = 0
            num_drawn = 0
            history = 0
            while first_child[history] < first_child[history + 1]:
                start = first_edge[world[history]]
                low, high = start, first_edge[world[history] + 1]
                if choose_actions(
                    seat,
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
                edge = low
                if high - low > 1:
                    edge += drawn_index(probability[low:high], nature[deal, num_drawn])
                    num_drawn += 1
                history = first_child[history] + edge - start
            ends[deal, seat] = history
