"""Exact equities of classes of hands: the boards, the counts on one board, and the stored table."""

from __future__ import annotations

import hand_equities
import numpy as np
import pytest

from infoset.games.holdem_classes import CLASSES, class_counts
from infoset.games.holdem_hands import BEST_FIRST, DECK, HOLE_CARDS, hand_strengths


@pytest.mark.benchmarks
@pytest.mark.parametrize("board", [["Ks", "9d", "8h", "4s", "2c"], ["As", "Ks", "Qs", "Js", "Ts"]])
def test_a_board_adds_the_pairs_of_hands_that_share_no_card(board):
    wins, ties = np.zeros((2, len(CLASSES), len(CLASSES)), np.int64)
    hand_equities.add_board(board, 3, wins, ties)
    strengths = np.array(hand_strengths(board, HOLE_CARDS))
    held = np.array([[card in (hand[:2], hand[2:]) for card in DECK] for hand in HOLE_CARDS])
    meets = (held.astype(float) @ held.T == 0) & np.logical_and.outer(strengths > 0, strengths > 0)
    of_class = np.array([[hand in [*one.hands()] for hand in HOLE_CARDS] for one in CLASSES], float)
    beats = meets & (strengths[:, None] > strengths)
    equals = np.triu(meets & (strengths[:, None] == strengths))
    assert np.array_equal(wins, 3 * (of_class @ beats @ of_class.T))
    assert np.array_equal(ties + ties.T, 3 * (of_class @ (equals + equals.T) @ of_class.T))


@pytest.mark.benchmarks
def test_boards_stand_for_those_with_other_suits():
    counts = [count for _, count in hand_equities.boards()]
    assert (len(counts), sum(counts)) == (134_459, 2_598_960)


@pytest.mark.benchmarks
def test_the_best_hands_are_those_of_exact_equities():
    found = hand_equities.equities()
    assert tuple(found) == BEST_FIRST
    # Published values, in percent.
    for name, percent in {"AA": 85.20, "AKs": 67.04, "72o": 34.58, "32o": 32.30}.items():
        assert 100 * float(found[name]) == pytest.approx(percent, abs=0.005)


@pytest.mark.long
def test_the_stored_table_is_that_of_all_boards():
    for found, stored in zip(hand_equities.counts(), class_counts(), strict=True):
        assert np.array_equal(found, stored)
