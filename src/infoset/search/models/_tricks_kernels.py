"""Kernels that play the trick-taking game, and deal its cards.

A card is a bit, and a hand is a bit set. Cards are sorted by suit, so that a suit is a run of bits.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.search.models._model_kernels import CHANCE_MOVE, END, Position, implement, inlined
from infoset.typing import LongArray
from infoset.utils.compilation import kernel

HANDS = 0
LED, PLAYER = 2, 3
TRICKS = 4
CHOSEN = 6
"""Indices of the state: the hand of each player, the card led (0 between tricks), the player to
move, the tricks of each player, and the card that is chosen but not yet played (0 if none)."""

STATE_SIZE = 7


class Tricks(NamedTuple):
    """The parameters of the rules."""

    suits: LongArray
    """[C] all cards of each card's suit, as a bit set."""
    num_tricks: int
    tie: float
    """Utility of both players when each takes half of the tricks."""


# The functions of a model


@inlined
def count(cards: int) -> int:
    """Return the number of cards in a set."""
    total = 0
    while cards:
        cards &= cards - 1  # clears the lowest bit
        total += 1
    return total


@inlined
def legal_cards(model: Tricks, state: LongArray) -> int:
    """Return the legal cards: those of the suit led if the hand has any, else the hand."""
    # Following suit is compulsory; a player who is void may discard anything.
    hand = state[HANDS + state[PLAYER]]
    led = state[LED]
    if led:
        # `led` has one bit set, so that `count(led - 1)` is the position of that bit.
        following = hand & model.suits[count(led - 1)]
        if following:
            return int(following)
    return int(hand)


def actor(model: Tricks, position: Position) -> int:
    """Return the player to act, `CHANCE_MOVE` or `END`."""
    state = position.state
    # A chosen card is played at the next transition, where it is observed.
    if state[CHOSEN]:
        return CHANCE_MOVE
    # The player to move has no card only when the game is over.
    return int(state[PLAYER]) if state[HANDS + state[PLAYER]] else END


def num_actions(model: Tricks, position: Position) -> int:
    """Return the number of cards that may be played."""
    return count(legal_cards(model, position.state))


def choose_action(model: Tricks, position: Position, action: int) -> None:
    """Choose one of the legal cards, counted from the lowest."""
    cards = legal_cards(model, position.state)
    for _ in range(action):
        cards &= cards - 1
    position.state[CHOSEN] = cards & -cards  # the lowest bit


def num_outcomes(model: Tricks, position: Position) -> int:
    """Return 1: transitions are deterministic."""
    return 1


def outcome_probability(model: Tricks, position: Position, outcome: int) -> float:
    """Return 1: transitions are deterministic."""
    return 1.0


def apply_outcome(model: Tricks, position: Position, outcome: int) -> None:
    """Play the chosen card; after the last card, add the utilities."""
    state = position.state
    seen = play_chosen(model, state)
    is_over = state[HANDS] == 0 and state[HANDS + 1] == 0
    for player in range(2):
        # Cards are played face up: both players make the same observation.
        position.observations[player] = seen
        if is_over:
            # More than half of the tricks win. In a tie both players get the same.
            ahead = state[TRICKS + player] - state[TRICKS + 1 - player]
            utility = 1.0 if ahead > 0 else (-1.0 if ahead < 0 else model.tie)
            position.rewards_so_far[player] += utility


@inlined
def play_chosen(model: Tricks, state: LongArray) -> int:
    """Play the chosen card, in place, and return a number for the public observation of it."""
    card, player, led = state[CHOSEN], state[PLAYER], state[LED]
    # A card is one bit, so the bits of `card - 1` count the lower cards.
    number = count(card - 1)
    state[CHOSEN] = 0
    # The card is in the hand, so that exclusive or removes it.
    state[HANDS + player] ^= card
    if not led:
        state[LED], state[PLAYER] = card, 1 - player
        return 3 * number  # a card has three observations: led, or played second with either winner
    # Within the suit led, a higher bit is a higher card. Cards of other suits never win.
    wins = card > led and led & model.suits[number] != 0
    winner = player if wins else 1 - player
    # The winner of a trick leads the next one.
    state[LED], state[PLAYER] = 0, winner
    state[TRICKS + winner] += 1
    return int(3 * number + 1 + winner)


implement(
    Tricks, actor, num_actions, choose_action, num_outcomes, outcome_probability, apply_outcome
)


# Sets of cards


@kernel
def deposit(places: LongArray, pools: LongArray, cards: LongArray) -> None:
    """Write the cards [K] that the bits of `places` [K] select from the pools [K]."""
    for k in range(len(places)):
        pool, chosen = pools[k], places[k]
        # Bit k of `places` selects the k-th lowest card of the pool, counted from 0.
        while chosen:
            card = pool & -pool
            if chosen & 1:
                cards[k] |= card
            pool ^= card
            chosen >>= 1


@kernel
def card_indices(model: Tricks, states: LongArray, cards: LongArray, indices: LongArray) -> None:
    """Write indices [K, A] of cards [A] among the legal ones of each state; -1 if not legal."""
    for k in range(len(states)):
        legal = legal_cards(model, states[k])
        for place in range(len(cards)):
            card = cards[place]
            # The index is the number of lower legal cards.
            indices[k, place] = count(legal & (card - 1)) if legal & card else -1
