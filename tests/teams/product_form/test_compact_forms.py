"""Compact forms: the game with what is decided dropped, for games with too many histories."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError
from infoset.games import TradeComm, load_game
from infoset.teams import (
    build_product_form,
    compact_form,
    drop_decided,
    forget_own_actions,
    team_optimum,
)
from infoset.teams.product_form import compact_forms, short_market


@pytest.mark.parametrize(
    "game", ["trade_comm(num_items=2)", "trade_comm(num_items=3,num_messages=2)"]
)
def test_a_short_market_is_the_game_with_what_is_decided_dropped(game):
    form = drop_decided(build_product_form(load_game(game)))
    short = short_market(load_game(game))
    for ours, theirs in zip(short.arrays, form.arrays, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(short.information.cell, form.information.cell)
    forgetful = short_market(load_game(game), remembers_words=False)
    np.testing.assert_array_equal(forgetful.information.cell, forget_own_actions(form).cell)


def test_a_short_market_has_the_optimum_of_its_game():
    game = load_game("trade_comm(num_items=3,num_messages=2)")
    optimum = team_optimum(short_market(game).information)
    assert (optimum.outcome, optimum.value) == ("optimal", pytest.approx(5 / 9))


def test_only_games_with_too_many_histories_are_compact(monkeypatch):
    assert compact_form(TradeComm(num_items=7)) is None
    assert compact_form(load_game("kuhn_poker")) is None
    monkeypatch.setattr(compact_forms, "MAX_HISTORIES", 2**8 - 1)
    assert compact_form(TradeComm(num_items=2)).num_nodes == 44
    monkeypatch.setattr(compact_forms, "MAX_HISTORIES", 2**8)
    assert compact_form(TradeComm(num_items=2)) is None


@pytest.mark.parametrize("game", ["trade_comm(num_items=4)", TradeComm(num_items=4)])
def test_solve_team_takes_the_compact_form_of_a_large_game(game, monkeypatch):
    monkeypatch.setattr(compact_forms, "MAX_HISTORIES", 1)
    monkeypatch.setattr("infoset.front.team_solution.to_compiled", None)
    result = infoset.solve_team(game)
    assert (result.outcome, result.payoff) == ("optimal", pytest.approx(1))
    assert result.game == "trade_comm(num_items=4)"
    with pytest.raises(ParameterError, match="histories fit in memory"):
        _ = result.policy


@pytest.mark.long
def test_ten_items_are_solved_by_name():
    result = infoset.solve_team("trade_comm(num_items=10)", seconds=60)
    assert (result.outcome, result.payoff) == ("optimal", pytest.approx(1))
