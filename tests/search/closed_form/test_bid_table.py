"""Policies that look at the hand and the last bid."""

import numpy as np
import pytest

from infoset.errors import ParameterError, UnknownNameError
from infoset.game import Infostate, Step
from infoset.games import LiarsDice
from infoset.matches import play_matches
from infoset.search.closed_form import BidTable, match_value, pimc_table


def test_it_answers_as_a_policy():
    game = LiarsDice(numdice=2, dice_sides=2)
    table = pimc_table(game, [0.0, 1.0])
    known = Infostate(
        0, (Step(None, (1, 2), None), Step("1-1", None, "1-1"), Step(None, None, "2-1"))
    )
    answer = table.action_probabilities(known, game.calls[3:])
    assert answer.tolist() == table.probability[1, 1, 3, 3:].tolist()
    first = Infostate(0, (Step(None, (2, 2), None),))
    answer = table.action_probabilities(first, game.calls[:-1])
    assert answer.tolist() == table.probability[0, 2, 0, :-1].tolist()


def test_own_reach_is_the_product_of_own_calls():
    game = LiarsDice(numdice=2, dice_sides=2)
    table = pimc_table(game, [0.0, 0.5], num_worlds=20, num_repeats=50)
    calls, p = ["1-1", "2-1", "2-2", "3-2", "liar"], table.probability
    first = p[0, :, 0, 0] * p[1, :, 3, 3] * p[1, :, 6, 8]
    assert table.own_reach(calls, 0).tolist() == first.tolist()
    assert table.own_reach(calls, 1).tolist() == (p[0, :, 1, 2] * p[1, :, 4, 5]).tolist()
    assert table.own_reach([], 0).tolist() == [1, 1, 1]
    with pytest.raises(UnknownNameError, match="unknown call '1-2'"):
        table.own_reach(["2-1", "1-2"], 0)
    with pytest.raises(UnknownNameError, match="unknown call 'liar'"):
        table.own_reach(["liar"], 0)


def test_it_plays_games_whose_tree_cannot_be_built():
    game = LiarsDice(numdice=5)
    naive, mixed = pimc_table(game), pimc_table(game, 0.5)
    result = play_matches(game, mixed, naive, num_deals=300, seed=1)
    exact = match_value(mixed, naive), -match_value(naive, mixed)
    assert abs(result.mean - np.mean(exact)) < 3 * result.standard_error


def test_tables_that_are_none():
    game = LiarsDice(dice_sides=2)
    good = pimc_table(game).probability
    with pytest.raises(ParameterError, match=r"has shape \(2, 5, 5\); for .* it is \[M, 2, 5, 5\]"):
        BidTable(game, good[0])
    with pytest.raises(ParameterError, match=r"sum to 0\.5, not 1"):
        BidTable(game, good / 2)
    for wrong in ((0, 0, 0, 4), (0, 0, 2, 1)):
        bad = good.copy()
        bad[wrong] = 0.1
        with pytest.raises(ParameterError, match="a call that is not legal"):
            BidTable(game, bad)
    with pytest.raises(ParameterError, match="negative, NaN"):
        BidTable(game, np.where(good == 1, np.nan, good))
    with pytest.raises(ValueError, match="read-only"):
        BidTable(game, good).probability[0] = 0
