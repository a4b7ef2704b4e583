"""Times of listed histories: the timed work."""

from __future__ import annotations

import listed_histories
import pytest

from infoset.game import PublicState

pytestmark = pytest.mark.benchmarks


def test_the_rules_and_the_list_find_the_same_histories():
    game = listed_histories.goofspiel(5)
    state = listed_histories.rounds(5, 2)
    filtered, length = listed_histories.RulesFilter(game, 1000).enumerated(state)
    assert length == 2
    row = listed_histories.listed_row("goofspiel", game, state)
    assert row[:2] == ["goofspiel", str(len(filtered))]
    assert row[3] == "-"


def test_battleship_is_timed_with_and_without_public_actions():
    game = listed_histories.battleship(2, (1,))
    shot = listed_histories.after(PublicState((None, None)), [("0_0", "water")])
    row = listed_histories.listed_row("battleship", game, shot)
    assert row[1] == "12"
    assert all(cell.endswith("/s") for cell in row[2:])
    assert len(listed_histories.drawn_row("battleship", game, shot)) == 3
