"""Exact all-in equities of the 169 classes of hold'em hands against a random hand.

    python benchmarks/hand_equities.py

prints the classes from the best to the worst. Their order is the constant `BEST_FIRST` of
`infoset.games.holdem_hands`, which `top10%` in a range follows. Boards that differ only by an
exchange of suits are one board with a multiplicity, so that 134,459 of the 2,598,960 are visited,
in a few minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np

from infoset.games.cards import RANKS, SUITS
from infoset.games.holdem_hands import DECK, HOLE_CARDS, HandClass, hand_strengths
from infoset.typing import IntArray, LongArray

CARDS = np.array([[DECK.index(hand[:2]), DECK.index(hand[2:])] for hand in HOLE_CARDS])
"""[1326, 2] the cards of each hand."""
HANDS_WITH = np.array([np.flatnonzero((card == CARDS).any(axis=1)) for card in range(len(DECK))])
"""[52, 51] the hands with each card."""
PAIRS = comb(50, 5) * comb(45, 2)
"""Number of boards and hands of an opponent, given a hand."""


def boards() -> Iterator[tuple[list[str], int]]:
    """Yield one board of each class up to exchanges of suits, and the size of the class."""
    sets = [ranks for size in range(6) for ranks in combinations(RANKS, size)]
    by_size = [[ranks for ranks in sets if len(ranks) == size] for size in range(6)]
    for sizes in product(range(6), repeat=len(SUITS)):
        if sum(sizes) != 5:
            continue
        for held in product(*(by_size[size] for size in sizes)):
            # Of the boards with these sets of ranks, the one whose suits are in order.
            if list(held) == sorted(held):
                board = [r + suit for suit, ranks in zip(SUITS, held, strict=True) for r in ranks]
                counts = [held.count(ranks) for ranks in {*held}]
                yield board, 24 // int(np.prod([[1, 1, 2, 6, 24][count] for count in counts]))


def points(strengths: IntArray) -> LongArray:
    """Return [1326] two points for each hand of an opponent that a hand beats, one for each tie."""
    blocked = strengths == 0
    _, ranks = np.unique(strengths, return_inverse=True)
    # Blocked hands are above all others, so that they are neither weaker nor equal.
    ranks = np.where(blocked, len(HOLE_CARDS), ranks)
    ordered = np.sort(ranks)
    # One search for all cards: those of the row of each card are above those of the rows before.
    step = 2 * len(HOLE_CARDS)
    rows = np.sort(ranks[HANDS_WITH], axis=1) + step * np.arange(len(DECK))[:, None]
    sought = ranks[:, None] + step * CARDS
    found = np.zeros(len(HOLE_CARDS), np.int64)
    for side in ("left", "right"):
        below = np.searchsorted(ordered, ranks, side)
        sharing = np.searchsorted(rows.ravel(), sought, side) - HANDS_WITH.shape[1] * CARDS
        found += below - sharing.sum(axis=1)
    # The hand itself is among those up to it: once in all, and once with each of its cards.
    return np.where(blocked, 0, found + 1)


def equities() -> dict[str, Fraction]:
    """Return the equity of each class of hands, from the best to the worst."""
    total = np.zeros(len(HOLE_CARDS), np.int64)
    for board, count in boards():
        total += count * points(np.array(hand_strengths(board, HOLE_CARDS)))
    found = {}
    for high, low in product(range(len(RANKS)), repeat=2):
        for kind in ("",) if high == low else ("s", "o") if high > low else ():
            group = HandClass(high, low, kind)
            hands = [HOLE_CARDS.index(hand) for hand in group.hands()]
            # Boards stand for those with other suits, and a class for its hands.
            found[str(group)] = Fraction(int(total[hands].sum()), 2 * PAIRS * len(hands))
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


if __name__ == "__main__":
    for name, equity in equities().items():
        print(f"{name:4}{float(equity):.6%}  {equity}")
