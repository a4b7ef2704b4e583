"""Hands of Texas hold'em: cards, classes of hands, and strengths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Final, NamedTuple

from infoset.errors import ParameterError, show
from infoset.games.cards import RANKS, SUITS
from infoset.utils.extras import import_extra

DECK: Final = tuple(rank + suit for rank in reversed(RANKS) for suit in SUITS)
"""The 52 cards from the highest to the lowest: As, Ah, Ad, Ac, Ks, ..., 2c."""

HOLE_CARDS: Final = tuple(first + second for first, second in combinations(DECK, 2))
"""The 1,326 hands of two cards, the higher first, in the order of the deck: AsAh, ..., 2d2c."""

# The evaluator numbers cards by rank from 2, and then by suit: clubs, diamonds, hearts, spades.
_NUMBER: Final = {card: 4 * RANKS.index(card[0]) + "cdhs".index(card[1]) for card in DECK}

# Strengths by the evaluator's rank of a hand, from 1 (royal flush) to 7,462. Tuples of strengths
# share these integers, because new objects would take several times the memory of the tuples.
_STRENGTHS: Final = tuple(range(7463, 0, -1))

PLACE: Final = {hand: place for place, hand in enumerate(HOLE_CARDS)}

_ORDER: Final = (
    "AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o "
    "KJo 55 QJs K9s A5s A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44 "
    "A4o K6s K8o Q8s A3o K5s J9s Q9o JTo K7o A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o K5o J9o K2s "
    "Q5s T8s K4o J7s Q4s Q7o T9o J8o K3o Q6o Q3s 98s T7s J6s K2o 22 Q2s Q5o J5s T8o J7o Q4o 97s "
    "J4s T6s J3s Q3o 98o 87s T7o J6o 96s J2s Q2o T5s J5o T4s 97o 86s J4o T6o 95s T3s 76s J3o 87o "
    "T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o 65s 84s 95o T3o 92s 76o 74s T2o 54s 85o 64s 83s 94o "
    "75o 82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s 54o 64o 52s 62s 83o 42s 82o 73o 53o 63o 32s "
    "43o 72o 52o 62o 42o 32o"
)
BEST_FIRST: Final = tuple(_ORDER.split())
"""The classes of hands, from best to worst by their all-in equity against a random hand.

`benchmarks/hand_equities.py` computes it exactly. No two classes have the same equity.
"""

FLAGS = re.IGNORECASE | re.ASCII
RANK = f"10|[{RANKS}]"
SIGNS: Final = dict(zip("♣♦♥♠", "cdhs", strict=True))
CARD = f"({RANK})([{SUITS}]|[{''.join(SIGNS)}]\ufe0f?)"
CARDS = re.compile(rf"{CARD}|[^\s\xa0,]{{1,2}}", FLAGS)
NAMED_CARDS = re.compile(rf"(?<!\w){CARD}(?:[ ,]?{CARD})?(?!\w)", FLAGS)


def parse_cards(text: str) -> tuple[str, ...]:
    """Split a text such as `Ks9d8h` into cards, in upper or lower case, and with T or 10.

    Suits may be symbols such as ♦. Spaces and commas between cards are ignored.

    Examples
    --------
    >>> parse_cards("Ks9d 8h"), parse_cards("10S, 9♦")
    (('Ks', '9d', '8h'), ('Ts', '9d'))
    """
    cards: list[str] = []
    for found in CARDS.finditer(text):
        if found[1] is None:
            raise ParameterError(
                f"{show(text)} has {found[0]!r} as card {len(cards) + 1}; a card is a rank of "
                f"{RANKS} and a suit of cdhs, such as Ks"
            )
        card = _card(found[1], found[2])
        if card in cards:
            raise ParameterError(
                f"{show(text)} has the card {card} twice, as cards {cards.index(card) + 1} and "
                f"{len(cards) + 1}; give each card once"
            )
        cards.append(card)
    return tuple(cards)


def normal_cards(text: str) -> str:
    """Return a text in which cards and hands of two cards are written as in `HOLE_CARDS`.

    The cards of a hand may be in any order, and are read as by `parse_cards`.

    Examples
    --------
    >>> normal_cards("[ac10d] / bet 50 / 7♥"), normal_cards("[2cAd]")
    ('[AcTd] / bet 50 / 7h', '[Ad2c]')
    """
    return NAMED_CARDS.sub(_normal_cards, text)


def _normal_cards(found: re.Match[str]) -> str:
    first = _card(found[1], found[2])
    second = _card(found[3], found[4]) if found[3] else ""
    return second + first if second + first in PLACE else first + second


def _card(rank: str, suit: str) -> str:
    return normal_rank(rank) + SIGNS.get(suit[0], suit[0].lower())


def normal_rank(text: str) -> str:
    """Return a rank as in `RANKS`."""
    return "T" if text == "10" else text.upper()


def hand_strengths(board: Sequence[str], hands: Iterable[str]) -> tuple[int, ...]:
    """Return the strength of each hand with a board of five cards; higher is stronger.

    The strength of a hand that shares a card with the board is 0.

    Parameters
    ----------
    board
        Five cards.
    hands
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
    evaluate_cards = import_extra("poker", "the strength of poker hands").evaluate_cards
    dealt = [_NUMBER[card] for card in board]
    held = set(board)
    return tuple(
        0
        if hand[:2] in held or hand[2:] in held
        else _STRENGTHS[evaluate_cards(*dealt, _NUMBER[hand[:2]], _NUMBER[hand[2:]])]
        for hand in hands
    )


class HandClass(NamedTuple):
    """The hands with two ranks: suited (`s`), offsuit (`o`), or both (an empty text)."""

    high: int
    low: int
    suits: str

    def hands(self) -> Iterator[str]:
        """Yield the hands, with the higher card first."""
        for first, second in product(SUITS, repeat=2):
            hand = RANKS[self.high] + first + RANKS[self.low] + second
            is_kind = self.suits in ("", "s" if first == second else "o")
            if is_kind and hand in PLACE:
                yield hand

    def __str__(self) -> str:
        return RANKS[self.high] + RANKS[self.low] + self.suits
