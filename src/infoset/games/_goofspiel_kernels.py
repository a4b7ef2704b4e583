"""Kernels that count and list the bids of two players behind given winners of rounds.

The first and the second player have the cards 0 to n - 1. Each round has a result for the first
player: `WIN`, `LOSE` or `TIE`. Cards are assigned to rounds in increasing order, the same card of
both players together. In a round that the first player wins, the second player's card is lower. It
is therefore *opened* first, as a card for some such round; later, a card of the first player
*closes* the round. In a round that the first player loses, the roles are exchanged. How many ways
there are to assign the higher cards depends only on five numbers: the cards opened and the rounds
closed of each of the two kinds, and the ties.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoset.typing import FloatArray, LongArray
from infoset.utils.compilation import inner_kernel, kernel

UNUSED, WIN, LOSE, TIE = 0, 1, 2, 3
"""The use of a card, from the first player's view of the round; `UNUSED` if it is not bid."""

NUM_PAIRS = 10
"""Number of pairs of uses of the same card of both players: nine without a tie, and a tie."""

FREE, NEVER = -1, -2
"""In place of the round in which the first player bids a card: unknown, and known to be none."""

State: TypeAlias = tuple[int, int, int, int, int]
"""Numbers of wins opened and closed, of losses opened and closed, and of ties."""


class KnownResults(NamedTuple):
    """The results of rounds, and the first player's bids if they are known."""

    result: LongArray
    """[R] result of each round: `WIN`, `LOSE` or `TIE`."""
    total: LongArray
    """[4] number of rounds with each result."""
    round_of: LongArray
    """[n] round in which the first player bids each card: `FREE` if it is unknown, `NEVER` if it
    does not bid the card."""


@inner_kernel
def uses(pair: int) -> tuple[int, int]:
    """Return the use of a card by the first and by the second player."""
    if pair == NUM_PAIRS - 1:
        return TIE, TIE
    return pair // 3, pair % 3


@inner_kernel
def num_ways(known: KnownResults, card: int, first: int, second: int, state: State) -> int:
    """Return the number of ways in which a card of both players can be used; 0 if impossible."""
    opened, closed, lost_opened, lost_closed, ties = state
    _, wins, losses, all_ties = known.total
    at = known.round_of[card]
    # The first player's card decides the round. `rounds` is how many there are to choose from.
    rounds = 1
    if first == WIN:
        rounds = wins - closed
    elif first == LOSE:
        rounds = losses - lost_opened
    elif first == TIE:
        rounds = all_ties - ties
    if at != FREE:
        if first != (UNUSED if at == NEVER else known.result[at]):
            return 0
        rounds = min(rounds, 1)
    # Closing a round takes one of the cards that were opened before.
    if first == WIN:
        rounds *= opened - closed
    if second == LOSE:
        rounds *= lost_opened - lost_closed
    elif second == WIN and opened == wins:
        return 0
    return rounds


@inner_kernel
def further(state: State, first: int, second: int) -> State:
    """Return the state after a card has been used."""
    opened, closed, lost_opened, lost_closed, ties = state
    return (
        opened + (second == WIN),
        closed + (first == WIN),
        lost_opened + (first == LOSE),
        lost_closed + (second == LOSE),
        ties + (first == TIE),
    )


@kernel
def count_bids(known: KnownResults, ways: NDArray[Any]) -> float:
    """Write the number of ways to use the cards from each card on, and return their total.

    ways [n + 1, W + 1, W + 1, L + 1, L + 1, D + 1] for W wins, L losses and D ties, modified in
    place: by number of cards used and state. Numbers up to 2⁵³ are exact.
    """
    num_cards = len(known.round_of)
    _, wins, losses, ties = known.total
    ways[:] = 0.0
    ways[num_cards, wins, wins, losses, losses, ties] = 1.0
    for card in range(num_cards - 1, -1, -1):
        for place in np.ndindex((wins + 1, wins + 1, losses + 1, losses + 1, ties + 1)):
            total = 0.0
            if place[1] <= place[0] and place[3] <= place[2]:
                for pair in range(NUM_PAIRS):
                    first, second = uses(pair)
                    number = num_ways(known, card, first, second, place)
                    if number:
                        total += number * ways[card + 1][further(place, first, second)]
            ways[card][place] = total
    return float(ways[0, 0, 0, 0, 0, 0])


@kernel
def write_bids(
    known: KnownResults, ways: NDArray[Any], ranks: FloatArray, bids: NDArray[np.int8]
) -> None:
    """Write the bids with given ranks, as positions among the cards left in hand.

    ranks [K] whole numbers below the total, bids [K, R, 2] modified in place.
    """
    num_cards, num_rounds = len(known.round_of), len(known.result)
    rounds = np.empty((4, num_rounds), np.int64)  # rounds without a card of the first player
    opened_cards = np.empty(num_cards, np.int64)  # of the second player, for rounds it loses
    opened_rounds = np.empty(num_rounds, np.int64)  # which the second player will win
    for row in range(len(ranks)):
        size = np.zeros(4, np.int64)
        for at in range(num_rounds):
            result = known.result[at]
            rounds[result, size[result]] = at
            size[result] += 1
        num_cards_opened = num_rounds_opened = 0
        state, rank = (0, 0, 0, 0, 0), ranks[row]
        for card in range(num_cards):
            pair, number, rank = find_pair(known, ways, card, state, rank)
            first, second = uses(pair)
            state = further(state, first, second)
            if second == LOSE:
                chosen, number = number % num_rounds_opened, number // num_rounds_opened
                num_rounds_opened -= 1
                bids[row, opened_rounds[chosen], 1] = card
                opened_rounds[chosen] = opened_rounds[num_rounds_opened]
            lower = card
            if first == WIN:
                chosen, number = number % num_cards_opened, number // num_cards_opened
                num_cards_opened -= 1
                lower = opened_cards[chosen]
                opened_cards[chosen] = opened_cards[num_cards_opened]
            if first != UNUSED:
                at = known.round_of[card]
                if at == FREE:
                    at = rounds[first, number]
                    size[first] -= 1
                    rounds[first, number] = rounds[first, size[first]]
                bids[row, at, 0] = card
                if first == LOSE:
                    opened_rounds[num_rounds_opened] = at
                    num_rounds_opened += 1
                else:
                    bids[row, at, 1] = lower
            if second == WIN:
                opened_cards[num_cards_opened] = card
                num_cards_opened += 1
        write_positions(bids[row])


@inner_kernel
def find_pair(
    known: KnownResults, ways: NDArray[Any], card: int, state: State, rank: float
) -> tuple[int, int, float]:
    """Return the pair of uses of a card at a rank, which of its ways, and the rank within."""
    found, last, size = -1, 0, 1.0
    for pair in range(NUM_PAIRS):
        first, second = uses(pair)
        number = num_ways(known, card, first, second, state)
        if not number:
            continue
        below = ways[card + 1][further(state, first, second)]
        if below > 0.0:
            found, last, size = pair, number - 1, below
            if rank < number * below:
                within = min(int(rank // below), last)
                return pair, within, rank - within * below
            rank -= number * below
    # Above 2⁵³ the counts are rounded, so that the rank can exceed the last one.
    return found, last, size - 1.0


@inner_kernel
def write_positions(bids: NDArray[np.int8]) -> None:
    """Replace cards by their positions among the cards left in hand; bids [R, 2] in place."""
    for player in range(2):
        for at in range(len(bids) - 1, -1, -1):
            lower = 0
            for before in range(at):
                lower += bids[before, player] < bids[at, player]
            bids[at, player] -= lower
