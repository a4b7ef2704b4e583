"""Exact all-in equities of the 169 classes of hold'em hands against each other.

    python benchmarks/hand_equities.py

writes how often each class beats and ties with each other class to
`src/infoset/games/holdem_classes.npy`, and prints the classes from the best to the worst against a
random hand. Their order is the constant `BEST_FIRST` of `infoset.games.holdem_hands`, which
`top10%` in a range follows. Boards that differ only by permuted suits are visited once and counted
with their number: 134,459 instead of 2,598,960 boards, in a few minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numba
import numpy as np

import infoset.games
from infoset.games.cards import RANKS, SUITS
from infoset.games.holdem_classes import (
    CLASSES,
    COUNTS_FILE,
    HANDS_OF_CLASS,
    NUM_BOARDS,
    class_counts,
    class_pairs,
)
from infoset.games.holdem_hands import DECK, HOLE_CARDS, hand_strengths
from infoset.typing import IntArray, LongArray

CARDS = np.array([[DECK.index(hand[:2]), DECK.index(hand[2:])] for hand in HOLE_CARDS])
"""[1326, 2] the cards of each hand."""
MASKS = (np.int64(1) << CARDS).sum(axis=1)
"""[1326] the cards of each hand as bits."""
CLASS_OF = np.zeros(len(HOLE_CARDS), np.int64)
"""[1326] the class of each hand."""
for number, hands in enumerate(HANDS_OF_CLASS):
    CLASS_OF[list(hands)] = number


def boards() -> Iterator[tuple[list[str], int]]:
    """Yield one board of each class up to permuted suits, and the size of the class."""
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


@numba.njit(cache=True)
def _add_pairs(strength, mask, owner, count, wins, ties):  # type: ignore[no-untyped-def]
    """Add `count` for each disjoint pair of hands, in place.

    strength, mask, owner: [n] in increasing order of strength. wins: [169, 169] by the stronger and
    the weaker class. ties: [169, 169] each pair once.
    """
    first = 0  # the first hand with the same strength
    for place in range(len(strength)):
        if strength[place] != strength[first]:
            first = place
        won, tied = wins[owner[place]], ties[owner[place]]
        for other in range(first):
            won[owner[other]] += count * ((mask[place] & mask[other]) == 0)
        for other in range(first, place):
            tied[owner[other]] += count * ((mask[place] & mask[other]) == 0)


def add_board(board: list[str], count: int, wins: LongArray, ties: LongArray) -> None:
    """Add the pairs of hands on a board, by their classes, in place; see `_add_pairs`."""
    strengths: IntArray = np.array(hand_strengths(board, HOLE_CARDS))
    order = np.argsort(strengths, kind="stable")
    order = order[strengths[order] > 0]  # hands with a card of the board have 0
    _add_pairs(strengths[order], MASKS[order], CLASS_OF[order], count, wins, ties)


def counts() -> tuple[LongArray, LongArray]:
    """Return [169, 169] the numbers of wins and of ties of classes; see `class_counts`.

    Raises
    ------
    AssertionError
        If wins, losses and ties of two classes do not sum to the number of pairs and boards.
    """
    wins, ties = np.zeros((2, len(CLASSES), len(CLASSES)), np.int64)
    for board, count in boards():
        add_board(board, count, wins, ties)
    # Boards stand for those with other suits, and a class for its hands.
    ties += ties.T.copy()
    assert np.array_equal(wins + wins.T + ties, NUM_BOARDS * class_pairs())
    return wins, ties


def equities() -> dict[str, Fraction]:
    """Return the equity of each class against a random hand, from the best to the worst."""
    wins, ties = class_counts()
    points, pairs = (2 * wins + ties).sum(axis=1), class_pairs().sum(axis=1)
    found = {
        str(one): Fraction(int(own), 2 * NUM_BOARDS * int(number))
        for one, own, number in zip(CLASSES, points, pairs, strict=True)
    }
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


if __name__ == "__main__":
    upper = np.triu_indices(len(CLASSES))
    stored = np.stack([table[upper] for table in counts()]).astype(np.uint32)
    np.save(Path(infoset.games.__path__[0]) / COUNTS_FILE, stored)
    for name, equity in equities().items():
        print(f"{name:4}{float(equity):.6%}  {equity}")
