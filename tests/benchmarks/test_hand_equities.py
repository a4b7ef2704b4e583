"""Exact equities of hands: the boards and the counts, and the order of all classes."""

from __future__ import annotations

import hand_equities
import numpy as np
import pytest

from infoset.games.holdem_hands import BEST_FIRST, HOLE_CARDS, hand_strengths


@pytest.mark.benchmarks
def test_points_count_the_hands_that_share_no_card():
    for board in (["Ks", "9d", "8h", "4s", "2c"], ["As", "Ks", "Qs", "Js", "Ts"]):
        strengths = np.array(hand_strengths(board, HOLE_CARDS))
        found = hand_equities.points(strengths)
        for own in range(0, 1326, 53):
            sharing = np.isin(hand_equities.CARDS, hand_equities.CARDS[own]).any(axis=1)
            others = strengths[~sharing & (strengths > 0)]
            points = 2 * (others < strengths[own]).sum() + (others == strengths[own]).sum()
            assert found[own] == (points if strengths[own] else 0)


@pytest.mark.benchmarks
def test_boards_stand_for_those_with_other_suits():
    counts = [count for _, count in hand_equities.boards()]
    assert (len(counts), sum(counts)) == (134_459, 2_598_960)


@pytest.mark.long
def test_the_best_hands_are_those_of_exact_equities():
    found = hand_equities.equities()
    assert tuple(found) == BEST_FIRST
    # Published values, in percent.
    for name, percent in {"AA": 85.20, "AKs": 67.04, "72o": 34.58, "32o": 32.30}.items():
        assert 100 * float(found[name]) == pytest.approx(percent, abs=0.005)
