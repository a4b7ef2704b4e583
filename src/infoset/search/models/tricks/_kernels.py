"""The trick-taking game as searches in kernels read it. Hands are bit sets, a card is one bit."""

from __future__ import annotations

from typing import NamedTuple

from infoset.search.models._kernels import CHANCE_MOVE, END, Position, implement, inlined
from infoset.typing import LongArray
from infoset.utils.compilation import kernel

HANDS = 0
LED, PLAYER = 2, 3
TRICKS = 4
CHOSEN = 6
"""The state: the hand of each player, the card led (0 between tricks), who is to move, the tricks
of each player, and the card that was chosen and not played yet (0 for none)."""

STATE_SIZE = 7


class Tricks(NamedTuple):
    """What the rules depend on.

    Attributes
    ----------
    suits : LongArray
        [C] the cards of the suit of each card.
    num_tricks : int
    tie : float
        What both players get for half of the tricks each.
    """

    suits: LongArray
    num_tricks: int
    tie: float


@inlined
def count(cards: int) -> int:
    """Return how many cards there are in a set."""
    total = 0
    while cards:
        cards &= cards - 1
        total += 1
    return total


@inlined
def legal_cards(model: Tricks, state: LongArray) -> int:
    """Return the cards that may be played: those of the suit led, or all."""
    hand = state[HANDS + state[PLAYER]]
    led = state[LED]
    if led:
        following = hand & model.suits[count(led - 1)]
        if following:
            return int(following)
    return int(hand)


def actor(model: Tricks, position: Position) -> int:
    """Return the player to decide, `CHANCE_MOVE` or `END`."""
    state = position.state
    if state[CHOSEN]:
        return CHANCE_MOVE
    return int(state[PLAYER]) if state[HANDS + state[PLAYER]] else END


def num_actions(model: Tricks, position: Position) -> int:
    """Return how many cards may be played."""
    return count(legal_cards(model, position.state))


def choose(model: Tricks, position: Position, action: int) -> None:
    """Choose one of the cards, which count from the lowest."""
    cards = legal_cards(model, position.state)
    for _ in range(action):
        cards &= cards - 1
    position.state[CHOSEN] = cards & -cards


def num_outcomes(model: Tricks, position: Position) -> int:
    """Return that one thing can happen."""
    return 1


def outcome_probability(model: Tricks, position: Position, outcome: int) -> float:
    """Return that it does."""
    return 1.0


def follow(model: Tricks, position: Position, outcome: int) -> None:
    """Play the card; after the last one, pay."""
    state = position.state
    seen = play_chosen(model, state)
    is_over = state[HANDS] == 0 and state[HANDS + 1] == 0
    for player in range(2):
        position.observations[player] = seen
        if is_over:
            ahead = state[TRICKS + player] - state[TRICKS + 1 - player]
            position.rewards_so_far[player] += (
                1.0 if ahead > 0 else (-1.0 if ahead < 0 else model.tie)
            )


@inlined
def play_chosen(model: Tricks, state: LongArray) -> int:
    """Play the card that was chosen, in place, and return a number for what is seen of it."""
    card, player, led = state[CHOSEN], state[PLAYER], state[LED]
    number = count(card - 1)
    state[CHOSEN] = 0
    state[HANDS + player] ^= card
    if not led:
        state[LED], state[PLAYER] = card, 1 - player
        return 3 * number
    wins = card > led and led & model.suits[number] != 0
    winner = player if wins else 1 - player
    state[LED], state[PLAYER] = 0, winner
    state[TRICKS + winner] += 1
    return int(3 * number + 1 + winner)


implement(Tricks, actor, num_actions, choose, num_outcomes, outcome_probability, follow)


@kernel
def deposit(places: LongArray, pools: LongArray, cards: LongArray) -> None:
    """Fill cards [K] with those of the pools [K] that stand at the places [K], both bit sets."""
    for k in range(len(places)):
        pool, chosen = pools[k], places[k]
        while chosen:
            card = pool & -pool
            if chosen & 1:
                cards[k] |= card
            pool ^= card
            chosen >>= 1


@kernel
def number_cards(model: Tricks, states: LongArray, cards: LongArray, numbers: LongArray) -> None:
    """Fill numbers [K, A] of cards [A] among those that may be played; -1 for the others."""
    for k in range(len(states)):
        legal = legal_cards(model, states[k])
        for place in range(len(cards)):
            card = cards[place]
            numbers[k, place] = count(legal & (card - 1)) if legal & card else -1
