"""The 169 classes of hold'em hands before the flop: numbers of pairs, and exact all-in equities."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from math import comb
from typing import Final

import numpy as np

from infoset.games.cards import RANKS
from infoset.games.holdem_hands import DECK, HOLE_CARDS, PLACE, HandClass
from infoset.typing import FloatArray, LongArray
from infoset.utils.frozen_arrays import freeze_arrays

CLASSES: Final = tuple(
    HandClass(high, low, suits)
    for high in reversed(range(len(RANKS)))
    for low in reversed(range(high + 1))
    for suits in (("",) if low == high else ("s", "o"))
)
"""The 169 classes, higher ranks first: AA, AKs, AKo, ..., KK, KQs, ..., 22."""

HANDS_OF_CLASS: Final = tuple(tuple(PLACE[hand] for hand in one.hands()) for one in CLASSES)
"""The indices in `HOLE_CARDS` of the hands in each class."""

COUNTS_FILE: Final = "holdem_classes.npy"
"""File with the wins and ties of pairs of classes, written by `benchmarks/hand_equities.py`."""

NUM_BOARDS: Final = comb(len(DECK) - 4, 5)
"""Number of boards of five cards, given two hands."""


@cache
def class_pairs() -> LongArray:
    """Return [169, 169] the number of disjoint pairs of hands of two classes.

    Examples
    --------
    >>> pairs = class_pairs()
    >>> int(pairs[0, 0]), int(pairs.sum())  # aces against aces, and 1,326 times 1,225
    (6, 1624350)
    """
    held = np.zeros((len(HOLE_CARDS), len(DECK)))
    for place, hand in enumerate(HOLE_CARDS):
        held[place, [DECK.index(hand[:2]), DECK.index(hand[2:])]] = 1
    # BLAS multiplies only floats, which are exact here.
    is_free = (held @ held.T == 0).astype(np.float64)
    of_class = np.zeros((len(CLASSES), len(HOLE_CARDS)))
    for number, places in enumerate(HANDS_OF_CLASS):
        of_class[number, list(places)] = 1
    pairs: LongArray = (of_class @ is_free @ of_class.T).astype(np.int64)
    freeze_arrays(pairs)
    return pairs


@cache
def class_counts() -> tuple[LongArray, LongArray]:
    """Return [169, 169] the numbers of wins and of ties of each class against each other one.

    They count disjoint pairs of hands, times boards of five other cards.
    """
    with files("infoset.games").joinpath(COUNTS_FILE).open("rb") as file:
        stored = np.load(file, allow_pickle=False).astype(np.int64)
    above = np.triu_indices(len(CLASSES))
    wins, ties = np.zeros((2, len(CLASSES), len(CLASSES)), np.int64)
    wins[above], ties[above] = stored
    below = above[::-1]
    ties[below] = ties[above]
    # All other outcomes are wins of the other class.
    wins[below] = NUM_BOARDS * class_pairs()[above] - wins[above] - ties[above]
    freeze_arrays(wins, ties)
    return wins, ties


@cache
def class_equities() -> FloatArray:
    """Return [169, 169] the all-in equity of each class against each other one.

    Equity is the probability of winning plus half the probability of a tie, over all disjoint pairs
    of hands and all boards. It is exact up to the rounding of one division.

    Examples
    --------
    >>> names = [str(one) for one in CLASSES]
    >>> round(float(class_equities()[names.index("AA"), names.index("KK")]), 5)
    0.81946
    """
    wins, ties = class_counts()
    equities: FloatArray = (2 * wins + ties) / (2 * NUM_BOARDS * class_pairs())
    freeze_arrays(equities)
    return equities
