"""The boards that may follow in a hold'em endgame, up to suit symmetry, and their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations
from math import fsum
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.errors import ParameterError, show
from infoset.games.bet_sizes import STREETS
from infoset.games.cards import SUITS
from infoset.games.holdem_hands import DECK, HOLE_CARDS, PLACE, parse_cards
from infoset.games.holdem_ranges import parse_range
from infoset.games.nolimit_endgame import NoLimitEndgame
from infoset.typing import FloatArray

BOARDS_OVER: Final = ("flops", "turns", "rivers")
"""Streets of `boards_over`: boards of 3, 4 and 5 cards."""


class WeightedBoard(NamedTuple):
    """A board, and its probability."""

    board: str
    probability: float
    """The probability, given the ranges, of all boards that are equal up to permuted suits."""


def boards_over(
    game: NoLimitEndgame, over: str, given: Sequence[str] | None = None
) -> tuple[WeightedBoard, ...]:
    """Return the boards of a street, one for each class of symmetric boards, or the given boards.

    "flops" lists all flops, "turns" all turns after the flop of the game, and "rivers" all rivers
    after its turn, or all turns and rivers if its board is a flop. The probability of a board is
    proportional to the total weight of the pairs of hands that it does not block.

    Raises
    ------
    ParameterError
        If every board blocks all pairs of hands, or a given board does not belong to the street.

    Examples
    --------
    >>> found = boards_over(NoLimitEndgame("Ks9d8h", ranges="QQ+"), "turns")
    >>> len(found), round(sum(one.probability for one in found), 12)
    (49, 1.0)
    """
    size = BOARDS_OVER.index(over) + 3
    cards = parse_cards(game.board)
    known = cards[: {3: 0, 4: 3, 5: min(4, len(cards))}[size]]
    weights = [np.array(parse_range(text)) for text in game.ranges]
    if given is None:
        counts = _classes(known, size, _symmetries(known, weights))
    else:
        counts = dict.fromkeys((_checked(board, known, size) for board in given), 1)
    pairs = _pair_weights(weights)
    totals = pairs.sum(), pairs.sum(axis=1), pairs.sum(axis=0)
    likely = {board: count * _left(pairs, totals, board) for board, count in counts.items()}
    total = fsum(likely.values())
    if not total > 0:
        raise ParameterError(f"{game.name}: all {over} block every pair of hands in the ranges")
    return tuple(WeightedBoard(board, own / total) for board, own in likely.items() if own > 0)


def _classes(known: Sequence[str], size: int, suits: list[list[int]]) -> dict[str, int]:
    """Return one board for each class of symmetric boards, and the size of its class."""
    counts: dict[tuple[int, ...], int] = {}
    rest = [place for place, card in enumerate(DECK) if card not in known]
    for more in combinations(rest, size - len(known)):
        first = min(tuple(sorted(images[place] for place in more)) for images in suits)
        counts[first] = counts.get(first, 0) + 1
    return {
        "".join([*known, *(DECK[place] for place in more)]): count for more, count in counts.items()
    }


def _checked(board: str, known: Sequence[str], size: int) -> str:
    """Return a given board in normal form, with the known cards first; raise if it lacks them."""
    cards = parse_cards(board)
    if len(cards) != size or not {*known} <= {*cards}:
        begins = f", including {' '.join(known)}" if known else ""
        raise ParameterError(f"the board {show(board)} must have {size} cards{begins}")
    return "".join([*known, *(card for card in cards if card not in known)])


def with_board(game: NoLimitEndgame, board: str) -> NoLimitEndgame:
    """Return the endgame with another board; limits by street are those of the streets it has.

    Raises
    ------
    ParameterError
        If the game has no sizes or limits for a street.
    """
    streets = len(STREETS) - (len(parse_cards(board)) - 3)
    limits: dict[str, Any] = {
        name: own[-streets:]
        for name in ("max_raises", "min_bet")
        if isinstance(own := getattr(game, name), tuple)
    }
    return replace(game, board=board, **limits)


def _symmetries(known: Sequence[str], weights: list[FloatArray]) -> list[list[int]]:
    """Return the permutations of suits that change neither the known cards nor the ranges.

    Each lists [52] where the cards of the deck move.
    """
    found = []
    for suits in permutations(SUITS):
        moved = {card: card[0] + suits[SUITS.index(card[1])] for card in DECK}
        hands = [_hand(moved[hand[:2]], moved[hand[2:]]) for hand in HOLE_CARDS]
        if {moved[card] for card in known} == {*known} and all(
            np.array_equal(own[hands], own) for own in weights
        ):
            found.append([DECK.index(moved[card]) for card in DECK])
    return found


def _hand(first: str, second: str) -> int:
    return PLACE[first + second] if first + second in PLACE else PLACE[second + first]


def _pair_weights(weights: list[FloatArray]) -> FloatArray:
    """Return [hands, hands] the product of the weights of two hands; 0 if they share a card."""
    has_card = np.array([[card in (hand[:2], hand[2:]) for card in DECK] for hand in HOLE_CARDS])
    shared = has_card.astype(np.float64) @ has_card.T.astype(np.float64)
    return np.where(shared > 0, 0.0, np.multiply.outer(*weights))


def _left(pairs: FloatArray, totals: tuple[float, FloatArray, FloatArray], board: str) -> float:
    """Return the total weight of the pairs of hands that a board does not block."""
    cards = {*parse_cards(board)}
    blocked = [place for place, hand in enumerate(HOLE_CARDS) if cards & {hand[:2], hand[2:]}]
    whole, of_first, of_second = totals
    # Pairs in which both hands are blocked are subtracted twice.
    twice = pairs[np.ix_(blocked, blocked)].sum()
    left = whole - of_first[blocked].sum() - of_second[blocked].sum() + twice
    return max(float(left), 0.0)
