"""The cards of Texas hold'em: boards, hands of two cards, and their strengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from infoset.errors import MissingExtraError, ParameterError, show
from infoset.games.cards import RANKS, SUITS

__all__ = ["DECK", "HOLE_CARDS", "hand_strengths", "parse_cards"]

DECK: Final = tuple(rank + suit for rank in reversed(RANKS) for suit in SUITS)
"""The 52 cards from the highest to the lowest: As, Ah, Ad, Ac, Ks, ..., 2c."""

HOLE_CARDS: Final = tuple(first + second for first, second in combinations(DECK, 2))
"""The 1,326 hands of two cards, the higher first, in the order of the deck: AsAh, ..., 2d2c."""

WORST: Final = 7463
"""One more than the rank of the weakest hand in the evaluator, where 1 is a royal flush."""

# The evaluator numbers cards by rank from 2, and then by suit: clubs, diamonds, hearts, spades.
_NUMBER: Final = {card: 4 * RANKS.index(card[0]) + "cdhs".index(card[1]) for card in DECK}


def parse_cards(text: str) -> tuple[str, ...]:
    """Split a text such as `Ks9d8h` into cards; spaces between cards are ignored.

    Raises
    ------
    ParameterError
        If something is not a card, or a card occurs twice.

    Examples
    --------
    >>> parse_cards("Ks9d 8h")
    ('Ks', '9d', '8h')
    """
    joined = "".join(text.split())
    cards = tuple(joined[at : at + 2] for at in range(0, len(joined), 2))
    for place, card in enumerate(cards):
        if card not in _NUMBER:
            raise ParameterError(
                f"{show(text)} has {card!r} as card {place + 1}; a card is a rank of {RANKS} and a "
                "suit of cdhs, such as Ks"
            )
        if card in cards[:place]:
            raise ParameterError(f"{show(text)} has the card {card} twice; give each card once")
    return cards


def hand_strengths(board: Sequence[str], hands: Iterable[str]) -> tuple[int, ...]:
    """Return the strength of each hand with a board of five cards; higher is stronger.

    The strength of a hand that shares a card with the board is 0.

    Parameters
    ----------
    board : Sequence[str]
        Five cards.
    hands : Iterable[str]
        Hands of two cards, such as AhKd.

    Raises
    ------
    MissingExtraError
        If the evaluator of hands, the optional extra `poker`, is missing.

    Examples
    --------
    >>> pair, aces, blocked = hand_strengths(
    ...     ["Ks", "9d", "8h", "4s", "2c"], ["KhQd", "AhAd", "KsQd"]
    ... )
    >>> aces > pair, blocked
    (True, 0)
    """
    try:
        from phevaluator import evaluate_cards
    except ImportError as error:
        raise MissingExtraError("poker", "the strength of poker hands") from error
    dealt = [_NUMBER[card] for card in board]
    held = set(board)
    return tuple(
        0
        if hand[:2] in held or hand[2:] in held
        else WORST - evaluate_cards(*dealt, _NUMBER[hand[:2]], _NUMBER[hand[2:]])
        for hand in hands
    )
